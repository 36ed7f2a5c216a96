/**
 * A template as functions that render it: no text of it becomes code. A chain of operators, lookups or branches is one
 * function however long it is, so that only brackets, blocks and signs nest; these are counted. A name without a value
 * is an error wherever it is used, except in `is defined` and `default`.
 */
import { MAX_DEPTH, type Values } from "../../base/values.ts";
import { LONG_STEP, STEP, TemplateError, tooDeep, unsupported } from "./costs.ts";
import {
  asList,
  calculate,
  type Callable,
  COMPARISONS,
  FILTERS,
  isTrue,
  type Means,
  member,
  negative,
  TESTS,
  textOf,
} from "./operations.ts";
import { parsePieces, type Piece, type Token } from "./tokens.ts";

interface Run extends Means {
  readonly scope: Scope;
  readonly parts: string[];
}

interface Scope {
  readonly values: Map<string, unknown>;
  readonly outer?: Scope;
}

type Expression = (run: Run) => unknown;
type Statement = (run: Run) => void;

export function renderTemplate(text: string, globals: Values, means: Means): string {
  const parts: string[] = [];
  const scope = { values: new Map(Object.entries(globals)) };
  const template = new BlockParser(parsePieces(text, means.spend)).readBody([]).body;
  template({ ...means, scope, parts });
  return parts.join("");
}

/** Each statement and each part of an expression pays before it works. */
function paid<T>(work: (run: Run) => T): (run: Run) => T {
  return (run) => {
    run.spend(STEP);
    return work(run);
  };
}

function print(text: string, { spend, parts }: Run): void {
  spend(text.length);
  parts.push(text);
}

class BlockParser {
  readonly #pieces;
  #at = 0;
  #depth = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** Up to one of these tags, whose rest the caller reads. */
  readBody(ends: readonly string[]) {
    const statements: Statement[] = [];
    const body: Statement = (run) => statements.forEach((statement) => statement(run));
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++]!;
      if (piece.kind === "text") {
        statements.push(paid((run) => print(piece.text, run)));
        continue;
      }
      const parser = new ExpressionParser(piece.tokens);
      if (piece.kind === "insertion") {
        const value = parser.readWhole();
        statements.push(paid((run) => print(textOf(value(run), run), run)));
        continue;
      }
      const tag = parser.readName();
      if (ends.includes(tag)) return { body, end: tag, rest: parser };
      statements.push(paid(this.#readStatement(tag, parser)));
    }
    if (ends.length > 0) unsupported(`${ends.at(-1)} is missing`);
    return { body, end: "", rest: new ExpressionParser([]) };
  }

  #readInner(...ends: readonly string[]) {
    if (++this.#depth > MAX_DEPTH) tooDeep();
    const inner = this.readBody(ends);
    this.#depth--;
    return inner;
  }

  #readStatement(tag: string, parser: ExpressionParser): Statement {
    if (tag === "if") return this.#readIf(parser);
    if (tag === "for") return this.#readLoop(parser);
    if (tag !== "set") return unsupported(`the tag ${shown(tag)} is not supported`);
    const name = parser.readName();
    parser.expect("=");
    const value = parser.readWhole();
    return (run) => run.scope.values.set(name, value(run));
  }

  #readIf(parser: ExpressionParser): Statement {
    const branches: { readonly condition?: Expression; readonly body: Statement }[] = [];
    let condition: Expression | undefined = parser.readWhole();
    for (;;) {
      const others = condition === undefined ? [] : ["elif", "else"];
      const { body, end, rest } = this.#readInner(...others, "endif");
      branches.push({ condition, body });
      condition = end === "elif" ? rest.readWhole() : undefined;
      rest.expectEnd();
      if (end === "endif") break;
    }
    return (run) =>
      branches.find(({ condition }) => condition === undefined || isTrue(condition(run)))?.body(run);
  }

  #readLoop(parser: ExpressionParser): Statement {
    const names = [parser.readName()];
    while (parser.accepts(",")) names.push(parser.readName());
    parser.expect("in");
    const list = parser.readOr();
    const condition = parser.accepts("if") ? parser.readOr() : undefined;
    parser.expectEnd();
    const { body, end, rest } = this.#readInner("else", "endfor");
    rest.expectEnd();
    const otherwise = end === "else" ? this.#readInner("endfor") : undefined;
    otherwise?.rest.expectEnd();
    const roundOf = (item: unknown, run: Run): Run => {
      run.spend(names.length * STEP + ROUND_COST);
      return { ...run, scope: { values: new Map(namedItems(names, item)), outer: run.scope } };
    };
    return (run) => {
      const items = asList(list(run), run.spend);
      const chosen = condition === undefined
        ? items
        : items.filter((item) => isTrue(condition(roundOf(item, run))));
      chosen.forEach((item, at) => {
        const round = roundOf(item, run);
        round.scope.values.set("loop", loopAt(at, chosen.length));
        body(round);
      });
      if (chosen.length === 0) otherwise?.body(run);
    };
  }
}

const ROUND_COST = LONG_STEP;

function namedItems(names: readonly string[], item: unknown): readonly (readonly [string, unknown])[] {
  if (names.length === 1) return [[names[0]!, item]];
  if (!Array.isArray(item) || item.length !== names.length) {
    return unsupported(`a loop expects lists of ${names.length}`);
  }
  return names.map((name, at) => [name, item[at]]);
}

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

/** What follows a value: `.review`, `(…)`, `| upper`, `is defined`. */
interface Link {
  /** Of a member: without a value, it is passed over. */
  readonly key?: Expression;
  readonly takesMissing?: boolean;
  apply(value: unknown, run: Run): unknown;
}

/** Operators of the same rank, from left to right. */
type Operations = readonly { readonly operator: string; readonly operand: Expression }[];

/** The operators of calculations, those that bind the least first. */
const RANKS: readonly (readonly string[])[] = [["+", "-"], ["~"], ["*", "//", "%"]];
const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const WORDS = ["and", "or", "not", "in", "is", "if", "else"];

class ExpressionParser {
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

  readOr(): Expression {
    const readAnd = () =>
      this.#readOperations(["and"], () => this.#readNot(), untilOne((value) => !isTrue(value)));
    return this.#readOperations(["or"], readAnd, untilOne(isTrue));
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
    const value = this.readOr();
    if (!this.accepts("if")) return value;
    const condition = this.readOr();
    const otherwise = this.accepts("else")
      ? this.#readNested()
      : () => noValue('the value of an "if" without "else"');
    return paid((run) => isTrue(condition(run)) ? value(run) : otherwise(run));
  }

  #readOperations(
    operators: readonly string[],
    read: () => Expression,
    evaluate: (first: unknown, rest: Operations, run: Run) => unknown,
  ): Expression {
    const first = read();
    const rest: Operations[number][] = [];
    for (;;) {
      const isNegated = operators.includes("in") && this.accepts("not");
      const operator = isNegated ? "not in" : operators.find((sign) => this.accepts(sign));
      if (isNegated) this.expect("in");
      if (operator === undefined) break;
      rest.push({ operator, operand: read() });
    }
    return rest.length === 0 ? first : paid((run) => evaluate(first(run), rest, run));
  }

  #readNot(): Expression {
    if (!this.accepts("not")) {
      return this.#readOperations(Object.keys(COMPARISONS), () => this.#readRank(0), holdsAll);
    }
    const operand = this.#nested(() => this.#readNot());
    return paid((run) => !isTrue(operand(run)));
  }

  #readRank(rank: number): Expression {
    const operators = RANKS[rank];
    return operators === undefined
      ? this.#readSigned()
      : this.#readOperations(operators, () => this.#readRank(rank + 1), calculateAll);
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
      const token = this.#tokens[this.#at++];
      if (token?.kind !== "name" && token?.kind !== "number") {
        unsupported(`expected a name, got ${shownToken(token)}`);
      }
      return memberLink(constant(token.kind === "number" ? Number(token.value) : token.value));
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
          ? (value as Callable)(run, given)
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
          const given = args.map((arg) => arg(run));
          const filter = FILTERS.get(name) ?? unsupported(`the filter ${shown(name)} is not supported`);
          return filter(run, value, given);
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

  #readPrimary(): Primary {
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

  /** A list if there is a comma, else only what stands between the parentheses. */
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
    return paid((run) =>
      Object.fromEntries(fields.map(({ key, value }) => {
        const name = key(run);
        if (typeof name !== "string") unsupported("the keys of a table must be texts");
        run.spend(name.length);
        return [name, value(run)];
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

/** `name`: of a variable, which may have no value. */
interface Primary {
  readonly name?: string;
  readonly value: Expression;
}

function constant(value: unknown): Expression {
  return paid(() => value);
}

function list(items: readonly Expression[]): Expression {
  return paid((run) => items.map((item) => item(run)));
}

function lookUp(name: string, { scope, spend }: Run): unknown {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    spend(STEP);
    if (at.values.has(name)) return at.values.get(name);
  }
  return undefined;
}

function untilOne(isFound: (value: unknown) => boolean) {
  return (first: unknown, rest: Operations, run: Run): unknown => {
    let value = first;
    for (const { operand } of rest) {
      if (isFound(value)) break;
      value = operand(run);
    }
    return value;
  };
}

function calculateAll(first: unknown, rest: Operations, run: Run): unknown {
  return rest.reduce((value, { operator, operand }) => calculate(operator, value, operand(run), run), first);
}

function holdsAll(first: unknown, rest: Operations, run: Run): boolean {
  let left = first;
  return rest.every(({ operator, operand }) => {
    const right = operand(run);
    const result = COMPARISONS[operator]!(left, right, run.spend);
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

/** `workflow.review`, as far as the links are names; cut if it is long. */
function pathOf(name: string, links: readonly Link[], run: Run): string {
  const names = links.slice(0, 20).map(({ key }) => String(key?.(run) ?? "?"));
  return [name, ...names].join(".").slice(0, 200);
}

function noValue(what: string): never {
  throw new TemplateError("undefined", what);
}

function shown(text: string): string {
  return `"${text.slice(0, 80)}"`;
}

function shownToken(token: Token | undefined): string {
  return token === undefined ? "the end of the tag" : shown(token.value);
}
