/**
 * Would the hook in a client's file still start this program?
 *
 * Decided while the whole disk is visible, as for entries: the text is only searched for our command line, and parsed by
 * whoever changes it.
 */
import type { Host } from "../../process/host.ts";
import { HOOK_ARGS, isOwnHook } from "./hook_shapes.ts";
import { findProgram, isOwnLaunch, isPackage, isSameProgram, programOf, versionAt } from "./own_launch.ts";
import { PRODUCT } from "../../base/model.ts";
import type { Launch } from "./shapes.ts";
import type { Target } from "./target.ts";

/** A hook of ours. */
export interface FoundHook {
  readonly target: Target;
  /** The command line that the client runs, in words. */
  readonly words: readonly string[];
  /** The program that does not exist, or else the one that it starts. */
  readonly program: string;
  /** Whether that program exists; undefined for a name that is not on our PATH: it may be on the client's. */
  readonly isThere?: boolean;
  /** Whether it starts this very program. */
  readonly isCurrent: boolean;
  /** The version that it starts, if that is known without starting it. */
  readonly version?: string;
}

/** Our hooks in some files; `own` starts this program. */
export function findHooks(targets: readonly Target[], own: Launch, host: LookHost): readonly FoundHook[] {
  return targets.flatMap((target) => {
    // Both lists of a file have the same line.
    const line = target.hooks?.isEnd ? undefined : ownLineIn(host.readText(target.real) ?? "");
    if (line === undefined) return [];
    // `install` quotes without escaping.
    const words = Array.from(
      line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g),
      ([word, double, single]) => double ?? single ?? word,
    );
    return [{ target, words, ...inspectWords(words, own, host) }];
  });
}

type LookHost = Pick<Host, "os" | "env" | "look" | "readText">;

/** The first command line of ours among the quoted texts of a file. */
function ownLineIn(text: string): string | undefined {
  // One without an end goes to the end of its line, so that no other begins in it.
  const quoted = Array.from(text.matchAll(/"(?:[^"\\\n]|\\[^\n])*"?/g), ([word]) => {
    try {
      return String(JSON.parse(word));
    } catch {
      return "";
    }
  });
  // PowerShell's form of the same line begins with `&`.
  return quoted.find((line) => isOwnHook({ line }))?.replace(/^& /, "");
}

function inspectWords(
  words: readonly string[],
  own: Launch,
  host: LookHost,
): Omit<FoundHook, "target" | "words"> {
  const end = words.findIndex((_, at) => HOOK_ARGS.every((arg, offset) => words[at + offset] === arg));
  const [command = "", ...args] = words.slice(0, end);
  const launch = { command, args };
  const program = isOwnLaunch(launch) ? programOf(launch) : command;
  const missing = [command, program].find((word) => IS_ABSOLUTE.test(word) && host.look(word) === undefined);
  if (missing !== undefined) return { program: missing, isThere: false, isCurrent: false };
  const found = findProgram(program, host);
  const isCurrent = isPackage(program, PRODUCT.version) ||
    (isSameProgram(found, findProgram(programOf(own), host)) && versionAt(program) === undefined);
  const version = isCurrent ? PRODUCT.version : found?.version ?? versionAt(program);
  return {
    program,
    ...(found !== undefined && { isThere: true }),
    isCurrent,
    ...(version !== undefined && { version }),
  };
}

const IS_ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/;
