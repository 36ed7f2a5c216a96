/** Expressions as functions. A chain of operators is one function however long it is, so that only brackets nest. */
import { MAX_DEPTH } from "../../base/values.ts";
import { STEP, TemplateError, tooDeep, unsupported, weightOf } from "./costs.ts";
import {
  calculate,
  type Callable,
  COMPARING,
  FILTERS,
  holds,
  isTrue,
  type Means,
  member,
  negative,
  perform,
  TESTS,
} from "./operations.ts";
import type { Token } from "./tokens.ts";

export interface Run extends Means {
  readonly scope: Scope;
  readonly parts: string[];
}

interface Scope {
  readonly values: Map<string, unknown>;
  readonly outer?: Scope;
}

export type Expression = (run: Run) => unknown;

export function paid<T>(work: (run: Run) => T): (run: Run) => T {
  return (run) => {
    run.spend(STEP);
    return work(run);
  };
}

interface Link {
  /** Of a member: without a value, it is passed over. */
  readonly key?: Expression;
  readonly takesMissing?: boolean;
  apply(value: unknown, run: Run): unknown;
}

type Operands = readonly { readonly operator: string; readonly operand: Expression }[];

type Level = readonly [
  operators: readonly string[],
  evaluate: (first: unknown, rest: Operands, run: Run) => unknown,
];

/** Those that bind the least first; those of a level have the same rank. */
const LEVELS: readonly Level[] = [
  [["or"], untilOne(isTrue)],
  [["and"], untilOne((value) => !isTrue(value))],
  [COMPARING, holdsAll],
  [["+", "-"], calculateAll],
  [["~"], calculateAll],
  [["*", "//", "%"], calculateAll],
];
/** `not` binds less than comparisons do. */
const NEGATED = 2;

const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const WORDS = ["and", "or", "not", "in", "is", "if", "else"];

export class ExpressionParser {
  readonly #tokens;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  readWhole(): Expression {
    const expression = this.#readExpression();
    this.expectEnd();
    return expression;
  }

  readName(): string {
    const token = this.#tokens[this.#at++];
    return token?.kind === "name" ? token.value : unsupported(`expected a name, got ${shownToken(token)}`);
  }

  accepts(value: string): boolean {
    const isNext = this.#isNext(value);
    if (isNext) this.#at++;
    return isNext;
  }

  expect(value: string): void {
    if (!this.accepts(value)) {
      unsupported(`expected "${value}", got ${shownToken(this.#tokens[this.#at])}`);
    }
  }

  expectEnd(): void {
    const token = this.#tokens[this.#at];
    if (token !== undefined) unsupported(`${shownToken(token)} is not expected in a tag`);
  }

  readOperations(level = 0): Expression {
    const [operators, evaluate] = LEVELS[level] ?? [];
    if (evaluate === undefined) return this.#readSigned();
    if (level === NEGATED && this.accepts("not")) {
      const operand = this.#nested(() => this.readOperations(level));
      return paid((run) => !isTrue(operand(run)));
    }
    const first = this.readOperations(level + 1);
    const rest: Operands[number][] = [];
    for (let operator; (operator = this.#readOperator(operators!)) !== undefined;) {
      rest.push({ operator, operand: this.readOperations(level + 1) });
    }
    return rest.length === 0 ? first : paid((run) => evaluate(first(run), rest, run));
  }

  #readOperator(operators: readonly string[]): string | undefined {
    if (!operators.includes("not in") || !this.accepts("not")) {
      return operators.find((sign) => this.accepts(sign));
    }
    this.expect("in");
    return "not in";
  }

  #isNext(value: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.value === value && token.kind !== "text";
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) tooDeep();
    const inner = read();
    this.#depth--;
    return inner;
  }

  #readNested(): Expression {
    return this.#nested(() => this.#readExpression());
  }

  #readExpression(): Expression {
    const value = this.readOperations();
    if (!this.accepts("if")) return value;
    const condition = this.readOperations();
    const otherwise = this.accepts("else")
      ? this.#readNested()
      : () => noValue('the value of an "if" without "else"');
    return paid((run) => isTrue(condition(run)) ? value(run) : otherwise(run));
  }

  /** A sign binds more than filters and tests do: `-2 | abs` is 2. */
  #readSigned(hasFilters = true): Expression {
    const { name, value } = this.#readPrimary();
    const links: Link[] = [];
    const read = () => this.#readPostfix() ?? (hasFilters ? this.#readFilter() : undefined);
    for (let link; (link = read()) !== undefined;) links.push(link);
    return name === undefined && links.length === 0 ? value : chain(name ?? "?", value, links);
  }

  #readPostfix(): Link | undefined {
    if (this.accepts(".")) {
      const token = this.#tokens[this.#at];
      return memberLink(constant(token?.kind === "number" ? this.#readNumber() : this.readName()));
    }
    if (this.accepts("[")) {
      const key = this.#readNested();
      this.expect("]");
      return memberLink(key);
    }
    if (!this.accepts("(")) return undefined;
    const args = this.#readList(")");
    return {
      apply: (value, run) => {
        const given = args.map((arg) => arg(run));
        return typeof value === "function"
          ? (value as Callable)(given, run)
          : unsupported("something is called that is not a function");
      },
    };
  }

  #readFilter(): Link | undefined {
    if (this.accepts("|")) {
      const name = this.readName();
      const args = this.accepts("(") ? this.#readList(")") : [];
      return {
        takesMissing: ["default", "d"].includes(name),
        apply: (value, run) => {
          const filter = FILTERS.get(name) ?? unsupported(`the filter ${shown(name)} is not supported`);
          return perform(filter, value, args.map((arg) => arg(run)), run);
        },
      };
    }
    if (!this.accepts("is")) return undefined;
    const isNegated = this.accepts("not");
    const name = this.readName();
    return {
      takesMissing: ["defined", "undefined"].includes(name),
      apply: (value) => {
        const test = TESTS.get(name) ?? unsupported(`the test ${shown(name)} is not supported`);
        return test(value) !== isNegated;
      },
    };
  }

  #readNumber(): number {
    return Number(this.#tokens[this.#at++]!.value);
  }

  /** `name`: of a variable, which may have no value. */
  #readPrimary(): { readonly name?: string; readonly value: Expression } {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return unsupported("an expression is not complete");
    const { kind, value } = token;
    if (kind === "text") return { value: constant(value) };
    if (kind === "number") return { value: constant(Number(value)) };
    if (kind === "name") {
      if (Object.hasOwn(CONSTANTS, value)) return { value: constant(CONSTANTS[value]) };
      return WORDS.includes(value)
        ? unsupported(`"${value}" is not expected here`)
        : { name: value, value: (run) => lookUp(value, run) };
    }
    if (value === "-") {
      const operand = this.#nested(() => this.#readSigned(false));
      return { value: paid((run) => negative(operand(run))) };
    }
    if (value === "[") return { value: list(this.#readList("]")) };
    if (value === "{") return { value: this.#readTable() };
    if (value === "(") return { value: this.#readParentheses() };
    return unsupported(`"${value}" is not expected here`);
  }

  #readParentheses(): Expression {
    if (this.accepts(")")) return list([]);
    const first = this.#readNested();
    if (this.accepts(")")) return first;
    this.expect(",");
    return list([first, ...this.#readList(")")]);
  }

  #readList(end: string): readonly Expression[] {
    return this.#readItems(end, () => this.#readNested());
  }

  #readTable(): Expression {
    const fields = this.#readItems("}", () => {
      const key = this.#readNested();
      this.expect(":");
      return { key, value: this.#readNested() };
    });
    return made((run) =>
      Object.fromEntries(fields.map(({ key, value }) => {
        const name = key(run);
        return typeof name === "string"
          ? [name, value(run)]
          : unsupported("the keys of a table must be texts");
      }))
    );
  }

  #readItems<T>(end: string, read: () => T): readonly T[] {
    const items: T[] = [];
    while (!this.accepts(end)) {
      items.push(read());
      if (!this.#isNext(end)) this.expect(",");
    }
    return items;
  }
}

function constant(value: unknown): Expression {
  return paid(() => value);
}

function list(items: readonly Expression[]): Expression {
  return made((run) => items.map((item) => item(run)));
}

/** A list or a table pays for all that is in it, so that none weighs more than the budget. */
function made(make: (run: Run) => object): Expression {
  return (run) => {
    const value = make(run);
    run.spend(weightOf(value));
    return value;
  };
}

function lookUp(name: string, { scope, spend }: Run): unknown {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    spend(STEP);
    if (at.values.has(name)) return at.values.get(name);
  }
  return undefined;
}

function untilOne(isFound: (value: unknown) => boolean): Level[1] {
  return (first, rest, run) => {
    let value = first;
    for (const { operand } of rest) {
      if (isFound(value)) break;
      value = operand(run);
    }
    return value;
  };
}

function calculateAll(first: unknown, rest: Operands, run: Run): unknown {
  return rest.reduce((value, { operator, operand }) => calculate(operator, value, operand(run), run), first);
}

function holdsAll(first: unknown, rest: Operands, run: Run): boolean {
  let left = first;
  return rest.every(({ operator, operand }) => {
    const right = operand(run);
    const result = holds(operator, left, right, run);
    left = right;
    return result;
  });
}

function chain(name: string, subject: Expression, links: readonly Link[]): Expression {
  return paid((run) => {
    let value = subject(run);
    let found = 0;
    const defined = () => {
      if (value === undefined) noValue(pathOf(name, links.slice(0, found), run));
      return value;
    };
    links.forEach((link, at) => {
      run.spend(STEP);
      if (link.key !== undefined && value === undefined) return;
      value = link.apply(link.takesMissing ? value : defined(), run);
      found = at + 1;
    });
    return defined();
  });
}

function memberLink(key: Expression): Link {
  return { key, apply: (value, run) => member(value, key(run)) };
}

function pathOf(name: string, links: readonly Link[], run: Run): string {
  const names = links.slice(0, 20).map(({ key }) => String(key?.(run) ?? "?"));
  return [name, ...names].join(".").slice(0, 200);
}

function noValue(what: string): never {
  throw new TemplateError("undefined", what);
}

export function shown(text: string): string {
  return `"${text.slice(0, 80)}"`;
}

function shownToken(token: Token | undefined): string {
  return token === undefined ? "the end of the tag" : shown(token.value);
}
