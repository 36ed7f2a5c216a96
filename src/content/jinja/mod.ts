/** Jinja, interpreted: no template becomes code. What BMAD's templates do not use is `unsupported` (docs/layouts.md). */
import { MAX_DEPTH, type Values } from "../../base/values.ts";
import { LIMITS } from "../limits.ts";
import { LONG_STEP, openBudget, STEP, tooDeep, unsupported, weightOf } from "./costs.ts";
import { type Expression, ExpressionParser, paid, type Run, shown } from "./expressions.ts";
import { asList, type Callable, isTrue, type Means, range, textOf } from "./operations.ts";
import { parsePieces, type Piece } from "./tokens.ts";

export { TemplateError } from "./costs.ts";

type Statement = (run: Run) => void;

/** The limits are those of all templates together. `listText` says how an inserted list reads. */
export function openTemplates(globals: Values, listText: Means["listText"]): (text: string) => string {
  const means = { spend: openBudget(), listText };
  const values = { range, ...Object.fromEntries(Object.entries(globals).map(usable)) };
  return (text) => {
    const { length } = LIMITS.templates;
    if (text.length > length) unsupported(`it is longer than ${length} characters`);
    const parts: string[] = [];
    const template = new BlockParser(parsePieces(text, means.spend)).readBody([]).body;
    template({ ...means, scope: { values: new Map(Object.entries(values)) }, parts });
    return parts.join("");
  };
}

function usable([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (typeof value !== "function") return [name, value];
  const call: Callable = (args, means) => {
    const result = String(value(...args.map((arg) => textOf(arg, means))));
    means.spend(result.length);
    return result;
  };
  return [name, call];
}

function print(text: string, { spend, parts }: Run): void {
  spend(text.length);
  parts.push(text);
}

/** Blocks as functions that render them; a chain of branches is one, so that only blocks in blocks nest. */
class BlockParser {
  readonly #pieces;
  #at = 0;
  #depth = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

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
    const list = parser.readOperations();
    const condition = parser.accepts("if") ? parser.readOperations() : () => true;
    parser.expectEnd();
    const { body, end, rest } = this.#readInner("else", "endfor");
    rest.expectEnd();
    const otherwise = end === "else" ? this.#readInner("endfor") : undefined;
    otherwise?.rest.expectEnd();
    const openRound = (item: unknown, run: Run): Run => {
      run.spend(names.length * STEP + LONG_STEP);
      return { ...run, scope: { values: new Map(namedItems(names, item)), outer: run.scope } };
    };
    return (run) => {
      const items = list(run);
      run.spend(weightOf(items));
      const chosen = asList(items).filter((item) => isTrue(condition(openRound(item, run))));
      chosen.forEach((item, at) => {
        const round = openRound(item, run);
        round.scope.values.set("loop", loopAt(at, chosen.length));
        body(round);
      });
      if (chosen.length === 0) otherwise?.body(run);
    };
  }
}

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
