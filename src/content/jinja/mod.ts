/**
 * Jinja, rendered by an interpreter: a template never becomes code. As BMAD renders them, whatever is undefined is an
 * error. Only what its templates use is supported (docs/layouts.md); all else is `unsupported`.
 */
import type { Values } from "../../base/values.ts";
import { openBudget, unsupported } from "./limits.ts";
import { type Callable, range, textOf } from "./operations.ts";
import { renderTree } from "./render.ts";
import { parseTemplate } from "./syntax.ts";

export { TemplateError } from "./limits.ts";

type TemplateGlobals = Values;

/** The limits are those of all templates together. `listText` says how an inserted list reads. */
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

function usable([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (typeof value !== "function") return [name, value];
  const call: Callable = (means, args) => {
    const result = String(value(...args.map((arg) => textOf(arg, means))));
    means.spend(result.length);
    return result;
  };
  return [name, call];
}
