/**
 * `sprint-status.yaml` of 6.0.0-alpha.7 to 6.12, with story files and build records beside it and the epics' plan.
 *
 * File order is work order. A story file is `1-2-login.md`, a record of a build `spec-1-2-login.md`.
 */
import { asText, asValues } from "../../../base/values.ts";
import { oneLine, shorten, splitLines } from "../../../base/text.ts";
import type { Steps } from "../../../base/work.ts";
import { normalizeText, parseYaml } from "../../../content/parse.ts";
import { joinPath, normalizePath, parentPath } from "../../../content/tree/mod.ts";
import { type StoryDocument, union } from "./document.ts";
import { findPlans, type Planned, readPlans } from "./epics_document.ts";
import {
  type Adapter,
  blockedBy,
  compareWithLedger,
  epicOf,
  type Reading,
  stateOfStories,
  titleFromKey,
} from "./adapter.ts";
import { formInSprint } from "./forms.ts";
import type { ActionItem, Epic, Problem, Story } from "./model.ts";
import { type Source, uniqueFolders } from "./source.ts";
import { isOver, isStarted, stateOf } from "./status.ts";

const NAMES = ["sprint-status.yaml", "sprint-status.yml"];
const EPIC = /^epic-([\w.]+)$/;
const RETROSPECTIVE = /^epic-([\w.]+)-retrospective$/;
const STORY = /^((\d{1,4})-\d{1,4}[a-z]?)(?:-|$)/;
/** How many story files are read in a row. */
const AHEAD = 16;
/** More stories than any sprint has. */
const MAX_ROWS = 20_000;

/** The adapter of sprints. */
export const SPRINT_STATUS: Adapter = {
  format: "sprint-status",
  find: (source) => {
    const { output, planning, implementation } = source.folders;
    return uniqueFolders(...implementation, output, ...planning)
      .flatMap((folder) => NAMES.map((name) => joinPath(folder, name)).filter(source.has));
  },
  read: readSprint,
};

interface Row {
  readonly key: string;
  readonly word: string;
  readonly line?: number;
}

function* readSprint(source: Source, path: string): Steps<Reading> {
  const text = source.text(path);
  if (text === undefined) return { epics: [], actions: [] };
  const { rows, values } = rowsOf(source, path, text);
  yield;
  const location = storyFolder(source, path, asText(values["story_location"]));
  const planPaths = uniqueFolders(...source.folders.planning, parentPath(path))
    .flatMap((folder) => findPlans(source, folder));
  const plans = yield* readPlans(source, planPaths);
  planPaths.forEach(source.claim);
  const documents = documentsIn(source, uniqueFolders(location, parentPath(path)));
  yield;
  const readAhead = (key: string) => {
    const file = documents(key, STORY.exec(key)?.[1]);
    if (file !== undefined) source.readAhead(file);
  };
  const epics = new Map<string, { row?: Row; retrospective?: string; stories: Story[] }>();
  const group = (ref: string) => epics.getOrInsertComputed(ref, () => ({ stories: [] }));
  for (const [at, row] of rows.entries()) {
    yield;
    if (at % AHEAD === 0) { for (const { key } of rows.slice(at, at + AHEAD)) readAhead(key); }
    const [, epic] = EPIC.exec(row.key) ?? [];
    const [, retrospective] = RETROSPECTIVE.exec(row.key) ?? [];
    const [, ref, number] = STORY.exec(row.key) ?? [];
    if (epic !== undefined) group(epic).row = row;
    else if (retrospective !== undefined) group(retrospective).retrospective = row.word;
    else {
      const planned = ref === undefined ? undefined : plans.stories.get(ref);
      const hasPlan = plans.stories.size > 0 && ref !== undefined;
      const story = storyOf(source, path, row, { ref, planned, hasPlan, find: documents });
      group(number ?? "").stories.push(story);
    }
  }
  const listed = new Set(rows.map(({ key }) => STORY.exec(key)?.[1]));
  for (const { ref, path: plan, line } of plans.stories.values()) {
    if (!listed.has(ref)) source.report(plan, `story ${ref} is not in ${path}`, line);
  }
  return {
    epics: [...epics].map(([ref, { row, retrospective, stories }]) => {
      const planned = plans.epics.get(ref);
      return epicFrom(source, path, { ref, row, retrospective, stories, planned });
    }),
    actions: actionsIn(values["action_items"]),
  };
}

function rowsOf(source: Source, path: string, text: string) {
  const { value: values, problem, at } = parseYaml(text);
  const scanned = scanRows(text);
  if (problem !== undefined) source.report(path, problem, at?.line);
  const status = values["development_status"];
  if (problem === undefined && status === undefined) source.report(path, "development_status is missing");
  if (status !== undefined && status !== null && Object.keys(asValues(status)).length === 0) {
    source.report(path, "development_status has no rows");
  }
  const lines = new Map(scanned.map(({ key, line }) => [key, line]));
  // What cannot be parsed as a whole can still be read line by line.
  const rows: readonly Row[] = problem !== undefined
    ? scanned
    : Object.entries(asValues(status)).map(([key, value]) => ({
      key,
      word: asText(value) ?? asText(asValues(value)["status"]) ?? "",
      line: lines.get(key),
    }));
  if (rows.length > MAX_ROWS) source.report(path, `only the first ${MAX_ROWS} rows are shown`);
  return { rows: rows.slice(0, MAX_ROWS), values };
}

/** The rows below `development_status`, with their lines. */
function scanRows(text: string): readonly Row[] {
  const rows: Row[] = [];
  let isInside = false;
  for (const [at, line] of splitLines(normalizeText(text)).entries()) {
    if (/^\S/.test(line) && !line.startsWith("#")) isInside = /^["']?development_status["']?\s*:/.test(line);
    else if (isInside) {
      const [, key, word] = /^\s+["']?([\w.-]{1,200})["']?\s*:\s*["']?([^#"']*)/.exec(line) ?? [];
      if (key !== undefined) rows.push({ key, word: word!.trim(), line: at + 1 });
    }
  }
  return rows;
}

/** Where story files lie: as the ledger says, if that is in the project. */
function storyFolder(source: Source, path: string, location: string | undefined): string {
  const inside = location?.replace(/^\{project[-_]root\}[\\/]?/, "").replaceAll("\\", "/");
  const folder = inside === undefined || /^[/~]|^[A-Za-z]:|[{}]/.test(inside)
    ? undefined
    : normalizePath(inside);
  return folder || source.folders.implementation[0] || parentPath(path);
}

/** Finds the file of a story by its key or its number. */
function documentsIn(
  source: Source,
  folders: readonly string[],
): (key: string, ref?: string) => string | undefined {
  const byName = new Map<string, string>();
  const byNumber = new Map<string, string>();
  for (const folder of folders) {
    for (const name of source.filesIn(folder)) {
      const [, stem] = /^(?:spec-|story-)?(.+)\.md$/i.exec(name) ?? [];
      if (stem === undefined) continue;
      const path = joinPath(folder, name);
      // The story file itself comes before the record of its build.
      if (!byName.has(stem) || name === `${stem}.md`) byName.set(stem, path);
      const [, epic, story] = /^(\d{1,4})[.-](\d{1,4}[a-z]?)(?:[.-]|$)/.exec(stem) ?? [];
      if (epic !== undefined) byNumber.getOrInsert(`${epic}-${story}`, path);
    }
  }
  return (key, ref) => byName.get(key) ?? (ref && byNumber.get(ref));
}

interface StoryFacts {
  readonly ref?: string;
  readonly planned?: Planned;
  readonly hasPlan: boolean;
  find(key: string, ref?: string): string | undefined;
}

function storyOf(
  source: Source,
  ledger: string,
  row: Row,
  { ref, planned, hasPlan, find }: StoryFacts,
): Story {
  const { key, line } = row;
  const word = oneLine(row.word);
  const known = stateOf(word);
  if (known === undefined) source.report(ledger, `story ${key} has the unknown status "${word}"`, line);
  const state = known ?? "blocked";
  const file = find(key, ref);
  const document = file === undefined || !source.claim(file) ? undefined : source.document(file);
  const form = formInSprint(document?.fields);
  const { note, drift: own } = compareWithLedger(form, { ledger, line, state, word }, document);
  const drift: Problem[] = [...own];
  if (hasPlan && planned === undefined) drift.push(at(ledger, "no plan has a heading for it", line));
  // A story that is in progress may have none yet: newer releases write it as they build.
  if (file === undefined && (state === "ready" || state === "review")) {
    drift.push(at(ledger, `it is "${word}", but has no story file`, line));
  }
  return {
    ref: ref ?? shorten(key, 80),
    key: shorten(key, 120),
    form,
    title: planned?.title || document?.title || titleFromKey(key.slice(ref?.length ?? 0)),
    state,
    ...(word !== "" && { status: shorten(word, 60) }),
    ledger,
    ...(line !== undefined && { line }),
    ...(file !== undefined && { file }),
    ...partsOf(document, planned),
    ...blockedBy(document),
    ...(note !== undefined && { note }),
    waitsFor: [],
    drift,
  };
}

/** What the story file says, and the plan where the file says nothing. */
function partsOf(document: StoryDocument | undefined, planned: Planned | undefined) {
  const owner = document?.owner ?? planned?.owner;
  return {
    ...(owner !== undefined && { owner }),
    after: union(document?.after ?? [], planned?.after ?? []).map((ref) => ref.replace(".", "-")),
    covers: union(planned?.covers ?? [], document?.covers ?? []),
    criteria: document?.criteria.length ? document.criteria : planned?.criteria ?? [],
    boxes: document?.boxes ?? { ticked: 0, total: 0 },
  };
}

function at(path: string, problem: string, line?: number): Problem {
  return { path, ...(line !== undefined && { line }), problem };
}

interface EpicFacts {
  readonly ref: string;
  readonly row?: Row;
  readonly retrospective?: string;
  readonly stories: readonly Story[];
  readonly planned?: Planned;
}

function epicFrom(source: Source, ledger: string, facts: EpicFacts): Epic {
  const { ref, row, retrospective, stories, planned } = facts;
  const word = row === undefined ? undefined : oneLine(row.word);
  const known = word === undefined ? undefined : stateOf(word);
  if (row !== undefined && known === undefined) {
    source.report(ledger, `epic ${ref} has the unknown status "${word}"`, row.line);
  }
  const state = known ?? stateOfStories(stories);
  const open = stories.filter(({ state }) => !isOver(state)).length;
  const drift: Problem[] = [];
  if (state === "done" && open > 0) {
    drift.push(
      at(ledger, `it is done, but ${open} of its stories ${open === 1 ? "is" : "are"} not`, row?.line),
    );
  }
  if (known === "backlog" && stories.some(({ state }) => isStarted(state))) {
    drift.push(at(ledger, `it is in the backlog, but work on its stories has begun`, row?.line));
  }
  return epicOf({
    ref,
    title: planned?.title || (ref === "" ? "Stories without an epic" : `Epic ${ref}`),
    state,
    status: word && shorten(word, 60),
    ledger,
    line: row?.line,
    file: planned?.path,
    after: planned?.after ?? [],
    covers: planned?.covers ?? [],
    retrospective: retrospective && shorten(retrospective, 60),
    drift,
    stories,
  });
}

function actionsIn(value: unknown): readonly ActionItem[] {
  return (Array.isArray(value) ? value : []).slice(0, 1_000).map(asValues).flatMap((item) => {
    const [epic, action, owner, status] = ["epic", "action", "owner", "status"].map((key) => {
      const text = asText(item[key]);
      return text && shorten(text);
    });
    if (action === undefined || (status !== undefined && stateOf(status) === "done")) return [];
    return [{ action, ...(epic && { epic }), ...(owner && { owner }), ...(status && { status }) }];
  });
}
