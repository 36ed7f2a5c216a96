/**
 * A command line that is still being typed, as shells pass it on for completion.
 */
import { findFlag, scanArguments } from "./arguments.ts";
import { type CommandName, commandNamed } from "./commands.ts";
import type { Settings } from "./settings.ts";

/** Such a line, understood as far as it goes. */
export interface Draft {
  /** The word under the cursor so far; may be empty. In `--mode=lo` it is the value. */
  readonly cursor: string;
  /** The part of the same word before it: `--mode=`; usually empty. */
  readonly lead: string;
  /** The flag whose value that word is. */
  readonly flag?: string;
  readonly command?: CommandName;
  /** How many words before the cursor are neither flags nor their values; the command counts. */
  readonly words: number;
  /** The settings before the cursor: they decide which names can be completed. */
  readonly settings: ReadonlyMap<keyof Settings, readonly string[]>;
}

/** Reads the words after the program's name; the last one is under the cursor. */
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
    command: commandNamed(words[0]),
    words: words.length,
    settings,
  };
}
