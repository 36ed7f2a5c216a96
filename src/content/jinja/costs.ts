/**
 * What templates may cost. A template may be hostile: every operation pays before it reads, makes, copies, compares or
 * prints, in proportion to time and memory, so one limit bounds both.
 */
import { LIMITS } from "../limits.ts";
import { TOO_DEEP } from "../../base/values.ts";

export class TemplateError extends Error {
  constructor(
    /** `halt` is the template's own decision, `undefined` a name without a value, `unsupported` all else. */
    readonly kind: "halt" | "undefined" | "unsupported",
    message: string,
  ) {
    super(message);
  }
}

export function unsupported(message: string): never {
  throw new TemplateError("unsupported", message);
}

export function tooDeep(): never {
  return unsupported(TOO_DEEP);
}

/** Pays for some work, or throws if the budget does not allow it. A character costs 1. */
export type Spend = (cost: number) => void;

/** What an item of a list or an evaluated part of an expression costs: it takes as long as so many characters. */
export const STEP = 32;
/** What a token costs, from which the syntax tree is made, and what a key of a table costs that is looked up. */
export const LONG_STEP = 4 * STEP;

export function openBudget(): Spend {
  let left: number = LIMITS.templates.cost;
  return (cost) => {
    // Not a number is too much, too.
    if (!(cost <= left)) unsupported("it takes too many steps or produces too much text");
    left -= cost;
  };
}
