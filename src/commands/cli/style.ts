/**
 * Colours: a few meanings, each with its terminal codes. Callers name the meaning, never the colour.
 */

/** What a piece of text means. */
export type Meaning = "heading" | "aside" | "good" | "warning" | "bad";

const CODES: Readonly<Record<Meaning, readonly [on: number, off: number]>> = {
  heading: [1, 22],
  aside: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
};

/** Colours a text by its meaning, or leaves it plain. */
export type Painter = (meaning: Meaning, text: string) => string;

/** A painter for a stream with or without colours. */
export function painter(isColoured: boolean): Painter {
  return (meaning, text) => {
    if (!isColoured || text === "") return text;
    const [on, off] = CODES[meaning];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
}
