/**
 * Rows of a review in the file of a story: a pass begins, a finding is added, a finding gets a verdict.
 *
 * One row is one line; every other line stays. The new text is read again: unless it says what was to be written, and of
 * the story what it said before, nothing is returned.
 */
import { LIMITS } from "../../limits.ts";
import {
  EditedText,
  type Heading,
  isListOfRejected,
  readReview,
  readStoryText,
  type ReviewFinding,
  type RowStyle,
  type Severity,
  type StoryText,
  type Verdict,
} from "../formats/mod.ts";
import { BULLET, endOfItem, endOfSection, factsOf, refuseForm } from "./text_lines.ts";

interface RowParts {
  readonly severity?: Severity;
  readonly verdict?: Verdict;
  readonly reason?: string;
  readonly written: string;
  /** BMAD's word for the fix, if it is not the usual one. */
  readonly fix?: string;
}

interface PassParts {
  readonly date: string;
  readonly lenses: readonly string[];
}

interface Style {
  sign(parts: RowParts): string;
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

export function styleFor({ outline }: StoryText, usual: RowStyle): RowStyle {
  const hasFollowUps = outline.some(({ text }) => /^review follow-ups\b/i.test(text));
  return usual === "findings" && hasFollowUps ? "follow-ups" : usual;
}

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

export function withPass(path: string, text: string, style: RowStyle, parts: PassParts): string {
  const before = readStoryText(path, text);
  const { passes } = readReview(before);
  const edited = new EditedText(text);
  const { section, heading } = STYLES[style];
  const own = before.outline.find(section.is);
  const title = section.title === undefined ? [] : [`## ${section.title}`, ""];
  const level = own === undefined && title.length === 0 ? "##" : "###";
  const last = before.outline.find(({ line }) => line === passes.at(-1)?.line);
  const at = own === undefined
    ? edited.lastFilled()
    : Math.max(...[own, last ?? own].map((one) => endOfSection(edited, before.outline, one)));
  const made = [...(at > 0 ? [""] : []), ...(own === undefined ? title : []), `${level} ${heading(parts)}`];
  edited.insert(at, made);
  const changed = edited.toString();
  const after = readReview(readStoryText(path, changed)).passes;
  const isMeant = after.length === passes.length + 1 && after.at(-1)!.line === at + made.length &&
    isDeepEqual(factsOf(path, changed), factsOf(path, text));
  return isMeant ? changed : refuse(path);
}

export function withFinding(
  path: string,
  text: string,
  style: RowStyle,
  parts: RowParts,
): { readonly text: string; readonly line: number } {
  const { passes, findings } = readReview(readStoryText(path, text));
  const edited = new EditedText(text);
  const pass = passes.at(-1) ?? refuse(path);
  const last = findings.findLast((one) =>
    one.pass === passes.length && !isListOfRejected(one.heading) &&
    (one.style === style || style !== "follow-ups")
  );
  const [indent] = /^\s*/.exec(last === undefined ? "" : edited.lines[last.line - 1]!.text)!;
  const at = last === undefined ? pass.line : endOfItem(edited.lines, last.line);
  const next = edited.lines[at]?.text ?? "";
  const above = last === undefined ? [""] : [];
  edited.insert(at, [
    ...above,
    `${indent}- ${rowOf(style, parts)}`,
    ...(next.trim() !== "" && last === undefined ? [""] : []),
  ]);
  const line = at + above.length + 1;
  const changed = edited.toString();
  const after = readReview(readStoryText(path, changed)).findings;
  const added = after.find((one) => one.line === line);
  const [boxes, ...facts] = factsOf(path, text).toReversed() as [number, ...unknown[]];
  const isMeant = after.length === findings.length + 1 && added?.written === parts.written &&
    added.severity === parts.severity && added.verdict === parts.verdict &&
    isDeepEqual(factsOf(path, changed), [boxes + 1, ...facts].toReversed());
  return isMeant ? { text: changed, line } : refuse(path);
}

export function withVerdict(
  path: string,
  text: string,
  { id, line, heading, severity, written, style, fix }: ReviewFinding,
  decided: Pick<RowParts, "verdict" | "reason">,
): string {
  const edited = new EditedText(text);
  const row = edited.lines[line - 1] ?? refuse(path, line);
  const [bullet] = BULLET.exec(row.text) ?? refuse(path, line);
  // Refused: rows whose comments or cut-off end would be lost, and lists that hold rejected findings only.
  const isKept = !/<!--|-->/.test(row.text) && row.text.length <= LIMITS.findings.rowLength &&
    (decided.verdict === "rejected" || !isListOfRejected(heading));
  if (!isKept) refuse(path, line);
  row.text = `${bullet}${rowOf(style, { severity, written, fix, ...decided })}`;
  const changed = edited.toString();
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
  return refuseForm(path, problem, line);
}
