/** Callers name the meaning, never the colour. */
import type { State } from "../../app.ts";

export type Meaning = "heading" | "aside" | "good" | "warning" | "bad" | State;

type Code = readonly [on: number, off: number];

const STATE_CODES: Readonly<Record<State, Code>> = {
  backlog: [90, 39],
  ready: [36, 39],
  "in-progress": [34, 39],
  blocked: [91, 39],
  review: [35, 39],
  done: [32, 39],
  dropped: [9, 29],
};

const CODES: Readonly<Record<Meaning, Code>> = {
  heading: [1, 22],
  aside: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  ...STATE_CODES,
};

export function stateNamed(word: unknown): State | undefined {
  return typeof word === "string" && Object.hasOwn(STATE_CODES, word) ? word as State : undefined;
}

export type Painter = (meaning: Meaning, text: string) => string;

export function painter(isColoured: boolean): Painter {
  return (meaning, text) => {
    if (!isColoured || text === "") return text;
    const [on, off] = CODES[meaning];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
}
