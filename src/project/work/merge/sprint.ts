/**
 * `sprint-status.yaml` as a tree of named parts: sections, rows, action items and their entries.
 *
 * It is read by its lines alone, by indentation, so that every byte has its place. Whatever does not look like keys and
 * values or items stays as lines.
 */
import { orderOf } from "../formats/forms.ts";
import {
  ITEMS,
  parseStamp,
  readSprintKey,
  SECTION,
  type SprintKey,
  sprintOrder,
} from "../formats/sprint_keys.ts";
import { indentOf, isTrivial, readEntry, startsItem } from "../formats/yaml_lines.ts";
import { isSame, type Lines, type Versions } from "./lines.ts";
import { type Body, countNames, EMPTY, type Grammar, type Node } from "./nodes.ts";

export const SPRINT: Grammar = {
  read: (lines) => {
    const filled = lines.findIndex((line) => !isTrivial(line));
    const start = /^--- *$/.test(lines[filled] ?? "") ? filled + 1 : 0;
    const { nodes, tail, isOpaque } = readBlock(lines.slice(start), 0);
    if (isOpaque) return undefined;
    const [first, ...others] = nodes;
    const above = lines.slice(0, start);
    if (first === undefined) return { nodes, tail: [...above, ...tail] };
    return { nodes: [{ ...first, lead: [...above, ...first.lead] }, ...others], tail };
  },
  statusIn: (path, line) => {
    const [section, key = "", field] = path;
    const isRow = section === SECTION && (path.length === 2 || path.length === 3 && field === "status");
    const isItem = section === ITEMS && path.length === 3 && field === "status";
    if (!isRow && !isItem) return undefined;
    return statusOf(line, isItem ? orderOf("story-file") : sprintOrder(readSprintKey(key)?.kind ?? "story"));
  },
  compare: (one, other) => {
    const [a, b] = [readSprintKey(one), readSprintKey(other)];
    const byPlace = a && b ? comparePlaces(a, b) : Number(b !== undefined) - Number(a !== undefined);
    return byPlace || compareTexts(one, other);
  },
};

export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

const KINDS: readonly SprintKey["kind"][] = ["epic", "story", "retro"];

function comparePlaces(one: SprintKey, other: SprintKey): number {
  const epics = [one.epic, other.epic].map(Number) as [number, number];
  return (epics.some(Number.isNaN) ? compareTexts(one.epic, other.epic) : epics[0] - epics[1]) ||
    KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || one.story - other.story ||
    compareTexts(one.letter, other.letter);
}

export function statusOf(line: string, order: ReturnType<typeof orderOf>): ReturnType<Grammar["statusIn"]> {
  const { head, value } = readEntry(line) ?? {};
  if (head === undefined || value === undefined) return undefined;
  return {
    before: head + value.lead,
    written: value.raw,
    status: value.style === "plain" ? value.raw : value.raw.slice(1, -1),
    after: value.tail,
    order,
  };
}

/** Nothing in a ledger is nested deeper. */
const MAX_DEPTH = 8;

const opaque = (lines: Lines): Body => ({ nodes: [], tail: lines, isOpaque: true });

function readBlock(lines: Lines, column: number, depth = 0): Body {
  if (depth > MAX_DEPTH) return opaque(lines);
  const nodes: Node[] = [];
  const names = countNames();
  let [lead, at] = [0, 0];
  while (at < lines.length) {
    if (isTrivial(lines[at]!)) {
      at++;
      continue;
    }
    const end = endOf(lines, at, column);
    const isItem = startsItem(lines[at]!, column);
    const node = (isItem ? readItem : readKey)(lines.slice(at, end), column, depth);
    if (node === undefined) return opaque(lines);
    const key = names(node.key);
    // A key that stands twice is a mistake; an item may be there twice.
    if (key !== node.key && !isItem) return opaque(lines);
    nodes.push({ ...node, key, lead: lines.slice(lead, at) });
    [lead, at] = [end, end];
  }
  return { nodes, tail: lines.slice(lead) };
}

/** The first line behind a part: comments that are indented further than its neighbours are still its own. */
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
    // The items of a list may be as far to the left as its key.
    if (!isDeeper && (isItem || !startsItem(line, column))) break;
    end = at + 1;
  }
  return end;
}

function readKey(lines: Lines, column: number, depth: number): Omit<Node, "lead"> | undefined {
  const [line, ...rest] = lines as readonly [string, ...string[]];
  const entry = readEntry(line);
  if (entry === undefined || indentOf(line) !== column || entry.column !== column) return undefined;
  const { key, value } = entry;
  if (rest.length === 0) return { key, line, body: EMPTY };
  if (value?.raw !== "") return { key, line, body: opaque(rest) };
  const first = rest.find((line) => !isTrivial(line));
  const body = first === undefined ? { nodes: [], tail: rest } : readBlock(rest, indentOf(first), depth + 1);
  return { key, line, body };
}

/** An item of a list: its entries, if it has nothing else. */
export function readItem(lines: Lines, column: number, depth = 0): Omit<Node, "lead"> {
  const [line, ...rest] = lines as readonly [string, ...string[]];
  const asText = {
    key: line.trim(),
    line,
    body: lines.length === 1 ? EMPTY : opaque(rest),
    item: "text",
  } as const;
  const entry = readEntry(line);
  if (entry === undefined || entry.column <= column) return asText;
  const dash = line.slice(0, entry.column);
  const body = readBlock(
    [" ".repeat(dash.length) + line.slice(dash.length), ...rest],
    dash.length,
    depth + 1,
  );
  if (body.isOpaque) return asText;
  return { key: nameOf(body.nodes), line: dash, body, item: "entries" };
}

/** What an item is about: whatever names it, or all that it says except how far it is. */
function nameOf(entries: readonly Node[]): string {
  const values = new Map(entries.map(({ key, line }) => [key, line.slice(line.indexOf(":") + 1).trim()]));
  const names = NAMING.find((keys) => keys.some((key) => values.has(key))) ??
    [...values.keys()].filter((key) => key !== "status");
  return names.map((key) => values.get(key) ?? "").join("\n");
}

const NAMING: readonly (readonly string[])[] = [["id"], ["action", "epic"], ["summary", "source_spec"]];

const DATED = /^(#? ?(?:generated|last_updated)): *["']?(\d[\d T:.Z+-]{0,40})/;

export function withLatest(versions: Versions<Lines>): Versions<Lines> {
  const [base, ours, theirs] = [datedIn(versions.base), datedIn(versions.ours), datedIn(versions.theirs)];
  const latest = new Map<string, string>();
  for (const [label, mine] of ours) {
    const yours = theirs.get(label);
    const isSettled = yours === undefined || [yours.line, base.get(label)?.line].includes(mine.line) ||
      yours.line === base.get(label)?.line;
    if (isSettled) continue;
    const isMine = mine.minutes > yours.minutes || mine.minutes === yours.minutes && mine.line > yours.line;
    latest.set(label, (isMine ? mine : yours).line);
  }
  if (latest.size === 0) return versions;
  const replaced = (lines: Lines) => lines.map((line) => latest.get(DATED.exec(line)?.[1] ?? "") ?? line);
  const result = {
    base: replaced(versions.base),
    ours: replaced(versions.ours),
    theirs: replaced(versions.theirs),
  };
  return isSame(result.ours, versions.ours) && isSame(result.theirs, versions.theirs) ? versions : result;
}

function datedIn(lines: Lines): ReadonlyMap<string, { readonly line: string; readonly minutes: number }> {
  const found = new Map<string, { readonly line: string; readonly minutes: number }>();
  for (const line of lines) {
    const [, label, time] = DATED.exec(line) ?? [];
    if (label === undefined) continue;
    const stamp = parseStamp(time!.slice(0, 16).replace("T", " ").trimEnd(), { isLenient: true });
    if (stamp !== undefined && !found.has(label)) found.set(label, { line, minutes: stamp.minutes });
  }
  return found;
}
