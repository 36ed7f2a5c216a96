import { recover } from "../../base/absence.ts";
import { BmadError } from "../../base/errors.ts";
import { sha256 } from "../../base/text.ts";
import { countEach, type Values } from "../../base/values.ts";
import {
  isSprintFile,
  ITEMS,
  readSprintFile,
  readSprintKey,
  scriptLines,
  SECTION,
  SPRINT_STATUSES,
  type SprintFile,
  type SprintRow,
} from "../work/formats/mod.ts";
import { type Ledger, openLedger } from "../work/ledger/mod.ts";
import { type Kind, openTarget, readText, type ScriptFiles, stop, Unreadable } from "./script.ts";
import { isTrue, pythonLines, pythonText, truthyText } from "./python.ts";

/** Neither a file nor a problem if it is missing. */
export function loadLedger(world: ScriptFiles, given: string): { file?: SprintFile; problem?: string } {
  const unread = recover(Unreadable, () => void readText(world, given), (error) => error);
  if (unread) return unread.isMissing ? {} : { problem: unread.message };
  const file = readSprintFile(world.files.find(world.files.pathOf("file", given)) ?? "");
  if (file.problem !== undefined) return { problem: placed(file.problem, file.line) };
  return { file: { ...file, fields: withTimes(file) } };
}

/** Python prints `2026-06-07T14:22:00Z` as `2026-06-07 14:22:00`. */
function withTimes({ fields, quoted }: SprintFile): Values {
  const shown = (key: string, value: unknown) => isDate(value, quoted.has(key)) ? timeText(value) : value;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, shown(key, value)]));
}

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d{0,6})\d*)?(?:[ \t]*(?:Z|([-+]\d\d?)(?::?(\d\d))?))?$/;

function timeText(written: string): string {
  const [all, year, month, day, hour, minute, second, fraction = "", hours = "0", minutes = "0"] =
    MOMENT.exec(written) ?? [];
  if (all === undefined) return written;
  const offset = Number(hours) * 60 + (hours.startsWith("-") ? -1 : 1) * Number(minutes);
  const time = Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute! - offset, +second!);
  const micros = fraction.padEnd(6, "0");
  return new Date(time).toISOString().slice(0, 19).replace("T", " ") +
    (Number(micros) === 0 ? "" : `.${micros}`);
}

/** Python reads an unquoted date as one. */
export function isDate(value: unknown, isQuoted = false): value is string {
  return !isQuoted && typeof value === "string" && /^\d{4}-\d\d-\d\d(?:$|[Tt\s])/.test(value);
}

export function existingLedger(world: ScriptFiles, status_file: string): SprintFile | undefined {
  const { file, problem } = loadLedger(world, status_file);
  if (problem !== undefined) stop(`existing status file is not valid YAML: ${problem}`, { status_file });
  if (file?.faults.has("not-a-map")) {
    stop("existing status file is valid YAML but not a mapping", { status_file });
  }
  return file;
}

const FIELDS = ["generated", "last_updated", "project", "project_key", "tracking_system", "story_location"];

/** Any other YAML is a document. A text that is not a map is left to the reader. */
export const LEDGER: Kind = {
  ends: [".yaml", ".yml"],
  isOwn: (text, path) => {
    if (isSprintFile(path)) return true;
    const keys = Object.keys(readSprintFile(text).fields);
    return keys.includes(SECTION) || keys.includes(ITEMS) || keys.every((key) => FIELDS.includes(key));
  },
};

/** Stops in the words of `refuse` if the form of the file does not allow the edit. */
export async function editLedger(
  { files }: ScriptFiles,
  path: string,
  before: string | undefined,
  edit: (ledger: Ledger) => string | Promise<string>,
  refuse: (reason: string) => never,
): Promise<void> {
  let text: string;
  try {
    text = await edit(openLedger(path, before ?? ""));
  } catch (error) {
    if (!(error instanceof BmadError) || error.failure.code !== "invalid-file") throw error;
    return refuse(placed(error.failure.problem, error.failure.line));
  }
  if (text !== before) files.replace(path, text, before);
}

function placed(problem: string, line: number | undefined): string {
  return line === undefined ? problem : `line ${line}: ${problem}`;
}

/** A text without letters and digits becomes its hash. */
export async function sprintSlug(text: string, maxLength: number): Promise<string> {
  const dashed = text.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, "-");
  const short = [...trimDashes(dashed)].slice(0, maxLength).join("");
  if (trimDashes(short) !== "") return trimDashes(short);
  return (await sha256(text)).slice(0, 8);
}

function trimDashes(text: string): string {
  return text.replace(/^-+/, "").replace(/(?<!-)-+$/, "");
}

const HEAD = `# The state of every epic, story and retrospective, in the order of the work.
#
# Epics: backlog, in-progress (its first story was started), done (all its stories are)
# Stories: backlog, ready-for-dev (the story has a file), in-progress, review, done
# Retrospectives: optional, done
# Action items of retrospectives: open, in-progress, done

`;

export interface SprintRequest {
  readonly epicFiles: readonly string[];
  readonly statusFile: string;
  readonly storiesDir: string;
  readonly project: string;
  readonly date: string;
  readonly projectKey?: string;
  readonly trackingSystem?: string;
  readonly storyLocation?: string;
  /** `KEY=STATUS`; only these may move backwards. */
  readonly confirmed?: readonly string[];
  readonly isDry?: boolean;
  /** Ignores the statuses of the ledger. */
  readonly isFresh?: boolean;
  /** Removes unplanned rows and replaces unknown statuses, as the script does. */
  readonly isStrict?: boolean;
}

export type SprintPlan = Awaited<ReturnType<typeof plan>>;

export async function planSprint(request: SprintRequest, world: ScriptFiles): Promise<SprintPlan> {
  const { files, signal } = world;
  if (request.isDry) return await plan(request, world);
  openTarget(files, files.pathOf("status-file", request.statusFile), LEDGER);
  return await files.exclusively(() => plan(request, world), signal);
}

async function plan(request: SprintRequest, world: ScriptFiles) {
  const { epicFiles, statusFile, storiesDir, project, date, confirmed = [] } = request;
  const { isDry = false, isFresh = false, isStrict = false } = request;
  const { planned, warnings } = await readEpics(epicFiles, world);
  if (planned.length === 0) {
    stop("no epics or stories parsed from the given epic files", { epic_files: epicFiles });
  }
  const file = existingLedger(world, statusFile);
  const { tree, pathOf } = world.files;
  const inFolder = storiesDir === "" ? [] : tree.list(pathOf("stories-dir", storiesDir));
  const keys = isStrict || isFresh ? planned : withKnownKeys(planned, file?.rows ?? []);
  const onDisk = new Set(inFolder.map(({ name }) => name));
  const { rows, ...facts } = merge(keys, isFresh ? undefined : file, { onDisk, isStrict });
  for (const [key, status] of readConfirmed(confirmed, rows)) rows.set(key, status);
  const kept = (field: string) => truthyText(file?.fields[field]);
  const generated = kept("generated") ?? date;
  const fields = {
    generated,
    last_updated: date,
    project,
    project_key: request.projectKey ?? kept("project_key") ?? "NOKEY",
    tracking_system: request.trackingSystem ?? kept("tracking_system") ?? "file-system",
    story_location: request.storyLocation ?? kept("story_location") ?? storiesDir,
  };
  if (!isDry) await write(request, fields, rows, file, world);
  const kinds = countEach(planned.map((key) => readSprintKey(key)!.kind));
  const counts = countEach(rows.values());
  const [epics, stories] = [kinds.get("epic") ?? 0, kinds.get("story") ?? 0];
  return { epics, stories, counts, generated, ...facts, warnings: [...warnings, ...facts.warnings] };
}

const SUSPECT = /^#{1,4}\s.*(?<![\p{L}\p{N}_])(?:epic|story)(?![\p{L}\p{N}_])/iu;

/** The headings of BMAD's own templates. */
const TEMPLATE =
  /^(?:epic list$|(?:story map|stories|implementation timeline) - epic\s)|(?:^|\s)epic breakdown$/i;

async function readEpics(given: readonly string[], world: ScriptFiles) {
  const epics = new Map<number, Set<string>>();
  const warnings: string[] = [];
  for (const path of given) {
    const unread = ({ message }: Error) => stop(`cannot read epic file ${path}: ${message}`);
    const document = recover(Unreadable, () => readText(world, path), unread);
    for (const { text, line, heading } of scriptLines(pythonLines(document))) {
      if (heading === undefined) {
        if (SUSPECT.test(text) && !TEMPLATE.test(text.replace(/^#+/, "").trim())) {
          warnings.push(`unparsed Epic/Story-like heading at ${path}:${line}: ${text.trim()}`);
        }
        continue;
      }
      const { epic, story, title } = heading;
      const stories = epics.getOrInsertComputed(epic, () => new Set());
      if (story === undefined) continue;
      const key = `${epic}-${story}-${await sprintSlug(title, 60)}`;
      if (stories.has(key)) warnings.push(`duplicate story heading '${key}' at ${path}:${line}`);
      else stories.add(key);
    }
  }
  const sorted = [...epics].toSorted(([a], [b]) => a - b);
  const planned = sorted.flatMap(([epic, stories]) => [
    `epic-${epic}`,
    ...stories,
    `epic-${epic}-retrospective`,
  ]);
  return { planned, warnings };
}

/** A story with a new title keeps its row, which would otherwise appear twice. */
function withKnownKeys(planned: readonly string[], rows: readonly SprintRow[]): readonly string[] {
  const isPlanned = new Set(planned);
  const others = rows.filter(({ key, known }) => known?.kind === "story" && !isPlanned.has(key));
  const byRef = Map.groupBy(others, ({ known }) => known!.ref);
  const isKnown = new Set(rows.map(({ key }) => key));
  const keys = planned.map((key) => {
    const { kind, ref } = readSprintKey(key)!;
    const [row, ...more] = kind === "story" && !isKnown.has(key) ? byRef.get(ref) ?? [] : [];
    return row !== undefined && more.length === 0 ? row.key : key;
  });
  return [...new Set(keys)];
}

interface MergeOptions {
  readonly onDisk: ReadonlySet<string>;
  readonly isStrict: boolean;
}

/** Gives the higher of two statuses, the row's and the story file's. `isReady`: the story has a file now. */
function planRow(key: string, row: SprintRow | undefined, { onDisk, isStrict }: MergeOptions) {
  const { kind } = readSprintKey(key)!;
  const statuses = SPRINT_STATUSES[kind];
  const { value = null, status } = row ?? {};
  if (typeof value === "object" && value !== null) stop(`the status of ${key} is not a text`);
  const isUnknown = value !== null && status === undefined;
  if (isUnknown && !isStrict && typeof value === "string") {
    return { key, row, status: value, isUnknown, isReady: false };
  }
  const hasFile = kind === "story" && onDisk.has(`${key}.md`);
  const rank = status === undefined ? 0 : statuses.indexOf(status);
  const merged = statuses[Math.max(rank, hasFile ? statuses.indexOf("ready-for-dev") : 0)]!;
  const isReady = hasFile && (value === null || value === "backlog");
  return { key, row, status: merged, isUnknown, isReady };
}

function merge(planned: readonly string[], file: SprintFile | undefined, options: MergeOptions) {
  if (file?.faults.has("section-not-a-map") && isTrue(file.fields[SECTION])) {
    stop(`${SECTION} is not a mapping`);
  }
  const existing = new Map(file?.rows.map((row) => [row.key, row]));
  const plans = planned.map((key) => planRow(key, existing.get(key), options));
  const rows = new Map(plans.map(({ key, status }) => [key, status]));
  const added = plans.filter(({ row }) => row === undefined).map(({ key }) => key);
  const known = plans.flatMap(({ row, ...plan }) => row === undefined ? [] : [{ ...plan, row }]);
  const preserved = known.filter(({ row, status }) => status === (row.status ?? row.value)).length;
  const changed = known.length - preserved;
  const renamed = known.flatMap(({ key, row: { word, renamed } }) =>
    renamed === undefined ? [] : [{ key, from: word, to: renamed }]
  );
  const unknown = known.filter(({ isUnknown }) => isUnknown);
  const warnings = unknown.filter(({ row, status }) => status !== row.value).map(({ key, row, status }) =>
    `illegal status '${pythonText(row.value)}' on '${key}' replaced with '${status}'`
  );
  const unplanned = [...existing.values()].filter(({ key }) => !rows.has(key));
  const isInSync = changed === 0 &&
    [added, unplanned, unknown, renamed].every((list) => list.length === 0);
  if (!options.isStrict) keepUnplanned(rows, existing.values());
  return {
    rows,
    added,
    preserved,
    changed,
    ready: plans.filter(({ isReady }) => isReady).map(({ key }) => key),
    unplanned,
    renamed,
    unknown: unknown.map(({ row }) => row),
    isInSync,
    warnings,
  };
}

/** Rows outside the plan stay behind the rows that they follow now. */
function keepUnplanned(rows: Map<string, string>, existing: Iterable<SprintRow>): void {
  const planned = [...rows];
  const behind = new Map<string | undefined, [string, string][]>();
  let last: string | undefined;
  for (const { key, value } of existing) {
    if (rows.has(key)) last = key;
    else if (typeof value === "string") behind.getOrInsertComputed(last, () => []).push([key, value]);
  }
  rows.clear();
  for (const [key, status] of behind.get(undefined) ?? []) rows.set(key, status);
  for (const [key, status] of planned) {
    rows.set(key, status);
    for (const [other, own] of behind.get(key) ?? []) rows.set(other, own);
  }
}

function readConfirmed(pairs: readonly string[], rows: ReadonlyMap<string, string>) {
  return pairs.map((pair) => {
    const cut = pair.indexOf("=");
    const [key, status] = [pair.slice(0, cut), pair.slice(cut + 1)];
    if (cut < 1 || status === "") stop(`--set expects key=status, got '${pair}'`);
    if (!rows.has(key)) {
      const valid_keys = [...rows.keys()].sort();
      stop(`--set key '${key}' is not in the generated plan`, { valid_keys });
    }
    const { kind, isStrict } = readSprintKey(key) ?? {};
    if (kind === undefined || !isStrict) return stop(`${key} is not a key of a ledger`);
    if (!SPRINT_STATUSES[kind].includes(status)) {
      const legal = SPRINT_STATUSES[kind].toSorted();
      stop(`--set status '${status}' is not legal for ${kind} '${key}'`, { legal });
    }
    return [key, status] as const;
  });
}

async function write(
  { statusFile, isFresh = false }: SprintRequest,
  fields: Readonly<Record<string, string>>,
  rows: ReadonlyMap<string, string>,
  file: SprintFile | undefined,
  world: ScriptFiles,
): Promise<void> {
  const before = file?.text;
  const path = world.files.pathOf("status-file", statusFile);
  const hasFields = file !== undefined && !file.faults.has("empty");
  const edit = (old: Ledger): string => {
    const isNew = !hasFields || isFresh;
    // Comments of a ledger without keys stay.
    const ledger = isNew ? openLedger(path, hasFields || !before?.trim() ? HEAD : before) : old;
    for (const [field, wanted] of Object.entries(fields)) {
      const value = isNew ? null : file.fields[field] ?? null;
      // A date or a number that says the same stays as it is written.
      if (value === null || pythonText(value) !== wanted) ledger.set(field, wanted);
    }
    ledger.arrange(SECTION, [...rows], (key) => readSprintKey(key)?.kind === "epic");
    if (isNew && (file?.fields[ITEMS] ?? null) !== null) ledger.copy(ITEMS, old);
    // A ledger that replaces another one keeps its line ends.
    const isWindows = isFresh && /^[^\n]*\r\n/.test(before ?? "");
    return isWindows ? ledger.toText().replaceAll(/\r?\n/g, "\r\n") : ledger.toText();
  };
  await editLedger(
    world,
    path,
    before,
    edit,
    (reason) => stop(`write or validation failed, original restored: ${reason}`, { restored: true }),
  );
}
