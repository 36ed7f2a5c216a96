/**
 * Conditions in the templates of launchers, between the tokens of 6.12 and Jinja: lines that say when others count.
 *
 * `[[bmad-if:workflow.mode == "quick"]]`, `[[bmad-else]]` and `[[bmad-endif]]` each take a line of their own. A condition
 * compares a value of the customization that the skill itself has with a value in TOML.
 */
import { splitLines } from "../../../base/text.ts";
import { isValues, parseToml, type Values } from "../../parse.ts";

const DIRECTIVE = /\[\[bmad-(?:if|else|endif)\b/;
const CONDITION = /^\[\[bmad-if:([\w-]{1,80}(?:\.[\w-]{1,80}){0,8}) {0,8}(==|!=)(.{1,500})\]\]$/;

/** Each has a value in TOML to be parsed. */
const MAX_CONDITIONS = 1_000;

/** Refuses templates that have too many conditions together. */
export function checkConditions(texts: Iterable<string>, refuse: (problem: string) => never): void {
  let count = 0;
  for (const text of texts) count += text.split("[[bmad-if:").length - 1;
  if (count > MAX_CONDITIONS) refuse(`it has more than ${MAX_CONDITIONS} conditions`);
}

/** A block that is open: whether lines around it count, and whether its condition holds. */
interface Block {
  readonly isAround: boolean;
  readonly holds: boolean;
  readonly hasElse: boolean;
}

/** The lines of a template whose conditions hold. `refuse` gets the first mistake, with its line. */
export function withoutConditions(
  text: string,
  { merged, base }: { readonly merged: Values; readonly base: Values },
  refuse: (problem: string) => never,
): string {
  if (!DIRECTIVE.test(text)) return text;
  const blocks: Block[] = [];
  let counts = true;
  const kept = splitLines(text).filter((line, at) => {
    if (!DIRECTIVE.test(line)) return counts;
    const wrong = (problem: string) => refuse(`line ${at + 1}: ${problem}`);
    const directive = line.trim();
    const open = blocks.at(-1);
    const [, path, operator, literal] = CONDITION.exec(directive) ?? [];
    if (path !== undefined) {
      const [known, value] = [base, merged].map((values) => valueAt(values, path));
      if (known === undefined || typeof known === "object") wrong(`the skill has no single value ${path}`);
      const { value: { value: expected }, problem } = parseToml(`value = ${literal!.trim()}`);
      if (problem !== undefined) wrong(problem);
      const holds = (value === expected) === (operator === "==");
      blocks.push({ isAround: counts, holds, hasElse: false });
      counts &&= holds;
    } else if (directive === "[[bmad-else]]" && open?.hasElse === false) {
      blocks[blocks.length - 1] = { ...open, hasElse: true };
      counts = open.isAround && !open.holds;
    } else if (directive === "[[bmad-endif]]" && open !== undefined) {
      blocks.pop();
      counts = open.isAround;
    } else wrong("the condition is malformed, or belongs to none");
    return false;
  });
  return blocks.length === 0 ? kept.join("\n") : refuse("a condition is not closed");
}

function valueAt(values: Values, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, part) => isValues(value) && Object.hasOwn(value, part) ? value[part] : undefined,
    values,
  );
}
