/** A check with what it may use: the project's files, its commits where git is allowed, and its completion contract. */
import { BmadError, type FailedCheck } from "../../base/errors.ts";
import { asText, asValues } from "../../base/values.ts";
import { runInSlices } from "../../base/work.ts";
import { type BoardWorld, findStory, type StoryMatch, type Target } from "./board/mod.ts";
import {
  checkAll,
  type Checked,
  type CheckReport,
  checkStory,
  commandFailed,
  reportCheck,
  summarizeStories,
  summarizeStory,
  withGitDrift,
  withoutRetrospective,
} from "./check/mod.ts";
import { type Board, problemLine } from "./formats/mod.ts";
import { checkWorld, pastWorld } from "./git_facts.ts";
import type { WorkTools } from "./tools.ts";
import type { TraceReport } from "./trace/mod.ts";

/** Without running commands of the project. */
export async function lookAtStory(
  tools: WorkTools,
  opened: BoardWorld,
  found: StoryMatch,
): Promise<CheckReport> {
  return reportStory(found, await checkStory(checkWorld(tools, opened), found));
}

function reportStory({ story }: StoryMatch, checked: Checked): CheckReport {
  return reportCheck(summarizeStory(story, checked.findings), checked);
}

export async function checkWork(tools: WorkTools, opened: BoardWorld, name?: string): Promise<CheckReport> {
  const world = checkWorld(tools, opened);
  if (name !== undefined) {
    const found = findStory(opened.board, name);
    return reportStory(found, await withCommands(tools, await checkStory(world, found)));
  }
  const checked = await withCommands(tools, await checkAll(world));
  return reportCheck(summarizeStories(opened.board, checked.findings), checked);
}

/** Adds drift and changed requirements where git is allowed. */
export async function compareCommits(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  const board = await withGitDrift(checkWorld(tools, opened));
  return await withStaleStories(tools, { ...opened, board });
}

export async function withStaleStories(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  return await (await import("./trace/mod.ts")).withStale(pastWorld(tools, opened));
}

export async function findingsAgainst(
  tools: WorkTools,
  opened: BoardWorld,
  { story, epic }: Target,
): Promise<readonly FailedCheck[]> {
  const world = checkWorld(tools, opened);
  const { findings } = story === undefined
    ? { findings: await runInSlices(withoutRetrospective(world, [epic])) }
    : await withCommands(tools, await checkStory(world, { story, epic }, { isMarking: true }));
  return findings.map((one) => ({ reason: problemLine(one), problem: one.problem, fix: one.fix }));
}

export async function traceWork(
  tools: WorkTools,
  opened: BoardWorld,
  { name, isStale }: { readonly name?: string; readonly isStale: boolean },
): Promise<TraceReport> {
  const { readTrace, reportPart, reportTrace } = await import("./trace/mod.ts");
  const trace = await readTrace(pastWorld(tools, opened), isStale);
  if (name === undefined) return reportTrace(trace);
  return reportPart(trace, name, () => findStory(opened.board, name).story.ref);
}

/** Adds what the project's own completion contract finds, if something claims to be done. */
async function withCommands({ verify }: WorkTools, checked: Checked): Promise<Checked> {
  const unchecked = (why: string) => ({ ...checked, unchecked: [...checked.unchecked, why] });
  if (!checked.claims) return checked;
  try {
    const { data } = await verify();
    const { status, script, note } = asValues(data);
    const path = asText(script) ?? "";
    if (status === "PASS") return checked;
    if (status === "NONE") return unchecked(`${path} checked nothing: ${asText(note)}.`);
    return { ...checked, findings: [...checked.findings, commandFailed(path, asText(note))] };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    const { failure } = error;
    // A project without such a script defines no commands.
    if (failure.code !== "not-allowed") return checked;
    const why = failure.setting === "allowExec"
      ? "the user has not allowed it (--allow-exec, BMAD_ALLOW_EXEC)"
      : failure.hint;
    return unchecked(`The project's commands were not run: ${why}.`);
  }
}
