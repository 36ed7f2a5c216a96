/**
 * What has changed between two states of a board, in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import {
  type Board,
  type Epic,
  GONE_FACTS,
  type Problem,
  problemLine,
  type Story,
  storyChanges,
} from "../formats/mod.ts";
import { identityOf } from "./records.ts";
import { epicName } from "./find.ts";
import { questionLine } from "./questions.ts";

export function compareBoards(before: Board, after: Board): readonly Report[] {
  const old = itemsOf(before);
  const now = itemsOf(after);
  const [askedBefore = [], asked = []] = [before, after].map(({ questions }) => questions.map(questionLine));
  const [problemsBefore = [], problems = []] = [before, after].map(({ problems }) =>
    problems.map(problemLine)
  );
  return [
    ...now.values().flatMap((item) => {
      const known = old.get(item.id);
      const what = known === undefined
        ? ["new", item.status, ...Object.values(item.notes).filter((note) => note !== undefined)]
        : differences(known, item);
      return what.length === 0 ? [] : [reportOf(item, what, known)];
    }),
    ...old.values().filter(({ id }) => !now.has(id)).map((item) => reportOf(item, ["removed"], item)),
    ...reportBeside("asked: question ", asked, askedBefore),
    ...reportBeside("answered: question ", askedBefore, asked),
    ...reportBeside("problem: ", problems, problemsBefore),
    ...reportBeside("solved: ", problemsBefore, problems),
  ];
}

interface Item {
  readonly id: string;
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
  const { title, state, status, file } = story;
  const name = identityOf(epic, story);
  return {
    id: JSON.stringify([epic.ledger, "story", name]),
    name,
    title,
    status: status ?? state,
    notes: { ...storyChanges(story), file },
  };
}

function driftOf(drift: readonly Problem[]): string | undefined {
  return drift.length === 0 ? undefined : `drift: ${drift.map(problemLine).join("; ")}`;
}

function differences(before: Item, after: Item): readonly string[] {
  return [
    ...(before.status === after.status ? [] : [`${before.status} → ${after.status}`]),
    ...(before.title === after.title ? [] : [`was called “${before.title}”`]),
    ...Object.entries(after.notes).flatMap(([name, note]) =>
      note === before.notes[name] ? [] : note ?? GONE_FACTS[name] ?? []
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

/** A report for each line that the other board does not have. */
function reportBeside(kind: string, lines: readonly string[], others: readonly string[]): readonly Report[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line)).map((line) => ({
    text: `${kind}${line}`,
    data: { [kind.slice(0, kind.indexOf(":"))]: line },
  }));
}
