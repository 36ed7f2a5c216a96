/**
 * `plan` and `reconcile`: the sprint follows the epics, and files, ledger and epics follow each other.
 */
import { fail } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { counted, oneLine, shorten, splitLines } from "../../base/text.ts";
import { asText, asTexts, asValues, type Values } from "../../base/values.ts";
import { type Written, written } from "../../base/work.ts";
import { listConfigs } from "../../content/library/mod.ts";
import { parseYaml } from "../../content/parse.ts";
import { findText, joinPath, parentPath } from "../../content/tree/mod.ts";
import { planFiles } from "./board/mod.ts";
import { openFiles } from "../files/mod.ts";
import type { SprintRequest } from "../scripts/mod.ts";
import type { WriterWorld } from "./writer/mod.ts";
import type { Opened } from "./checking.ts";
import type { WorkTools } from "./tools.ts";

/** How many names an answer gives. */
const MAX_NAMED = 20;

/** Makes the sprint from the epics, or adds what they have gained. Rows without a plan are removed only if forced. */
export async function planWork(
  tools: WorkTools,
  opened: Opened,
  isForced: boolean,
): Promise<Written<Report>> {
  const request = await requestFor(tools, opened);
  const plan = planned(await run(tools, { ...request, isStrict: isForced }));
  const { renamed: _, ...data } = plan;
  return written({ text: linesOf(plan, isForced).join("\n"), data });
}

/** Plans only if the epics have stories that the sprint lacks, then brings everything in step. */
export async function reconcileWork(
  tools: WorkTools,
  opened: Opened,
  openWriter: () => Promise<WriterWorld>,
): Promise<Written<Report>> {
  const { board, tree, folders } = opened;
  const hasSprint = board.ledgers.some(({ format }) => format === "sprint-status");
  const hasPlan = hasSprint && planFiles(tree, folders).length > 0;
  const request = hasPlan ? await requestFor(tools, opened) : undefined;
  const preview = request === undefined ? {} : await run(tools, { ...request, isDry: true });
  const added = asTexts(preview["new_entries"]);
  const { renamed } = planned(preview);
  if (request !== undefined && added.length > 0) await run(tools, request);
  const { reconcile } = await import("./writer/mod.ts");
  const { marked, left } = await reconcile(await openWriter());
  const lines = [
    ...added.slice(0, MAX_NAMED).map((key) => `${key}: added from the plan`),
    ...(added.length > MAX_NAMED ? [`… and ${added.length - MAX_NAMED} more added from the plan`] : []),
    ...(added.length > 0 ? renamed : []).slice(0, MAX_NAMED).map(({ key, from, to }) =>
      `${key}: ${from} → ${to}`
    ),
    ...marked.flatMap(({ key, changes, files }) =>
      changes.length === 0
        ? files.map((path) => `${key}: ${oneLine(path)} follows`)
        : changes.map(({ key, from, to }) => `${key}: ${from ?? "none"} → ${to}`)
    ),
    ...left.map((one) => `Left: ${splitLines(one)[0]}`),
  ];
  return written({
    text: lines.length === 0 ? "Ledger, story files and plan agree." : lines.join("\n"),
    data: {
      added,
      changes: marked.flatMap(({ changes }) => changes),
      files: [...new Set(marked.flatMap(({ files }) => files))],
      left,
    },
  });
}

async function requestFor(
  { config, clock, ask }: WorkTools,
  { board, tree, folders }: Opened,
): Promise<SprintRequest> {
  const epicFiles = planFiles(tree, folders);
  const folder = folders.implementation[0];
  const statusFile = board.ledgers.find(({ format }) => format === "sprint-status")?.path ??
    (folder === undefined ? undefined : joinPath(folder, "sprint-status.yaml"));
  if (epicFiles.length === 0 || statusFile === undefined) {
    const where = folders.planning.join(", ") || "the folders of the project's configuration";
    return fail({ code: "not-allowed", what: "plan", hint: `no document with epics lies in ${where}` });
  }
  // What the ledger calls the project stays.
  const known = asText(parseYaml(findText(tree, statusFile) ?? "").value["project"]);
  const name = known ??
    (await ask(listConfigs)).map((values) => asText(values["project_name"])).find(Boolean) ??
    config.kit?.root.split(/[\\/]/).findLast((part) => part !== "");
  return {
    epicFiles,
    statusFile,
    storiesDir: parentPath(statusFile),
    project: shorten(name ?? "project", 100),
    date: stampOf(clock.now()),
  };
}

/** `08-01-2026 14:05`, the form that BMAD's scripts understand. */
function stampOf(now: number): string {
  const local = new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(5, 10)}-${local.slice(0, 4)} ${local.slice(11, 16)}`;
}

async function run({ config: { work }, clock: { now }, signal, refuse }: WorkTools, request: SprintRequest) {
  if (work === undefined) return refuse("change the project's work");
  const { planSprint } = await import("../scripts/mod.ts");
  const world = {
    files: openFiles(work, now),
    clock: { now },
    stdin: "",
    skills: [],
    random: Math.random,
    signal,
  };
  const facts = await planSprint(request, world);
  if (facts["ok"] === true) return facts;
  return fail({
    code: "not-allowed",
    what: "plan",
    hint: asText(facts["error"]) ?? "the sprint cannot be read",
  });
}

/** The answer of the script, in our words. */
function planned(facts: Values) {
  const rows = (key: string) =>
    (Array.isArray(facts[key]) ? facts[key] : []).map(asValues).map((one) => ({
      key: asText(one["key"]) ?? "",
      status: asText(one["status"]) ?? asText(one["from"]) ?? "",
    }));
  return {
    ledger: asText(facts["status_file"]) ?? "",
    epics: Number(facts["epics"]),
    stories: Number(facts["stories"]),
    added: asTexts(facts["new_entries"]),
    ready: asTexts(facts["upgraded_from_disk"]),
    renamed: (Array.isArray(facts["legacy_mapped"]) ? facts["legacy_mapped"] : []).map(asValues)
      .map((one) => ({
        key: asText(one["key"]) ?? "",
        from: asText(one["from"]) ?? "",
        to: asText(one["to"]) ?? "",
      })),
    unknown: rows("illegal"),
    unplanned: rows("dropped_orphans"),
    warnings: asTexts(facts["warnings"]),
  };
}

function linesOf(plan: ReturnType<typeof planned>, isForced: boolean): readonly string[] {
  const named = (label: string, names: readonly string[]) => {
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
    const told = names.slice(0, MAX_NAMED).map((name) => oneLine(name)).join(", ");
    return names.length === 0 ? [] : [`${label}: ${told}${more}`];
  };
  const words = (rows: typeof plan.unknown) => rows.map(({ key, status }) => `${key} (${status})`);
  return [
    `${oneLine(plan.ledger)}: ${counted(plan.epics, "epic")}, ${counted(plan.stories, "story", "stories")}.`,
    ...named("Added", plan.added),
    ...named("Ready, because of a story file", plan.ready),
    ...named("Renamed", plan.renamed.map(({ key, from, to }) => `${key} (${from} → ${to})`)),
    ...named(`Unknown statuses, ${isForced ? "replaced" : "kept"}`, words(plan.unknown)),
    ...named(`Not in the plan, ${isForced ? "removed" : "kept"}`, words(plan.unplanned)),
    ...plan.warnings.slice(0, MAX_NAMED).map((text) => `Warning: ${oneLine(text)}`),
  ];
}
