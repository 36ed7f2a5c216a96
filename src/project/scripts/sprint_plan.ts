/**
 * `sprint_plan.py`: makes `sprint-status.yaml` from the epics, brings it up to date, sums it up and checks it.
 *
 * The original rewrites the file and loses comments; here only the lines change that must.
 */
import { hasRight } from "../../base/roles.ts";
import { fewOf, oneLine } from "../../base/text.ts";
import { countEach, type Values } from "../../base/values.ts";
import {
  foldersOf,
  ITEMS,
  openSource,
  parseStamp,
  SECTION,
  SPRINT_STATUS,
  type SprintFile,
  type SprintItem,
  type SprintRow,
} from "../work/formats/mod.ts";
import type { Argument, Given } from "./options.ts";
import { stop } from "./program.ts";
import { isTrue, pythonRepr, pythonText, quote } from "./python.ts";
import { answer, configTables, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";
import { existingLedger, loadLedger } from "./sprint_file.ts";
import { planSprint, type SprintRequest } from "./sprint_generate.ts";

const STATUS_FILE: Argument = {
  names: ["--status-file"],
  help: "The sprint's status file",
  isRequired: true,
};
const DATE: Argument = { names: ["--date"], help: "The date, MM-DD-YYYY HH:MM", isSprintTime: true };

export const sprintPlan: Script = {
  name: "sprint_plan.py",
  usage: {
    about: "Makes, merges and checks sprint-status.yaml; prints JSON",
    commands: {
      generate: {
        about: "Write the ledger from the epics, and keep what it has",
        example: "--epic-file EPICS --status-file FILE --stories-dir DIR --project NAME --date {date}",
        args: [
          { names: ["--epic-file"], takes: "list", help: "A document with epics", isRequired: true },
          STATUS_FILE,
          { names: ["--stories-dir"], help: "The folder of the stories", isRequired: true, isRecorded: true },
          { names: ["--project"], help: "The project's name", isRequired: true },
          { ...DATE, isRequired: true },
          { names: ["--project-key"], help: "The project's key in the tracker" },
          { names: ["--tracking-system"], help: "Where the work is tracked" },
          { names: ["--story-location"], help: "That folder, as the ledger calls it", isRecorded: true },
          { names: ["--dry-run"], takes: "flag", help: "Print the outcome and write nothing" },
          { names: ["--fresh"], takes: "flag", help: "Forget the statuses of the ledger" },
          { names: ["--set"], takes: "list", help: "A status to set, KEY=STATUS, also back" },
        ],
      },
      status: {
        about: "Count the statuses, find risks and recommend the next step",
        example: "--status-file FILE",
        args: [
          STATUS_FILE,
          DATE,
          { names: ["--stale-days"], help: "After how many days work is stale", isInteger: true },
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
  needs: async (values, world) => {
    const option = ["set", "fresh", "story-location"].find((name) => values.has(name));
    if (option !== undefined) {
      return { right: "force", instead: `leave out --${option}, and mark stories, which checks them` };
    }
    const ledgers = await findLedgers(world);
    // Rows that are in two ledgers mean no story any longer, and nobody holds those of the second one.
    if (
      ledgers.length > 0 && !ledgers.includes(world.files.pathOf("status-file", values.one("status-file")!))
    ) {
      return { right: "force", instead: `use the ledger of this project, ${fewOf(ledgers.map(oneLine))}` };
    }
    const { unplanned, unknown } = await planSprint({ ...requestOf(values), isDry: true }, world);
    const rows = [...unplanned, ...unknown].map(({ key }) => oneLine(key));
    return rows.length === 0
      ? undefined
      : { right: "force", instead: `plan without the script, which keeps ${fewOf(rows)}` };
  },
  report: (error, status, details) => answer({ ok: false, error, ...details }, { status }),
  run: async (values, world) => {
    if (values.command === "status") return status(values, world);
    if (values.command === "validate") return validate(values, world);
    return await generate(values, world);
  },
};

/** The ledgers of sprints that the board reads. */
async function findLedgers(world: ScriptWorld): Promise<readonly string[]> {
  const { root, tree } = world.files;
  return SPRINT_STATUS.find(openSource(tree, foldersOf(await configTables(world), [root])));
}

function requestOf(values: Given): SprintRequest {
  return {
    epicFiles: values.many("epic-file"),
    statusFile: values.one("status-file")!,
    storiesDir: values.one("stories-dir")!,
    project: values.one("project")!,
    date: values.one("date")!,
    projectKey: values.one("project-key"),
    trackingSystem: values.one("tracking-system"),
    storyLocation: values.one("story-location"),
    confirmed: values.many("set"),
    isDry: values.has("dry-run"),
    isFresh: values.has("fresh"),
    isStrict: true,
  };
}

async function generate(values: Given, world: ScriptWorld): Promise<ScriptResult> {
  const request = requestOf(values);
  // Of whoever may not remove rows, none is removed that others have added since `needs` has looked.
  const isStrict = world.person === undefined || hasRight(world.person.role, "force");
  const plan = await planSprint({ ...request, isStrict: isStrict || request.isDry }, world);
  const { statusFile: status_file, date: last_updated } = request;
  const { isDry: dry_run, isFresh: fresh, confirmed: explicit_set } = request;
  return answer({
    ok: true,
    action: "generate",
    status_file,
    dry_run,
    fresh,
    epics: plan.epics,
    stories: plan.stories,
    counts: plan.counts,
    generated: plan.generated,
    last_updated,
    warnings: plan.warnings,
    new_entries: plan.added,
    preserved: plan.preserved,
    changed: plan.changed,
    upgraded_from_disk: plan.ready,
    dropped_orphans: plan.unplanned.map(rowFacts),
    legacy_mapped: plan.renamed,
    illegal: plan.unknown.map(rowFacts),
    in_sync: plan.isInSync,
    explicit_set,
  });
}

function rowFacts({ key, value }: SprintRow) {
  return { key, status: value };
}

function renamedIn(rows: readonly SprintRow[]) {
  return rows.filter(({ known, renamed }) => known?.isStrict && renamed !== undefined)
    .map(({ key, value, renamed }) => ({ key, from: value, to: renamed }));
}

type LegalRow = ReturnType<typeof legalRow>[number];

/** A row whose key and status BMAD's scripts know. */
function legalRow({ key, known, status }: SprintRow) {
  return known?.isStrict && status !== undefined ? [{ ...known, key, status }] : [];
}

function byNumber(a: LegalRow, b: LegalRow): number {
  const texts = [a.letter + "\0" + a.key, b.letter + "\0" + b.key] as const;
  return Number(a.epic) - Number(b.epic) || a.story - b.story || (texts[0] < texts[1] ? -1 : 1);
}

function countsOf(rows: readonly LegalRow[]): ReadonlyMap<string, number> {
  return countEach(rows.map(({ status }) => status));
}

function status(values: Given, world: ScriptWorld): ScriptResult {
  const status_file = values.one("status-file")!;
  const file = existingLedger(world, status_file);
  if (file === undefined || file.faults.has("empty")) {
    return stop("status file does not exist — run sprint planning to generate it", { status_file });
  }
  if (file.rows.length === 0) stop(`${SECTION} missing or empty — re-run sprint planning`, { status_file });
  const strict = file.rows.filter(({ known }) => known?.isStrict);
  const unrecognized = file.rows.filter(({ known }) => !known?.isStrict).map(rowFacts);
  const { epic = [], story = [], retro = [] } = Object.groupBy(
    file.rows.flatMap(legalRow),
    ({ kind }) => kind,
  );
  // By status, in the order in which the file has them, and then by number.
  const groups = Map.groupBy(story, ({ status }) => status);
  const stories = [...groups.values()].flatMap((group) => group.toSorted(byNumber));
  const epics = new Map(epic.map((row) => [row.epic, row]));
  const warnings: string[] = [];
  const risks: string[] = [];
  const open_action_items = openItems(file, warnings);
  checkAge(values, file.fields, warnings, risks);
  for (const { key, epic } of stories) {
    if (!epics.has(epic)) risks.push(`orphaned story '${key}' has no epic-${epic} entry`);
  }
  const withStories = new Set(stories.map(({ epic }) => epic));
  for (const { epic, status } of epics.values()) {
    if (status === "in-progress" && !withStories.has(epic)) {
      risks.push(`in-progress epic 'epic-${epic}' has no stories`);
    }
  }
  const inReview = groups.get("review")?.length;
  if (inReview) risks.push(`${inReview} story(ies) in review — run bmad-code-review`);
  if (unrecognized.length > 0) {
    risks.push(`${unrecognized.length} unrecognized key(s) in ${SECTION} — run validate`);
  }
  const recommendation = recommend(stories, retro);
  const fields = ["project", "project_key", "tracking_system", "generated", "last_updated"];
  return answer({
    ok: true,
    action: "status",
    status_file,
    ...Object.fromEntries(fields.map((field) => [field, file.fields[field]])),
    stories: countsOf(story),
    epics: countsOf(epic),
    retrospectives: countsOf(retro),
    legacy_mapped: renamedIn(file.rows),
    illegal: strict.filter(({ status }) => status === undefined).map(rowFacts),
    unrecognized,
    open_action_items,
    risks,
    warnings,
    recommendation,
    all_done: recommendation === null,
  });
}

/** What is wrong with an action item; undefined for one that is right. */
function itemProblem({ fields, status }: SprintItem): string | undefined {
  if (fields === undefined) return "is not a mapping";
  return status === undefined
    ? `has a missing or unknown status (${pythonRepr(fields["status"])})`
    : undefined;
}

function openItems({ items }: SprintFile, warnings: string[]): readonly unknown[] {
  for (const [at, item] of items.entries()) {
    const problem = itemProblem(item);
    const skipped = item.fields === undefined ? ` and was skipped: ${pythonRepr(item.value)}` : "";
    if (problem !== undefined) warnings.push(`${ITEMS}[${at}] ${problem}${skipped}`);
  }
  return items.filter(({ status }) => status !== undefined && status !== "done").map(({ fields }) =>
    Object.fromEntries(["epic", "action", "owner", "status"].map((field) => [field, fields![field]]))
  );
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

function recommend(stories: readonly LegalRow[], retrospectives: readonly LegalRow[]) {
  for (const [status, skill, reason] of STEPS) {
    const story = stories.find((one) => one.status === status);
    if (story !== undefined) return { skill, story_key: story.key, reason };
  }
  const open = retrospectives.filter(({ status }) => status === "optional").map(({ epic }) => Number(epic));
  if (open.length === 0) return null;
  const epic = open.reduce((a, b) => Math.min(a, b));
  const reason = `all stories done — epic-${epic}-retrospective is still open`;
  return { skill: "bmad-retrospective", story_key: null, reason };
}

function validate(values: Given, world: ScriptWorld): ScriptResult {
  const status_file = values.one("status-file")!;
  const { file, problem } = loadLedger(world, status_file);
  const problems = file !== undefined
    ? [...problemsIn(file)]
    : [problem === undefined ? "status file does not exist" : `not valid YAML: ${problem}`];
  return answer({
    ok: true,
    action: "validate",
    status_file,
    valid: problems.length === 0,
    problems,
    legacy_mapped: renamedIn(file?.rows ?? []),
  });
}

function* problemsIn({ fields, faults, rows, items }: SprintFile): Iterable<string> {
  if (faults.has("empty") || faults.has("not-a-map")) return yield "top level is not a mapping";
  for (const field of ["generated", "last_updated", "project", SECTION]) {
    if ((fields[field] ?? null) === null) yield `missing required key '${field}'`;
  }
  for (const field of ["generated", "last_updated"]) {
    const value = fields[field] ?? null;
    if (value !== null && parseStamp(pythonText(value), { isLenient: true }) === undefined) {
      yield `'${field}' timestamp ${quote(pythonText(value))} does not match '%m-%d-%Y %H:%M'`;
    }
  }
  if (faults.has("section-not-a-map")) yield `${SECTION} is not a mapping`;
  if (faults.has("section-empty")) yield `${SECTION} is empty`;
  for (const { key, known, value, status } of rows) {
    if (!known?.isStrict) {
      yield `unrecognized key '${key}' (expected epic-N, N-M-slug, or epic-N-retrospective)`;
    } else if (status === undefined) {
      yield `illegal ${known.kind} status ${quote(pythonText(value))} on '${key}'`;
    }
  }
  if (faults.has("items-not-a-list")) yield `${ITEMS} is not a list`;
  for (const [at, item] of items.entries()) {
    const problem = itemProblem(item);
    if (problem !== undefined) yield `${ITEMS}[${at}] ${problem}`;
  }
}
