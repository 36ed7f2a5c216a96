/**
 * JSON and JSONC as texts in which single properties come and go.
 *
 * Comments, indentation, line ends and trailing commas stay as they are; what is put in looks like its neighbours, and
 * what is cut out again leaves no trace. Reading the text is the work of jsonc-parser; where to put a comma is ours,
 * because its own edits format the lines around them anew.
 */
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { Parsed, Position } from "../../content/parse.ts";

/** Understands a text. A file that allows no comments has none, and no comma that nothing follows. */
export function parseJson(text: string, options: { readonly comments: boolean }): Parsed<unknown> {
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

/** Where the value at some keys stands. */
export function locateJson(text: string, keys: readonly string[]): Position | undefined {
  const node = findNodeAtLocation(parseTree(text)!, [...keys]);
  return node && positionAt(text, node.offset);
}

function describe({ error }: ParseError): string {
  const words = printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return words === "invalid comment token" ? "comments are not allowed in this file" : words;
}

/** Sets the value at some keys; objects that are missing on the way are made. */
export function setJson(text: string, keys: readonly string[], value: unknown): string {
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

/** Takes away the property at some keys. */
export function cutJson(text: string, keys: readonly string[]): string {
  const object = findNodeAtLocation(parseTree(text)!, keys.slice(0, -1));
  const properties = object?.children ?? [];
  const index = properties.findIndex(({ children }) => children![0]!.value === keys.at(-1));
  const property = properties[index];
  if (object === undefined || property === undefined) return text;
  const end = property.offset + property.length;
  const commaBehind = findComma(text, end);
  const from = spaceBefore(text, property.offset);
  if (commaBehind !== undefined) {
    const cut = splice(text, from, commaBehind + 1, "");
    return properties.length === 1 ? closeUp(cut, object.offset) : cut;
  }
  const before = properties[index - 1];
  if (before === undefined) return closeUp(splice(text, from, end, ""), object.offset);
  const comma = findComma(text, before.offset + before.length)!;
  return splice(splice(text, from, end, ""), comma, comma + 1, "");
}

interface Style {
  readonly eol: string;
  /** One step of indentation. */
  readonly step: string;
  /** Whether all stands on one line. */
  readonly compact: boolean;
}

function styleOf(text: string, root: Node | undefined): Style {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const step = /\{[ \t]*\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const compact = root?.children?.[0] !== undefined && !text.slice(root.offset).trim().includes("\n");
  return { eol, step, compact };
}

function nest(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function render(value: unknown, { eol, step, compact }: Style, indent: string): string {
  if (compact) return JSON.stringify(value);
  return JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
}

function insertProperty(text: string, object: Node, key: string, value: unknown, style: Style): string {
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
  const behind = comma === undefined ? end + 1 : comma + 1;
  const trailing = comma === undefined ? "" : ",";
  if (!startsLine(text, last.offset)) {
    const gap = style.compact && !/,\s/.test(text) ? "" : " ";
    const property = renderProperty(key, value, { ...style, compact: true }, "");
    return splice(withComma, behind, behind, `${gap}${property}${trailing}`);
  }
  const at = behindRemark(withComma, behind);
  const pad = indentAt(text, last.offset);
  const property = renderProperty(key, value, style, pad);
  return splice(withComma, at, at, `${style.eol}${pad}${property}${trailing}`);
}

function renderProperty(key: string, value: unknown, style: Style, indent: string): string {
  return `${JSON.stringify(key)}:${style.compact ? "" : " "}${render(value, style, indent)}`;
}

/** Where the comma behind a place stands, if one comes before the next value or brace. */
function findComma(text: string, from: number): number | undefined {
  const found = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/.exec(text.slice(from));
  return found === null ? undefined : from + found[0].length - 1;
}

/** The end of what is said on the same line about what stands before. */
function behindRemark(text: string, from: number): number {
  const remark = /^(?:[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\n])*\*\/))*/.exec(text.slice(from))!;
  return from + remark[0].length;
}

/** Empties the braces that hold nothing but space. */
function closeUp(text: string, open: number): string {
  const space = /^\s*/.exec(text.slice(open + 1))![0].length;
  return text[open + 1 + space] === "}" ? splice(text, open + 1, open + 1 + space, "") : text;
}

/** Where the space before a place begins: with the line break, for what begins a line. */
function spaceBefore(text: string, offset: number): number {
  const space = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, offset))![0];
  return offset - space.length;
}

function startsLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, offset));
}

function isInline(text: string, node: Node): boolean {
  return node.type !== "object" && !text.slice(node.offset, node.offset + node.length).includes("\n");
}

/** The white space that the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line))![0];
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

function splice(text: string, from: number, to: number, inserted: string): string {
  return text.slice(0, from) + inserted + text.slice(to);
}
