/** Which of a client's files have our hook, and would it still start this program? */
import type { Host } from "../../process/host.ts";
import { checkLaunch, findProgram, type LaunchState } from "./own_launch.ts";
import { HOOK_ARGS, isOwnLine, type Launch } from "./shapes.ts";
import type { Target } from "./target.ts";

export interface FoundHook extends LaunchState {
  readonly target: Target;
  /** The command line that the client runs. */
  readonly words: readonly string[];
}

/** Decided while the whole disk is visible, as for entries: the text is only searched for our command line. */
export function findHooks(
  targets: readonly Target[],
  own: Launch,
  host: Pick<Host, "os" | "env" | "look" | "readText">,
): readonly FoundHook[] {
  const disk = {
    find: (word: string) => findProgram(word, host),
    isMissing: (word: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(word) && host.look(word) === undefined,
  };
  return targets.flatMap((target) => {
    // Both lists of a file have the same line.
    const line = target.hooks?.isEnd ? undefined : ownLineIn(host.readText(target.real) ?? "");
    if (line === undefined) return [];
    // `install` quotes without escaping.
    const words = Array.from(
      line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g),
      ([word, double, single]) => double ?? single ?? word,
    );
    const end = words.findIndex((_, at) => HOOK_ARGS.every((arg, offset) => words[at + offset] === arg));
    const [command = "", ...args] = words.slice(0, end);
    return [{ target, words, ...checkLaunch({ command, args }, own, disk) }];
  });
}

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
  return quoted.find(isOwnLine)?.replace(/^& /, "");
}
