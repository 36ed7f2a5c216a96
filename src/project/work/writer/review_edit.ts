/**
 * Rows of a review in the story's file: one line each. The new text is read again, and refused unless it says what was
 * to be written, and of the story what it said before.
 */
import { LIMITS } from "../../limits.ts";
import {
  EditedText,
  type Heading,
  isListOfRejected,
  type Moment,
  readReview,
  readStoryText,
  renderMoment,
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
  readonly found?: Moment;
  readonly settled?: Moment;
  /** Unless it is BMAD's usual word. */
  readonly fix?: string;
}

export type Decided = Pick<RowParts, "verdict" | "reason" | "settled">;

interface Style {
  sign(parts: RowParts): string;
  isSection(heading: Heading): boolean;
  readonly title?: string;
  heading(date: string, lenses: string): string;
}

const isTasks = ({ level, role }: Heading) => level === 2 && role === "tasks";

/** For 6.2 to 6.12; what nobody has decided needs a decision. */
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
      `${boxFor(verdict)} [Review][${ROUTES[verdict ?? "none"]}]${tagOf(severity)} `,
    isSection: isTasks,
    heading: (date, lenses) => `Review Findings ${date}${lenses}`,
  },
  "follow-ups": {
    sign: ({ severity, verdict }) => `${boxFor(verdict)} [AI-Review]${tagOf(severity)} `,
    isSection: isTasks,
    heading: (date, lenses) => `Review Follow-ups (AI) ${date}${lenses}`,
  },
  "triage": {
    sign: ({ severity, verdict, fix }) => {
      const isFixed = verdict === "accepted" || verdict === "fixed";
      const route = isFixed && fix ? fix.replaceAll("-", "_") : verdict && ROUTES[verdict].toLowerCase();
      // High or medium means true.
      const word = verdict === "rejected" && severity !== "low" ? "false" : severity ?? "maybe-false";
      return `${isSettled(verdict) ? "" : "[ ] "}\`[${word}]\` ${
        route === undefined ? "" : `\`[${route}]\` `
      }`;
    },
    isSection: ({ level, text }) => level === 2 && /\btriage log\b/i.test(text),
    title: "Review Triage Log",
    heading: (date, lenses) => `${date} — Review pass${lenses}`,
  },
  "checklist": {
    sign: ({ severity, verdict }) =>
      `${boxFor(verdict)} ${severity && verdict !== "rejected" ? `${tagOf(severity)} ` : ""}`,
    isSection: ({ level, text }) => level === 2 && /^qa results\b/i.test(text),
    title: "QA Results",
    heading: (date, lenses) => `Review Date: ${date}${lenses}`,
  },
};

function isSettled(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && verdict !== "accepted";
}

function boxFor(verdict: Verdict | undefined): string {
  return isSettled(verdict) ? "[x]" : "[ ]";
}

function tagOf(severity: Severity | undefined): string {
  return severity === undefined ? "" : `[${severity[0]!.toUpperCase()}${severity.slice(1)}]`;
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
  const { written, verdict, reason, found, settled } = parts;
  const words = style === "checklist" && verdict === "rejected"
    ? `~~${written.replaceAll("~~", "")}~~`
    : written;
  const origin = found === undefined ? "" : ` — found ${renderMoment(found)}`;
  const decided = verdict === undefined ? "" : ` — ${decidedWords({ verdict, reason, settled })}`;
  return `${STYLES[style].sign(parts)}${words}${origin}${decided}`;
}

/** `fixed 2026-08-02 by Ann: a lock`. */
export function decidedWords({ verdict, reason, settled }: Decided): string {
  const when = settled === undefined ? "" : ` ${renderMoment(settled)}`;
  return `${verdict}${when}${reason === undefined ? "" : `: ${reason}`}`;
}

export function withPass(
  path: string,
  text: string,
  style: RowStyle,
  { date, lenses }: { readonly date: string; readonly lenses: readonly string[] },
): string {
  const before = readStoryText(path, text);
  const { passes } = readReview(before);
  const edited = new EditedText(text);
  const { isSection, title, heading } = STYLES[style];
  const own = before.outline.find(isSection);
  const last = before.outline.find(({ line }) => line === passes.at(-1)?.line);
  const at = own === undefined
    ? edited.lastFilled()
    : Math.max(...[own, last ?? own].map((one) => endOfSection(edited, before.outline, one)));
  const level = own === undefined && title === undefined ? "##" : "###";
  const added = [
    ...(at > 0 ? [""] : []),
    ...(own === undefined && title !== undefined ? [`## ${title}`, ""] : []),
    `${level} ${heading(date, lenses.length === 0 ? "" : ` (${lenses.join(", ")})`)}`,
  ];
  edited.insert(at, added);
  const changed = edited.toString();
  const after = readStoryText(path, changed);
  const begun = readReview(after).passes;
  const isMeant = begun.length === passes.length + 1 && begun.at(-1)!.line === at + added.length &&
    keepsFacts(path, [text, before], [changed, after], 0);
  return isMeant ? changed : refuse(path);
}

export function withFinding(path: string, text: string, style: RowStyle, parts: RowParts) {
  const before = readStoryText(path, text);
  const { passes, findings } = readReview(before);
  const edited = new EditedText(text);
  const pass = passes.at(-1) ?? refuse(path);
  const last = findings.findLast((one) =>
    one.pass === passes.length && !isListOfRejected(one.heading) &&
    (one.style === style || style !== "follow-ups")
  );
  const row = `- ${rowOf(style, parts)}`;
  const at = last === undefined ? pass.line : endOfItem(edited.lines, last.line);
  if (last === undefined) {
    const isFilledBelow = (edited.lines[at]?.text ?? "").trim() !== "";
    edited.insert(at, ["", row, ...(isFilledBelow ? [""] : [])]);
  } else edited.insert(at, [`${/^\s*/.exec(edited.lines[last.line - 1]!.text)![0]}${row}`]);
  const line = at + (last === undefined ? 2 : 1);
  const changed = edited.toString();
  const after = readStoryText(path, changed);
  const found = readReview(after).findings;
  const added = found.find((one) => one.line === line);
  const isMeant = found.length === findings.length + 1 && added?.written === parts.written &&
    added.severity === parts.severity && added.verdict === parts.verdict &&
    keepsFacts(path, [text, before], [changed, after], 1);
  return isMeant ? { text: changed, line } : refuse(path);
}

export function withVerdict(
  path: string,
  text: string,
  { id, line, heading, severity, written, style, fix, found }: ReviewFinding,
  decided: Decided,
): string {
  const edited = new EditedText(text);
  const row = edited.lines[line - 1] ?? refuse(path, line);
  const [bullet] = BULLET.exec(row.text) ?? refuse(path, line);
  // Refused where comments or a cut-off end would be lost, and for lists of rejected findings only.
  const isKept = !/<!--|-->/.test(row.text) && row.text.length <= LIMITS.findings.rowLength &&
    (decided.verdict === "rejected" || !isListOfRejected(heading));
  if (!isKept) refuse(path, line);
  row.text = `${bullet}${rowOf(style, { severity, written, fix, found, ...decided })}`;
  const changed = edited.toString();
  const after = readReview(readStoryText(path, changed)).findings.find((one) => one.line === line);
  const isMeant = after?.id === id && after.verdict === decided.verdict && after.written === written &&
    factsOf(path, changed) === factsOf(path, text);
  return isMeant ? changed : refuse(path, line);
}

type Read = readonly [text: string, story: StoryText];

/** Besides reviews, only `added` boxes, unticked, are new. */
function keepsFacts(path: string, [old, before]: Read, [text, after]: Read, added: number): boolean {
  return after.boxes.ticked === before.boxes.ticked && after.boxes.total === before.boxes.total + added &&
    factsOf(path, text) === factsOf(path, old);
}

function refuse(path: string, line?: number): never {
  const problem = "its review is written in a way that only a person can change";
  return refuseForm(path, problem, line);
}
