/**
 * Merges three versions of a ledger for git: sprints by rows and action items, deferred work and questions by entries,
 * anything else or in doubt line by line. Contradictions remain between git's marks.
 */
import { DEFERRED_FILE, isSprintFile, QUESTIONS_FILE, SPRINT_FILES } from "../formats/sprint_keys.ts";
import { type Lines, type Parts, splitText } from "../formats/yaml_tree.ts";
import { DEFERRED, SPRINT, withLatest } from "./grammars.ts";
import { type Contradict, each, mergeLines, pick, type Versions } from "./lines.ts";
import { type Grammar, mergeBodies } from "./nodes.ts";

type SplitText = ReturnType<typeof splitText>;

const LISTS: readonly string[] = [DEFERRED_FILE, QUESTIONS_FILE];

export const MERGED_FILES: readonly string[] = [...SPRINT_FILES, ...LISTS];

/** The exit status for conflicts; Deno, shells and npm have others. */
export const CONFLICTS = 65;

/** A result is first written beside the file that it replaces. */
export const DRAFT = ".bmad-mcp-draft";

/** `size`: the length of git's marks. */
export function mergeLedger(path: string, versions: Versions<string>, size = 7) {
  const picked = pick(versions);
  if (picked !== undefined) return { text: picked, conflicts: 0 };
  const texts = each(versions, splitText);
  const mark = shared(texts, "mark", "");
  const end = shared(texts, "end", "\n");
  const isEnded = shared(texts, "isEnded", true);
  const lines = each(texts, ({ lines }) => lines);
  let conflicts = 0;
  const contradict: Contradict = (ours, theirs) => {
    conflicts++;
    return [
      `${"<".repeat(size)} ours`,
      ...ours,
      "=".repeat(size),
      ...theirs,
      `${">".repeat(size)} theirs`,
    ];
  };
  const byParts = mergeByParts(path, lines, contradict);
  // A part may fit into neither version any more, as when one side indented the others.
  const isSound = conflicts > 0 || byParts?.isSound;
  const merged = byParts !== undefined && isSound ? byParts.lines : mergeLines(lines, contradict);
  const isOpen = !isEnded && !merged.at(-1)?.startsWith(">".repeat(size));
  return { text: mark + merged.join(end) + (isOpen || merged.length === 0 ? "" : end), conflicts };
}

/** Undefined without a grammar that all versions follow. */
function mergeByParts(path: string, texts: Versions<Lines>, contradict: Contradict) {
  const grammar = grammarOf(path);
  if (grammar === undefined || [texts.base, texts.ours, texts.theirs].some(isUnsettled)) return undefined;
  const { base, ours, theirs } = each(grammar === SPRINT ? withLatest(texts) : texts, grammar.read);
  if (base.isOpaque || ours.isOpaque || theirs.isOpaque) return undefined;
  const lines = mergeBodies({ base, ours, theirs }, grammar, contradict);
  const known = new Set([...opaqueIn(ours), ...opaqueIn(theirs)]);
  const merged = grammar.read(lines);
  return { lines, isSound: !merged.isOpaque && opaqueIn(merged).every((key) => known.has(key)) };
}

function opaqueIn({ nodes }: Parts): readonly string[] {
  return nodes.filter(({ body }) => body.isOpaque).map(({ key }) => key);
}

function grammarOf(path: string): Grammar | undefined {
  if (isSprintFile(path)) return SPRINT;
  return LISTS.includes(path.slice(path.lastIndexOf("/") + 1)) ? DEFERRED : undefined;
}

function isUnsettled(lines: Lines): boolean {
  return lines.some((line) => line.startsWith("<<<<<<<") || line.startsWith(">>>>>>>"));
}

/** An empty text is like any other; where the sides differ, the default counts. */
function shared<K extends "mark" | "end" | "isEnded">(
  texts: Versions<SplitText>,
  part: K,
  otherwise: SplitText[K],
) {
  const { base, ours, theirs } = each(texts, (one) => one.lines.length === 0 ? undefined : one[part]);
  return pick({ base, ours: ours ?? theirs, theirs: theirs ?? ours }) ?? otherwise;
}
