/**
 * Finds the runs of a project and the branches of work, called sessions, that they belong to.
 *
 * A session is a folder of `.runs`, with or without a branch.json; a run is a folder in it. In the older layout a run
 * lies in `.runs` itself and its state names the branch. Whatever was moved to `archive` is ignored.
 */
import { DEFAULT_BRANCH, RUNS_FOLDER } from "../../../settings/plan/mod.ts";
import { fail } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { asText, type Values } from "../../../content/parse.ts";
import { checkName, joinPath } from "../../../content/tree/mod.ts";
import { readContext } from "./context.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { type Phase, phaseOf, readJson, readRun, type Run } from "./state.ts";

export interface Session {
  readonly branch: string;
  readonly phase: Phase;
  /** From branch.json, without secrets; empty if it is missing. */
  readonly facts: Values;
  readonly problem?: string;
  /** The latest first. */
  readonly runs: readonly Run[];
}

const ARCHIVE = "archive";

/** The branch of new runs and tasks: the one that is named, else the project's own, else the kit's. */
export function branchFor(project: ProjectFolder, given: string | undefined): string {
  if (given !== undefined) return checkName("branch", given);
  const { branch, runsDirectory } = readContext(project).session;
  const [parent, last] = asText(runsDirectory)?.split("/").filter(Boolean).slice(-2) ?? [];
  const own = asText(branch) ?? (parent === RUNS_FOLDER ? last : undefined);
  return own === undefined ? DEFAULT_BRANCH : checkName("session_branch in project-context.yaml", own);
}

/** Every session of a project, the one with the latest run first. */
export function readSessions(project: ProjectFolder): readonly Session[] {
  const { tree } = project;
  const sessions = new Map<string, { folder?: string; runs: Run[] }>();
  const add = (branch: string, run?: Run, folder?: string) => {
    const session = sessions.get(branch) ?? { runs: [] };
    session.folder ??= folder;
    if (run !== undefined) session.runs.push(run);
    sessions.set(branch, session);
  };
  for (const folder of project.runs) {
    for (const { name, path } of foldersIn(project, folder)) {
      if (name === ARCHIVE) continue;
      if (tree.hasFile(`${path}/state.json`)) {
        const run = readRun(project, path);
        add(run.branch, run);
        continue;
      }
      add(name, undefined, path);
      for (const inner of foldersIn(project, path)) {
        const isRun = tree.hasFile(`${inner.path}/state.json`) || tree.list(`${inner.path}/queue`).length > 0;
        if (isRun) add(name, readRun(project, inner.path, name), path);
      }
    }
  }
  return [...sessions].map(([branch, { folder, runs }]) => sessionOf(project, branch, folder, runs))
    .sort((a, b) => (b.runs[0]?.time ?? 0) - (a.runs[0]?.time ?? 0) || (a.branch < b.branch ? -1 : 1));
}

function foldersIn({ tree }: ProjectFolder, dir: string) {
  return tree.list(dir).filter(({ name, isDirectory }) => isDirectory && !name.startsWith("."))
    .map(({ name }) => ({ name, path: joinPath(dir, name) }));
}

function sessionOf(
  project: ProjectFolder,
  branch: string,
  folder: string | undefined,
  unsorted: readonly Run[],
): Session {
  const runs = unsorted.toSorted((a, b) => b.time - a.time || (a.runId < b.runId ? 1 : -1));
  const file = folder && joinPath(folder, "branch.json");
  const { values = {}, problem } = file && project.tree.hasFile(file) ? readJson(project, file) : {};
  const status = asText(values["status"]);
  // Without a status of its own, a session is active as long as one of its runs is.
  const derived = runs.some(({ phase }) => phase === "active") ? "active" : runs[0]?.phase ?? "active";
  return {
    branch,
    phase: status === undefined ? derived : phaseOf(status),
    facts: project.clean.values(values),
    ...(problem === undefined ? {} : { problem }),
    runs,
  };
}

/** Which runs are wanted. */
export interface StatusRequest {
  /** The latest if missing. */
  readonly runId?: string;
  /** Any if missing. */
  readonly branch?: string;
}

/** The wanted runs, the latest first. Fails for an unknown branch or run. */
export function findRuns(sessions: readonly Session[], { runId, branch }: StatusRequest): readonly Run[] {
  const wantedBranch = branch === undefined ? undefined : checkName("branch", branch);
  const wantedRun = runId === undefined ? undefined : checkName("run", runId);
  const inBranch = sessions.filter((one) => wantedBranch === undefined || one.branch === wantedBranch);
  if (wantedBranch !== undefined && inBranch.length === 0) {
    missing("session branch", wantedBranch, sessions.map((session) => session.branch));
  }
  const runs = inBranch.flatMap((session) => session.runs).sort((a, b) => b.time - a.time);
  if (wantedRun === undefined) return runs;
  const matching = runs.filter((run) => run.runId === wantedRun);
  return matching.length > 0 ? matching : missing("run", wantedRun, runs.map((run) => run.runId));
}

function missing(what: string, name: string, known: readonly string[]): never {
  const suggestions = suggest(name.toLowerCase(), known);
  const hint = known.length === 0 ? "None exist yet" : `The latest are ${known.slice(0, 10).join(", ")}`;
  return fail({ code: "not-found", what, name, suggestions, hint });
}

/** The run that takes a task: the named one, even if it does not exist yet, else the one that is running. */
export function runForTask(
  project: ProjectFolder,
  runId: string | undefined,
  { branch, day }: { readonly branch: string; readonly day: string },
): Pick<Run, "runId" | "branch" | "path"> & { readonly isKnown: boolean } {
  const wanted = runId === undefined ? undefined : checkName("run", runId);
  const runs = readSessions(project).flatMap((session) => session.runs);
  const own = runs.filter((run) => run.branch === branch);
  const known = wanted === undefined
    ? own.find(({ status }) => status === "running")
    : [...own, ...runs].find((run) => run.runId === wanted);
  if (known !== undefined) return { ...known, isKnown: true };
  // Without any run, the tasks of a day belong together.
  const id = wanted ?? `subagents-${day}`;
  return { runId: id, branch, path: joinPath(project.runs[0], branch, id), isKnown: false };
}
