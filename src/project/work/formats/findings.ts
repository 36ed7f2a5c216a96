/**
 * What reviews have found in a story: the passes and rows that BMAD has a reviewer write into its file.
 */
import { LIMITS } from "../../limits.ts";
import { isReviewBox } from "./roles.ts";
import type { StoryText } from "./document.ts";
import { findingId, readRow, type Severity, type Verdict } from "./finding_rows.ts";
import type { RowStyle } from "./model.ts";

export interface ReviewFinding {
  /** Of its words and its file: it stays the same when its verdict or its line changes. */
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly heading: string;
  readonly pass: number;
  readonly severity?: Severity;
  readonly text: string;
  readonly file?: string;
  readonly verdict?: Verdict;
  readonly reason?: string;
  readonly isOpen: boolean;
  /** Whether it says both that a finding counts and that it was thrown away. */
  readonly isDismissed: boolean;
  readonly style: RowStyle;
  /** Its word for what is to be done, where that is a fix: `patch`, `bad-spec`. */
  readonly fix?: string;
  /** Its words, its place and what follows them as they are written, without a verdict and what strikes them out. */
  readonly written: string;
}

export interface ReviewPass {
  readonly path: string;
  readonly line: number;
  readonly heading: string;
  readonly lenses: readonly string[];
}

export interface Review {
  readonly passes: readonly ReviewPass[];
  readonly findings: readonly ReviewFinding[];
}

const ITEM = /^(?:[-*+]|\d{1,4}[.)])\s+/;
const PASS = /\breview (?:pass|findings|follow-ups?|date)\b|^senior developer review\b/i;

export function readReview({ path, allBoxes, lines, outline }: StoryText): Review {
  const boxes = allBoxes.filter(isReviewBox);
  const isBox = new Set(boxes.map(({ line }) => line));
  const rows = [
    ...boxes.map((box) => ({ ...box, label: box.heading, box })),
    ...(lines.get("review") ?? []).filter(({ line, text }) => !isBox.has(line) && ITEM.test(text))
      .map(({ text, ...one }) => ({ ...one, text: text.replace(ITEM, ""), box: undefined })),
  ].sort((a, b) => a.line - b.line).slice(0, LIMITS.findings.rows);
  const named = outline.filter(({ role, text }) => role === "review" && PASS.test(text));
  // 6.0 writes the same findings into both sections.
  const isTwice = named.some(({ text }) => /^review follow-ups\b/i.test(text));
  const headings = named.filter(({ text }) => !isTwice || !/^senior developer review\b/i.test(text));
  const findings: ReviewFinding[] = [];
  const passes: ReviewPass[] = [];
  /** The ids of findings with the same words in the same file, by their lines. */
  const alike = new Map<string, Map<string, string>>();
  const nameOf = (text: string, file: string | undefined) => {
    const id = findingId(text, file);
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
export function uniqueFindings(findings: readonly ReviewFinding[]): readonly ReviewFinding[] {
  const rows = Map.groupBy(findings, ({ id }) => id).values();
  return [...rows].map((all) => all.find(({ isOpen }) => isOpen) ?? all[0]!);
}

function lensesIn(heading: string): readonly string[] {
  const [, inside = ""] = /\(([^()]{1,200})\)$/.exec(heading.trim()) ?? [];
  return inside.split(",").map((one) => one.trim()).filter((one) => /\p{L}/u.test(one) && one !== "AI");
}
