/**
 * `sprint-status.yaml`: which of its lines have a status, the order of its rows, and the later one of its times.
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
import { readEntry, scalarText } from "../formats/yaml_lines.ts";
import { type Lines, readYamlTree } from "../formats/yaml_tree.ts";
import { isSame, type Versions } from "./lines.ts";
import type { Grammar } from "./nodes.ts";

export const SPRINT: Grammar = {
  read: (lines) => {
    const tree = readYamlTree(lines);
    return tree.isOpaque ? undefined : tree;
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
    status: scalarText(value),
    after: value.tail,
    order,
  };
}

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
