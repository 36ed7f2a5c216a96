/**
 * A command line that is still being written, as shells hand it over to have its last word completed.
 */
import { findFlag, scanArguments } from "./arguments.ts";
import { type CommandName, isCommand } from "./commands.ts";
import type { Settings } from "./settings.ts";

/** What is known of such a line. */
export interface Draft {
  /** The word under the cursor, as far as it is written; may be empty. Of `--mode=lo` it is the value. */
  readonly cursor: string;
  /** What stands in the same word before it: `--mode=`; mostly empty. */
  readonly lead: string;
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
  const whole = line.at(-1) ?? "";
  const before = line.slice(0, -1);
  const takesValue = (word: string | undefined) =>
    word !== undefined && findFlag(word).row?.value !== undefined;
  const [lead, inline] = /^(--[^=]+)=/.exec(whole) ?? [""];
  const isInline = takesValue(inline);
  const last = before.at(-1);
  const isBehind = !isInline && takesValue(last);
  const { words, settings } = scanArguments(isBehind ? before.slice(0, -1) : before);
  return {
    cursor: isInline ? whole.slice(lead.length) : whole,
    lead: isInline ? lead : "",
    flag: isInline ? inline : isBehind ? last : undefined,
    command: isCommand(words[0]) ? words[0] : undefined,
    words: words.length,
    settings,
  };
}
