/**
 * What reviews have found in a story: the passes and rows that BMAD has a reviewer write into its file.
 */
import { isOfReview } from "./boxes.ts";
import type { StoryText } from "./document.ts";
import { idOf, readRow, type Severity, type Verdict } from "./finding_rows.ts";
import type { RowStyle } from "./model.ts";

/** One row. */
export interface ReviewFinding {
  /** Of its words and its file: it stays the same when its verdict or its line changes. */
  readonly id: string;
  /** The story's file, and the line. */
  readonly path: string;
  readonly line: number;
  /** The heading or label above it. */
  readonly heading: string;
  /** Counted from 1. */
  readonly pass: number;
  readonly severity?: Severity;
  /** What is wrong, without the place. */
  readonly text: string;
  /** Where, as it is written: `src/a.ts:4`. */
  readonly file?: string;
  /** Undefined if nobody has decided, or the row does not say. */
  readonly verdict?: Verdict;
  readonly reason?: string;
  /** Whether something is left to be done about it. */
  readonly isOpen: boolean;
  /** Whether it says both that a finding counts and that it was thrown away. */
  readonly isDismissed: boolean;
  readonly style: RowStyle;
  /** Its word for what is to be done, where that is a fix: `patch`, `bad-spec`. */
  readonly fix?: string;
  /** Its words, its place and what follows them as they are written, without a verdict and what strikes them out. */
  readonly written: string;
}

/** One look at a story by a reviewer. */
export interface ReviewPass {
  /** The story's file, and the line. */
  readonly path: string;
  readonly line: number;
  readonly heading: string;
  /** What it was looked at for, if that is written down. */
  readonly lenses: readonly string[];
}

/** All that the file of a story says of its reviews. */
export interface Review {
  readonly passes: readonly ReviewPass[];
  readonly findings: readonly ReviewFinding[];
}

/** More than any review has. */
const MAX_FINDINGS = 2_000;
const ITEM = /^(?:[-*+]|\d{1,4}[.)])\s+/;
const PASS = /\breview (?:pass|findings|follow-ups?|date)\b|^senior developer review\b/i;

/** Reads what the file of a story says of its reviews. */
export function readReview({ path, allBoxes, lines, outline }: StoryText): Review {
  const boxes = allBoxes.filter(isOfReview);
  const isBox = new Set(boxes.map(({ line }) => line));
  const rows = [
    ...boxes.map((box) => ({ ...box, label: box.heading, box })),
    ...(lines.get("review") ?? []).filter(({ line, text }) => !isBox.has(line) && ITEM.test(text))
      .map(({ text, ...one }) => ({ ...one, text: text.replace(ITEM, ""), box: undefined })),
  ].sort((a, b) => a.line - b.line).slice(0, MAX_FINDINGS);
  const named = outline.filter(({ role, text }) => role === "review" && PASS.test(text));
  // 6.0 writes the same findings into both sections.
  const isTwice = named.some(({ text }) => /^review follow-ups\b/i.test(text));
  const headings = named.filter(({ text }) => !isTwice || !/^senior developer review\b/i.test(text));
  const findings: ReviewFinding[] = [];
  const passes: ReviewPass[] = [];
  /** The ids of findings with the same words in the same file, by their lines. */
  const alike = new Map<string, Map<string, string>>();
  const nameOf = (text: string, file: string | undefined) => {
    const id = idOf(text, file);
    const known = alike.getOrInsertComputed(id, () => new Map());
    return known.getOrInsertComputed(file ?? "", () => known.size === 0 ? id : `${id}-${known.size + 1}`);
  };
  let pass: typeof headings[number] | undefined;
  let isEmpty = true;
  const begin = (next: typeof headings[number]) => {
    const own = pass;
    const isPart = own !== undefined && next.level > own.level &&
      !outline.some(({ line, level }) => line > own.line && line < next.line && level <= own.level);
    // A part of a section that is a pass by itself.
    if (isPart && isEmpty) passes.pop();
    passes.push({ path, line: next.line, heading: next.text, lenses: lensesIn(next.text) });
    pass = next;
    isEmpty = true;
  };
  let at = 0;
  for (const row of rows) {
    while (at < headings.length && headings[at]!.line < row.line) begin(headings[at++]!);
    const read = readRow(row);
    if (read === undefined) continue;
    const { isCarried, ...found } = read;
    const id = nameOf(found.text, found.file);
    if (isCarried && findings.some((one) => one.id === id)) continue;
    if (passes.length === 0) passes.push({ path, line: row.line, heading: row.label, lenses: [] });
    isEmpty = false;
    findings.push({ id, path, line: row.line, heading: row.label, pass: passes.length, ...found });
  }
  while (at < headings.length) begin(headings[at++]!);
  return { passes, findings };
}

/** Each finding once, although it may stand in two rows: an open one, if there is any. */
export function eachOnce(findings: readonly ReviewFinding[]): readonly ReviewFinding[] {
  const rows = Map.groupBy(findings, ({ id }) => id).values();
  return [...rows].map((all) => all.find(({ isOpen }) => isOpen) ?? all[0]!);
}

/** `(edge cases, security)` at the end of a heading. */
function lensesIn(heading: string): readonly string[] {
  const [, inside = ""] = /\(([^()]{1,200})\)$/.exec(heading.trim()) ?? [];
  return inside.split(",").map((one) => one.trim()).filter((one) => /\p{L}/u.test(one) && one !== "AI");
}
