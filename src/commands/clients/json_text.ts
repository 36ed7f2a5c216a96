/** Properties in JSON or JSONC; jsonc-parser's own edits would reformat the lines around them. */
import { splitLines } from "../../base/text.ts";
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  type SyntaxKind,
} from "jsonc-parser";
import { MAX_DEPTH, TOO_DEEP } from "../../base/values.ts";
import type { Parsed, Position } from "../../content/parse.ts";

export function parseJson(text: string, options: { readonly comments: boolean }): Parsed<unknown> {
  const deep = findTooDeep(text);
  if (deep !== undefined) return { value: {}, problem: TOO_DEEP, at: positionAt(text, deep) };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: !options.comments,
    allowTrailingComma: options.comments,
    allowEmptyContent: true,
  });
  const [error] = errors;
  if (error !== undefined) return { value: {}, problem: describe(error), at: positionAt(text, error.offset) };
  return { value: root === undefined ? {} : getNodeValue(root) };
}

/** The parser calls itself for each level. */
function findTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  const open: SyntaxKind[] = [];
  for (let token = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) open.push(token);
    // What closes is the number after what opens.
    else if (open.at(-1) === token - 1) open.pop();
    if (open.length > MAX_DEPTH) return scanner.getTokenOffset();
  }
  return undefined;
}

// The package has them as types alone.
const OPEN_BRACE: SyntaxKind.OpenBraceToken = 1;
const OPEN_BRACKET: SyntaxKind.OpenBracketToken = 3;
const END: SyntaxKind.EOF = 17;

type JsonKey = string | number;

export function locateJson(text: string, keys: readonly string[]): Position | undefined {
  const node = findNodeAtLocation(parseTree(text)!, [...keys]);
  return node && positionAt(text, node.offset);
}

function describe({ error }: ParseError): string {
  const words = printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return words === "invalid comment token" ? "comments are not allowed in this file" : words;
}

export function setJson(text: string, keys: readonly JsonKey[], value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const style = styleOf(text, root);
  if (root === undefined) {
    const before = text.trimEnd() === "" ? text.trimEnd() : `${text.trimEnd()}${style.eol}`;
    return `${before}${render(nest(keys, value), style, "")}${style.eol}`;
  }
  let [node, depth] = [root, 0];
  for (; depth < keys.length; depth++) {
    const next = findNodeAtLocation(node, [keys[depth]!]);
    if (next === undefined) break;
    node = next;
  }
  if (depth < keys.length) {
    return insertProperty(text, node, keys[depth]!, nest(keys.slice(depth + 1), value), style);
  }
  const rendered = isInline(text, node)
    ? JSON.stringify(value)
    : render(value, style, indentAt(text, node.offset));
  return splice(text, node.offset, node.offset + node.length, rendered);
}

export function cutJson(text: string, keys: readonly JsonKey[], depth: number): string {
  let left = cutOne(text, keys);
  for (let at = keys.length - 1; at >= keys.length - depth && isEmptyJson(left, keys.slice(0, at)); at--) {
    left = cutOne(left, keys.slice(0, at));
  }
  return left;
}

function cutOne(text: string, keys: readonly JsonKey[]): string {
  const object = findNodeAtLocation(parseTree(text)!, keys.slice(0, -1));
  const properties = object?.children ?? [];
  const key = keys.at(-1)!;
  const index = typeof key === "number"
    ? key
    : properties.findIndex(({ children }) => children![0]!.value === key);
  const property = properties[index];
  if (object === undefined || property === undefined) return text;
  const end = property.offset + property.length;
  const commaAfter = findComma(text, end);
  const rest = commaAfter === undefined
    ? text.slice(end)
    : text.slice(end, commaAfter).trimEnd() + text.slice(commaAfter + 1);
  // What follows on its line, such as a comment, gets that line to itself.
  const cut = startsLine(text, property.offset) && !/^[ \t]*\r?(?:\n|$)/.test(rest)
    ? text.slice(0, property.offset) + rest.trimStart()
    : text.slice(0, spaceBefore(text, property.offset)) + rest;
  if (properties.length === 1) return closeUp(cut, object.offset);
  const before = properties[index - 1];
  if (commaAfter !== undefined || before === undefined) return cut;
  const comma = findComma(text, before.offset + before.length)!;
  return splice(cut, comma, comma + 1, "");
}

export function spellJson(text: string, other: string, keys: readonly string[]): string {
  const [node, model] = [text, other].map((one) => findNodeAtLocation(parseTree(one) ?? NO_NODE, [...keys]));
  return node === undefined || model === undefined ? text : splice(
    text,
    node.offset,
    node.offset + node.length,
    other.slice(model.offset, model.offset + model.length),
  );
}

const NO_NODE: Node = { type: "null", offset: 0, length: 0 };

/** One with comments in it is not empty. */
function isEmptyJson(text: string, keys: readonly JsonKey[]): boolean {
  const node = findNodeAtLocation(parseTree(text)!, [...keys])?.parent;
  return node !== undefined &&
    /^"(?:[^"\\]|\\.)*"\s*:\s*(?:\{\s*\}|\[\s*\])$/.test(text.slice(node.offset, node.offset + node.length));
}

type Style = ReturnType<typeof styleOf>;

function styleOf(text: string, root: Node | undefined) {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const step = /\{[ \t]*\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const compact = root?.children?.[0] !== undefined && !text.slice(root.offset).trim().includes("\n");
  return { eol, step, compact };
}

function nest(keys: readonly JsonKey[], value: unknown): unknown {
  return keys.reduceRight((inner, key) => typeof key === "number" ? [inner] : { [key]: inner }, value);
}

function render(value: unknown, { eol, step, compact }: Style, indent: string): string {
  if (compact) return JSON.stringify(value);
  return JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
}

function insertProperty(text: string, object: Node, key: JsonKey, value: unknown, style: Style): string {
  const last = object.children!.at(-1);
  const close = object.offset + object.length - 1;
  if (last === undefined) {
    const pad = indentAt(text, object.offset);
    const inside = text.slice(object.offset + 1, close).trimEnd();
    const property = renderProperty(key, value, style, pad + style.step);
    const filled = style.compact ? property : `${style.eol}${pad}${style.step}${property}${style.eol}${pad}`;
    return splice(text, object.offset + 1, close, inside + filled);
  }
  const end = last.offset + last.length;
  const comma = findComma(text, end);
  const withComma = comma === undefined ? splice(text, end, end, ",") : text;
  const after = comma === undefined ? end + 1 : comma + 1;
  const trailing = comma === undefined ? "" : ",";
  if (!startsLine(text, last.offset)) {
    const gap = style.compact && !/,\s/.test(text) ? "" : " ";
    const property = renderProperty(key, value, { ...style, compact: true }, "");
    return splice(withComma, after, after, `${gap}${property}${trailing}`);
  }
  const at = afterComment(withComma, after);
  const pad = indentAt(text, last.offset);
  const property = renderProperty(key, value, style, pad);
  return splice(withComma, at, at, `${style.eol}${pad}${property}${trailing}`);
}

function renderProperty(key: JsonKey, value: unknown, style: Style, indent: string): string {
  if (typeof key === "number") return render(value, style, indent);
  return `${JSON.stringify(key)}:${style.compact ? "" : " "}${render(value, style, indent)}`;
}

function findComma(text: string, from: number): number | undefined {
  const found = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/.exec(text.slice(from));
  return found === null ? undefined : from + found[0].length - 1;
}

function afterComment(text: string, from: number): number {
  const comment = /^(?:[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\n])*\*\/))*/.exec(text.slice(from))!;
  return from + comment[0].length;
}

function closeUp(text: string, open: number): string {
  const space = /^\s*/.exec(text.slice(open + 1))![0].length;
  return /^[}\]]/.test(text.slice(open + 1 + space, open + 2 + space))
    ? splice(text, open + 1, open + 1 + space, "")
    : text;
}

function spaceBefore(text: string, offset: number): number {
  const space = /\r?\n[ \t]*$|(?<![ \t])[ \t]*$/.exec(text.slice(0, offset))![0];
  return offset - space.length;
}

function startsLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, offset));
}

function isInline(text: string, node: Node): boolean {
  return node.type !== "object" && !text.slice(node.offset, node.offset + node.length).includes("\n");
}

function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line))![0];
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lines = splitLines(before);
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

function splice(text: string, from: number, to: number, inserted: string): string {
  return text.slice(0, from) + inserted + text.slice(to);
}
