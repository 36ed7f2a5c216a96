/**
 * How many columns of a terminal a text takes.
 *
 * What a reader sees as one character may be several code points (an accent, a flag, a family of emoji) and may take
 * no column, one or two. Texts are expected to be safeText (safe_text.ts).
 */
import { eastAsianWidth } from "get-east-asian-width";

const SEGMENTER = new Intl.Segmenter();
const EMOJI = /^\p{RGI_Emoji}$/v;
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Mark}]+$/v;

/** The columns that a text takes. */
export function widthOf(text: string): number {
  return charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);
}

/** A text of at most so many columns: the whole, or its beginning and an ellipsis. */
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

/** A text with so many spaces behind it, or before it, that it fills its column. */
export function padTo(text: string, columns: number, side: "left" | "right"): string {
  const spaces = " ".repeat(Math.max(0, columns - widthOf(text)));
  return side === "left" ? text + spaces : spaces + text;
}

function charactersOf(text: string): readonly string[] {
  return [...SEGMENTER.segment(text)].map(({ segment }) => segment);
}

function columnsOf(character: string): number {
  if (INVISIBLE.test(character)) return 0;
  return EMOJI.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!);
}
