/**
 * A check with what it may use: the project's files, its commits where git is allowed, and its completion contract.
 */
import { BmadError } from "../../base/errors.ts";
import { shorten } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { inTurns } from "../../base/work.ts";
import { type BoardWorld, findStory, problemLine, type Target } from "./board/mod.ts";
import type { Board } from "./formats/mod.ts";
import {
  checkAll,
  type Checked,
  type CheckReport,
  checkStory,
  type CheckWorld,
  commandFailed,
  LOG,
  readLog,
  reportCheck,
  standingOf,
  standingOfAll,
  withGitDrift,
  withoutRetrospective,
} from "./check/mod.ts";
import type { TraceReport, TraceWorld } from "./trace/mod.ts";
import { mayRun, type WorkTools } from "./tools.ts";
import type { Objection } from "./writer/mod.ts";

/** Checks one story or all. */
export async function checkWork(tools: WorkTools, opened: BoardWorld, story?: string): Promise<CheckReport> {
  const world = checkWorld(tools, opened);
  if (story === undefined) {
    const checked = await withCommands(tools, await checkAll(world));
    return reportCheck(standingOfAll(opened.board, checked.findings), checked);
  }
  const found = findStory(opened.board, story);
  const checked = await withCommands(tools, await checkStory(world, found));
  return reportCheck(standingOf(found.story, checked.findings), checked);
}

/** The board with what its commits say, where git is allowed. */
export function driftOf(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  return withGitDrift(checkWorld(tools, opened));
}

/** The reasons not to mark a story, or the retrospective of an epic, as done. */
export async function findingsAgainst(
  tools: WorkTools,
  opened: BoardWorld,
  { story, epic }: Target,
): Promise<readonly Objection[]> {
  const world = checkWorld(tools, opened);
  const { findings } = story === undefined
    ? { findings: await inTurns(withoutRetrospective(world, [epic])) }
    : await withCommands(tools, await checkStory(world, { story, epic }, { isMarking: true }));
  return findings.map((one) => ({ reason: problemLine(one), fix: one.fix }));
}

/** The trace of all, or of the requirement or story of a name. */
export async function traceWork(
  tools: WorkTools,
  opened: BoardWorld,
  { name, isStale }: { readonly name?: string; readonly isStale: boolean },
): Promise<TraceReport> {
  const { readTrace, reportPart, reportTrace } = await import("./trace/mod.ts");
  const trace = await readTrace({ ...checkWorld(tools, opened), ...pastFiles(tools) }, { isStale });
  if (name === undefined) return reportTrace(trace);
  return reportPart(trace, name, () => findStory(opened.board, name).story.ref);
}

/** How files of earlier commits are read, where git is allowed. */
function pastFiles({ config: { work: plan }, signal }: WorkTools): Pick<TraceWorld, "fileAt"> {
  const git = plan?.git;
  if (git === undefined) return {};
  return {
    fileAt: async (commit, path) => {
      const { showFile } = await import("../../content/repositories/mod.ts");
      const { status, stdout } = await showFile(plan!.root, commit, path, {
        ...git,
        signal,
        within: plan!.root,
        maxOutput: MAX_OLD_FILE,
      });
      return status === 0 ? new TextDecoder().decode(stdout) : undefined;
    },
  };
}

/** A document that is larger is not read today either. */
const MAX_OLD_FILE = 8 << 20;

/** What a check and a review look at. */
export function checkWorld({ config, signal }: WorkTools, board: BoardWorld): CheckWorld {
  const { work: plan } = config;
  const git = plan?.git;
  const opened = { ...board, mayRun: mayRun(config) };
  if (git === undefined) return opened;
  return {
    ...opened,
    history: async () => {
      const { logCommits } = await import("../../content/repositories/mod.ts");
      const { status, stdout, stderr } = await logCommits(plan!.root, LOG, "HEAD", {
        ...git,
        signal,
        within: plan!.root,
      });
      if (status !== 0) return shorten(opened.clean(stderr.slice(0, 2_000)).replace(/^fatal: /, ""));
      return readLog(new TextDecoder().decode(stdout));
    },
  };
}

/** The same result with that of the project's own commands, where it has any and claims something. */
async function withCommands<T extends Checked>({ verify }: WorkTools, checked: T): Promise<T> {
  if (!checked.claims) return checked;
  try {
    const { data } = await verify();
    const { status, script, note } = asValues(data);
    const path = asText(script) ?? "";
    if (status === "PASS") return checked;
    if (status === "NONE") {
      return { ...checked, unchecked: [...checked.unchecked, `${path} checked nothing: ${asText(note)}.`] };
    }
    return { ...checked, findings: [...checked.findings, commandFailed(path, asText(note))] };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    const { failure } = error;
    // A project without such a script names no commands.
    if (failure.code !== "not-allowed") return checked;
    const why = failure.setting === "allowExec"
      ? "the user has not allowed it (--allow-exec, BMAD_ALLOW_EXEC)"
      : failure.hint;
    return { ...checked, unchecked: [...checked.unchecked, `The project's commands were not run: ${why}.`] };
  }
}
