/**
 * Colours, where they help: a few meanings, each with the codes that terminals know for it.
 */

/** What a piece of text is meant to be; never what it looks like. */
export type Meaning = "heading" | "aside" | "good" | "warning" | "bad";

const CODES: Readonly<Record<Meaning, readonly [on: number, off: number]>> = {
  heading: [1, 22],
  aside: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
};

/** Marks a text with its meaning, or leaves it alone. */
export type Painter = (meaning: Meaning, text: string) => string;

/** A painter for a stream that may carry colours, or may not. */
export function painter(isColoured: boolean): Painter {
  return (meaning, text) => {
    if (!isColoured || text === "") return text;
    const [on, off] = CODES[meaning];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
}
