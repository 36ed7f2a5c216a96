/**
 * Inspects the entry in a client's file: is there one, is it ours, and would it start this program?
 */
import { PRODUCT } from "../../base/model.ts";
import type { Position } from "../../content/parse.ts";
import type { Client } from "./client.ts";
import { findEntry } from "./edit.ts";
import { isSame } from "./entries.ts";
import {
  exposureOf,
  isOwnLaunch,
  isPackage,
  isSameProgram,
  type OwnProgram,
  programOf,
  versionAt,
} from "./own_launch.ts";
import { isSwitchedOff, type Launch } from "./shapes.ts";

/** The entry of one file. */
export interface Inspection {
  /** `foreign` runs another program; `invalid` means that the file cannot be parsed. */
  readonly state: "absent" | "ours" | "foreign" | "invalid";
  readonly runs?: Launch;
  /** The address of the server of ours that it names instead. */
  readonly url?: string;
  /** The word that identifies the program: a path, a name on PATH, or the deno.json of a checkout. */
  readonly program?: string;
  /** Why another program may be started in its place: see `exposureOf`. */
  readonly exposure?: string;
  /** Whether that program exists; undefined for a name that is not on our PATH: it may be on the client's. */
  readonly isThere?: boolean;
  /** Whether it starts this very program. */
  readonly isCurrent?: boolean;
  /** Its version, if that is known without starting it. */
  readonly version?: string;
  /** Whether the entry is switched off in the client. */
  readonly isOff?: boolean;
  /** Why the file cannot be parsed. */
  readonly problem?: string;
  readonly at?: Position;
}

/** The path of a program, and not a name on PATH or in a registry. */
const IS_PATH =
  /^(?!@).*[\\/](?:deno(?:\.exe)?|deno\.json|node(?:\.exe)?|launcher\.(?:[cm]js|sh)|bmad-mcp(?:\.exe)?)$/i;

/** Inspects the text of a file; undefined if it does not exist. */
export function inspectText(
  text: string | undefined,
  client: Client,
  own: {
    readonly name: string;
    /** The server elsewhere that an entry of ours named. */
    readonly url?: string;
    /** How this program is started. */
    readonly launch: Launch;
    /** The programs that entries start, and this one, as far as they exist. */
    readonly programs: ReadonlyMap<string, OwnProgram>;
  } & Parameters<typeof exposureOf>[1],
): Inspection {
  if (text === undefined) return { state: "absent" };
  const found = findEntry(text, client, own.name, own.url);
  if (found.problem !== undefined) return { state: "invalid", problem: found.problem, at: found.at };
  const { entry, runs, url } = found;
  if (entry === undefined) return { state: "absent" };
  if (url !== undefined) return { state: "ours", url, isOff: isSwitchedOff(entry) };
  if (runs === undefined || !isOwnLaunch(runs)) return { state: "foreign", runs };
  const { command, args } = own.launch;
  const missing = [runs.command, programOf(runs)].find((word) =>
    IS_PATH.test(word) && !own.programs.has(word)
  );
  const program = missing ?? programOf(runs);
  const known = own.programs.get(program);
  const exposure = exposureOf(runs, own);
  // A path with a version in it breaks with the next update, so it does not count as current.
  const isCurrent = isSame([runs.command, ...runs.args.slice(0, args.length)], [command, ...args]) ||
    (isSameProgram(known, own.programs.get(programOf(own.launch))) && versionAt(program) === undefined) ||
    isPackage(program, PRODUCT.version);
  const version = isCurrent ? PRODUCT.version : known?.version ?? versionAt(program);
  return {
    state: "ours",
    runs,
    program,
    ...(exposure !== undefined && { exposure }),
    ...((known !== undefined || missing !== undefined) && { isThere: missing === undefined }),
    isCurrent,
    ...(version !== undefined && { version }),
    isOff: isSwitchedOff(entry),
  };
}
