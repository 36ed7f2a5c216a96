/**
 * BMAD's own scripts, done natively: the same output and exit status, without Python.
 *
 * To add one, write a `Script` in a file of its own and add it to `SCRIPTS`.
 */
import { memlog } from "./memlog.ts";
import type { Script } from "./script.ts";

export type { Script, ScriptResult, ScriptWorld } from "./script.ts";

const SCRIPTS: readonly Script[] = [memlog];

/** The native script of a name: `memlog.py`. */
export function findScript(name: string): Script | undefined {
  return SCRIPTS.find((script) => script.name === name);
}
