/**
 * Templates in Jinja, rendered by an interpreter that walks their syntax tree: a template never becomes code.
 *
 * As BMAD renders them: whatever is undefined is an error, not an empty text. A template may be hostile, so the steps, the
 * length of what is produced, and the sizes of single values are bounded.
 */
import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import type { Values } from "../base/values.ts";

/** Why a template cannot be rendered. */
export class TemplateError extends Error {
  constructor(
    /** `halt` is the template's own decision, `undefined` a name without a value, `unsupported` all else. */
    readonly kind: "halt" | "undefined" | "unsupported",
    message: string,
  ) {
    super(message);
  }
}

/** What templates can use: values and functions by their names. */
export type TemplateGlobals = Values;

/**
 * Renders one template after the other; the limits are those of all of them together. `listText` says how a list reads
 * where a template inserts it.
 */
export function openTemplates(
  globals: TemplateGlobals,
  listText: (items: readonly unknown[]) => string = (items) => items.join(", "),
): (text: string) => string {
  const budget = { steps: MAX_STEPS, length: MAX_LENGTH };
  return (text) => {
    if (text.length > MAX_TEMPLATE) throw tooMuch(`it is longer than ${MAX_TEMPLATE} characters`);
    try {
      const scope = new Environment();
      const { template, raw } = withoutRaw(text);
      for (const [name, value] of Object.entries({ ...CONSTANTS, ...globals, raw })) scope.set(name, value);
      // The tokenizer drops a line end at the end, where BMAD keeps it.
      const tokens = tokenize(template.replace(/\n$/, "\n\n"), { lstrip_blocks: true, trim_blocks: true });
      const tree = parse(tokens);
      markInsertions(tree as unknown as Fields);
      return String(new BoundedInterpreter(scope, budget, listText).run(tree).value);
    } catch (error) {
      if (error instanceof TemplateError) throw error;
      const message = error instanceof RangeError ? "it is nested too deeply" : (error as Error).message;
      throw new TemplateError("unsupported", message);
    }
  };
}

/** A template in which names stand for its raw blocks, which the interpreter does not know. */
function withoutRaw(text: string): { readonly template: string; readonly raw: readonly string[] } {
  const parts = text.split(/\{%[-+]? ?(?:end)?raw ?[-+]?%\}\n?/);
  const raw = parts.filter((_, at) => at % 2 === 1);
  if (parts.length % 2 === 0) throw tooMuch("a raw block is not closed");
  return {
    template: parts.map((part, at) => at % 2 === 1 ? `{{ raw[${(at - 1) / 2}] }}` : part).join(""),
    raw,
  };
}

const MAX_TEMPLATE = 1 << 18;
const MAX_STEPS = 200_000;
/** Of all texts that are produced on the way. */
const MAX_LENGTH = 1 << 24;
/** Of one value: characters, items. */
const MAX_SIZE = 1 << 20;
const MAX_ITEMS = 10_000;
/** No text has numbers like these; filters and functions would multiply with them. */
const MAX_NUMBER = 100_000;

const CONSTANTS: Values = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  range: (start: number, stop?: number, step = 1): readonly number[] => {
    const [first, last] = stop === undefined ? [0, start] : [start, stop];
    const length = step === 0 ? NaN : Math.max(0, Math.ceil((last - first) / step));
    if (!(length <= MAX_ITEMS)) throw tooMuch(`range has more than ${MAX_ITEMS} numbers`);
    return Array.from({ length }, (_, at) => first + at * step);
  },
};

type Node = Parameters<Interpreter["evaluate"]>[0];
type Value = ReturnType<Interpreter["evaluate"]>;

function tooMuch(message: string): TemplateError {
  return new TemplateError("unsupported", message);
}

class BoundedInterpreter extends Interpreter {
  /** How many tests around the present node ask whether something is defined. */
  #guards = 0;
  readonly #budget;
  readonly #listText;

  constructor(
    scope: Environment,
    budget: { steps: number; length: number },
    listText: (items: readonly unknown[]) => string,
  ) {
    super(scope);
    this.#budget = budget;
    this.#listText = listText;
  }

  override evaluate(node: Node, scope: Environment): Value {
    if (--this.#budget.steps < 0) throw tooMuch(`it takes more than ${MAX_STEPS} steps`);
    const guards = node !== undefined && asksForDefinition(node) ? 1 : 0;
    this.#guards += guards;
    try {
      if (node !== undefined) this.#checkProduct(node, scope);
      const found = super.evaluate(node, scope);
      const isInserted = node !== undefined && fieldsOf(node).isInserted && Array.isArray(found.value);
      const value = isInserted ? textValue(this.#listText(plainOf(found) as readonly unknown[])) : found;
      if (
        value.type === "UndefinedValue" && this.#guards === 0 && node !== undefined && pathOf(node) !== ""
      ) {
        throw new TemplateError("undefined", pathOf(node));
      }
      return this.#checked(value);
    } finally {
      this.#guards -= guards;
    }
  }

  #checked(value: Value): Value {
    const inner: unknown = value.value;
    if (typeof inner === "number" && Math.abs(inner) > MAX_NUMBER) {
      throw tooMuch(`${inner} is too large a number`);
    }
    if (typeof inner === "string") {
      this.#budget.length -= inner.length;
      if (inner.length > MAX_SIZE || this.#budget.length < 0) throw tooMuch("it produces too much text");
    }
    if (Array.isArray(inner) && inner.length > MAX_ITEMS) {
      throw tooMuch(`a list has more than ${MAX_ITEMS} items`);
    }
    return value;
  }

  /** A filter or function may produce as much as the product of what it gets. */
  #checkProduct(node: NonNullable<Node>, scope: Environment): void {
    const [given, args] = operandsOf(node);
    if (given === undefined || args.length === 0) return;
    const sizes = [given, ...args].map((one) => sizeOf(this.evaluate(one, scope)));
    if (sizes.reduce((product, size) => product * Math.max(1, size), 1) > MAX_SIZE) {
      throw tooMuch("it produces too much text");
    }
  }
}

/** A text as the interpreter has it. */
function textValue(text: string): Value {
  return new Environment().set("text", text);
}

/** A value as templates were given it. */
function plainOf({ value }: Value): unknown {
  const inner: unknown = value;
  if (Array.isArray(inner)) return inner.map(plainOf);
  if (!(inner instanceof Map)) return inner;
  return Object.fromEntries(Array.from(inner as Map<string, Value>, ([key, one]) => [key, plainOf(one)]));
}

/** Marks the expressions whose values are inserted into the text, and not used by another one. */
function markInsertions(block: Fields): void {
  for (const statement of [block.body, block.alternate, block.defaultBlock].flatMap((part) => part ?? [])) {
    if (["Identifier", "MemberExpression", "Ternary", "FilterExpression"].includes(statement.type)) {
      statement.isInserted = true;
    }
    markInsertions(statement);
  }
}

/** The tree's nodes, as far as they are looked into here. */
interface Fields {
  isInserted?: boolean;
  readonly body?: readonly Fields[];
  readonly alternate?: readonly Fields[];
  readonly defaultBlock?: readonly Fields[];
  readonly type: string;
  readonly value?: unknown;
  readonly object?: Fields;
  readonly property?: Fields;
  readonly computed?: boolean;
  readonly operand?: Fields;
  readonly filter?: Fields;
  readonly callee?: Fields;
  readonly args?: readonly Fields[];
  readonly test?: Fields;
}

function fieldsOf(node: NonNullable<Node>): Fields {
  return node as unknown as Fields;
}

/** `x is defined`, `x | default("…")`. */
function asksForDefinition(node: NonNullable<Node>): boolean {
  const { type, test, filter } = fieldsOf(node);
  if (type === "TestExpression") return ["defined", "undefined"].includes(String(test?.value));
  const name = filter?.callee?.value ?? filter?.value;
  return type === "FilterExpression" && ["default", "d"].includes(String(name));
}

/** `workflow.review` for a name or the path to a member; empty for any other node. */
function pathOf(node: NonNullable<Node>): string {
  const visit = ({ type, value, object, property }: Fields): string => {
    if (type === "Identifier") return String(value);
    if (type !== "MemberExpression" || object === undefined) return "";
    return `${visit(object)}.${property?.value ?? "?"}`;
  };
  return visit(fieldsOf(node)).slice(0, 200);
}

/** What a filter or a method works on, and its positional arguments. */
function operandsOf(node: NonNullable<Node>): readonly [given: Node, args: readonly NonNullable<Node>[]] {
  const { type, operand, filter, callee, args = [] } = fieldsOf(node);
  const [given, passed] = type === "FilterExpression"
    ? [operand, filter?.args ?? []]
    : type === "CallExpression"
    ? [callee?.object, args]
    : [undefined, []];
  const positional = passed.map((one) => one.type === "KeywordArgumentExpression" ? one.value as Fields : one)
    .filter((one) => !one.type.includes("Spread"));
  return [given as unknown as Node, positional as unknown as NonNullable<Node>[]];
}

function sizeOf({ value }: Value): number {
  const inner: unknown = value;
  if (typeof inner === "number") return Math.abs(inner);
  return typeof inner === "string" || Array.isArray(inner) ? inner.length : 1;
}
