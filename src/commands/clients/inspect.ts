/**
 * What a client's file says of us: whether an entry is there, whether it is ours, and whether it would start.
 */
import { PRODUCT } from "../../base/model.ts";
import type { Position } from "../../content/parse.ts";
import type { Client } from "./client.ts";
import { findEntry } from "./edit.ts";
import { isOwnLaunch, type OwnProgram, programOf, versionAt } from "./own_launch.ts";
import { isSwitchedOff, type Launch } from "./shapes.ts";
import { isSame } from "./shelf.ts";

/** The entry of one file. */
export interface Inspection {
  /** `foreign` runs another program, `invalid` is a file that cannot be read. */
  readonly state: "absent" | "ours" | "foreign" | "invalid";
  /** What it runs. */
  readonly runs?: Launch;
  /** What says which program that is: a path, a name on PATH, or where a checkout is. */
  readonly program?: string;
  /** Whether that is there; undefined for a name that is not on our PATH, as it may be on the client's. */
  readonly isThere?: boolean;
  /** Whether it starts this very program. */
  readonly isCurrent?: boolean;
  /** The version that it starts, where that can be told without starting it. */
  readonly version?: string;
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
    /** What is known of the programs that entries may start, and of this one. */
    readonly programs: ReadonlyMap<string, OwnProgram>;
  },
): Inspection {
  if (text === undefined) return { state: "absent" };
  const found = findEntry(text, client, own.name);
  if (found.problem !== undefined) return { state: "invalid", problem: found.problem, at: found.at };
  const { entry, runs } = found;
  if (entry === undefined) return { state: "absent" };
  if (runs === undefined || !isOwnLaunch(runs)) return { state: "foreign", runs };
  const { command, args } = own.launch;
  const program = programOf(runs);
  const known = own.programs.get(program);
  // A path that names a version is right only until the next one comes.
  const isCurrent = isSame([runs.command, ...runs.args.slice(0, args.length)], [command, ...args]) ||
    (known !== undefined && known.real === own.programs.get(programOf(own.launch))?.real &&
      versionAt(program) === undefined);
  const version = isCurrent ? PRODUCT.version : known?.version;
  return {
    state: "ours",
    runs,
    program,
    ...((known !== undefined || /[\\/]/.test(program)) && { isThere: known !== undefined }),
    isCurrent,
    ...(version !== undefined && { version }),
    isOff: isSwitchedOff(entry),
  };
}
