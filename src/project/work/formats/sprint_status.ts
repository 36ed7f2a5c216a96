/**
 * `sprint-status.yaml` of 6.0.0-alpha.7 to 6.12, for boards, marks, plans and BMAD's own scripts. File order is work order. A story file is
 * `1-2-login.md`, a record of a build `spec-1-2-login.md`.
 */
import { cacheTexts } from "../../../base/cache.ts";
import { textLines } from "../../../base/report.ts";
import { oneLine, shorten, splitLines } from "../../../base/text.ts";
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import { type Interruptible, runAtOnce } from "../../../base/work.ts";
import { normalizeText, parseAnyYaml } from "../../../content/parse.ts";
import { joinPath, normalizePath, parentPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Adapter,
  compareWithLedger,
  endedEarly,
  epicIn,
  epicOf,
  knownState,
  type Reading,
  stateOfStories,
  storyOf,
  titleFromKey,
} from "./adapter.ts";
import { findPlans, type Plans, readPlans } from "./epics_document.ts";
import { formInSprint, wordFor } from "./forms.ts";
import { isStarted, OLD_WORDS, stateOf } from "./model.ts";
import { type Source, uniqueFolders } from "./source.ts";
import {
  ACTION_STATUSES,
  ITEMS,
  namedRef,
  readSprintKey,
  refInName,
  SECTION,
  SPRINT_FILES,
  SPRINT_STATUSES,
  type SprintKey,
} from "./sprint_keys.ts";
import { type ActionItem, type Epic, readFacts, type Story } from "./story_facts.ts";
import { type Entry, scalarText } from "./yaml_lines.ts";
import { type Parts, readYamlTree } from "./yaml_tree.ts";

export interface SprintRow {
  readonly key: string;
  /** Undefined for a key that BMAD does not use. */
  readonly known: SprintKey | undefined;
  readonly value: unknown;
  readonly word: string;
  readonly status: string | undefined;
  /** Today's name of an older release's word. */
  readonly renamed: string | undefined;
  readonly line?: number;
  /** Quotes make a text of what looks like a date. */
  readonly isQuoted?: boolean;
}

export type SprintItem = ReturnType<typeof itemOf>;

type SprintFault =
  | "empty"
  | "not-a-map"
  | "section-missing"
  | "section-not-a-map"
  | "section-empty"
  | "items-not-a-list";

export type SprintFile = ReturnType<typeof readSprintFile>;

export function readSprintFile(text: string) {
  return runAtOnce(sprintFileSteps(text));
}

/** A ledger may have tens of thousands of rows. */
function* sprintFileSteps(text: string) {
  const { value, problem, at } = parseAnyYaml(text);
  yield;
  const tree = readYamlTree(splitLines(normalizeText(text)));
  yield;
  const written = writtenRows(tree);
  const places = new Map(written.map(({ key, line, isQuoted }) => [key, { line, isQuoted }]));
  const fields = asValues(value);
  // Otherwise line by line.
  const rows = problem === undefined
    ? []
    : written.map(({ key, word, ...rest }): SprintRow => ({ ...rowOf(key, word), ...rest }));
  for (const [key, value] of Object.entries(asValues(fields[SECTION]))) {
    rows.push({ ...rowOf(key, value), ...places.get(key) });
    yield;
  }
  return {
    text,
    fields,
    rows: rows as readonly SprintRow[],
    quoted: new Set(tree.nodes.filter(({ entry }) => isQuoted(entry)).map(({ key }) => key)),
    items: (Array.isArray(fields[ITEMS]) ? fields[ITEMS] : []).map(itemOf),
    faults: new Set(problem === undefined ? faultsOf(value) : []),
    problem,
    line: at?.line,
  };
}

export function sprintRows(fields: Values): readonly SprintRow[] {
  return Object.entries(asValues(fields[SECTION])).map(([key, value]) => rowOf(key, value));
}

function rowOf(key: string, value: unknown): SprintRow {
  const known = readSprintKey(key);
  const renamed = wordFor(OLD_WORDS.get(value), "story-file");
  return {
    key,
    known,
    value,
    word: asText(value) ?? asText(asValues(value)["status"]) ?? "",
    status: known && SPRINT_STATUSES[known.kind].find((one) => one === (renamed ?? value)),
    renamed,
  };
}

function itemOf(value: unknown) {
  const fields = isValues(value) ? value : undefined;
  return { value, fields, status: ACTION_STATUSES.find((one) => one === fields?.["status"]) };
}

function* faultsOf(value: unknown): Iterable<SprintFault> {
  if ((value ?? null) === null) yield "empty";
  else if (!isValues(value)) yield "not-a-map";
  else {
    const section = value[SECTION] ?? null;
    if (section === null) yield "section-missing";
    else if (!isValues(section)) yield "section-not-a-map";
    else if (Object.keys(section).length === 0) yield "section-empty";
    if ((value[ITEMS] ?? null) !== null && !Array.isArray(value[ITEMS])) yield "items-not-a-list";
  }
}

type WrittenRow = Pick<SprintRow, "key" | "word" | "line" | "isQuoted">;

/** If the file cannot be parsed, with any indentation. */
function writtenRows({ nodes }: Parts): readonly WrittenRow[] {
  let isInside = false;
  return nodes.flatMap(({ entry, body }) => {
    if (entry !== undefined) isInside = entry.key === SECTION;
    return isInside ? [...entriesIn(body)] : [];
  });
}

function* entriesIn({ nodes }: Parts): Iterable<WrittenRow> {
  for (const { entry, at, body } of nodes) {
    if (entry !== undefined) {
      const word = entry.value === undefined ? "" : scalarText(entry.value);
      yield { key: entry.key, word, line: at! + 1, isQuoted: isQuoted(entry) };
    }
    yield* entriesIn(body);
  }
}

function isQuoted(entry: Entry | undefined): boolean {
  return entry?.value !== undefined && entry.value.style !== "plain";
}

const AHEAD = 16;
const kept = cacheTexts<SprintFile>(LIMITS.ledgers.cachedLength);

export const SPRINT_STATUS: Adapter = {
  format: "sprint-status",
  find: (source) => {
    const { output, planning, implementation } = source.folders;
    return uniqueFolders(...implementation, output, ...planning)
      .flatMap((folder) => SPRINT_FILES.map((name) => joinPath(folder, name)).filter(source.has));
  },
  read: readSprint,
};

const FAULTS: Readonly<Partial<Record<SprintFault, string>>> = {
  "empty": "the file is empty",
  "not-a-map": "the file is not a map of keys and values",
  "section-not-a-map": `${SECTION} has no rows`,
  "section-empty": `${SECTION} has no rows`,
};

function* readSprint(source: Source, path: string): Interruptible<Reading> {
  const text = source.text(path);
  if (text === undefined) return { epics: [], actions: [] };
  const file = kept.find(path, text) ?? kept.keep(path, text, yield* sprintFileSteps(text));
  const rows = file.rows.slice(0, LIMITS.ledgers.sprintRows);
  reportFaults(source, path, file);
  yield;
  const location = storyFolder(source, path, asText(file.fields["story_location"]));
  const planPaths = uniqueFolders(...source.folders.planning, parentPath(path))
    .flatMap((folder) => findPlans(source, folder));
  const plans = yield* readPlans(source, planPaths);
  planPaths.forEach(source.claim);
  const documents = documentsIn(source, uniqueFolders(location, parentPath(path)));
  yield;
  const readAhead = ({ key, known }: SprintRow) => {
    const file = documents(key, known?.ref);
    if (file !== undefined) source.readAhead(file);
  };
  const epics = new Map<string, Group>();
  const group = (ref: string) => epics.getOrInsertComputed(ref, () => ({ stories: [] }));
  for (const [at, row] of rows.entries()) {
    yield;
    if (at % AHEAD === 0) rows.slice(at, at + AHEAD).forEach(readAhead);
    const { kind = "story", epic = "" } = row.known ?? {};
    if (kind === "epic") group(epic).row = row;
    else if (kind === "retro") group(epic).retrospective = row.word;
    else group(epic).stories.push(storyIn(source, path, row, { plans, find: documents }));
  }
  const listed = new Set(rows.map(({ known }) => known?.ref));
  const unlisted = plans.stories.values().filter(({ ref }) => !listed.has(ref)).toArray();
  for (const { ref, path: plan, line } of unlisted) {
    source.report(plan, `story ${ref} is not in ${path}; plan adds it`, line);
  }
  return {
    epics: Array.from(epics, ([ref, own]) => epicFrom(source, path, epicIn(ref, plans.epics.get(ref)), own)),
    actions: file.items.slice(0, LIMITS.ledgers.actions).flatMap(openAction),
    unlisted: unlisted.map(({ ref }) => ref),
  };
}

function reportFaults(source: Source, path: string, { faults, fields, rows, problem, line }: SprintFile) {
  if (problem !== undefined) source.report(path, problem, line);
  for (const fault of faults.values().map((name) => FAULTS[name])) if (fault) source.report(path, fault);
  if (faults.has("section-missing") && !Object.hasOwn(fields, SECTION)) {
    source.report(path, `${SECTION} is missing`);
  }
  if (rows.length > LIMITS.ledgers.sprintRows) {
    source.report(path, `only the first ${LIMITS.ledgers.sprintRows} rows are shown`);
  }
}

/** As the ledger says, if in the project. */
function storyFolder(source: Source, path: string, location: string | undefined): string {
  const inside = location?.replace(/^\{project[-_]root\}[\\/]?/, "").replaceAll("\\", "/");
  const folder = inside === undefined || /^[/~]|^[A-Za-z]:|[{}]/.test(inside)
    ? undefined
    : normalizePath(inside);
  return folder || source.folders.implementation[0] || parentPath(path);
}

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
      const ref = refInName(name);
      const path = joinPath(folder, name);
      // The story file comes before the record of its build.
      if (!byName.has(stem) || name === `${stem}.md`) byName.set(stem, path);
      if (ref !== undefined) byNumber.getOrInsert(ref, path);
    }
  }
  return (key, ref) => byName.get(key) ?? (ref && byNumber.get(ref));
}

function storyIn(
  source: Source,
  ledger: string,
  row: SprintRow,
  { plans, find }: { readonly plans: Plans; readonly find: ReturnType<typeof documentsIn> },
): Story {
  const { key, line, known: named } = row;
  const ref = named?.ref;
  const planned = ref === undefined ? undefined : plans.stories.get(ref);
  const word = oneLine(row.word);
  const state = knownState(source, `story ${key}`, word, [ledger, line]) ?? "blocked";
  const file = find(key, ref);
  const document = file === undefined || !source.claim(file) ? undefined : source.document(file);
  const form = formInSprint(document?.fields);
  const { drift: own, ...compared } = compareWithLedger(form, { state, word }, document);
  const isUnplanned = plans.stories.size > 0 && ref !== undefined && planned === undefined;
  // Before a review there may be none: newer releases write it as they build.
  const lacksFile = file === undefined && state === "review";
  const problems = textLines(
    isUnplanned && "no plan has a heading for it",
    lacksFile && `it is "${word}", but has no story file`,
  );
  const drift = [...own, ...problems.map((problem) => ({ path: ledger, line, problem }))];
  const { title = titleFromKey(named?.name ?? key), after, ...facts } = readFacts({
    file: document,
    section: planned,
  });
  return storyOf({
    ...facts,
    ref: ref ?? shorten(key, 80),
    key: shorten(key, 120),
    form,
    title,
    state,
    status: word === "" ? undefined : shorten(word, 60),
    ledger,
    line,
    file,
    after: after?.map(namedRef),
    ...compared,
    drift,
  });
}

interface Group {
  row?: SprintRow;
  retrospective?: string;
  readonly stories: Story[];
}

function epicFrom(
  source: Source,
  ledger: string,
  planned: ReturnType<typeof epicIn>,
  { row, retrospective, stories }: Group,
): Epic {
  const word = row === undefined ? undefined : oneLine(row.word);
  const known = word === undefined
    ? undefined
    : knownState(source, `epic ${planned.ref}`, word, [ledger, row!.line]);
  const state = known ?? stateOfStories(stories);
  const place = { path: ledger, line: row?.line };
  // Not for a ready story: sprint_plan.py leaves its epic in the backlog, too.
  const isLate = known === "backlog" && stories.some(({ state }) => isStarted(state));
  const late = { ...place, problem: "it is in the backlog, but work on its stories has begun" };
  const drift = isLate ? [late] : endedEarly(state, stories, { ...place, called: "stories" });
  return epicOf({
    ...planned,
    state,
    status: word && shorten(word, 60),
    ledger,
    line: row?.line,
    retrospective: retrospective && shorten(retrospective, 60),
    drift,
    stories,
  });
}

function openAction({ fields = {} }: SprintItem): readonly ActionItem[] {
  const [epic, action, owner, status] = ["epic", "action", "owner", "status"].map((key) => {
    const text = asText(fields[key]);
    return text && shorten(text);
  });
  if (action === undefined || (status !== undefined && stateOf(status) === "done")) return [];
  return [{ action, ...(epic && { epic }), ...(owner && { owner }), ...(status && { status }) }];
}
