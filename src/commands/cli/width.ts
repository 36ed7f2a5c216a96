/**
 * How many terminal columns does a text take?
 *
 * What a reader sees as one character may be several code points (an accent, a flag, a family of emoji) and take no
 * column, one or two. Texts must not contain control characters (base/text.ts), but for our own colours.
 */
import { eastAsianWidth } from "get-east-asian-width";
import { charactersOf } from "./wrap.ts";

const EMOJI = /^\p{RGI_Emoji}$/v;
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Mark}]+$/v;

export function widthOf(text: string): number {
  return charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);
}

/** Cuts a text to a number of columns; a cut text ends with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let room = columns - 1;
  for (const character of charactersOf(text)) {
    room -= columnsOf(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Pads a text with spaces; `side` is the side of the text. */
export function padTo(text: string, columns: number, side: "left" | "right"): string {
  const spaces = " ".repeat(Math.max(0, columns - widthOf(text)));
  return side === "left" ? text + spaces : spaces + text;
}

function columnsOf(character: string): number {
  if (character.startsWith("\x1b") || INVISIBLE.test(character)) return 0;
  return EMOJI.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!);
}
