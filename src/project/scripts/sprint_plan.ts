import { hasRight } from "../../base/roles.ts";
import { abbreviateList, oneLine } from "../../base/text.ts";
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
import {
  answer,
  configTables,
  type Need,
  type Script,
  type ScriptResult,
  type ScriptWorld,
  stop,
} from "./script.ts";
import { isTrue, pythonRepr, pythonText, quote } from "./python.ts";
import { existingLedger, loadLedger, planSprint, type SprintRequest } from "./sprint.ts";

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
        run: generate,
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
        run: status,
        example: "--status-file FILE",
        args: [
          STATUS_FILE,
          DATE,
          { names: ["--stale-days"], help: "After how many days work is stale", isInteger: true },
        ],
      },
      validate: {
        about: "Check the keys and statuses",
        run: validate,
        example: "--status-file FILE",
        args: [STATUS_FILE],
      },
    },
  },
  movesStories: true,
  isWriter: (values) => values.command === "generate" && !values.has("dry-run"),
  needs: whyForce,
  report: (error, status, details) => answer({ ok: false, error, ...details }, { status }),
};

/** What a model without that right may not do, and what it can do instead. */
async function whyForce(values: Given, world: ScriptWorld): Promise<Need | undefined> {
  const need = (instead: string): Need => ({ right: "force", instead });
  const option = ["set", "fresh", "story-location"].find((name) => values.has(name));
  if (option !== undefined) return need(`leave out --${option}, and mark stories, which checks them`);
  const { root, tree, pathOf } = world.files;
  const ledgers = SPRINT_STATUS.find(openSource(tree, foldersOf(await configTables(world), [root])));
  // Rows in two ledgers are ambiguous to the board, and claims do not cover the second one.
  if (ledgers.length > 0 && !ledgers.includes(pathOf("status-file", values.one("status-file")!))) {
    return need(`use the ledger of this project, ${abbreviateList(ledgers.map(oneLine))}`);
  }
  const { unplanned, unknown } = await planSprint({ ...readRequest(values), isDry: true }, world);
  const lost = [...unplanned, ...unknown].map(({ key }) => oneLine(key));
  return lost.length === 0 ? undefined : need(`plan without the script, which keeps ${abbreviateList(lost)}`);
}

function readRequest(values: Given): SprintRequest {
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
  const request = readRequest(values);
  // Rows that others have added since `whyForce` looked stay, unless the caller may remove them.
  const mayForce = world.person === undefined || hasRight(world.person.role, "force");
  const plan = await planSprint({ ...request, isStrict: mayForce || request.isDry }, world);
  return answer({
    ok: true,
    action: "generate",
    status_file: request.statusFile,
    dry_run: request.isDry,
    fresh: request.isFresh,
    epics: plan.epics,
    stories: plan.stories,
    counts: plan.counts,
    generated: plan.generated,
    last_updated: request.date,
    warnings: plan.warnings,
    new_entries: plan.added,
    preserved: plan.preserved,
    changed: plan.changed,
    upgraded_from_disk: plan.ready,
    dropped_orphans: plan.unplanned.map(keyAndStatus),
    legacy_mapped: plan.renamed,
    illegal: plan.unknown.map(keyAndStatus),
    in_sync: plan.isInSync,
    explicit_set: request.confirmed,
  });
}

function keyAndStatus({ key, value }: SprintRow) {
  return { key, status: value };
}

type LegalRow = NonNullable<SprintRow["known"]> & { readonly key: string; readonly status: string };

/** The rows by what BMAD's scripts make of them: kinds with a status they know, then the odd ones. */
function sortRows(rows: readonly SprintRow[]) {
  const strict = rows.filter(({ known }) => known?.isStrict);
  const legal = strict.flatMap(({ key, known, status }): readonly LegalRow[] =>
    status === undefined ? [] : [{ ...known!, key, status }]
  );
  const { epic: epics = [], story: stories = [], retro: retrospectives = [] } = Object.groupBy(
    legal,
    ({ kind }) => kind,
  );
  return {
    epics,
    stories,
    retrospectives,
    renamed: strict.filter(({ renamed }) => renamed !== undefined)
      .map(({ key, value, renamed }) => ({ key, from: value, to: renamed })),
    illegal: strict.filter(({ status }) => status === undefined).map(keyAndStatus),
    unrecognized: rows.filter(({ known }) => !known?.isStrict).map(keyAndStatus),
  };
}

function countStatuses(rows: readonly LegalRow[]) {
  return countEach(rows.map(({ status }) => status));
}

function compareStories(a: LegalRow, b: LegalRow): number {
  return Number(a.epic) - Number(b.epic) || a.story - b.story ||
    (`${a.letter}\0${a.key}` < `${b.letter}\0${b.key}` ? -1 : 1);
}

const FIELDS = ["project", "project_key", "tracking_system", "generated", "last_updated"];

function status(values: Given, world: ScriptWorld): ScriptResult {
  const status_file = values.one("status-file")!;
  const file = existingLedger(world, status_file);
  if (file === undefined || file.faults.has("empty")) {
    return stop("status file does not exist — run sprint planning to generate it", { status_file });
  }
  if (file.rows.length === 0) stop(`${SECTION} missing or empty — re-run sprint planning`, { status_file });
  const { epics, stories, retrospectives, renamed, illegal, unrecognized } = sortRows(file.rows);
  // By status, in the order in which the file has them, and then by number.
  const byStatus = Map.groupBy(stories, ({ status }) => status);
  const ordered = [...byStatus.values()].flatMap((group) => group.toSorted(compareStories));
  const { risk, warning } = judgeAge(values, file.fields);
  const inReview = byStatus.get("review")?.length;
  const recommendation = recommend(ordered, retrospectives);
  return answer({
    ok: true,
    action: "status",
    status_file,
    ...Object.fromEntries(FIELDS.map((field) => [field, file.fields[field]])),
    stories: countStatuses(stories),
    epics: countStatuses(epics),
    retrospectives: countStatuses(retrospectives),
    legacy_mapped: renamed,
    illegal,
    unrecognized,
    open_action_items: openItems(file.items),
    risks: [
      ...risk === undefined ? [] : [risk],
      ...mismatches(epics, ordered),
      ...inReview ? [`${inReview} story(ies) in review — run bmad-code-review`] : [],
      ...unrecognized.length > 0
        ? [`${unrecognized.length} unrecognized key(s) in ${SECTION} — run validate`]
        : [],
    ],
    warnings: [...itemProblems(file.items, true), ...warning === undefined ? [] : [warning]],
    recommendation,
    all_done: recommendation === null,
  });
}

function* mismatches(epics: readonly LegalRow[], stories: readonly LegalRow[]): Iterable<string> {
  const statuses = new Map(epics.map(({ epic, status }) => [epic, status]));
  for (const { key, epic } of stories) {
    if (!statuses.has(epic)) yield `orphaned story '${key}' has no epic-${epic} entry`;
  }
  const withStories = new Set(stories.map(({ epic }) => epic));
  for (const [epic, status] of statuses) {
    if (status === "in-progress" && !withStories.has(epic)) {
      yield `in-progress epic 'epic-${epic}' has no stories`;
    }
  }
}

function openItems(items: readonly SprintItem[]) {
  return items.filter(({ status }) => status !== undefined && status !== "done").map(({ fields }) =>
    Object.fromEntries(["epic", "action", "owner", "status"].map((field) => [field, fields![field]]))
  );
}

function* itemProblems(items: readonly SprintItem[], showsSkipped = false): Iterable<string> {
  for (const [at, { fields, status, value }] of items.entries()) {
    if (fields === undefined) {
      const skipped = showsSkipped ? ` and was skipped: ${pythonRepr(value)}` : "";
      yield `${ITEMS}[${at}] is not a mapping${skipped}`;
    } else if (status === undefined) {
      yield `${ITEMS}[${at}] has a missing or unknown status (${pythonRepr(fields["status"])})`;
    }
  }
}

const STALE_DAYS = 7;

function judgeAge(values: Given, { last_updated: updated, generated }: Values) {
  const date = values.one("date");
  const stamp = isTrue(updated) ? updated : generated;
  if (!date || !isTrue(stamp)) return {};
  const [now, then] = [date, pythonText(stamp)].map((text) => parseStamp(text, { isLenient: true }));
  if (now === undefined || then === undefined) {
    const what = `(--date ${quote(date)}, file ${pythonRepr(stamp)})`;
    return { warning: `timestamp format not recognized ${what}; staleness check skipped` };
  }
  const days = Number(values.one("stale-days") ?? STALE_DAYS);
  const isStale = now.minutes - then.minutes > days * 1_440;
  return isStale ? { risk: `sprint-status.yaml may be stale (last updated ${pythonText(stamp)})` } : {};
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
    legacy_mapped: sortRows(file?.rows ?? []).renamed,
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
  yield* itemProblems(items);
}
