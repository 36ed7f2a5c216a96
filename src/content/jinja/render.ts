/**
 * Renders a syntax tree. A name without a value is an error wherever it is used, except in `is defined` and `default`.
 */
import type { Values } from "../../base/values.ts";
import { LONG_STEP, STEP, TemplateError, unsupported } from "./limits.ts";
import {
  asList,
  calculate,
  FILTERS,
  holds,
  isTrue,
  type Means,
  member,
  negative,
  TESTS,
  textOf,
} from "./operations.ts";
import type { Callable } from "./operations.ts";
import { type Chain, type Expression, type Link, type Loop, shown, type Statement } from "./syntax.ts";

interface Run extends Means {
  readonly scope: Scope;
  readonly parts: string[];
}

interface Scope {
  readonly values: Map<string, unknown>;
  readonly outer?: Scope;
}

export function renderTree(statements: readonly Statement[], globals: Values, means: Means): string {
  const parts: string[] = [];
  const scope = { values: new Map(Object.entries(globals)) };
  renderBody(statements, { ...means, scope, parts });
  return parts.join("");
}

function renderBody(statements: readonly Statement[], run: Run): void {
  for (const statement of statements) {
    run.spend(STEP);
    switch (statement.kind) {
      case "text":
        print(statement.text, run);
        break;
      case "insertion":
        print(textOf(evaluate(statement.value, run), run), run);
        break;
      case "set":
        run.scope.values.set(statement.name, evaluate(statement.value, run));
        break;
      case "if": {
        const chosen = statement.branches.find(({ condition }) =>
          condition === undefined || isTrue(evaluate(condition, run))
        );
        if (chosen !== undefined) renderBody(chosen.body, run);
        break;
      }
      case "for":
        renderLoop(statement, run);
    }
  }
}

function print(text: string, { spend, parts }: Run): void {
  spend(text.length);
  parts.push(text);
}

function renderLoop({ names, list, condition, body, otherwise }: Loop, run: Run): void {
  const items = asList(evaluate(list, run), run.spend);
  const roundOf = (item: unknown): Run => {
    run.spend(names.length * STEP + ROUND_COST);
    return { ...run, scope: { values: new Map(namedItems(names, item)), outer: run.scope } };
  };
  const chosen = condition === undefined
    ? items
    : items.filter((item) => isTrue(evaluate(condition, roundOf(item))));
  chosen.forEach((item, at) => {
    const round = roundOf(item);
    round.scope.values.set("loop", loopAt(at, chosen.length));
    renderBody(body, round);
  });
  if (chosen.length === 0) renderBody(otherwise, run);
}

function namedItems(names: readonly string[], item: unknown): readonly (readonly [string, unknown])[] {
  if (names.length === 1) return [[names[0]!, item]];
  if (!Array.isArray(item) || item.length !== names.length) {
    return unsupported(`a loop expects lists of ${names.length}`);
  }
  return names.map((name, at) => [name, item[at]]);
}

const ROUND_COST = LONG_STEP;

function loopAt(at: number, length: number): Values {
  return {
    index: at + 1,
    index0: at,
    revindex: length - at,
    revindex0: length - at - 1,
    first: at === 0,
    last: at === length - 1,
    length,
  };
}

function evaluate(node: Expression, run: Run): unknown {
  run.spend(STEP);
  switch (node.kind) {
    case "value":
      return node.value;
    case "list":
      return node.items.map((item) => evaluate(item, run));
    case "table":
      return Object.fromEntries(node.fields.map(([key, value]) => {
        const name = evaluate(key, run);
        if (typeof name !== "string") unsupported("the keys of a table must be texts");
        run.spend(name.length);
        return [name, evaluate(value, run)];
      }));
    case "and":
      return firstOrLast(node.operands, (value) => !isTrue(value), run);
    case "or":
      return firstOrLast(node.operands, isTrue, run);
    case "not":
      return !isTrue(evaluate(node.operand, run));
    case "minus":
      return negative(evaluate(node.operand, run));
    case "calculation":
      return node.rest.reduce(
        (value, { operator, operand }) => calculate(operator, value, evaluate(operand, run), run),
        evaluate(node.first, run),
      );
    case "comparison": {
      let left = evaluate(node.first, run);
      return node.rest.every(({ operator, operand }) => {
        const right = evaluate(operand, run);
        const result = holds(operator, left, right, run);
        left = right;
        return result;
      });
    }
    case "choice": {
      if (isTrue(evaluate(node.condition, run))) return evaluate(node.value, run);
      if (node.otherwise === undefined) {
        throw new TemplateError("undefined", 'the value of an "if" without "else"');
      }
      return evaluate(node.otherwise, run);
    }
    case "chain":
      return evaluateChain(node, run);
  }
}

function firstOrLast(
  operands: readonly Expression[],
  isFound: (value: unknown) => boolean,
  run: Run,
): unknown {
  let value: unknown;
  for (const operand of operands) {
    value = evaluate(operand, run);
    if (isFound(value)) break;
  }
  return value;
}

function evaluateChain({ subject, links }: Chain, run: Run): unknown {
  let value = subject.kind === "name" ? lookUp(subject.name, run) : evaluate(subject, run);
  let missing = 0;
  const defined = () => {
    if (value === undefined) throw new TemplateError("undefined", pathOf(subject, links.slice(0, missing)));
    return value;
  };
  links.forEach((link, at) => {
    run.spend(STEP);
    if (link.kind === "member") {
      if (value === undefined) return;
      value = member(value, evaluate(link.key, run));
      missing = at + 1;
      return;
    }
    value = isForUndefined(link) ? withoutValue(link, value, run) : apply(link, defined(), run);
    missing = at + 1;
  });
  return defined();
}

function lookUp(name: string, { scope, spend }: Run): unknown {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    spend(STEP);
    if (at.values.has(name)) return at.values.get(name);
  }
  return undefined;
}

/** `workflow.review`, as far as the links are names; cut if it is long. */
function pathOf(subject: Chain["subject"], links: readonly Link[]): string {
  const names = links.slice(0, 20).map((link) =>
    link.kind === "member" && link.key.kind === "value" ? String(link.key.value) : "?"
  );
  return [subject.kind === "name" ? subject.name : "?", ...names].join(".").slice(0, 200);
}

type FilterOrTest = Extract<Link, { kind: "filter" | "test" }>;

function isForUndefined(link: Link): link is FilterOrTest {
  return (link.kind === "filter" && ["default", "d"].includes(link.name)) ||
    (link.kind === "test" && ["defined", "undefined"].includes(link.name));
}

function withoutValue(link: FilterOrTest, value: unknown, run: Run): unknown {
  if (link.kind === "test") return (value !== undefined) === ((link.name === "defined") !== link.isNegated);
  const [instead = "", alsoEmpty = false] = link.args.map((arg) => evaluate(arg, run));
  return value === undefined || (isTrue(alsoEmpty) && !isTrue(value)) ? instead : value;
}

function apply(link: Exclude<Link, { kind: "member" }>, value: unknown, run: Run): unknown {
  if (link.kind === "test") {
    const test = TESTS.get(link.name) ?? unsupported(`the test ${shown(link.name)} is not supported`);
    return test(value) !== link.isNegated;
  }
  const args = link.args.map((arg) => evaluate(arg, run));
  if (link.kind === "call") {
    return typeof value === "function"
      ? (value as Callable)(run, args)
      : unsupported("something is called that is not a function");
  }
  const filter = FILTERS.get(link.name) ?? unsupported(`the filter ${shown(link.name)} is not supported`);
  return filter(run, value, args);
}
