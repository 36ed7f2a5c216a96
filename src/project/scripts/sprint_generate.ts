/**
 * `sprint_plan.py generate`: the epics and stories of documents, merged into `sprint-status.yaml`.
 */
import { asValues, isValues, type Values } from "../../base/values.ts";
import {
  currentStatus,
  type Ledger,
  openLedger,
  readSprintKey,
  SPRINT_STATUSES,
  type SprintKind,
} from "../work/ledger/mod.ts";
import type { Given } from "./options.ts";
import { readText, ScriptError, stop, Unreadable } from "./program.ts";
import { isTrue, pythonLines, pythonText } from "./python.ts";
import type { ScriptResult, ScriptWorld } from "./script.ts";
import { answer, existingOf, type Loaded, loadLedger, refusalOf, sprintSlug } from "./sprint_file.ts";

/** What stands above a new ledger. */
const HEAD = `# The state of every epic, story and retrospective, in the order of the work.
#
# Epics: backlog, in-progress (its first story was started), done (all its stories are)
# Stories: backlog, ready-for-dev (the story has a file), in-progress, review, done
# Retrospectives: optional, done
# Action items of retrospectives: open, in-progress, done

`;

/** An epic, a story or a retrospective of the plan. */
interface Planned {
  readonly key: string;
  readonly kind: SprintKind;
}

/** Ends the script with an answer. */
class Refusal extends ScriptError {
  constructor(problem: string, readonly extra: Values = {}) {
    super(problem);
  }
}

/** Plans. With `isKeeping`, rows that the plan does not have and statuses that BMAD does not know stay as they are. */
export async function generate(values: Given, world: ScriptWorld, isKeeping = false): Promise<ScriptResult> {
  try {
    return await generateOrRefuse(values, world, isKeeping);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const extra = error instanceof Refusal ? error.extra : {};
    return answer({ ok: false, error: error.message, ...extra }, 1);
  }
}

async function generateOrRefuse(
  values: Given,
  world: ScriptWorld,
  isKeeping: boolean,
): Promise<ScriptResult> {
  const [isFresh, isDry] = [values.has("fresh"), values.has("dry-run")];
  const status_file = values.one("status-file")!;
  const { plan, warnings } = await readEpics(values.many("epic-file"), world);
  if (plan.length === 0) {
    const epic_files = values.many("epic-file");
    throw new Refusal("no epics or stories parsed from the given epic files", { epic_files });
  }
  const loaded = loadLedger(world, status_file);
  const { data, problem } = existingOf(loaded);
  if (problem !== undefined) throw new Refusal(problem, { status_file });
  const { dev, report } = merge(plan, isFresh ? undefined : data, {
    onDisk: storyFiles(values, world),
    warnings,
    isKeeping,
  });
  const explicit = readSets(values.many("set"), new Set(dev.keys()));
  for (const [key, status] of explicit) dev.set(key, status);

  const date = values.one("date")!;
  const kept = (field: string) => isTrue(data?.[field]) ? pythonText(data![field]!) : undefined;
  const generated = kept("generated") ?? date;
  const fields: Readonly<Record<string, string>> = {
    generated,
    last_updated: date,
    project: values.one("project")!,
    project_key: values.one("project-key") ?? kept("project_key") ?? "NOKEY",
    tracking_system: values.one("tracking-system") ?? kept("tracking_system") ?? "file-system",
    story_location: values.one("story-location") ?? kept("story_location") ?? values.one("stories-dir")!,
  };
  if (!isDry) write(status_file, { loaded, data, isFresh, fields, dev }, world);
  const counts = new Map<string, number>();
  for (const status of dev.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return answer({
    ok: true,
    action: "generate",
    status_file,
    dry_run: isDry,
    fresh: isFresh,
    epics: plan.filter(({ kind }) => kind === "epic").length,
    stories: plan.filter(({ kind }) => kind === "story").length,
    counts,
    generated,
    last_updated: date,
    warnings,
    ...report,
    explicit_set: explicit.map((pair) => pair.join("=")),
  });
}

/** After these, a title may start with a colon and end in number signs. */
const EPIC = /^#{1,3}\s*epic\s+(\d{1,15})(?!\d)/i;
const STORY = /^#{2,4}\s*story\s+(\d{1,15})\.(\d{1,15}(?!\d)[a-z]?)/i;
const SUSPECT = /^#{1,4}\s.*(?<![\p{L}\p{N}_])(?:epic|story)(?![\p{L}\p{N}_])/iu;
const FENCE = /^\s{0,3}(?:```|~~~)/;

async function readEpics(given: readonly string[], world: ScriptWorld) {
  const epics = new Map<number, Set<string>>();
  const warnings: string[] = [];
  for (const path of given) {
    let isCode = false;
    for (const [at, line] of pythonLines(readEpicFile(path, world)).entries()) {
      if (FENCE.test(line)) isCode = !isCode;
      if (isCode || FENCE.test(line)) continue;
      const [, epic] = EPIC.exec(line) ?? [];
      if (epic !== undefined) {
        epics.getOrInsertComputed(Number(epic), () => new Set());
        continue;
      }
      const [all, of, number] = STORY.exec(line) ?? [];
      if (all === undefined) {
        if (SUSPECT.test(line)) {
          warnings.push(`unparsed Epic/Story-like heading at ${path}:${at + 1}: ${line.trim()}`);
        }
        continue;
      }
      const key = `${Number(of)}-${number}-${await sprintSlug(titleOf(line.slice(all.length)), 60)}`;
      const stories = epics.getOrInsertComputed(Number(of), () => new Set());
      if (stories.has(key)) warnings.push(`duplicate story heading '${key}' at ${path}:${at + 1}`);
      else stories.add(key);
    }
  }
  const sorted = [...epics].toSorted(([a], [b]) => a - b);
  const plan = sorted.flatMap(([epic, stories]): readonly Planned[] => [
    { key: `epic-${epic}`, kind: "epic" },
    ...[...stories].map((key) => ({ key, kind: "story" as const })),
    { key: `epic-${epic}-retrospective`, kind: "retro" },
  ]);
  return { plan, warnings };
}

function readEpicFile(path: string, world: ScriptWorld): string {
  try {
    return readText(world, path);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new Refusal(`cannot read epic file ${path}: ${error.message}`);
  }
}

function titleOf(rest: string): string {
  return rest.trimStart().replace(/^:/, "").trim().replace(/(?<!#)#+$/, "").trimEnd();
}

function storyFiles(values: Given, { files }: ScriptWorld): ReadonlySet<string> {
  const given = values.one("stories-dir")!;
  return new Set(
    given === "" ? [] : files.tree.list(files.pathOf("stories-dir", given)).map(({ name }) => name),
  );
}

/** The plan with the higher of two statuses for each key: what the ledger says, and what the story's file shows. */
function merge(
  plan: readonly Planned[],
  data: Values | undefined,
  { onDisk, warnings, isKeeping }: {
    readonly onDisk: ReadonlySet<string>;
    readonly warnings: string[];
    readonly isKeeping: boolean;
  },
) {
  const before = data?.["development_status"] ?? null;
  if (isTrue(before) && !isValues(before)) stop("development_status is not a mapping");
  const existing = asValues(before);
  const dev = new Map<string, string>();
  const new_entries: string[] = [];
  const upgraded_from_disk: string[] = [];
  const legacy_mapped: unknown[] = [];
  const illegal: unknown[] = [];
  let [preserved, changed] = [0, 0];
  for (const { key, kind } of plan) {
    const statuses = SPRINT_STATUSES[kind];
    const hasFile = kind === "story" && onDisk.has(`${key}.md`);
    const computed = hasFile ? "ready-for-dev" : statuses[0]!;
    const raw = existing[key] ?? null;
    if (typeof raw === "object" && raw !== null) stop(`the status of ${key} is not a text`);
    const { status, isOld } = currentStatus<unknown>(raw);
    if (isOld) legacy_mapped.push({ key, from: raw, to: status });
    const rank = typeof status === "string" ? statuses.indexOf(status) : -1;
    if (raw !== null && rank < 0) {
      illegal.push({ key, status: raw });
      if (isKeeping && typeof raw === "string") {
        dev.set(key, raw);
        preserved++;
        continue;
      }
      warnings.push(`illegal status '${pythonText(raw)}' on '${key}' replaced with '${computed}'`);
    }
    const merged = statuses[Math.max(rank, statuses.indexOf(computed))]!;
    if (!Object.hasOwn(existing, key)) new_entries.push(key);
    else if (merged === status) preserved++;
    else changed++;
    if (hasFile && (raw === null || raw === "backlog")) upgraded_from_disk.push(key);
    dev.set(key, merged);
  }
  const dropped_orphans = Object.entries(existing).filter(([key]) => !dev.has(key)).map(([key, status]) => ({
    key,
    status,
  }));
  const in_sync = changed === 0 &&
    [new_entries, dropped_orphans, illegal, legacy_mapped].every((list) => list.length === 0);
  if (isKeeping) keepOrphans(dev, existing);
  const report = {
    new_entries,
    preserved,
    changed,
    upgraded_from_disk,
    dropped_orphans,
    legacy_mapped,
    illegal,
    in_sync,
  };
  return { dev, report };
}

/** Puts the rows that a plan does not have behind those that they stood behind. */
function keepOrphans(dev: Map<string, string>, existing: Values): void {
  const rows = [...dev];
  const behind = new Map<string | undefined, [string, string][]>();
  let last: string | undefined;
  for (const [key, status] of Object.entries(existing)) {
    if (dev.has(key)) last = key;
    else if (typeof status === "string") behind.getOrInsertComputed(last, () => []).push([key, status]);
  }
  dev.clear();
  for (const [key, status] of behind.get(undefined) ?? []) dev.set(key, status);
  for (const [key, status] of rows) {
    dev.set(key, status);
    for (const [orphan, own] of behind.get(key) ?? []) dev.set(orphan, own);
  }
}

/** Statuses that the user has confirmed: only these may go back. */
function readSets(
  pairs: readonly string[],
  known: ReadonlySet<string>,
): readonly (readonly [string, string])[] {
  return pairs.map((pair) => {
    const cut = pair.indexOf("=");
    const [key, status] = [pair.slice(0, cut), pair.slice(cut + 1)];
    if (cut < 1 || status === "") throw new Refusal(`--set expects key=status, got '${pair}'`);
    if (!known.has(key)) {
      const valid_keys = [...known].sort();
      throw new Refusal(`--set key '${key}' is not in the generated plan`, { valid_keys });
    }
    const { kind } = readSprintKey(key) ?? stop(`${key} is not a key of a ledger`);
    if (!SPRINT_STATUSES[kind].includes(status)) {
      const legal = SPRINT_STATUSES[kind].toSorted();
      throw new Refusal(`--set status '${status}' is not legal for ${kind} '${key}'`, { legal });
    }
    return [key, status] as const;
  });
}

interface Change {
  readonly loaded: Loaded;
  readonly data: Values | undefined;
  readonly isFresh: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly dev: ReadonlyMap<string, string>;
}

/** Writes the ledger: a new one, or the lines that differ. */
function write(given: string, { loaded, data, isFresh, fields, dev }: Change, { files }: ScriptWorld): void {
  const before = loaded.is === "value" ? loaded.text : undefined;
  const path = files.pathOf("status-file", given);
  let text: string;
  try {
    const old = openLedger(path, before ?? "");
    const isNew = data === undefined || isFresh;
    const ledger = isNew ? openLedger(path, headOf(data === undefined ? before : undefined)) : old;
    for (const [field, wanted] of Object.entries(fields)) {
      const value = isNew ? undefined : data[field];
      // A date or a number that says the same stays as it is written.
      if (value === undefined || value === null || pythonText(value) !== wanted) ledger.set(field, wanted);
    }
    ledger.arrange("development_status", [...dev], (key) => readSprintKey(key)?.kind === "epic");
    if (isNew && (data?.["action_items"] ?? null) !== null) ledger.copy("action_items", old);
    text = withLineEnds(ledger, isFresh ? before : undefined);
  } catch (error) {
    const reason = refusalOf(error);
    throw new Refusal(`write or validation failed, original restored: ${reason}`, { restored: true });
  }
  if (text !== before) files.replace(path, text, before);
}

/** Comments of a ledger without keys stay. */
function headOf(before = ""): string {
  return before.trim() === "" ? HEAD : before;
}

/** A ledger that replaces another one keeps its line ends. */
function withLineEnds(ledger: Ledger, before = ""): string {
  const text = ledger.toText();
  return /^[^\n]*\r\n/.test(before) ? text.replaceAll(/\r?\n/g, "\r\n") : text;
}
