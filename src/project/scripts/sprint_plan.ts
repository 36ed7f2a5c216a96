/**
 * `sprint_plan.py`: makes `sprint-status.yaml` from the epics, brings it up to date, sums it up and checks it.
 *
 * The original rewrites the file and loses comments; here only the lines change that must.
 */
import { asValues, isValues, parseJson, type Values } from "../../base/values.ts";
import { ACTION_STATUSES, currentStatus, readSprintKey, SPRINT_STATUSES } from "../work/ledger/mod.ts";
import type { Argument, Given } from "./options.ts";
import { scriptOf } from "./program.ts";
import { isTrue, pythonRepr, pythonText, quote } from "./python.ts";
import type { Script, ScriptResult, ScriptWorld } from "./script.ts";
import { answer, existingOf, loadLedger, parseStamp } from "./sprint_file.ts";
import { generate } from "./sprint_generate.ts";

const STATUS_FILE: Argument = {
  names: ["--status-file"],
  help: "The sprint's status file",
  isRequired: true,
};
const DATE: Argument = { names: ["--date"], help: "Today's date, YYYY-MM-DD" };

/** `sprint_plan.py {generate,status,validate} …`. */
export const sprintPlan: Script = scriptOf({
  name: "sprint_plan.py",
  usage: {
    about: "Makes, merges and checks sprint-status.yaml; prints JSON",
    commands: {
      generate: {
        about: "Write the ledger from the epics, and keep what it has",
        example: "--epic-file EPICS --status-file FILE --stories-dir DIR --project NAME --date DATE",
        args: [
          {
            names: ["--epic-file"],
            takes: "list",
            help: "A document with epics and stories; repeatable",
            isRequired: true,
          },
          STATUS_FILE,
          { names: ["--stories-dir"], help: "The folder of the story files", isRequired: true },
          { names: ["--project"], help: "The project's name", isRequired: true },
          { ...DATE, isRequired: true },
          { names: ["--project-key"], help: "The project's key in the tracker" },
          { names: ["--tracking-system"], help: "Where the work is tracked" },
          {
            names: ["--story-location"],
            help: "What the ledger says about the folder of the stories",
          },
          { names: ["--dry-run"], takes: "flag", help: "Print the outcome and write nothing" },
          { names: ["--fresh"], takes: "flag", help: "Forget the statuses of the ledger" },
          {
            names: ["--set"],
            takes: "list",
            help: "A status to set, KEY=STATUS, also back; repeatable",
          },
        ],
      },
      status: {
        about: "Count the statuses, find risks and recommend the next step",
        example: "--status-file FILE",
        args: [
          STATUS_FILE,
          DATE,
          {
            names: ["--stale-days"],
            isInteger: true,
            help: "After how many days without a change work is stale",
          },
        ],
      },
      validate: {
        about: "Check the keys and statuses",
        example: "--status-file FILE",
        args: [STATUS_FILE],
      },
    },
  },
  isWriter: (values) => values.command === "generate" && !values.has("dry-run"),
  report: (error, status) => answer({ ok: false, error }, status),
  run: async (values, world) => {
    if (values.command === "status") return status(values, world);
    if (values.command === "validate") return validate(values, world);
    if (values.has("dry-run")) return await generate(values, world);
    world.files.checkTarget(world.files.pathOf("status-file", values.one("status-file")!));
    return await world.files.exclusively(() => generate(values, world), world.signal);
  },
});

/** A sprint to plan, by paths in the project. */
export interface SprintRequest {
  readonly epicFiles: readonly string[];
  readonly statusFile: string;
  readonly storiesDir: string;
  /** The project's name. */
  readonly project: string;
  /** As `MM-DD-YYYY HH:MM`. */
  readonly date: string;
  /** Whether nothing is written. */
  readonly isDry?: boolean;
  /** Whether rows that no plan has are removed, and statuses that BMAD does not know replaced, as the script does. */
  readonly isStrict?: boolean;
}

/** Plans as `sprint_plan.py generate` does; the result is its answer. */
export async function planSprint(request: SprintRequest, world: ScriptWorld): Promise<Values> {
  const { statusFile, storiesDir, project, date, isDry = false, isStrict = false } = request;
  const one: Readonly<Record<string, string>> = {
    "status-file": statusFile,
    "stories-dir": storiesDir,
    project,
    date,
  };
  const values: Given = {
    command: "generate",
    one: (name) => one[name],
    many: (name) => name === "epic-file" ? request.epicFiles : [],
    has: (name) => name === "dry-run" && isDry,
  };
  const work = () => generate(values, world, !isStrict);
  const { stdout } = isDry ? await work() : await world.files.exclusively(work, world.signal);
  return asValues(parseJson(stdout));
}

/** Everything that `status` finds in the section, by kind. */
function sortOut(dev: Values) {
  const counts = { story: new Map(), epic: new Map(), retro: new Map() } as const;
  const stories = new Map<string, string[]>();
  const epics = new Map<number, string>();
  const retros = new Map<number, string>();
  const legacy_mapped: unknown[] = [];
  const illegal: unknown[] = [];
  const unrecognized: unknown[] = [];
  for (const [key, raw] of Object.entries(dev)) {
    const known = readSprintKey(key);
    if (known === undefined) {
      unrecognized.push({ key, status: raw });
      continue;
    }
    const { status, isOld } = currentStatus(raw);
    if (isOld) legacy_mapped.push({ key, from: raw, to: status });
    if (typeof status !== "string" || !SPRINT_STATUSES[known.kind].includes(status)) {
      illegal.push({ key, status: raw });
      continue;
    }
    const count = counts[known.kind];
    count.set(status, (count.get(status) ?? 0) + 1);
    if (known.kind === "story") stories.getOrInsertComputed(status, () => []).push(key);
    else (known.kind === "epic" ? epics : retros).set(known.epic, status);
  }
  for (const [status, keys] of stories) stories.set(status, keys.toSorted(byStory));
  return { counts, stories, epics, retros, legacy_mapped, illegal, unrecognized };
}

function byStory(a: string, b: string): number {
  const [left, right] = [readSprintKey(a)!, readSprintKey(b)!];
  const texts = [left.letter + "\0" + a, right.letter + "\0" + b] as const;
  return left.epic - right.epic || left.story - right.story || (texts[0] < texts[1] ? -1 : 1);
}

function status(values: Given, world: ScriptWorld): ScriptResult {
  const status_file = values.one("status-file")!;
  const refuse = (error: string) => answer({ ok: false, error, status_file }, 1);
  const loaded = loadLedger(world, status_file);
  const { data, problem } = existingOf(loaded);
  if (problem !== undefined) return refuse(problem);
  if (data === undefined) return refuse("status file does not exist — run sprint planning to generate it");
  const dev = data["development_status"];
  if (!isValues(dev) || Object.keys(dev).length === 0) {
    return refuse("development_status missing or empty — re-run sprint planning");
  }
  const { counts, stories, epics, retros, legacy_mapped, illegal, unrecognized } = sortOut(dev);
  const warnings: string[] = [];
  const risks: string[] = [];
  const open_action_items = openItems(data["action_items"], warnings);
  checkAge(values, data, warnings, risks);
  for (const key of [...stories.values()].flat()) {
    const { epic } = readSprintKey(key)!;
    if (!epics.has(epic)) risks.push(`orphaned story '${key}' has no epic-${epic} entry`);
  }
  const withStories = new Set([...stories.values()].flat().map((key) => readSprintKey(key)!.epic));
  for (const [epic, status] of epics) {
    if (status === "in-progress" && !withStories.has(epic)) {
      risks.push(`in-progress epic 'epic-${epic}' has no stories`);
    }
  }
  const inReview = stories.get("review")?.length;
  if (inReview) risks.push(`${inReview} story(ies) in review — run bmad-code-review`);
  if (unrecognized.length > 0) {
    risks.push(`${unrecognized.length} unrecognized key(s) in development_status — run validate`);
  }
  const recommendation = recommend(stories, retros);
  const fields = ["project", "project_key", "tracking_system", "generated", "last_updated"];
  return answer({
    ok: true,
    action: "status",
    status_file,
    ...Object.fromEntries(fields.map((field) => [field, data[field]])),
    stories: counts.story,
    epics: counts.epic,
    retrospectives: counts.retro,
    legacy_mapped,
    illegal,
    unrecognized,
    open_action_items,
    risks,
    warnings,
    recommendation,
    all_done: recommendation === null,
  });
}

function openItems(items: unknown, warnings: string[]): readonly unknown[] {
  const open: unknown[] = [];
  for (const [at, item] of (Array.isArray(items) ? items as readonly unknown[] : []).entries()) {
    if (!isValues(item)) {
      warnings.push(`action_items[${at}] is not a mapping and was skipped: ${pythonRepr(item)}`);
      continue;
    }
    const status = item["status"] ?? null;
    if (typeof status !== "string" || !ACTION_STATUSES.includes(status)) {
      warnings.push(`action_items[${at}] has a missing or unknown status (${pythonRepr(status)})`);
    } else if (status !== "done") {
      const fields = ["epic", "action", "owner", "status"].map((field) => [field, item[field]]);
      open.push(Object.fromEntries(fields));
    }
  }
  return open;
}

const STALE_DAYS = 7;

function checkAge(values: Given, data: Values, warnings: string[], risks: string[]): void {
  const date = values.one("date");
  const field = isTrue(data["last_updated"]) ? "last_updated" : "generated";
  const stamp = data[field];
  if (!date || !isTrue(stamp)) return;
  const [now, then] = [date, pythonText(stamp)].map((text) => parseStamp(text, { isLenient: true }));
  if (now === undefined || then === undefined) {
    const what = `(--date ${quote(date)}, file ${pythonRepr(stamp)})`;
    warnings.push(`timestamp format not recognized ${what}; staleness check skipped`);
    return;
  }
  const days = Number(values.one("stale-days") ?? STALE_DAYS);
  if (now.minutes - then.minutes > days * 1_440) {
    risks.push(`sprint-status.yaml may be stale (last updated ${pythonText(stamp)})`);
  }
}

const STEPS = [
  ["in-progress", "bmad-build", "resume the in-progress story"],
  ["review", "bmad-code-review", "review the completed implementation"],
  ["ready-for-dev", "bmad-build", "start the next ready story"],
  ["backlog", "bmad-build", "start the first backlog story"],
] as const;

function recommend(stories: ReadonlyMap<string, readonly string[]>, retros: ReadonlyMap<number, string>) {
  for (const [status, skill, reason] of STEPS) {
    const story_key = stories.get(status)?.[0];
    if (story_key !== undefined) return { skill, story_key, reason };
  }
  const open = [...retros].filter(([, status]) => status === "optional").map(([epic]) => epic);
  if (open.length === 0) return null;
  const reason = `all stories done — epic-${
    open.reduce((a, b) => Math.min(a, b))
  }-retrospective is still open`;
  return { skill: "bmad-retrospective", story_key: null, reason };
}

function validate(values: Given, world: ScriptWorld): ScriptResult {
  const status_file = values.one("status-file")!;
  const loaded = loadLedger(world, status_file);
  const legacy_mapped: unknown[] = [];
  const problems = loaded.is === "missing"
    ? ["status file does not exist"]
    : loaded.is === "unreadable"
    ? [`not valid YAML: ${loaded.error.message}`]
    : loaded.is === "no-yaml"
    ? [`not valid YAML: ${loaded.problem}`]
    : problemsOf(loaded.value, legacy_mapped);
  return answer({
    ok: true,
    action: "validate",
    status_file,
    valid: problems.length === 0,
    problems,
    legacy_mapped,
  });
}

function problemsOf(data: unknown, legacy: unknown[]): readonly string[] {
  if (!isValues(data)) {
    return ["top level is not a mapping"];
  }
  const problems: string[] = [];
  const get = (field: string) => data[field] ?? null;
  for (const field of ["generated", "last_updated", "project", "development_status"]) {
    if (get(field) === null) problems.push(`missing required key '${field}'`);
  }
  for (const field of ["generated", "last_updated"]) {
    const value = get(field);
    if (value !== null && parseStamp(pythonText(value), { isLenient: true }) === undefined) {
      problems.push(`'${field}' timestamp ${quote(pythonText(value))} does not match '%m-%d-%Y %H:%M'`);
    }
  }
  const dev = get("development_status");
  if (dev !== null && !isValues(dev)) problems.push("development_status is not a mapping");
  if (isValues(dev) && Object.keys(dev).length === 0) problems.push("development_status is empty");
  for (const [key, raw] of Object.entries(asValues(dev))) {
    const known = readSprintKey(key);
    if (known === undefined) {
      problems.push(`unrecognized key '${key}' (expected epic-N, N-M-slug, or epic-N-retrospective)`);
      continue;
    }
    const { status, isOld } = currentStatus(raw);
    if (isOld) legacy.push({ key, from: raw, to: status });
    if (typeof status !== "string" || !SPRINT_STATUSES[known.kind].includes(status)) {
      problems.push(`illegal ${known.kind} status ${quote(pythonText(raw))} on '${key}'`);
    }
  }
  const items = get("action_items");
  if (items !== null && !Array.isArray(items)) problems.push("action_items is not a list");
  for (const [at, item] of (Array.isArray(items) ? items as readonly unknown[] : []).entries()) {
    const status = isValues(item) ? item["status"] ?? null : null;
    if (!isValues(item)) problems.push(`action_items[${at}] is not a mapping`);
    else if (typeof status !== "string" || !ACTION_STATUSES.includes(status)) {
      problems.push(`action_items[${at}] has a missing or unknown status (${pythonRepr(status)})`);
    }
  }
  return problems;
}
