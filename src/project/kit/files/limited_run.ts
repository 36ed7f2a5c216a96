/**
 * Runs a script or a command of the project within its limits: only if the user allows it, one at a time, with an
 * environment of its own and a time limit, and with progress that keeps clients waiting.
 */
import type { Clock, Work } from "../../../base/work.ts";
import { fail } from "../../../base/errors.ts";
import { SupervisorError } from "../../../process/supervisor.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import type { ScriptVariables } from "../../../settings/plan/mod.ts";
import { plainOutput } from "./plain_output.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { runScript, type ScriptRequest, type ScriptResult } from "./script.ts";

/** What a run needs from outside. */
export interface RunTools extends Clock, Work {
  /** The environment of what is run; undefined unless the user allows it. */
  readonly script: ScriptVariables | undefined;
  readonly limitMs: number;
}

/** What to run. */
export interface RunRequest {
  /** What bash gets: a script, or a command. */
  readonly args: readonly string[];
  /** As the user knows it, and in short. */
  readonly name: string;
  readonly title?: string;
  /** Where, relative to the project. */
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A run that has ended; its output is plain and without secrets. */
export interface EndedRun extends ScriptResult {
  readonly ms: number;
  readonly limitMs: number;
}

const PROGRESS_MS = 5_000;

/** What is running in which project: two runs at once would disturb each other. */
const running = new Map<string, string>();

/** Runs it, or fails because that is not allowed. */
export async function runLimited(
  project: ProjectFolder,
  { name, title = name, args, folder = "", variables = {} }: RunRequest,
  tools: RunTools,
): Promise<EndedRun> {
  const { script, limitMs, signal, now, after, changing } = tools;
  const refuse = (hint: string, setting?: "allowExec") =>
    fail({ code: "not-allowed", what: `run ${name}`, hint, setting });
  if (script === undefined) return refuse("the user has to allow it", "allowExec");
  const other = running.get(project.root);
  if (other !== undefined) {
    return refuse(`${other === name ? "it" : other} is already running, try again when it is done`);
  }
  changing?.();
  running.set(project.root, name);
  const since = now();
  const stopProgress = reportProgress(title, tools, since);
  try {
    const result = await start({
      args,
      folder: joinPath(project.root, folder),
      variables: { ...environmentOf(script), ...variables },
      limitMs,
      signal,
      after,
    });
    const output = project.clean.text(plainOutput(result.output));
    return { ...result, output, limitMs, ms: now() - since };
  } finally {
    stopProgress();
    running.delete(project.root);
  }
}

/** Where programs and their caches are, and no colours. */
function environmentOf({ path, home }: ScriptVariables): Readonly<Record<string, string>> {
  return {
    PATH: path ?? "/usr/local/bin:/usr/bin:/bin",
    ...(home === undefined ? {} : { HOME: home }),
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
  };
}

async function start(request: ScriptRequest): Promise<ScriptResult> {
  const refuse = (hint: string) => fail({ code: "not-allowed", what: "run bash", hint });
  try {
    return await runScript(request);
  } catch (error) {
    if (!(error instanceof SupervisorError)) throw error;
    return error.reason === "not-allowed"
      ? refuse("the program was started without permission")
      : refuse("it was not found in PATH, install it");
  }
}

/** Reports the elapsed time again and again, so that clients keep waiting. Returns how to stop it. */
function reportProgress(
  title: string,
  { progress, now, after, limitMs }: RunTools,
  since: number,
): () => void {
  let cancel = () => {};
  const report = () => {
    progress?.(now() - since, limitMs, `Running ${title}`);
    cancel = after(PROGRESS_MS, report);
  };
  if (progress !== undefined) report();
  return () => cancel();
}
