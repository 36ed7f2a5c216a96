/**
 * Jinja, rendered by an interpreter: a template never becomes code. As BMAD renders them, whatever is undefined is an
 * error. Only what its templates use is supported (docs/layouts.md); all else is `unsupported`.
 */
import type { Values } from "../../base/values.ts";
import { LIMITS } from "../limits.ts";
import { openBudget, unsupported } from "./costs.ts";
import { type Callable, range, textOf } from "./operations.ts";
import { renderTemplate } from "./template.ts";

export { TemplateError } from "./costs.ts";

/** The limits are those of all templates together. `listText` says how an inserted list reads. */
export function openTemplates(
  globals: Values,
  listText: (items: readonly unknown[]) => string = (items) => items.join(", "),
): (text: string) => string {
  const means = { spend: openBudget(), listText };
  const values: Values = { range: callRange, ...Object.fromEntries(Object.entries(globals).map(usable)) };
  return (text) => {
    const { length } = LIMITS.templates;
    if (text.length > length) unsupported(`it is longer than ${length} characters`);
    return renderTemplate(text, values, means);
  };
}

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
