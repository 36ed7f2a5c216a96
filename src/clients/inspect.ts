/**
 * What a client's file says of us: whether an entry is there, whether it is ours, and whether it would start.
 */
import type { Position } from "../parse.ts";
import type { Client } from "./client.ts";
import { findEntry } from "./edit.ts";
import { isOwnLaunch } from "./own_launch.ts";
import { isSwitchedOff, type Launch } from "./shapes.ts";
import { isSame } from "./shelf.ts";

/** The entry of one file. */
export interface Inspection {
  /** `foreign` runs another program, `invalid` is a file that cannot be read. */
  readonly state: "absent" | "ours" | "foreign" | "invalid";
  /** What it runs. */
  readonly runs?: Launch;
  /** Whether the program that it runs is there; undefined for a name without a path, which PATH decides. */
  readonly isThere?: boolean;
  /** Whether it starts this very program. */
  readonly isCurrent?: boolean;
  /** Whether the client was told not to start it. */
  readonly isOff?: boolean;
  /** What is wrong with a file that cannot be read. */
  readonly problem?: string;
  /** Where that is. */
  readonly at?: Position;
}

/** Looks at the text of a file; undefined is a file that is not there. */
export function inspectText(
  text: string | undefined,
  client: Client,
  own: {
    readonly name: string;
    /** How this program is started. */
    readonly launch: Launch;
    exists(path: string): boolean;
  },
): Inspection {
  if (text === undefined) return { state: "absent" };
  const found = findEntry(text, client, own.name);
  if (found.problem !== undefined) return { state: "invalid", problem: found.problem, at: found.at };
  const { entry, runs } = found;
  if (entry === undefined) return { state: "absent" };
  if (runs === undefined || !isOwnLaunch(runs)) return { state: "foreign", runs };
  const { command, args } = own.launch;
  return {
    state: "ours",
    runs,
    ...(/[\\/]/.test(runs.command) && { isThere: own.exists(runs.command) }),
    isCurrent: isSame([runs.command, ...runs.args.slice(0, args.length)], [command, ...args]),
    isOff: isSwitchedOff(entry),
  };
}
