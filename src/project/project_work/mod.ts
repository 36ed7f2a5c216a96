/**
 * Work on a project: its board, what to do next, and BMAD's own scripts.
 *
 * Each request opens it for itself; nothing is kept between two requests. Whatever needs a project fails without one.
 */
import type { Report } from "../../base/report.ts";
import type { Clock } from "../../base/work.ts";
import {
  findResolvers,
  type Library,
  listConfigs,
  listSkills,
  loadCleaner,
} from "../../content/library/mod.ts";
import type { Config } from "../../settings/plan/mod.ts";
import type { WriteCall } from "../artefacts/mod.ts";
import { type BoardReport, findStory, foldersOf, readBoard, reportBoard, reportStory } from "../board/mod.ts";
import { openFiles } from "../files/mod.ts";
import type { ScriptResult, ScriptWorld } from "../scripts/mod.ts";

export type { WriteCall } from "../artefacts/mod.ts";
export type { BoardReport } from "../board/mod.ts";

/** What can be done with a project's work. */
export interface ProjectWork {
  /** Every epic and story of its ledgers. */
  board(): Promise<BoardReport>;
  /** One story in full. */
  show(story: string): Promise<BoardReport>;
  /** The next piece of work, with all that is needed for it; `callOf` writes a call for the surface. */
  next(callOf: WriteCall): Promise<Report>;
  /** Runs the native script that a command line calls, given whole or as words. */
  script(command: string | readonly string[], stdin?: string): Promise<ScriptResult>;
}

/** What the work is done with. */
export interface WorkTools {
  readonly config: Config;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Works on the library of the moment. */
  ask<T>(work: (library: Library) => T | Promise<T>): Promise<T>;
  /** Fails because no project is served; `what` is what cannot be done. */
  refuse(what?: string): never;
}

/** Opens the work for one request. Nothing is read yet. */
export function openWork(tools: WorkTools): ProjectWork {
  const { ask } = tools;
  return {
    board: () => ask(async (library) => reportBoard((await openBoard(tools, library)).board)),
    show: (story) =>
      ask(async (library) => {
        const { board, clean } = await openBoard(tools, library);
        return reportStory(findStory(board, story), clean);
      }),
    next: (callOf) =>
      ask(async (library) => {
        const { board, clean } = await openBoard(tools, library);
        const { reportNext } = await import("../artefacts/mod.ts");
        return await reportNext(library, board, { callOf, clean });
      }),
    script: (command, stdin = "") => runScriptIn(tools, command, stdin),
  };
}

async function openBoard({ config: { kit, project }, clock: { now }, refuse }: WorkTools, library: Library) {
  if (kit === undefined) return refuse();
  const { text: clean } = await loadCleaner();
  const roots = [kit.root, ...(project === undefined ? [] : [project])];
  const folders = foldersOf(await listConfigs(library), roots);
  const { tree } = openFiles({ root: kit.root, output: kit.output, writable: [] }, now);
  return { board: readBoard(tree, folders, clean), clean };
}

async function runScriptIn(
  { config: { work: plan }, clock: { now }, signal, ask, refuse }: WorkTools,
  command: string | readonly string[],
  stdin: string,
): Promise<ScriptResult> {
  if (plan === undefined) return refuse("run a script");
  const { commandOf, parseCommandLine, runScript } = await import("../scripts/mod.ts");
  const call = typeof command === "string" ? parseCommandLine(command) : commandOf(command);
  const { git } = plan;
  const world: ScriptWorld = {
    files: openFiles(plan, now),
    clock: { now },
    random: Math.random,
    skills: await ask(listSkills),
    stdin,
    signal,
    resolvers: () => ask(findResolvers),
    ...git && {
      git: async (folder, options, range, signal) => {
        const { logCommits } = await import("../../content/repositories/mod.ts");
        return await logCommits(folder, options, range, { ...git, signal });
      },
    },
  };
  return await runScript(call, world);
}
