/**
 * From requirements to stories: which ids the documents define, and who covers each.
 *
 * Not every project names requirements in its stories. Functional ones have to be covered as soon as one of them is,
 * those of other families once half of them are. What a document calls out of scope, or for later, is not missing.
 */
import { linesOf } from "../../../base/markdown.ts";
import type { Steps } from "../../../base/work.ts";
import { normalizeText } from "../../../content/parse.ts";
import { findText } from "../../../content/tree/mod.ts";
import {
  costOf,
  type DocumentRole,
  excessOf,
  familyOf,
  findDefinition,
  findDocuments,
  findIds,
  MAX_COST,
  readPlanTitle,
} from "../formats/mod.ts";
import type { CheckWorld, Finding, Traced } from "./model.ts";
import { foundIn } from "./subject.ts";

const LATER =
  /out[ -]of[ -]scope|post[ -]?mvp|non-goals|future|\bvision\b|\bgrowth\b|phase [2-9]|\bdeferred\b|\bdropped\b|\bremoved\b|won'?t (?:have|do)|nice[ -]to[ -]have|hors p[ée]rim[èe]tre|~~/i;
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const DEFINING: readonly DocumentRole[] = ["PRD", "GDD", "spec", "epics"];
/** More than any project has. */
const MAX_DOCUMENTS = 200;
const MAX_IDS = 2_000;
const LINES_A_STEP = 200;

/** The table of requirements, and those that no story covers. */
export function* traceRequirements(world: CheckWorld): Steps<{
  readonly trace: readonly Traced[];
  readonly uncovered: readonly Finding[];
}> {
  const { board } = world;
  const { defined, mapped } = yield* readDefinitions(world);
  const covered = new Map<string, Set<string>>();
  const cover = (id: string, by: string) => covered.getOrInsertComputed(id, () => new Set()).add(by);
  const epics = new Map(board.epics.map(({ ref, state }) => [ref, state]));
  const stories = new Map(board.epics.flatMap((epic) => epic.stories).map(({ ref, state }) => [ref, state]));
  for (const { id, ref } of mapped) {
    const state = stories.get(ref) ?? epics.get(ref);
    if (state !== undefined && state !== "dropped") cover(id, stories.has(ref) ? ref : `epic ${ref}`);
  }
  for (const epic of board.epics.filter(({ state }) => state !== "dropped")) {
    // An epic that is done without any story has covered nothing.
    const isEmpty = epic.state === "done" && epic.stories.length === 0;
    for (const id of isEmpty ? [] : epic.covers) cover(id, `epic ${epic.ref}`);
    for (const { ref, state, covers } of epic.stories) {
      if (state !== "dropped") { for (const id of covers) cover(id, ref); }
    }
  }
  const rows = [...defined.values()].map((one) => ({ ...one, by: [...covered.get(one.id) ?? []] }));
  const families = Map.groupBy(rows, ({ id }) => familyOf(id));
  const uncovered = [...families].flatMap(([family, all]) => {
    const missing = all.filter(({ by }) => by.length === 0);
    const isTraced = family === "FR" ? missing.length < all.length : missing.length <= all.length / 2;
    return board.epics.length === 0 || !isTraced ? [] : missing;
  }).map((one) => foundIn("requirement-uncovered", `No story and no epic covers ${one.id}.`, one));
  return { trace: rows, uncovered };
}

/** What the headings above a line say of it; `ref` is the epic or story that it is about. */
function placeOf(headings: readonly string[]) {
  const ref = headings.map((one) => readPlanTitle(one)?.ref).findLast((one) => one !== undefined);
  const heading = headings.join("\n");
  return { heading, ref, isMap: /coverage/i.test(heading), isLater: LATER.test(heading) };
}

/** The ids that documents define, and those that a plan gives to epics. */
function* readDefinitions({ tree, folders, board }: CheckWorld) {
  const documents = (yield* findDocuments(tree, folders, board)).filter(({ role }) =>
    DEFINING.includes(role)
  );
  const defined = new Map<string, Omit<Traced, "by">>();
  const later = new Set<string>();
  const mapped: { readonly id: string; readonly ref: string }[] = [];
  let left = MAX_COST;
  for (const { path } of documents.slice(0, MAX_DOCUMENTS)) {
    const text = left > 0 ? findText(tree, path) ?? "" : "";
    left -= costOf(path, text);
    yield;
    if (excessOf(text) !== undefined) continue;
    let headings: { readonly level: number; readonly text: string }[] = [];
    let place = placeOf([]);
    for (const { text: line, number, isCode } of linesOf(normalizeText(text))) {
      if (number % LINES_A_STEP === 0) yield;
      if (isCode) continue;
      const [, signs, heading] = line.startsWith("#") ? HEADING.exec(line) ?? [] : [];
      if (signs !== undefined) {
        headings = [...headings.filter(({ level }) => level < signs.length), {
          level: signs.length,
          text: heading!,
        }];
        place = placeOf(headings.map((one) => one.text));
      }
      // A map from ids to epics, and ranges in the words of an epic, are the plan's way to cover many at once.
      const { ref: planned, isMap, isLater } = place;
      if (planned !== undefined || isMap) {
        const start = line.slice(0, 1_000);
        const [, epic] = isMap ? /\bepics?\s+(\d{1,4})/i.exec(start) ?? [] : [];
        const ref = epic === undefined ? planned : `${Number(epic)}`;
        const ids = ref === undefined || mapped.length >= MAX_IDS * 10 ? [] : findIds(start, place);
        for (const id of ids) mapped.push({ id, ref: ref! });
        continue;
      }
      const id = findDefinition(line, place);
      if (id === undefined || defined.size >= MAX_IDS) continue;
      if (LATER.test(line.slice(0, 1_000)) || isLater) later.add(id);
      else defined.getOrInsert(id, { id, path, line: number });
    }
  }
  for (const id of later) defined.delete(id);
  return { defined, mapped };
}
