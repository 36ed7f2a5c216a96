/**
 * What one of BMAD's scripts is, when this program does its work.
 *
 * A script gets its arguments and the project, and returns what the original prints and its exit status. It never throws
 * for what the original reports; anything that it throws is a failure of the request.
 */
import type { Clock } from "../../base/work.ts";
import type { ProjectFiles } from "../files/mod.ts";

/** What a script printed, and how it ended. */
export interface ScriptResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a script works on. */
export interface ScriptWorld {
  readonly files: ProjectFiles;
  readonly clock: Pick<Clock, "now">;
  /** What the caller pipes into it. */
  readonly stdin: string;
  readonly signal?: AbortSignal;
}

/** One of BMAD's scripts. */
export interface Script {
  /** As command lines spell it: `memlog.py`. */
  readonly name: string;
  /** Whether these arguments make it change files. */
  isWriter(args: readonly string[]): boolean;
  run(args: readonly string[], world: ScriptWorld): ScriptResult | Promise<ScriptResult>;
}

/** Success with a text on stdout. */
export function printed(stdout: string): ScriptResult {
  return { status: 0, stdout, stderr: "" };
}

/** A failure with a text on stderr. */
export function failed(status: number, stderr: string): ScriptResult {
  return { status, stdout: "", stderr };
}
