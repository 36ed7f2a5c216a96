/** Whole lines under a top-level key; undefined if its value is in braces or brackets. */
import { splitLines } from "../../base/text.ts";
import { formatYaml, type Values } from "../../content/parse.ts";

export interface Slot {
  readonly keys: readonly string[];
  readonly name: string;
  /** In a list: -1 if it is not there yet. Undefined in a map. */
  readonly index: number | undefined;
}

export function setYaml(text: string, slot: Slot, item: Values): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const rendered = splitLines(
    formatYaml(slot.index === undefined ? { [slot.name]: item } : [item]).trimEnd(),
  );
  const lines = linesOf(text);
  const block = findBlock(lines, slot);
  if (block === undefined) {
    const body = lines.length > 0 && !lines.at(-1)!.endsWith("\n") ? [...lines, eol] : lines;
    return [...body, `${slot.keys[0]}:${eol}`, ...rendered.map((line) => `  ${line}${eol}`)].join("");
  }
  if (block.inline !== "" && !/^(?:\{\s*\}|\[\s*\]|~|null)$/.test(block.inline)) return undefined;
  const [from, to] = findItem(lines, block, slot) ?? [block.to, block.to];
  const opened = lines[block.at]!.replace(/:[ \t]*(?:\{\s*\}|\[\s*\]|~|null)/, ":");
  const head = [...lines.slice(0, block.at), opened, ...lines.slice(block.at + 1, from)];
  if (!head.at(-1)!.endsWith("\n")) head.push(eol);
  return [...head, ...rendered.map((line) => `${block.indent}${line}${eol}`), ...lines.slice(to)].join("");
}

export function cutYaml(text: string, slot: Slot, keepKey: boolean): string | undefined {
  const lines = linesOf(text);
  const block = findBlock(lines, slot);
  const found = block && findItem(lines, block, slot);
  if (block === undefined || found === undefined) return undefined;
  const [from, to] = found;
  const left = [...lines.slice(0, from), ...lines.slice(to)];
  const isEmpty = left.slice(block.at + 1, block.to - (to - from)).every((line) => !hasContent(line));
  if (!isEmpty) return left.join("");
  const key = lines[block.at]!.replace(/:(?=\s|$)/, slot.index === undefined ? ": {}" : ": []");
  const keeps = keepKey || /:[ \t]+#/.test(lines[block.at]!);
  return left.toSpliced(block.at, 1, ...(keeps ? [key] : [])).join("");
}

type Block = NonNullable<ReturnType<typeof findBlock>>;

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function findBlock(lines: readonly string[], { keys, index }: Slot) {
  const at = lines.findIndex((line) => keyOf(line) === keys[0]);
  if (at < 0) return undefined;
  let to = at + 1;
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i]!;
    if (/^[^\s#]/.test(line) && !(index !== undefined && /^-\s/.test(line))) break;
    if (hasContent(line)) to = i + 1;
  }
  const first = lines.slice(at + 1, to).find(hasContent);
  const inline = (/:([^#]*)/.exec(lines[at]!)?.[1] ?? "").trim();
  return { at, inline, to, indent: first === undefined ? "  " : indentOf(first) };
}

function findItem(
  lines: readonly string[],
  { at, to, indent }: Block,
  { name, index }: Slot,
): readonly [number, number] | undefined {
  const starts: number[] = [];
  for (let i = at + 1; i < to; i++) {
    if (hasContent(lines[i]!) && indentOf(lines[i]!) === indent) starts.push(i);
  }
  const start = index === undefined
    ? starts.find((i) => keyOf(lines[i]!.slice(indent.length)) === name)
    : starts.filter((i) => /^\s*-(?:\s|$)/.test(lines[i]!))[index];
  if (start === undefined) return undefined;
  let end = start + 1;
  for (let i = start + 1; i < to && !starts.includes(i); i++) if (hasContent(lines[i]!)) end = i + 1;
  return [start, end];
}

function keyOf(line: string): string | undefined {
  const [, double, single, plain] = /^(?:"([^"]*)"|'([^']*)'|([^\s"'#:-](?:[^:#]*[^\s:#])?))\s*:(?:\s|$)/
    .exec(line) ?? [];
  return double ?? single ?? plain;
}

function hasContent(line: string): boolean {
  return !/^\s*(?:#|$)/.test(line);
}

function indentOf(line: string): string {
  return /^[ ]*/.exec(line)![0];
}
