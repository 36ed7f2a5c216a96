/**
 * The plan of a sprint: the epics and stories of documents, merged into `sprint-status.yaml` as `sprint_plan.py generate`
 * does it.
 */
import { countEach } from "../../base/values.ts";
import {
  ITEMS,
  readSprintKey,
  scriptLines,
  SECTION,
  SPRINT_STATUSES,
  type SprintFile,
  type SprintRow,
} from "../work/formats/mod.ts";
import { openLedger } from "../work/ledger/mod.ts";
import { readText, stop, Unreadable } from "./program.ts";
import { isTrue, pythonLines, pythonText } from "./python.ts";
import type { ScriptFiles } from "./script.ts";
import { existingLedger, LEDGER, refusalOf, sprintSlug } from "./sprint_file.ts";
import { openTarget } from "./targets.ts";

const HEAD = `# The state of every epic, story and retrospective, in the order of the work.
#
# Epics: backlog, in-progress (its first story was started), done (all its stories are)
# Stories: backlog, ready-for-dev (the story has a file), in-progress, review, done
# Retrospectives: optional, done
# Action items of retrospectives: open, in-progress, done

`;

/** A sprint to plan, by paths in the project. */
export interface SprintRequest {
  readonly epicFiles: readonly string[];
  readonly statusFile: string;
  readonly storiesDir: string;
  readonly project: string;
  /** As `MM-DD-YYYY HH:MM`. */
  readonly date: string;
  readonly projectKey?: string;
  readonly trackingSystem?: string;
  readonly storyLocation?: string;
  /** Statuses that the user has confirmed, as `KEY=STATUS`: only these may go back. */
  readonly confirmed?: readonly string[];
  /** Whether nothing is written. */
  readonly isDry?: boolean;
  /** Whether the statuses of the ledger are forgotten. */
  readonly isFresh?: boolean;
  /** Whether rows that no plan has are removed, and statuses that BMAD does not know replaced, as the script does. */
  readonly isStrict?: boolean;
}

/** What a plan made of the ledger, or would make of it. */
export interface SprintPlan {
  readonly epics: number;
  readonly stories: number;
  /** How many rows have each status. */
  readonly counts: ReadonlyMap<string, number>;
  readonly generated: string;
  readonly warnings: readonly string[];
  readonly added: readonly string[];
  readonly preserved: number;
  readonly changed: number;
  /** The stories that became ready because they have a file. */
  readonly ready: readonly string[];
  /** The rows that no plan has. */
  readonly unplanned: readonly SprintRow[];
  /** The rows whose status had a name of an older release. */
  readonly renamed: readonly { readonly key: string; readonly from: string; readonly to: string }[];
  /** The rows whose status BMAD does not know. */
  readonly unknown: readonly SprintRow[];
  /** Whether the ledger says all of this already. */
  readonly isInSync: boolean;
}

/** Plans a sprint. Fails with a `ScriptError` if a document or the ledger does not allow it. */
export async function planSprint(request: SprintRequest, world: ScriptFiles): Promise<SprintPlan> {
  const { files, signal } = world;
  if (request.isDry) return await plan(request, world);
  openTarget(files, files.pathOf("status-file", request.statusFile), LEDGER);
  return await files.exclusively(() => plan(request, world), signal);
}

async function plan(request: SprintRequest, world: ScriptFiles): Promise<SprintPlan> {
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
  const { rows, ...facts } = merge(keys, isFresh ? undefined : file, {
    onDisk: new Set(inFolder.map(({ name }) => name)),
    warnings,
    isStrict,
  });
  for (const [key, status] of readConfirmed(confirmed, rows)) rows.set(key, status);
  const kept = (field: string) => isTrue(file?.fields[field]) ? pythonText(file!.fields[field]) : undefined;
  const generated = kept("generated") ?? date;
  const fields: Readonly<Record<string, string>> = {
    generated,
    last_updated: date,
    project,
    project_key: request.projectKey ?? kept("project_key") ?? "NOKEY",
    tracking_system: request.trackingSystem ?? kept("tracking_system") ?? "file-system",
    story_location: request.storyLocation ?? kept("story_location") ?? storiesDir,
  };
  if (!isDry) write(request, fields, { file, rows }, world);
  const kinds = countEach(planned.map((key) => readSprintKey(key)!.kind));
  const counts = countEach(rows.values());
  const [epics, stories] = [kinds.get("epic") ?? 0, kinds.get("story") ?? 0];
  return { epics, stories, counts, generated, warnings, ...facts };
}

const SUSPECT = /^#{1,4}\s.*(?<![\p{L}\p{N}_])(?:epic|story)(?![\p{L}\p{N}_])/iu;

async function readEpics(given: readonly string[], world: ScriptFiles) {
  const epics = new Map<number, Set<string>>();
  const warnings: string[] = [];
  for (const path of given) {
    for (const { text, line, heading } of scriptLines(pythonLines(readEpicFile(path, world)))) {
      if (heading === undefined) {
        if (SUSPECT.test(text)) {
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

function readEpicFile(path: string, world: ScriptFiles): string {
  try {
    return readText(world, path);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return stop(`cannot read epic file ${path}: ${error.message}`);
  }
}

/** A story whose title the plan has changed keeps the key of its row: under a new one it would be there twice. */
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

/** The plan with the higher of two statuses for each key: what the ledger says, and what the story's file shows. */
function merge(
  planned: readonly string[],
  file: SprintFile | undefined,
  { onDisk, warnings, isStrict }: {
    readonly onDisk: ReadonlySet<string>;
    readonly warnings: string[];
    readonly isStrict: boolean;
  },
) {
  if (file?.faults.has("section-not-a-map") && isTrue(file.fields[SECTION])) {
    stop(`${SECTION} is not a mapping`);
  }
  const existing = new Map(file?.rows.map((row) => [row.key, row]));
  const rows = new Map<string, string>();
  const added: string[] = [];
  const ready: string[] = [];
  const renamed: SprintPlan["renamed"][number][] = [];
  const unknown: SprintRow[] = [];
  let [preserved, changed] = [0, 0];
  for (const key of planned) {
    const { kind } = readSprintKey(key)!;
    const statuses = SPRINT_STATUSES[kind];
    const hasFile = kind === "story" && onDisk.has(`${key}.md`);
    const computed = hasFile ? "ready-for-dev" : statuses[0]!;
    const row = existing.get(key);
    const { value = null, status, renamed: to } = row ?? {};
    if (typeof value === "object" && value !== null) stop(`the status of ${key} is not a text`);
    if (to !== undefined) renamed.push({ key, from: row!.word, to });
    if (row !== undefined && value !== null && status === undefined) {
      unknown.push(row);
      if (!isStrict && typeof value === "string") {
        rows.set(key, value);
        preserved++;
        continue;
      }
      warnings.push(`illegal status '${pythonText(value)}' on '${key}' replaced with '${computed}'`);
    }
    const rank = status === undefined ? -1 : statuses.indexOf(status);
    const merged = statuses[Math.max(rank, statuses.indexOf(computed))]!;
    if (row === undefined) added.push(key);
    else if (merged === status) preserved++;
    else changed++;
    if (hasFile && (value === null || value === "backlog")) ready.push(key);
    rows.set(key, merged);
  }
  const unplanned = [...existing.values()].filter(({ key }) => !rows.has(key));
  const isInSync = changed === 0 &&
    [added, unplanned, unknown, renamed].every((list) => list.length === 0);
  if (!isStrict) keepUnplanned(rows, existing.values());
  return { rows, added, preserved, changed, ready, unplanned, renamed, unknown, isInSync };
}

/** Puts the rows that a plan does not have behind those that they stood behind. */
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

function readConfirmed(
  pairs: readonly string[],
  rows: ReadonlyMap<string, string>,
): readonly (readonly [key: string, status: string])[] {
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

/** Writes the ledger: a new one, or the lines that differ. */
function write(
  { statusFile, isFresh = false }: SprintRequest,
  fields: Readonly<Record<string, string>>,
  { file, rows }: { readonly file: SprintFile | undefined; readonly rows: ReadonlyMap<string, string> },
  { files }: ScriptFiles,
): void {
  const before = file?.text;
  const path = files.pathOf("status-file", statusFile);
  const hasFields = file !== undefined && !file.faults.has("empty");
  let text: string;
  try {
    const old = openLedger(path, before ?? "");
    const isNew = !hasFields || isFresh;
    // Comments of a ledger without keys stay.
    const head = hasFields || !before?.trim() ? HEAD : before;
    const ledger = isNew ? openLedger(path, head) : old;
    for (const [field, wanted] of Object.entries(fields)) {
      const value = isNew ? null : file.fields[field] ?? null;
      // A date or a number that says the same stays as it is written.
      if (value === null || pythonText(value) !== wanted) ledger.set(field, wanted);
    }
    ledger.arrange(SECTION, [...rows], (key) => readSprintKey(key)?.kind === "epic");
    if (isNew && (file?.fields[ITEMS] ?? null) !== null) ledger.copy(ITEMS, old);
    // A ledger that replaces another one keeps its line ends.
    const isWindows = isFresh && /^[^\n]*\r\n/.test(before ?? "");
    text = isWindows ? ledger.toText().replaceAll(/\r?\n/g, "\r\n") : ledger.toText();
  } catch (error) {
    const reason = refusalOf(error);
    return stop(`write or validation failed, original restored: ${reason}`, { restored: true });
  }
  if (text !== before) files.replace(path, text, before);
}
