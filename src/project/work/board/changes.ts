/**
 * What has changed between two states of a board, in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import type { Board, Epic, Problem, Story } from "../formats/mod.ts";
import { identityOf } from "./records.ts";
import { epicName } from "./find.ts";
import { questionLine } from "./questions.ts";
import { problemLine, storyNotes } from "./report.ts";

/** One report for each epic, story and problem that differs, in the order of the board. */
export function compareBoards(before: Board, after: Board): readonly Report[] {
  const old = itemsOf(before);
  const now = itemsOf(after);
  return [
    ...now.values().flatMap((item) => {
      const known = old.get(item.id);
      const what = known === undefined
        ? ["new", item.status, ...Object.values(item.notes).filter((note) => note !== undefined)]
        : differences(known, item);
      return what.length === 0 ? [] : [reportOf(item, what, known)];
    }),
    ...old.values().filter(({ id }) => !now.has(id)).map((item) => reportOf(item, ["removed"], item)),
    ...questionsBeside(after, before).map((line) => questionReport("asked", line)),
    ...questionsBeside(before, after).map((line) => questionReport("answered", line)),
    ...problemsBeside(after, before).map((one) => problemReport("problem", one)),
    ...problemsBeside(before, after).map((one) => problemReport("solved", one)),
  ];
}

/** The facts of an epic or a story whose changes are reported. */
interface Item {
  readonly id: string;
  /** `1-2-sign-in`, `epic-1`. */
  readonly name: string;
  readonly title: string;
  readonly status: string;
  readonly notes: Readonly<Record<string, string | undefined>>;
}

function itemsOf({ epics }: Board): ReadonlyMap<string, Item> {
  const all = epics.flatMap((epic) => [
    ...(epic.ref === "" ? [] : [epicItem(epic)]),
    ...epic.stories.map((story) => storyItem(epic, story)),
  ]);
  return new Map(all.map((item) => [item.id, item]));
}

function epicItem({ ref, title, state, status, owner, ledger, drift, retrospective }: Epic): Item {
  const name = epicName({ ref });
  return {
    id: JSON.stringify([ledger, name]),
    name,
    title,
    status: status ?? state,
    notes: { owner, retrospective: retrospective && `retrospective ${retrospective}`, drift: driftOf(drift) },
  };
}

function storyItem(epic: Epic, story: Story): Item {
  const { title, state, status, owner, drift, file } = story;
  const name = identityOf(epic, story);
  return {
    id: JSON.stringify([epic.ledger, "story", name]),
    name,
    title,
    status: status ?? state,
    notes: { ...storyNotes(story), owner: owner && `owner ${owner}`, file, drift: driftOf(drift) },
  };
}

function driftOf(drift: readonly Problem[]): string | undefined {
  return drift.length === 0 ? undefined : `drift: ${drift.map(problemLine).join("; ")}`;
}

/** What a note that is gone leaves behind. */
const GONE: Readonly<Record<string, string>> = {
  owner: "no owner",
  claim: "released",
  waitsFor: "waits for nothing",
  unknown: "no open question",
  questions: "no question open",
  drift: "no drift",
  file: "no file",
  findings: "no finding open",
  stale: "no longer stale",
};

function differences(before: Item, after: Item): readonly string[] {
  return [
    ...(before.status === after.status ? [] : [`${before.status} → ${after.status}`]),
    ...(before.title === after.title ? [] : [`was called “${before.title}”`]),
    ...Object.entries(after.notes).flatMap(([name, note]) =>
      note === before.notes[name] ? [] : note ?? GONE[name] ?? []
    ),
  ];
}

function reportOf({ name, title, status, notes }: Item, what: readonly string[], before?: Item): Report {
  const isGone = what[0] === "removed";
  return {
    text: `${name} ${title}: ${what.join(", ")}`,
    data: {
      name,
      title,
      from: before?.status,
      to: isGone ? undefined : status,
      changes: what,
      ...(!isGone && Object.fromEntries(Object.entries(notes).filter(([, note]) => note !== undefined))),
    },
  };
}

function questionsBeside({ questions }: Board, other: Board): readonly string[] {
  const known = new Set(other.questions.map(questionLine));
  return questions.map(questionLine).filter((line) => !known.has(line));
}

function questionReport(kind: "asked" | "answered", line: string): Report {
  return { text: `${kind}: question ${line}`, data: { [kind]: line } };
}

function problemsBeside(board: Board, other: Board): readonly string[] {
  const known = new Set(other.problems.map(problemLine));
  return board.problems.map(problemLine).filter((line) => !known.has(line));
}

function problemReport(kind: "problem" | "solved", line: string): Report {
  return { text: `${kind}: ${line}`, data: { [kind]: line } };
}
