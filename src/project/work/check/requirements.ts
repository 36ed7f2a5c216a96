/**
 * Which requirements documents define, and what covers each. Not every project names them in its stories: functional
 * ones have to be covered as soon as one of them is, others once half of their family is.
 */
import { cachedWith, cacheTexts } from "../../../base/cache.ts";
import { linesOf } from "../../../base/markdown.ts";
import { oneLine } from "../../../base/text.ts";
import type { Interruptible } from "../../../base/work.ts";
import { normalizeText } from "../../../content/parse.ts";
import { cacheListings, findText } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Board,
  type DocumentRole,
  type Epic,
  familyOf,
  findDefinition,
  findDocuments,
  findIds,
  lengthProblem,
  readingCost,
  readPlanTitle,
  type Story,
} from "../formats/mod.ts";
import type { Target } from "../board/mod.ts";
import { type CheckWorld, newFinding, type Traced } from "./model.ts";

const LATER =
  /out[ -]of[ -]scope|post[ -]?mvp|non-goals|future|\bvision\b|\bgrowth\b|phase [2-9]|\bdeferred\b|\bdropped\b|\bremoved\b|won'?t (?:have|do)|nice[ -]to[ -]have|hors p[ée]rim[èe]tre|~~/i;
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const DEFINING: readonly DocumentRole[] = ["PRD", "GDD", "spec", "epics"];
const LINES_A_STEP = 200;

export interface Requirement extends Definition {
  readonly epics: readonly string[];
  readonly stories: readonly string[];
  /** In documents' order: `epic 1`, `1-2`. */
  readonly by: readonly string[];
}

export function* traceRequirements(world: CheckWorld) {
  const rows = yield* readRequirements(world);
  const uncovered = missingIn(rows, world.board)
    .map((one) => newFinding("requirement-uncovered", `No story and no epic covers ${one.id}.`, one));
  return { trace: rows.map(({ id, path, line, by }): Traced => ({ id, path, line, by })), uncovered };
}

/** Only of families that the project traces. */
export function missingIn<T extends Traced>(rows: readonly T[], board: Board): readonly T[] {
  const families = Map.groupBy(rows, ({ id }) => familyOf(id));
  return [...families].flatMap(([family, all]) => {
    const missing = all.filter(({ by }) => by.length === 0);
    const isTraced = family === "FR" ? missing.length < all.length : missing.length <= all.length / 2;
    return board.epics.length === 0 || !isTraced ? [] : missing;
  });
}

/** `documents`: those that define some, if they are known. */
export function* readRequirements(
  world: CheckWorld,
  documents?: readonly string[],
): Interruptible<readonly Requirement[]> {
  const { board } = world;
  const { defined, mapped } = yield* readDefinitions(world, documents ?? (yield* definingDocuments(world)));
  const covered = new Map<string, Map<string, { readonly ref: string; readonly isEpic: boolean }>>();
  const cover = (id: string, ref: string, isEpic: boolean) =>
    covered.getOrInsertComputed(id, () => new Map())
      .getOrInsert(isEpic ? `epic ${ref}` : ref, { ref, isEpic });
  const epics = new Map(board.epics.map(({ ref, state }) => [ref, state]));
  const stories = new Map(board.epics.flatMap((epic) => epic.stories).map(({ ref, state }) => [ref, state]));
  for (const { id, ref } of mapped) {
    const state = stories.get(ref) ?? epics.get(ref);
    if (state !== undefined && state !== "dropped") cover(id, ref, !stories.has(ref));
  }
  for (const epic of board.epics.filter(({ state }) => state !== "dropped")) {
    // Finished without stories, it covers nothing.
    const isEmpty = epic.state === "done" && epic.stories.length === 0;
    for (const id of isEmpty ? [] : epic.covers) cover(id, epic.ref, true);
    for (const { ref, state, covers } of epic.stories) {
      if (state !== "dropped") { for (const id of covers) cover(id, ref, false); }
    }
  }
  return [...defined.values()].map((one) => {
    const by = [...covered.get(one.id) ?? []];
    const refs = (isEpic: boolean) => by.filter(([, one]) => one.isEpic === isEpic).map(([, { ref }]) => ref);
    return { ...one, epics: refs(true), stories: refs(false), by: by.map(([name]) => name) };
  });
}

/** Stories that name none have their epic's, unless others of it show that its stories name theirs. */
export function aimsIn(rows: readonly Requirement[]) {
  const idsOf = (list: "epics" | "stories") => {
    const pairs = rows.flatMap((one) => one[list].map((ref) => ({ ref, id: one.id })));
    const groups = Map.groupBy(pairs, ({ ref }) => ref);
    return (ref: string) => groups.get(ref)?.map(({ id }) => id) ?? [];
  };
  const [ofEpic, ofStory] = [idsOf("epics"), idsOf("stories")];
  const ownOf = ({ covers, ref }: Story) => [...new Set([...covers, ...ofStory(ref)])];
  const isByEpic = cachedWith(({ stories }: Epic) => stories.every((one) => ownOf(one).length === 0));
  return ({ story, epic }: Pick<Target, "story" | "epic">) => {
    const isOfEpic = story === undefined || isByEpic(epic);
    return { isOfEpic, requirements: isOfEpic ? ofEpic(epic.ref) : ownOf(story) };
  };
}

interface Definition {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** `text`; below a heading, its section's paragraphs. */
  readonly words: string;
}

function placeOf(headings: readonly string[]) {
  const ref = headings.map((one) => readPlanTitle(one)?.ref).findLast((one) => one !== undefined);
  const heading = headings.join("\n");
  return { heading, ref, isMap: /coverage/i.test(heading), isLater: LATER.test(heading) };
}

const cache = cacheTexts<Definitions>(LIMITS.check.cachedLength);

export function* definingDocuments(
  { tree, folders, board }: CheckWorld,
): Interruptible<readonly string[]> {
  return (yield* findDocuments(cacheListings(tree), folders, board))
    .filter(({ role }) => DEFINING.includes(role)).map(({ path }) => path).slice(0, LIMITS.check.documents);
}

function* readDefinitions({ tree }: CheckWorld, documents: readonly string[]) {
  const texts: { readonly path: string; readonly text: string }[] = [];
  let left = LIMITS.source.cost;
  for (const path of documents) {
    const text = left > 0 ? findText(tree, path) ?? "" : "";
    left -= readingCost(path, text);
    yield;
    if (lengthProblem(text) === undefined) texts.push({ path, text });
  }
  const whole = texts.map(({ path, text }) => `${path}\0${text}`).join("\0");
  return cache.find(tree.location, whole) ?? cache.keep(tree.location, whole, yield* readAll(texts));
}

function* readAll(texts: readonly { readonly path: string; readonly text: string }[]) {
  const found: Definitions = { defined: new Map(), later: new Set(), mapped: [] };
  for (const { path, text } of texts) {
    yield;
    yield* readInto(found, path, text);
  }
  for (const id of found.later) found.defined.delete(id);
  return found;
}

export function* definitionsIn(path: string, text: string): Interruptible<ReadonlyMap<string, Definition>> {
  const found: Definitions = { defined: new Map(), later: new Set(), mapped: [] };
  if (lengthProblem(text) === undefined) yield* readInto(found, path, text);
  return found.defined;
}

interface Definitions {
  readonly defined: Map<string, Definition>;
  readonly later: Set<string>;
  readonly mapped: { readonly id: string; readonly ref: string }[];
}

const ID = /^[A-Za-z][A-Za-z-]{0,30}[ _#-]{0,2}\d[\d.-]{0,12}[a-z]?(?: ?[:.)–—-])? ?/;

function* readInto({ defined, later, mapped }: Definitions, path: string, text: string): Interruptible<void> {
  let open: string | undefined;
  let section: string | undefined;
  let headings: { readonly level: number; readonly text: string }[] = [];
  let place = placeOf([]);
  for (const { text: line, number, isCode } of linesOf(normalizeText(text))) {
    if (number % LINES_A_STEP === 0) yield;
    if (isCode) continue;
    if (line.trim() === "") open = undefined;
    const [, signs, heading] = line.startsWith("#") ? HEADING.exec(line) ?? [] : [];
    if (signs !== undefined) {
      section = undefined;
      const level = signs.length;
      headings = [...headings.filter((one) => one.level < level), { level, text: heading! }];
      place = placeOf(headings.map((one) => one.text));
    }
    // Plans cover many ids at once: in a map, or in ranges within an epic's text.
    const { ref: planned, isMap, isLater } = place;
    if (planned !== undefined || isMap) {
      const start = line.slice(0, 1_000);
      const [, epic] = isMap ? /\bepics?\s+(\d{1,4})/i.exec(start) ?? [] : [];
      const ref = epic === undefined ? planned : `${Number(epic)}`;
      const ids = ref === undefined || mapped.length >= LIMITS.check.requirements * 10
        ? []
        : findIds(start, place);
      for (const id of ids) mapped.push({ id, ref: ref! });
      continue;
    }
    const id = findDefinition(line, place);
    const above = open ?? section;
    if (id === undefined && above !== undefined && signs === undefined) {
      const before = defined.get(above)!;
      const said = wordsOf(line);
      const more = (known: string, most: number) =>
        said === "" || known.length >= most ? known : `${known} ${said}`;
      defined.set(above, {
        ...before,
        ...(open !== undefined && { text: more(before.text, LIMITS.check.requirement) }),
        words: more(before.words, LIMITS.check.requirementSection),
      });
      continue;
    }
    open = section = undefined;
    if (id === undefined || defined.size >= LIMITS.check.requirements) continue;
    if (LATER.test(line.slice(0, 1_000)) || isLater) later.add(id);
    else if (!defined.has(id)) {
      const text = wordsOf(line).replace(ID, "");
      defined.set(id, { id, path, line: number, text, words: text });
      open = id;
      if (signs !== undefined) section = id;
    }
  }
}

function wordsOf(line: string): string {
  return oneLine(line.slice(0, LIMITS.check.requirement).replaceAll(/[*_`|#>]+/g, " "))
    .replace(/^(?:[-+]|\d{1,4}[.)]) /, "");
}
