/**
 * How ledgers are cut: `sprint-status.yaml` by keys, rows and items; `deferred-work.md` and `open-questions.md` by
 * headings, list entries below them, and paragraphs.
 */
import { type Order, orderOf } from "../formats/forms.ts";
import {
  ITEMS,
  parseStamp,
  readSprintKey,
  SECTION,
  type SprintKey,
  sprintOrder,
} from "../formats/sprint_keys.ts";
import { indentOf, readEntry, scalarText } from "../formats/yaml_lines.ts";
import {
  countNames,
  cutParts,
  EMPTY,
  type Lines,
  type Node,
  opaque,
  type Parts,
  readItem,
  readYamlTree,
} from "../formats/yaml_tree.ts";
import { each, type Versions } from "./lines.ts";
import type { Grammar } from "./nodes.ts";

export const SPRINT: Grammar = {
  read: readYamlTree,
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

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

const KINDS: readonly SprintKey["kind"][] = ["epic", "story", "retro"];

function comparePlaces(one: SprintKey, other: SprintKey): number {
  const epics = [one.epic, other.epic].map(Number) as [number, number];
  return (epics.some(Number.isNaN) ? compareTexts(one.epic, other.epic) : epics[0] - epics[1]) ||
    KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || one.story - other.story ||
    compareTexts(one.letter, other.letter);
}

function statusOf(line: string, order: Order): ReturnType<Grammar["statusIn"]> {
  const { head, value } = readEntry(line) ?? {};
  if (head === undefined || value === undefined) return undefined;
  return {
    before: head + value.lead,
    written: value.raw,
    status: scalarText(value),
    after: value.tail,
    order,
  };
}

const DATED = /^(#? ?(?:generated|last_updated)): *["']?(\d[\d T:.Z+-]{0,40})/;

export function withLatest(versions: Versions<Lines>): Versions<Lines> {
  const { base, ours, theirs } = each(versions, datedIn);
  const latest = new Map<string, string>();
  for (const [label, mine] of ours) {
    const yours = theirs.get(label);
    const isSettled = yours === undefined || [yours.line, base.get(label)?.line].includes(mine.line) ||
      yours.line === base.get(label)?.line;
    if (isSettled) continue;
    const isMine = mine.minutes > yours.minutes || mine.minutes === yours.minutes && mine.line > yours.line;
    latest.set(label, (isMine ? mine : yours).line);
  }
  return each(versions, (lines) => lines.map((line) => latest.get(DATED.exec(line)?.[1] ?? "") ?? line));
}

function datedIn(lines: Lines) {
  const found = new Map<string, { readonly line: string; readonly minutes: number }>();
  for (const line of lines) {
    const [, label, time] = DATED.exec(line) ?? [];
    if (label === undefined) continue;
    const stamp = parseStamp(time!.slice(0, 16).replace("T", " ").trimEnd(), { isLenient: true });
    if (stamp !== undefined && !found.has(label)) found.set(label, { line, minutes: stamp.minutes });
  }
  return found;
}

const HEADING = /^(#{1,6})[ \t]/;
const BULLET = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const BOX = /^\[([ xX])\][ \t]+/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;

const BOXES: readonly string[] = ["", " ", "x"];

export const DEFERRED: Grammar = {
  read: readSections,
  statusIn: (path, line) => {
    if (path.at(-1) === "status") return statusOf(line, orderOf("story-file"));
    const bullet = BULLET.exec(line)?.[0];
    if (bullet === undefined) return undefined;
    const [written = "", mark = ""] = BOX.exec(line.slice(bullet.length)) ?? [];
    return {
      before: bullet,
      written,
      status: mark.toLowerCase(),
      after: line.slice(bullet.length + written.length),
      order: (status) => BOXES.indexOf(status),
    };
  },
  compare: (one, other) =>
    Number(one.startsWith("#")) - Number(other.startsWith("#")) || compareTexts(one, other),
};

function readSections(lines: Lines): Parts {
  const starts = headingsIn(lines);
  const above = readList(lines.slice(0, starts[0]?.at));
  const nodes: Node[] = [...above.nodes];
  const names = countNames();
  let lead = above.tail;
  for (let at = 0; at < starts.length;) {
    const { at: start, depth } = starts[at]!;
    do at++; while (at < starts.length && starts[at]!.depth > depth);
    const line = lines[start]!;
    const body = readSections(lines.slice(start + 1, starts[at]?.at));
    const key = names(line.trimEnd());
    // Blank lines above a heading are its own.
    const isLast = at === starts.length;
    nodes.push({ key, lead, line, body: isLast ? body : { ...body, tail: [] }, item: "section" });
    lead = isLast ? [] : body.tail;
  }
  return { nodes, tail: lead };
}

function headingsIn(lines: Lines): readonly { readonly at: number; readonly depth: number }[] {
  const found: { readonly at: number; readonly depth: number }[] = [];
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const depth = fence === undefined ? HEADING.exec(line)?.[1]?.length : undefined;
    if (depth !== undefined) found.push({ at, depth });
  }
  return found;
}

function readList(lines: Lines): Parts {
  return cutParts(lines, { isAbove: (line) => line.trim() === "", endOf, read: readPart });
}

function endOf(lines: Lines, start: number): number {
  const column = BULLET.test(lines[start]!) ? indentOf(lines[start]!) : undefined;
  let fence = FENCE.exec(lines[start]!)?.[1];
  let end = start + 1;
  for (let at = end; at < lines.length; at++) {
    const line = lines[at]!;
    const mark = FENCE.exec(line)?.[1];
    const isCode = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    if (isCode) {
      end = at + 1;
      continue;
    }
    const isInside = column !== undefined && indentOf(line) > column;
    if (line.trim() === "") {
      if (column === undefined) break;
      continue;
    }
    // A paragraph goes on without indentation, but not behind a blank line.
    if (!isInside && (BULLET.test(line) || end !== at)) break;
    end = at + 1;
  }
  return end;
}

function readPart(lines: Lines, lead: Lines, at: number): Node {
  const [line, ...rest] = lines as readonly [string, ...string[]];
  const body = rest.length === 0 ? EMPTY : opaque(rest);
  const bullet = BULLET.exec(line)?.[0];
  if (bullet === undefined) return { key: `¶ ${lines.join("\n")}`, lead, line, body, item: "text" };
  const item = bullet.trimStart().startsWith("- ")
    ? readItem(lines, indentOf(line), { lead, at, depth: 0 })
    : undefined;
  if (item?.item === "entries" && isRecord(item.body)) return { ...item, key: `- ${item.key}` };
  const text = line.slice(bullet.length);
  return { key: `- ${text.slice(BOX.exec(text)?.[0].length ?? 0).trim()}`, lead, line, body, item: "text" };
}

/** BMAD 6.12 and later write entries; a sentence with a colon is none. */
function isRecord({ nodes }: Parts): boolean {
  return nodes.some(({ key }) => key === "summary" || key === "source_spec");
}
