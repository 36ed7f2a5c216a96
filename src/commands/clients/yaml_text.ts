/**
 * YAML as a text in which one item under a top-level key comes and goes.
 *
 * Works on whole lines, so that comments, quotes and anchors elsewhere stay as they are. Only block style can be
 * edited like that: where the key's value is written in braces or brackets, nothing is returned.
 */
import { formatYaml, type Values } from "../../content/parse.ts";

/** Where items stand: under a top-level key, by name or one after the other. */
export interface Shelf {
  readonly key: string;
  /** The item's name, if items have names. */
  readonly name: string;
  /** The item's place in the list, if they stand in one; undefined when it is not there yet. */
  readonly index?: number;
  readonly listed: boolean;
}

/** Puts an item in, in the place of the one that is there, or else last; undefined where that cannot be done. */
export function setYaml(text: string, shelf: Shelf, item: Values): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const rendered = formatYaml(shelf.listed ? [item] : { [shelf.name]: item }).trimEnd().split("\n");
  const lines = linesOf(text);
  const block = findBlock(lines, shelf);
  if (block === undefined) {
    const body = lines.length > 0 && !lines.at(-1)!.endsWith("\n") ? [...lines, eol] : lines;
    return [...body, `${shelf.key}:${eol}`, ...rendered.map((line) => `  ${line}${eol}`)].join("");
  }
  if (block.inline !== "" && !/^(?:\{\s*\}|\[\s*\]|~|null)$/.test(block.inline)) return undefined;
  const [from, to] = findItem(lines, block, shelf) ?? [block.to, block.to];
  const opened = lines[block.at]!.replace(/:[ \t]*(?:\{\s*\}|\[\s*\]|~|null)/, ":");
  const head = [...lines.slice(0, block.at), opened, ...lines.slice(block.at + 1, from)];
  if (!head.at(-1)!.endsWith("\n")) head.push(eol);
  return [...head, ...rendered.map((line) => `${block.indent}${line}${eol}`), ...lines.slice(to)].join("");
}

/** Takes an item out; the key stays, with nothing under it, if it is to be kept. */
export function cutYaml(text: string, shelf: Shelf, keepKey: boolean): string | undefined {
  const lines = linesOf(text);
  const block = findBlock(lines, shelf);
  const found = block && findItem(lines, block, shelf);
  if (block === undefined || found === undefined) return undefined;
  const [from, to] = found;
  const left = [...lines.slice(0, from), ...lines.slice(to)];
  const isEmpty = left.slice(block.at + 1, block.to - (to - from)).every((line) => !saysSomething(line));
  if (!isEmpty) return left.join("");
  const key = lines[block.at]!.replace(/:(?=\s|$)/, shelf.listed ? ": []" : ": {}");
  return left.toSpliced(block.at, 1, ...(keepKey ? [key] : [])).join("");
}

interface Block {
  /** The line of the key. */
  readonly at: number;
  /** What stands behind the key on its line, without a comment. */
  readonly inline: string;
  /** The line behind the last that says something. */
  readonly to: number;
  /** The white space before each item. */
  readonly indent: string;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function findBlock(lines: readonly string[], { key, listed }: Shelf): Block | undefined {
  const at = lines.findIndex((line) => keyOf(line) === key);
  if (at < 0) return undefined;
  let to = at + 1;
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i]!;
    if (/^[^\s#]/.test(line) && !(listed && /^-\s/.test(line))) break;
    if (saysSomething(line)) to = i + 1;
  }
  const first = lines.slice(at + 1, to).find(saysSomething);
  const inline = /^[^:]*:[ \t]*(.*?)[ \t]*(?:#.*)?\r?\n?$/.exec(lines[at]!)?.[1] ?? "";
  return { at, inline, to, indent: first === undefined ? "  " : indentOf(first) };
}

/** The lines of an item: from its first to the one behind its last. */
function findItem(
  lines: readonly string[],
  { at, to, indent }: Block,
  { name, index, listed }: Shelf,
): readonly [number, number] | undefined {
  const starts: number[] = [];
  for (let i = at + 1; i < to; i++) {
    if (saysSomething(lines[i]!) && indentOf(lines[i]!) === indent) starts.push(i);
  }
  const place = listed
    ? starts.filter((i) => /^\s*-(?:\s|$)/.test(lines[i]!))[index ?? -1]
    : starts.find((i) => keyOf(lines[i]!.slice(indent.length)) === name);
  if (place === undefined) return undefined;
  let end = place + 1;
  for (let i = place + 1; i < to && !starts.includes(i); i++) if (saysSomething(lines[i]!)) end = i + 1;
  return [place, end];
}

/** The key that a line begins with. */
function keyOf(line: string): string | undefined {
  const [, double, single, plain] = /^(?:"([^"]*)"|'([^']*)'|([^\s"'#:-][^:#]*?))\s*:(?:\s|$)/
    .exec(line) ?? [];
  return double ?? single ?? plain;
}

function saysSomething(line: string): boolean {
  return !/^\s*(?:#|$)/.test(line);
}

function indentOf(line: string): string {
  return /^[ ]*/.exec(line)![0];
}
