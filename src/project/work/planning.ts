/** The sprint follows the epics; files, ledger and epics follow each other. */
import { failField, failInput, forbid } from "../../base/errors.ts";
import { firstLines, joinLines, type Report } from "../../base/report.ts";
import { abbreviateList, counted, oneLine, shorten, splitLines } from "../../base/text.ts";
import { asText } from "../../base/values.ts";
import { localTime } from "../../base/time.ts";
import { type WriteResult, writeResult } from "../../base/work.ts";
import { listConfigs } from "../../content/library/mod.ts";
import { findText, joinPath, parentPath } from "../../content/tree/mod.ts";
import { type BoardWorld, findTarget, planFiles } from "./board/mod.ts";
import { openFiles } from "../files/mod.ts";
import type { ScriptError, SprintPlan, SprintRequest } from "../scripts/mod.ts";
import {
  EditedText,
  readSprintFile,
  scriptLines,
  SPRINT_FILES,
  type SprintRow,
  sprintTime,
} from "./formats/mod.ts";
import type { WriteContext } from "./writer/mod.ts";
import type { WorkTools } from "./tools.ts";

const MAX_NAMED = 20;

/** For epics that BMAD does not read. */
const OTHER_FOLDERS = ["docs", ""];

export interface PlanRequest {
  readonly isForced?: boolean;
  readonly epic?: string;
  readonly title?: string;
}

export async function planWork(
  tools: WorkTools,
  opened: BoardWorld,
  { isForced = false, epic, title }: PlanRequest,
): Promise<WriteResult<Report>> {
  const request = { ...await requestFor(tools, opened), isStrict: isForced };
  const gained = title === undefined ? undefined : await addStory(tools, opened, {
    title,
    epic: epic ?? failInput("Missing epic", "Say which one gains the story"),
  });
  const plan = await run(tools, request).catch(async (error) => {
    // A story that the sprint cannot take would be there twice after another try.
    await gained?.takeBack();
    throw error;
  });
  const { epics, stories, added, ready, warnings } = plan;
  const factsOf = (rows: readonly SprintRow[]) => rows.map(({ key, word }) => ({ key, status: word }));
  const rows = { unknown: factsOf(plan.unknown), unplanned: factsOf(plan.unplanned) };
  const data = { ledger: request.statusFile, epics, stories, added, ready, ...rows, warnings };
  const text = joinLines(
    gained && `Story ${gained.number} is in the plan: ${gained.path}`,
    textOf(request, plan),
  );
  return writeResult({ text, data: { ...data, ...(gained && { story: gained.number }) } });
}

const MAX_TITLE = 200;

/** Like the epic's other stories, below the last. */
async function addStory(
  { config: { work }, clock: { now }, changing, signal, refuse }: WorkTools,
  { board, tree, folders }: BoardWorld,
  { epic: name, title: given }: { readonly epic: string; readonly title: string },
): Promise<{ readonly number: string; readonly path: string; takeBack(): Promise<void> }> {
  if (work === undefined) return refuse("change the project's work");
  const title = oneLine(given).replace(/^[\s#:]+/, "").trim();
  if (title === "" || title.length > MAX_TITLE) {
    return failField("title", `expected one line of at most ${MAX_TITLE} characters`);
  }
  const { epic } = findTarget(board, /^\d+$/.test(name) ? `epic-${name}` : name);
  const files = openFiles(work, now, changing);
  return await files.exclusively(() => {
    const plans = planFiles(tree, folders).map((path) => ({ path, text: files.find(path) ?? "" }));
    const headings = plans.flatMap(({ path, text }) =>
      [...scriptLines(splitLines(text))].flatMap(({ heading, ...one }) =>
        heading ? [{ ...one, heading, path }] : []
      )
    ).filter(({ heading }) => `${heading.epic}` === epic.ref);
    const stories = headings.filter(({ heading }) => heading.story !== undefined);
    const last = stories.at(-1) ?? headings.at(-1);
    if (last === undefined) {
      return forbid(
        `add a story to ${name}`,
        `no document that BMAD plans from has the epic; add it in ${epic.ledger}`,
      );
    }
    const { path, line, text: above } = last;
    const numbers = [...stories.map(({ heading }) => heading.ref), ...epic.stories.map(({ ref }) => ref)]
      .map((ref) => parseInt(ref.split("-")[1] ?? "0")).filter(Number.isFinite);
    const number = `${epic.ref}.${Math.max(0, ...numbers) + 1}`;
    const before = plans.find((one) => one.path === path)!.text;
    const edited = new EditedText(before);
    const level = /^#+/.exec(above)![0].length + (last.heading.story === undefined ? 1 : 0);
    const next = [...scriptLines(edited.lines.map(({ text }) => text))].find((one) =>
      one.line > line && isOver(one.text, level)
    );
    const at = edited.lastFilled(next === undefined ? undefined : next.line - 1);
    const row = `${"#".repeat(level)} Story ${number}: ${title}`;
    edited.insert(at, ["", row, ...(edited.lines[at]?.text ? [""] : [])]);
    const text = edited.toString();
    files.replace(path, text, before);
    const takeBack = () => files.exclusively(() => files.replace(path, before, text));
    return { number, path, takeBack };
  }, signal);
}

function isOver(heading: string, level: number): boolean {
  return /^#+/.exec(heading)![0].length <= level;
}

/** If the sprint lacks stories of the epics, it is planned first. */
export async function reconcileWork(
  tools: WorkTools,
  opened: BoardWorld,
  openWriter: () => Promise<WriteContext>,
  by: string | undefined,
): Promise<WriteResult<Report>> {
  const { board, tree, folders } = opened;
  const hasSprint = board.ledgers.some(({ format }) => format === "sprint-status");
  const hasPlan = hasSprint && planFiles(tree, folders).length > 0;
  const request = hasPlan ? await requestFor(tools, opened) : undefined;
  const preview = request && await run(tools, { ...request, isDry: true });
  const { added = [], renamed = [] } = preview ?? {};
  if (request !== undefined && added.length > 0) await run(tools, request);
  const { reconcile, renumber } = await import("./writer/mod.ts");
  const world = await openWriter();
  const { marked, left } = await reconcile(world, by);
  const renumbered = await renumber(world);
  const addedLines = added.map((key) => `${key}: added from the plan`);
  const text = joinLines(
    firstLines(addedLines, MAX_NAMED, (more) => `… and ${more} more added from the plan`),
    added.length > 0 && renamed.slice(0, MAX_NAMED).map(({ key, from, to }) => `${key}: ${from} → ${to}`),
    marked.flatMap(({ key, changes, files }) =>
      changes.length === 0
        ? files.map((path) => `${key}: ${oneLine(path)} follows`)
        : changes.map(({ key, from, to }) => `${key}: ${from ?? "none"} → ${to}`)
    ),
    renumbered.map(({ from, to, text }) => `Question ${from} → ${to}: ${text}`),
    left.map((one) => `Left: ${one}`),
  );
  return writeResult({
    text: text || "Ledger, story files and plan agree.",
    data: {
      added,
      changes: marked.flatMap(({ changes }) => changes),
      files: [...new Set(marked.flatMap(({ files }) => files))],
      questions: renumbered,
      left,
    },
  });
}

async function requestFor({ config, clock, ask }: WorkTools, { board, tree, folders }: BoardWorld) {
  const epicFiles = planFiles(tree, folders);
  const folder = folders.implementation[0];
  const statusFile = board.ledgers.find(({ format }) => format === "sprint-status")?.path ??
    (folder === undefined ? undefined : joinPath(folder, SPRINT_FILES[0]!));
  if (epicFiles.length === 0 || statusFile === undefined) {
    const where = folders.planning.join(", ") || "the folders of the project's configuration";
    const elsewhere = planFiles(tree, { ...folders, planning: OTHER_FOLDERS });
    const [home] = folders.planning;
    if (home === undefined && folders.v4 !== undefined) {
      return forbid("plan", "v4 has no sprint: its task create-next-story writes the next story");
    }
    const fix = elsewhere.length > 0
      ? `move ${abbreviateList(elsewhere.map(oneLine))} to ${home}`
      : `write it to ${joinPath(home ?? "", "epics.md")}`;
    return forbid("plan", `no document with epics lies in ${where}${home === undefined ? "" : `; ${fix}`}`);
  }
  // The ledger keeps its name of the project.
  const known = asText(readSprintFile(findText(tree, statusFile) ?? "").fields["project"]);
  const name = known ??
    (await ask(listConfigs)).map((values) => asText(values["project_name"])).find(Boolean) ??
    config.kit?.root.split(/[\\/]/).findLast((part) => part !== "");
  return {
    epicFiles,
    statusFile,
    storiesDir: parentPath(statusFile),
    project: shorten(name ?? "project", 100),
    date: sprintTime(localTime(clock.now())),
  };
}

async function run(
  { config: { work }, clock: { now }, signal, changing, refuse }: WorkTools,
  request: SprintRequest,
): Promise<SprintPlan> {
  if (work === undefined) return refuse("change the project's work");
  const { planSprint, ScriptError } = await import("../scripts/mod.ts");
  try {
    return await planSprint(request, { files: openFiles(work, now, changing), skills: [], signal });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return forbid("plan", reasonOf(error, request));
  }
}

function reasonOf({ message, details }: ScriptError, { epicFiles, statusFile }: SprintRequest): string {
  if (details["epic_files"] !== undefined) {
    const example = '"## Epic 1: Accounts" or "### Story 1.2: Sign in"';
    return `no heading such as ${example} is in ${abbreviateList(epicFiles.map(oneLine))}`;
  }
  const isNamed = [...epicFiles, statusFile].some((path) => message.includes(path));
  return isNamed ? message : `${oneLine(statusFile)}: ${message}`;
}

function textOf({ statusFile, isStrict }: SprintRequest, plan: SprintPlan): string {
  const named = (label: string, names: readonly string[]) =>
    names.length > 0 && `${label}: ${abbreviateList(names.map(oneLine), MAX_NAMED)}`;
  const words = (rows: readonly SprintRow[]) => rows.map(({ key, word }) => `${key} (${word})`);
  return joinLines(
    `${oneLine(statusFile)}: ${counted(plan.epics, "epic")}, ${counted(plan.stories, "story", "stories")}.`,
    named("Added", plan.added),
    named("Note: ready now, because of a story file", plan.ready),
    named("Renamed", plan.renamed.map(({ key, from, to }) => `${key} (${from} → ${to})`)),
    named(`Unknown statuses, ${isStrict ? "replaced" : "kept"}`, words(plan.unknown)),
    named(`Not in the plan, ${isStrict ? "removed" : "kept"}`, words(plan.unplanned)),
    plan.warnings.slice(0, MAX_NAMED).map((text) => `Warning: ${oneLine(text)}`),
  );
}
