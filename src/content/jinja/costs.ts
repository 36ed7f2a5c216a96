/** Whatever reads or makes a value pays for its weight, in which every repetition counts. */
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

/** An item of a list or an evaluated part of an expression takes as long as so many characters. */
export const STEP = 32;
/** For a token, from which the syntax tree is made, and a key of a table. */
export const LONG_STEP = 4 * STEP;

export function openBudget(): Spend {
  let left: number = LIMITS.templates.cost;
  return (cost) => {
    // Not a number is too much, too.
    if (!(cost <= left)) unsupported("it takes too many steps or produces too much text");
    left -= cost;
  };
}

const weights = new WeakMap<object, number>();

/** Equal values weigh the same. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return STEP + value.length;
  return typeof value === "object" && value !== null ? weights.getOrInsertComputed(value, weigh) : STEP;
}

function weigh(value: object): number {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + weightOf(item), STEP);
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + LONG_STEP + key.length + weightOf(item),
    STEP,
  );
}
