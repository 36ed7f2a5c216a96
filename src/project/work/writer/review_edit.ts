/**
 * Rows of a review in the file of a story: a pass begins, a finding is added, a finding gets a verdict.
 *
 * One row is one line; every other line stays. The new text is read again: unless it says what was to be written, and of
 * the story what it said before, nothing is returned.
 */
import { fail } from "../../../base/errors.ts";
import {
  type Heading,
  isListOfRejected,
  MAX_ROW,
  readReview,
  readStoryText,
  type ReviewFinding,
  type RowStyle,
  type Severity,
  type StoryText,
  type Verdict,
} from "../formats/mod.ts";
import {
  BULLET,
  endOf,
  endOfItem,
  endOfSection,
  factsOf,
  insert,
  joined,
  lastFilled,
  linesIn,
} from "./text_lines.ts";

/** What is written in a row. */
export interface RowParts {
  readonly severity?: Severity;
  readonly verdict?: Verdict;
  readonly reason?: string;
  /** The words of the finding with its place. */
  readonly written: string;
  /** Its word for the fix, if it has another than the usual one. */
  readonly fix?: string;
}

/** How a pass begins. */
export interface PassParts {
  readonly date: string;
  readonly lenses: readonly string[];
}

interface Style {
  /** The words between the bullet and the finding. */
  sign(parts: RowParts): string;
  /** The section that holds the passes, and how it is called where it is made. */
  readonly section: { readonly is: (heading: Heading) => boolean; readonly title?: string };
  heading(parts: PassParts): string;
}

/** The route of 6.2 to 6.12 for each verdict; what nobody has decided needs a decision. */
const ROUTES: Readonly<Record<Verdict | "none", string>> = {
  none: "Decision",
  accepted: "Patch",
  fixed: "Patch",
  deferred: "Defer",
  rejected: "Reject",
};

const STYLES: Readonly<Record<RowStyle, Style>> = {
  "findings": {
    sign: ({ severity, verdict }) =>
      `${boxFor(verdict)} [Review][${ROUTES[verdict ?? "none"]}]${severity ? `[${capital(severity)}]` : ""} `,
    section: { is: ({ level, role }) => level === 2 && role === "tasks" },
    heading: (parts) => `Review Findings ${passWords(parts)}`,
  },
  "follow-ups": {
    sign: ({ severity, verdict }) =>
      `${boxFor(verdict)} [AI-Review]${severity ? `[${capital(severity)}]` : ""} `,
    section: { is: ({ level, role }) => level === 2 && role === "tasks" },
    heading: (parts) => `Review Follow-ups (AI) ${passWords(parts)}`,
  },
  "triage": {
    sign: ({ severity, verdict, fix }) => {
      const isFixed = verdict === "accepted" || verdict === "fixed";
      const route = isFixed && fix ? fix.replaceAll("-", "_") : verdict && ROUTES[verdict].toLowerCase();
      // A verdict of high or medium says that the finding is true.
      const word = verdict === "rejected" && severity !== "low" ? "false" : severity ?? "maybe-false";
      return `${isSettled(verdict) ? "" : "[ ] "}\`[${word}]\` ${
        route === undefined ? "" : `\`[${route}]\` `
      }`;
    },
    section: {
      is: ({ level, text }) => level === 2 && /\btriage log\b/i.test(text),
      title: "Review Triage Log",
    },
    heading: ({ date, lenses }) => `${date} — Review pass${lensWords(lenses)}`,
  },
  "checklist": {
    sign: ({ severity, verdict }) =>
      `${boxFor(verdict)} ${severity && verdict !== "rejected" ? `[${capital(severity)}] ` : ""}`,
    section: { is: ({ level, text }) => level === 2 && /^qa results\b/i.test(text), title: "QA Results" },
    heading: (parts) => `Review Date: ${passWords(parts)}`,
  },
};

function isSettled(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && verdict !== "accepted";
}

function boxFor(verdict: Verdict | undefined): string {
  return isSettled(verdict) ? "[x]" : "[ ]";
}

function capital(word: string): string {
  return `${word[0]!.toUpperCase()}${word.slice(1)}`;
}

function passWords({ date, lenses }: PassParts): string {
  return `${date}${lensWords(lenses)}`;
}

function lensWords(lenses: readonly string[]): string {
  return lenses.length === 0 ? "" : ` (${lenses.join(", ")})`;
}

/** The style that a file is written in: its own, or that of its form. */
export function styleFor({ outline }: StoryText, usual: RowStyle): RowStyle {
  const hasFollowUps = outline.some(({ text }) => /^review follow-ups\b/i.test(text));
  return usual === "findings" && hasFollowUps ? "follow-ups" : usual;
}

/** The words of a finding and its place, as they are written in a row. */
export function writtenAs(style: RowStyle, text: string, file: string | undefined): string {
  if (file === undefined) return text;
  if (/[\s()]/.test(file)) return `${text} \`${file}\``;
  return style === "checklist" ? `${text} (${file})` : `${text} [${file}]`;
}

function rowOf(style: RowStyle, parts: RowParts): string {
  const { written, verdict, reason } = parts;
  const words = style === "checklist" && verdict === "rejected"
    ? `~~${written.replaceAll("~~", "")}~~`
    : written;
  const decided = verdict === undefined ? "" : ` — ${verdict}${reason === undefined ? "" : `: ${reason}`}`;
  return `${STYLES[style].sign(parts)}${words}${decided}`;
}

/** The text with a pass that has begun, below all that there are. */
export function withPass(path: string, text: string, style: RowStyle, parts: PassParts): string {
  const before = readStoryText(path, text);
  const { passes } = readReview(before);
  const lines = linesIn(text);
  const { section, heading } = STYLES[style];
  const own = before.outline.find(section.is);
  const title = section.title === undefined ? [] : [`## ${section.title}`, ""];
  const level = own === undefined && title.length === 0 ? "##" : "###";
  const last = before.outline.find(({ line }) => line === passes.at(-1)?.line);
  const at = own === undefined
    ? lastFilled(lines, lines.length)
    : Math.max(...[own, last ?? own].map((one) => endOfSection(lines, before.outline, one)));
  const made = [...(at > 0 ? [""] : []), ...(own === undefined ? title : []), `${level} ${heading(parts)}`];
  insert(lines, at, made, endOf(lines));
  const changed = joined(text, lines);
  const after = readReview(readStoryText(path, changed)).passes;
  const isMeant = after.length === passes.length + 1 && after.at(-1)!.line === at + made.length &&
    isDeepEqual(factsOf(path, changed), factsOf(path, text));
  return isMeant ? changed : refuse(path);
}

/** The text with another finding in its last pass, which has to be there, and its line. */
export function withFinding(
  path: string,
  text: string,
  style: RowStyle,
  parts: RowParts,
): { readonly text: string; readonly line: number } {
  const { passes, findings } = readReview(readStoryText(path, text));
  const lines = linesIn(text);
  const pass = passes.at(-1) ?? refuse(path);
  const last = findings.findLast((one) =>
    one.pass === passes.length && !isListOfRejected(one.heading) &&
    (one.style === style || style !== "follow-ups")
  );
  const [indent] = /^\s*/.exec(last === undefined ? "" : lines[last.line - 1]!.text)!;
  const at = last === undefined ? pass.line : endOfItem(lines, last.line);
  const next = lines[at]?.text ?? "";
  const above = last === undefined ? [""] : [];
  insert(lines, at, [
    ...above,
    `${indent}- ${rowOf(style, parts)}`,
    ...(next.trim() !== "" && last === undefined ? [""] : []),
  ], endOf(lines));
  const line = at + above.length + 1;
  const changed = joined(text, lines);
  const after = readReview(readStoryText(path, changed)).findings;
  const added = after.find((one) => one.line === line);
  const [boxes, ...facts] = factsOf(path, text).toReversed() as [number, ...unknown[]];
  const isMeant = after.length === findings.length + 1 && added?.written === parts.written &&
    added.severity === parts.severity && added.verdict === parts.verdict &&
    isDeepEqual(factsOf(path, changed), [boxes + 1, ...facts].toReversed());
  return isMeant ? { text: changed, line } : refuse(path);
}

/** The text with another verdict on a finding. */
export function withVerdict(
  path: string,
  text: string,
  { id, line, heading, severity, written, style, fix }: ReviewFinding,
  decided: Pick<RowParts, "verdict" | "reason">,
): string {
  const lines = linesIn(text);
  const row = lines[line - 1] ?? refuse(path, line);
  const [bullet] = BULLET.exec(row.text) ?? refuse(path, line);
  // What a comment hides, and what is not read to its end, would be lost; a list of rejected ones has no others.
  const isKept = !/<!--|-->/.test(row.text) && row.text.length <= MAX_ROW &&
    (decided.verdict === "rejected" || !isListOfRejected(heading));
  if (!isKept) refuse(path, line);
  row.text = `${bullet}${rowOf(style, { severity, written, fix, ...decided })}`;
  const changed = joined(text, lines);
  const after = readReview(readStoryText(path, changed)).findings.find((one) => one.line === line);
  const isMeant = after?.id === id && after.verdict === decided.verdict && after.written === written &&
    isDeepEqual(factsOf(path, changed).slice(0, -2), factsOf(path, text).slice(0, -2));
  return isMeant ? changed : refuse(path, line);
}

function isDeepEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function refuse(path: string, line?: number): never {
  const problem = "its review is written in a way that only a person can change";
  return fail({ code: "invalid-file", path, problem, ...(line !== undefined && { line }) });
}
