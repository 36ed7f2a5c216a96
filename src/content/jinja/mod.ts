/**
 * Templates in Jinja, rendered by an interpreter that walks their syntax tree: a template never becomes code.
 *
 * As BMAD renders them: whatever is undefined is an error, not an empty text. The part of Jinja that its templates use is
 * supported (docs/layouts.md); anything else is an error of the kind `unsupported`.
 */
import type { Values } from "../../base/values.ts";
import { openBudget, unsupported } from "./limits.ts";
import { type Callable, range, textOf } from "./operations.ts";
import { renderTree } from "./render.ts";
import { parseTemplate } from "./syntax.ts";

export { TemplateError } from "./limits.ts";

/** What templates can use: values and functions by their names. A function gets texts and returns one. */
export type TemplateGlobals = Values;

/**
 * Renders one template after the other; the limits are those of all of them together. `listText` says how a list reads
 * where a template inserts it; it takes no longer than the list with all that is in it is long.
 */
export function openTemplates(
  globals: TemplateGlobals,
  listText: (items: readonly unknown[]) => string = (items) => items.join(", "),
): (text: string) => string {
  const means = { spend: openBudget(), listText };
  const values: Values = { range: callRange, ...Object.fromEntries(Object.entries(globals).map(usable)) };
  return (text) => {
    if (text.length > MAX_TEMPLATE) unsupported(`it is longer than ${MAX_TEMPLATE} characters`);
    return renderTree(parseTemplate(text, means.spend), values, means);
  };
}

const MAX_TEMPLATE = 1 << 18;

const callRange: Callable = ({ spend }, args) => {
  const numbers = args.map((arg) => typeof arg === "number" ? arg : unsupported("range expects numbers"));
  const [from = 0, to, step] = numbers;
  return range(spend, from, to, step);
};

/** A global as templates get it. What is passed to a function may be nested, so the function gets its text. */
function usable([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (typeof value !== "function") return [name, value];
  const call: Callable = (means, args) => {
    const result = String(value(...args.map((arg) => textOf(arg, means))));
    means.spend(result.length);
    return result;
  };
  return [name, call];
}
