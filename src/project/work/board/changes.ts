/** What has changed between two states of a board. */
import { quotation } from "../../../base/text.ts";
import { type Report, textLines } from "../../../base/report.ts";
import { type Board, type Epic, GONE_FACTS, problemLine, type Story, storyChanges } from "../formats/mod.ts";
import { epicName } from "./find.ts";
import { questionLine } from "./questions.ts";
import { identityOf } from "./records.ts";

export function compareBoards(before: Board, after: Board): readonly Report[] {
  const [old, now] = [itemsOf(before), itemsOf(after)];
  const [askedBefore, asked] = [before, after].map(({ questions }) => questions.map(questionLine));
  const [problemsBefore, problems] = [before, after].map(({ problems }) => problems.map(problemLine));
  return [
    ...now.values().flatMap((item) => {
      const known = old.get(item.id);
      const changes = known === undefined
        ? textLines("new", item.status, ...Object.values(item.notes))
        : differences(known, item);
      return changes.length === 0 ? [] : [reportOf(item, changes, { from: known?.status, to: item.status })];
    }),
    ...old.values().filter(({ id }) => !now.has(id))
      .map((item) => reportOf({ ...item, notes: {} }, ["removed"], { from: item.status })),
    ...reportNew("asked", "asked: question ", asked!, askedBefore!),
    ...reportNew("answered", "answered: question ", askedBefore!, asked!),
    ...reportNew("problem", "problem: ", problems!, problemsBefore!),
    ...reportNew("solved", "solved: ", problemsBefore!, problems!),
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
  const notes = {
    owner,
    retrospective: retrospective && `retrospective ${retrospective}`,
    drift: drift.length === 0 ? undefined : `drift: ${drift.map(problemLine).join("; ")}`,
  };
  return { id: JSON.stringify([ledger, name]), name, title, status: status ?? state, notes };
}

function storyItem(epic: Epic, story: Story): Item {
  const { title, state, status, file } = story;
  const name = identityOf(epic, story);
  const id = JSON.stringify([epic.ledger, "story", name]);
  return { id, name, title, status: status ?? state, notes: { ...storyChanges(story), file } };
}

function differences(before: Item, after: Item): readonly string[] {
  return textLines(
    before.status !== after.status && `${before.status} → ${after.status}`,
    before.title !== after.title && `was called ${quotation(before.title)}`,
    Object.entries(after.notes).filter(([name, note]) => note !== before.notes[name])
      .flatMap(([name, note]) => note ?? GONE_FACTS[name] ?? []),
  );
}

function reportOf(
  { name, title, notes }: Item,
  changes: readonly string[],
  { from, to }: { readonly from?: string | undefined; readonly to?: string },
): Report {
  return {
    text: `${name} ${title}: ${changes.join(", ")}`,
    data: { name, title, from, to, changes, ...notes },
  };
}

function reportNew(key: string, label: string, lines: readonly string[], others: readonly string[]) {
  return [...new Set(lines).difference(new Set(others))]
    .map((line) => ({ text: `${label}${line}`, data: { [key]: line } }));
}
