/**
 * A YAML ledger as named parts, read by its lines alone, to be edited, merged and written back byte for byte. What is
 * neither keys and values nor items stays as lines, and makes its part opaque.
 */
import { type Entry, indentOf, isTrivial, readEntry, startsItem } from "./yaml_lines.ts";

export type Lines = readonly string[];

export interface Node {
  /** Unique among its neighbours. */
  readonly key: string;
  /** Comments and blank lines above it. */
  readonly lead: Lines;
  /** If its entries are known one by one, the item's dash and the blanks around it. */
  readonly line: string;
  /** The index of its first line in the text. */
  readonly at?: number;
  readonly entry?: Entry | undefined;
  readonly body: Parts;
  /** People edit the keys of these. */
  readonly item?: "text" | "entries" | "section";
}

export interface Parts {
  readonly nodes: readonly Node[];
  /** Below the last part; without parts, everything. */
  readonly tail: Lines;
  /** Whether the parts cannot be told apart for sure. */
  readonly isOpaque?: boolean;
}

export const EMPTY: Parts = { nodes: [], tail: [] };

export const opaque = (tail: Lines): Parts => ({ nodes: [], tail, isOpaque: true });

export function countNames(): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}\n${count}`;
  };
}

export function linesOf({ lead, line, body, item }: Node): Lines {
  if (body === EMPTY) return [...lead, line];
  const inner = linesIn(body);
  return [...lead, ...(item === "entries" ? withDash(line, inner) : [line, ...inner])];
}

export function linesIn({ nodes, tail }: Parts): Lines {
  return [...nodes.map(linesOf).flat(), ...tail];
}

/** The first entry stands behind the item's dash. */
export function withDash(dash: string, inner: Lines): Lines {
  const first = inner.findIndex((line) => line.startsWith(" ".repeat(dash.length)));
  return inner.map((line, at) => at === first ? dash + line.slice(dash.length) : line);
}

/** `isAbove`: between two parts; `endOf`: the first line behind one. */
export function cutParts(
  lines: Lines,
  { isAbove, endOf, read }: {
    isAbove(line: string): boolean;
    endOf(lines: Lines, start: number): number;
    read(lines: Lines, lead: Lines, start: number): Node;
  },
): Parts {
  const nodes: Node[] = [];
  const names = countNames();
  let [lead, at] = [0, 0];
  while (at < lines.length) {
    if (isAbove(lines[at]!)) {
      at++;
      continue;
    }
    const end = endOf(lines, at);
    const node = read(lines.slice(at, end), lines.slice(lead, at), at);
    const key = names(node.key);
    nodes.push(key === node.key ? node : { ...node, key });
    [lead, at] = [end, end];
  }
  return { nodes, tail: lines.slice(lead) };
}

export function readYamlTree(lines: Lines): Parts {
  const filled = lines.findIndex((line) => !isTrivial(line));
  const start = /^---(?: +#.*|\s*)$/.test(lines[filled] ?? "") ? filled + 1 : 0;
  const above = lines.slice(0, start);
  const { nodes: [first, ...others], ...rest } = readParts(lines.slice(start), 0, start);
  if (first === undefined) return { ...rest, nodes: [], tail: [...above, ...rest.tail] };
  return { ...rest, nodes: [{ ...first, lead: [...above, ...first.lead] }, ...others] };
}

/** No ledger is nested deeper. */
const MAX_DEPTH = 8;

/** `offset` is the place of the first line in the text. */
export function readParts(lines: Lines, column: number, offset = 0, depth = 0): Parts {
  if (depth > MAX_DEPTH) return opaque(lines);
  const { nodes, tail } = cutParts(lines, {
    isAbove: isTrivial,
    endOf: (lines, start) => endOf(lines, start, column),
    read: (lines, lead, start) => {
      const place = { lead, at: offset + start, depth };
      return startsItem(lines[0]!, column) ? readItem(lines, column, place) : readKey(lines, place);
    },
  });
  // A key that comes twice is a mistake; an item is none.
  const isOpaque = nodes.some(({ item, entry, key }) =>
    item === undefined && (entry?.column !== column || key !== entry.key)
  );
  return isOpaque ? { nodes, tail, isOpaque } : { nodes, tail };
}

function endOf(lines: Lines, start: number, column: number): number {
  const isItem = startsItem(lines[start]!, column);
  let end = start + 1;
  for (let at = end; at < lines.length; at++) {
    const line = lines[at]!;
    const isDeeper = indentOf(line) > column;
    if (isTrivial(line)) {
      if (isDeeper && line.trim() !== "") end = at + 1;
      continue;
    }
    // A list's items may be as far left as its key.
    if (!isDeeper && (isItem || !startsItem(line, column))) break;
    end = at + 1;
  }
  return end;
}

interface Place {
  readonly lead: Lines;
  readonly at: number;
  readonly depth: number;
}

function readKey(lines: Lines, { lead, at, depth }: Place): Node {
  const line = lines[0]!;
  const entry = readEntry(line);
  const key = entry?.key ?? line.trim();
  if (lines.length === 1) return { key, lead, line, at, entry, body: EMPTY };
  const rest = lines.slice(1);
  const first = rest.find((line) => !isTrivial(line));
  const inner = first === undefined
    ? { nodes: [], tail: rest }
    : readParts(rest, indentOf(first), at + 1, depth + 1);
  const body = entry?.value?.raw === "" ? inner : { ...inner, isOpaque: true };
  return { key, lead, line, at, entry, body };
}

export function readItem(lines: Lines, column: number, { lead, at, depth }: Place): Node {
  const [line, ...rest] = lines as readonly [string, ...string[]];
  const entry = readEntry(line);
  if (entry !== undefined && entry.column > column) {
    const dash = line.slice(0, entry.column);
    const blank = " ".repeat(dash.length);
    const body = readParts([blank + line.slice(dash.length), ...rest], dash.length, at, depth + 1);
    if (!body.isOpaque) return { key: nameOf(body.nodes), lead, line: dash, at, body, item: "entries" };
  }
  return { key: line.trim(), lead, line, at, body: rest.length === 0 ? EMPTY : opaque(rest), item: "text" };
}

/** What names it, or all that it says except its status. */
function nameOf(entries: readonly Node[]): string {
  const values = new Map(entries.map(({ key, line }) => [key, line.slice(line.indexOf(":") + 1).trim()]));
  const names = NAMING.find((keys) => keys.some((key) => values.has(key))) ??
    [...values.keys()].filter((key) => key !== "status");
  return names.map((key) => values.get(key) ?? "").join("\n");
}

const NAMING: readonly Lines[] = [["id"], ["action", "epic"], ["summary", "source_spec"]];

const MARK = "\uFEFF";

export function splitText(text: string) {
  const mark = text.startsWith(MARK) ? MARK : "";
  // If not all lines end so, it is part of the line.
  const ends = text.split("\n").length - 1;
  const end = ends > 0 && text.split("\r\n").length - 1 === ends ? "\r\n" : "\n";
  const lines = text.slice(mark.length).split(end);
  const isEnded = lines.at(-1) === "";
  return { mark, end, isEnded, lines: isEnded ? lines.slice(0, -1) : lines };
}
