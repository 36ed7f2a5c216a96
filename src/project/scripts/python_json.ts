/**
 * `json.loads`, and what `str` makes of its values.
 *
 * Python also reads `NaN` and `Infinity`, keeps whole numbers exact and apart from others, and the order of all keys.
 */
import { Float, floatText, pythonInt, quote } from "./python.ts";
import { raise } from "./program.ts";

/** A value of JSON as Python has it. */
export type JsonValue =
  | null
  | boolean
  | string
  | bigint
  | Float
  | readonly JsonValue[]
  | ReadonlyMap<string, JsonValue>;

/** Python gives up a little earlier or later, depending on its own calls. */
const MAX_DEPTH = 990;
const WORDS: Readonly<Record<string, JsonValue>> = {
  null: null,
  true: true,
  false: false,
  NaN: new Float(NaN),
  Infinity: new Float(Infinity),
  "-Infinity": new Float(-Infinity),
};
const TOKEN =
  // deno-lint-ignore no-control-regex
  /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?|(null|true|false|NaN|-?Infinity))/y;

/** Reads a text; raises what Python raises. */
export function parseJson(text: string): JsonValue {
  const reader = new Reader(text);
  const value = reader.value(reader.next(), 0);
  if (/[^ \t\n\r]/.test(text.slice(reader.at))) invalid("Extra data", reader.at);
  return value;
}

function invalid(problem: string, at: number): never {
  return raise("JSONDecodeError", `${problem}: char ${at}`);
}

/** A mark, or a value that is one token. */
type Token = { readonly mark: string } | { readonly value: JsonValue };

class Reader {
  at = 0;
  constructor(readonly text: string) {}

  next(): Token {
    TOKEN.lastIndex = this.at;
    const [all, mark, string, whole, fraction, exponent, word] = TOKEN.exec(this.text) ??
      invalid("Expecting value", this.at);
    this.at += all.length;
    if (mark !== undefined) return { mark };
    if (string !== undefined) return { value: JSON.parse(string) as string };
    if (word !== undefined) return { value: WORDS[word]! };
    if (fraction !== undefined || exponent !== undefined) {
      return { value: new Float(Number(`${whole}${fraction ?? ""}${exponent ?? ""}`)) };
    }
    return { value: pythonInt(whole!) ?? raise("ValueError", "Exceeds the limit for integers") };
  }

  value(token: Token, depth: number): JsonValue {
    if ("value" in token) return token.value;
    if (depth > MAX_DEPTH) raise("RecursionError", "maximum recursion depth exceeded");
    if (token.mark === "[") return this.list(depth + 1);
    if (token.mark === "{") return this.object(depth + 1);
    return invalid("Expecting value", this.at - 1);
  }

  list(depth: number): JsonValue {
    const items: JsonValue[] = [];
    let token = this.next();
    if (isMark(token, "]")) return items;
    while (true) {
      items.push(this.value(token, depth));
      const end = this.next();
      if (isMark(end, "]")) return items;
      if (!isMark(end, ",")) invalid("Expecting ',' delimiter", this.at);
      token = this.next();
    }
  }

  object(depth: number): JsonValue {
    const found = new Map<string, JsonValue>();
    let key = this.next();
    if (isMark(key, "}")) return found;
    while (true) {
      if (!("value" in key) || typeof key.value !== "string") {
        return invalid("Expecting property name enclosed in double quotes", this.at);
      }
      if (!isMark(this.next(), ":")) invalid("Expecting ':' delimiter", this.at);
      found.set(key.value, this.value(this.next(), depth));
      const end = this.next();
      if (isMark(end, "}")) return found;
      if (!isMark(end, ",")) invalid("Expecting ',' delimiter", this.at);
      key = this.next();
    }
  }
}

function isMark(token: Token, mark: string): boolean {
  return "mark" in token && token.mark === mark;
}

/** `str(value)`. */
export function pythonStr(value: JsonValue): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

/** `repr(value)`. */
export function pythonRepr(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quote(value);
  if (typeof value === "bigint") return String(value);
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${quote(key)}: ${pythonRepr(item)}`).join(", ")}}`;
  }
  return `[${(value as readonly JsonValue[]).map(pythonRepr).join(", ")}]`;
}

/** `bool(value)`. */
export function isTrue(value: JsonValue | undefined): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Map) return value.size > 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
