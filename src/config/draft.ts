/**
 * A command line that is still being written, as shells hand it over to have its last word completed.
 */
import { findFlag, scanArguments } from "./arguments.ts";
import { type CommandName, isCommand } from "./commands.ts";
import type { Settings } from "./settings.ts";

/** What is known of such a line. */
export interface Draft {
  /** The word under the cursor, as far as it is written; may be empty. */
  readonly cursor: string;
  /** The flag whose value that word is. */
  readonly flag?: string;
  /** Undefined while no command has been written. */
  readonly command?: CommandName;
  /** How many words before the cursor are no flags and no values of flags, the command among them. */
  readonly words: number;
  /** The settings before the cursor: they say where names come from. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
}

/** Reads the words behind the program's name, the last of which is under the cursor. */
export function readDraft(line: readonly string[]): Draft {
  const cursor = line.at(-1) ?? "";
  const before = line.slice(0, -1);
  const last = before.at(-1);
  const flag = last !== undefined && findFlag(last).row?.value !== undefined ? last : undefined;
  const { words, settings } = scanArguments(flag === undefined ? before : before.slice(0, -1));
  const command = isCommand(words[0]) ? words[0] : undefined;
  return { cursor, flag, command, words: words.length, settings };
}
