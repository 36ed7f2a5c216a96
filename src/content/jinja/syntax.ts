/**
 * The syntax tree of a template. A chain of operators, lookups or branches is one node however long it is, so that
 * only brackets, blocks and signs nest; these are counted.
 */
import { MAX_DEPTH } from "../../base/values.ts";
import { type Spend, tooDeep, unsupported } from "./limits.ts";
import { parsePieces, type Piece, type Token } from "./tokens.ts";

export type Statement =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "insertion"; readonly value: Expression }
  | { readonly kind: "set"; readonly name: string; readonly value: Expression }
  | { readonly kind: "if"; readonly branches: readonly Branch[] }
  | Loop;

interface Branch {
  readonly condition?: Expression;
  readonly body: readonly Statement[];
}

export interface Loop {
  readonly kind: "for";
  readonly names: readonly string[];
  readonly list: Expression;
  readonly condition?: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export type Expression =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "table"; readonly fields: readonly (readonly [key: Expression, value: Expression])[] }
  | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
  | { readonly kind: "not" | "minus"; readonly operand: Expression }
  | Chain
  | Operations
  | Choice;

/** `workflow.mode | upper`: a value, and what is done with it, from left to right. */
export interface Chain {
  readonly kind: "chain";
  readonly subject: Expression | { readonly kind: "name"; readonly name: string };
  readonly links: readonly Link[];
}

export type Link =
  | { readonly kind: "member"; readonly key: Expression }
  | { readonly kind: "call"; readonly args: readonly Expression[] }
  | { readonly kind: "filter"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "test"; readonly name: string; readonly isNegated: boolean };

/** Operators of the same rank, from left to right; comparisons must all hold. */
interface Operations {
  readonly kind: "calculation" | "comparison";
  readonly first: Expression;
  readonly rest: readonly { readonly operator: string; readonly operand: Expression }[];
}

interface Choice {
  readonly kind: "choice";
  readonly condition: Expression;
  readonly value: Expression;
  readonly otherwise?: Expression;
}

export function parseTemplate(text: string, spend: Spend): readonly Statement[] {
  return new BlockParser(parsePieces(text, spend)).readBody([], 0).body;
}

interface Body {
  readonly body: readonly Statement[];
  readonly end: string;
  readonly rest: ExpressionParser;
}

class BlockParser {
  readonly #pieces;
  #at = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  readBody(ends: readonly string[], depth: number): Body {
    if (depth > MAX_DEPTH) tooDeep();
    const body: Statement[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++]!;
      if (piece.kind === "text") {
        body.push(piece);
        continue;
      }
      const parser = new ExpressionParser(piece.tokens);
      if (piece.kind === "insertion") {
        body.push({ kind: "insertion", value: parser.readWhole() });
        continue;
      }
      const tag = parser.readName();
      if (ends.includes(tag)) return { body, end: tag, rest: parser };
      body.push(this.#readStatement(tag, parser, depth));
    }
    if (ends.length > 0) unsupported(`${ends.at(-1)} is missing`);
    return { body, end: "", rest: new ExpressionParser([]) };
  }

  #readStatement(tag: string, parser: ExpressionParser, depth: number): Statement {
    switch (tag) {
      case "if":
        return this.#readIf(parser, depth);
      case "for":
        return this.#readLoop(parser, depth);
      case "set": {
        const name = parser.readName();
        parser.expect("=");
        return { kind: "set", name, value: parser.readWhole() };
      }
      default:
        return unsupported(`the tag ${shown(tag)} is not supported`);
    }
  }

  #readIf(parser: ExpressionParser, depth: number): Statement {
    const branches: Branch[] = [];
    let condition: Expression | undefined = parser.readWhole();
    for (;;) {
      const ends = condition === undefined ? ["endif"] : ["elif", "else", "endif"];
      const { body, end, rest } = this.readBody(ends, depth + 1);
      branches.push({ condition, body });
      condition = end === "elif" ? rest.readWhole() : undefined;
      rest.expectEnd();
      if (end === "endif") return { kind: "if", branches };
    }
  }

  #readLoop(parser: ExpressionParser, depth: number): Statement {
    const names = [parser.readName()];
    while (parser.accepts(",")) names.push(parser.readName());
    parser.expect("in");
    const list = parser.readOr(0);
    const condition = parser.accepts("if") ? parser.readOr(0) : undefined;
    parser.expectEnd();
    const { body, end, rest } = this.readBody(["else", "endfor"], depth + 1);
    rest.expectEnd();
    const loop = { kind: "for", names, list, condition, body } as const;
    if (end === "endfor") return { ...loop, otherwise: [] };
    const otherwise = this.readBody(["endfor"], depth + 1);
    otherwise.rest.expectEnd();
    return { ...loop, otherwise: otherwise.body };
  }
}

/** The operators of calculations, those that bind the least first. */
const RANKS: readonly (readonly string[])[] = [["+", "-"], ["~"], ["*", "//", "%"]];
const COMPARISONS = ["==", "!=", "<=", ">=", "<", ">", "in"];
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

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  readWhole(): Expression {
    const expression = this.#readExpression(0);
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

  readOr(depth: number): Expression {
    return this.#readOperands("or", () => this.#readOperands("and", () => this.#readNot(depth)));
  }

  #isNext(value: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.value === value && token.kind !== "text";
  }

  #takeOneOf(values: readonly string[]): string | undefined {
    return values.find((value) => this.accepts(value));
  }

  #readExpression(depth: number): Expression {
    if (depth > MAX_DEPTH) tooDeep();
    const value = this.readOr(depth);
    if (!this.accepts("if")) return value;
    const condition = this.readOr(depth);
    const otherwise = this.accepts("else") ? this.#readExpression(depth + 1) : undefined;
    return { kind: "choice", condition, value, otherwise };
  }

  #readOperands(kind: "and" | "or", read: () => Expression): Expression {
    const operands = [read()];
    while (this.accepts(kind)) operands.push(read());
    return operands.length === 1 ? operands[0]! : { kind, operands };
  }

  #readNot(depth: number): Expression {
    if (depth > MAX_DEPTH) tooDeep();
    if (this.accepts("not")) return { kind: "not", operand: this.#readNot(depth + 1) };
    const first = this.#readRank(0, depth);
    const rest: Operations["rest"][number][] = [];
    for (;;) {
      const isNegated = this.accepts("not");
      const operator = isNegated ? "not in" : this.#takeOneOf(COMPARISONS);
      if (isNegated) this.expect("in");
      if (operator === undefined) return rest.length === 0 ? first : { kind: "comparison", first, rest };
      rest.push({ operator, operand: this.#readRank(0, depth) });
    }
  }

  #readRank(rank: number, depth: number): Expression {
    const operators = RANKS[rank];
    if (operators === undefined) return this.#readSigned(depth);
    const first = this.#readRank(rank + 1, depth);
    const rest: Operations["rest"][number][] = [];
    for (;;) {
      const operator = this.#takeOneOf(operators);
      if (operator === undefined) return rest.length === 0 ? first : { kind: "calculation", first, rest };
      rest.push({ operator, operand: this.#readRank(rank + 1, depth) });
    }
  }

  /** A sign binds more than filters and tests do: `-2 | abs` is 2. */
  #readSigned(depth: number, hasFilters = true): Expression {
    if (depth > MAX_DEPTH) tooDeep();
    const subject = this.accepts("-")
      ? { kind: "minus", operand: this.#readSigned(depth + 1, false) } as const
      : this.#readPrimary(depth);
    const links: Link[] = [];
    const read = () => this.#readPostfix(depth) ?? (hasFilters ? this.#readFilter(depth) : undefined);
    for (let link; (link = read()) !== undefined;) links.push(link);
    return subject.kind !== "name" && links.length === 0 ? subject : { kind: "chain", subject, links };
  }

  #readPostfix(depth: number): Link | undefined {
    if (this.accepts(".")) {
      const token = this.#tokens[this.#at++];
      if (token?.kind !== "name" && token?.kind !== "number") {
        unsupported(`expected a name, got ${shownToken(token)}`);
      }
      const value = token.kind === "number" ? Number(token.value) : token.value;
      return { kind: "member", key: { kind: "value", value } };
    }
    if (this.accepts("[")) {
      const key = this.#readExpression(depth + 1);
      this.expect("]");
      return { kind: "member", key };
    }
    return this.accepts("(") ? { kind: "call", args: this.#readList(")", depth) } : undefined;
  }

  #readFilter(depth: number): Link | undefined {
    if (this.accepts("|")) {
      const name = this.readName();
      return { kind: "filter", name, args: this.accepts("(") ? this.#readList(")", depth) : [] };
    }
    if (!this.accepts("is")) return undefined;
    const isNegated = this.accepts("not");
    return { kind: "test", name: this.readName(), isNegated };
  }

  #readPrimary(depth: number): Chain["subject"] {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return unsupported("an expression is not complete");
    const { kind, value } = token;
    if (kind === "text") return { kind: "value", value };
    if (kind === "number") return { kind: "value", value: Number(value) };
    if (kind === "name") {
      if (Object.hasOwn(CONSTANTS, value)) return { kind: "value", value: CONSTANTS[value] };
      return WORDS.includes(value)
        ? unsupported(`"${value}" is not expected here`)
        : { kind: "name", name: value };
    }
    if (value === "[") return { kind: "list", items: this.#readList("]", depth) };
    if (value === "{") return this.#readTable(depth);
    return value === "(" ? this.#readParentheses(depth) : unsupported(`"${value}" is not expected here`);
  }

  /** A list if there is a comma, else only what stands between the parentheses. */
  #readParentheses(depth: number): Expression {
    if (this.accepts(")")) return { kind: "list", items: [] };
    const first = this.#readExpression(depth + 1);
    if (this.accepts(")")) return first;
    this.expect(",");
    return { kind: "list", items: [first, ...this.#readList(")", depth)] };
  }

  #readList(end: string, depth: number): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.accepts(end)) {
      items.push(this.#readExpression(depth + 1));
      if (!this.#isNext(end)) this.expect(",");
    }
    return items;
  }

  #readTable(depth: number): Expression {
    const fields: (readonly [Expression, Expression])[] = [];
    while (!this.accepts("}")) {
      const key = this.#readExpression(depth + 1);
      this.expect(":");
      fields.push([key, this.#readExpression(depth + 1)]);
      if (!this.#isNext("}")) this.expect(",");
    }
    return { kind: "table", fields };
  }
}

export function shown(text: string): string {
  return `"${text.slice(0, 80)}"`;
}

function shownToken(token: Token | undefined): string {
  return token === undefined ? "the end of the tag" : shown(token.value);
}
