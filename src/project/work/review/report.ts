/** The packet for a reviewer who knows nothing, and the answer to whoever records or settles a finding. */
import { bulleted, joinLines, type Report, section, textLines } from "../../../base/report.ts";
import { abbreviateList, counted, oneLine } from "../../../base/text.ts";
import { identityOf, type StoryMatch } from "../board/mod.ts";
import {
  markLine,
  type Moment,
  renderMoment,
  type ReviewFinding,
  type ReviewPass,
  type Story,
  type Verdict,
} from "../formats/mod.ts";

export interface DiffSource {
  /** Together: all that is known to be the story's; the first: what is committed. */
  readonly commands: readonly { readonly command: string; readonly shows: string }[];
  /** Where it begins, or why that is unknown. */
  readonly from: string;
  /** What is committed; undefined if commits may not be read. */
  readonly size?: { readonly files: number; readonly added: number; readonly deleted: number };
  readonly uncommitted: readonly string[];
  readonly added: readonly string[];
  /** Why it is not known what is not committed. */
  readonly problem?: string;
}

/** Those that write are missing where nothing may be written. */
export interface ReviewCalls {
  review(story: string): string;
  /** Added to record a finding that resembles a known one. */
  readonly force: string;
  begin?(story: string): string;
  /** What keeps it from being done. */
  check?(story: string): string;
  mark?(story: string, status: string, by?: string, reason?: string): string;
  record?(story: string): string;
  settle?(story: string, id: string, verdict: Verdict | "VERDICT", reason?: string): string;
}

const MAX_PASSES = 5;
const MAX_CRITERIA = 50;
const MAX_TOLD = 100;
const MAX_PATHS = 10;

export const NEW = "new, not in git";

/** Without new findings above low severity, a pass ends the review. */
export function adviseReview(
  passes: readonly ReviewPass[],
  findings: readonly ReviewFinding[],
  hasJustBegun = false,
): { readonly isOver: boolean; readonly isRunning: boolean; readonly advice: string } {
  const number = passes.length;
  if (number === 0) return { isOver: false, isRunning: false, advice: "No pass has begun." };
  const open = findings.filter(({ isOpen }) => isOpen).length;
  const isGrave = ({ severity, verdict }: ReviewFinding) => severity !== "low" && verdict !== "rejected";
  const found = findings.filter(({ pass }) => pass === number);
  const grave = found.filter(isGrave).length;
  const again = findings.filter((one) => one.isOpen && one.pass < number && isGrave(one)).length;
  const left = open === 0 ? "" : ` ${counted(open, "finding is", "findings are")} still to be settled.`;
  const isRunning = found.length === 0;
  if (again > 0) {
    const earlier = `${counted(again, "finding")} of earlier passes above low severity`;
    const are = again === 1 ? "is" : "are";
    return {
      isOver: false,
      isRunning,
      advice: `${earlier} ${are} open. ${
        isRunning ? `Pass ${number} has begun.` : "Another pass is due once that is settled."
      }`,
    };
  }
  if (grave === 0) {
    const advice = hasJustBegun
      ? `Pass ${number} has begun. One that brings nothing new above low severity ends the review.`
      : `The review has ended: pass ${number} brought nothing new above low severity.`;
    return { isOver: true, isRunning, advice: `${advice}${left}` };
  }
  const brought = `Pass ${number} brought ${counted(grave, "new finding")} above low severity.`;
  if (number >= MAX_PASSES) {
    const advice = `${brought} After ${MAX_PASSES} passes, let a person decide how to go on.`;
    return { isOver: true, isRunning, advice };
  }
  const due = open === 0 ? "Another pass is due." : "Another pass is due after that.";
  return { isOver: false, isRunning, advice: `${brought}${left} ${due}` };
}

interface ReviewRequest {
  readonly found: StoryMatch;
  readonly file: string;
  readonly passes: readonly ReviewPass[];
  readonly findings: readonly ReviewFinding[];
  readonly diff: DiffSource;
  readonly hasJustBegun: boolean;
  clean(text: string): string;
}

type ReviewPacket = ReturnType<typeof packetOf>;
export type ReviewReport = Report<ReviewPacket>;

export function reportReview(request: ReviewRequest, calls: ReviewCalls): ReviewReport {
  const packet = packetOf(request);
  return { text: textOf(packet, request, calls), data: packet };
}

function packetOf(
  { found: { story, epic }, file, passes, findings, diff, hasJustBegun, clean }: ReviewRequest,
) {
  const facts = findings.map((one) => factsOf(one, clean));
  return {
    story: identityOf(epic, story),
    title: story.title,
    state: story.state,
    file,
    diff,
    criteria: story.criteria.map(clean),
    passes: passes.map(({ heading, lenses }, at) => ({
      number: at + 1,
      heading: clean(heading),
      lenses: lenses.map(clean),
      findings: findings.filter((one) => one.pass === at + 1).length,
    })),
    lenses: [...new Set(passes.flatMap((pass) => pass.lenses.map(clean)))],
    open: facts.filter((one) => one.isOpen),
    settled: facts.filter((one) => !one.isOpen),
    ...adviseReview(passes, findings, hasJustBegun),
  };
}

function textOf(
  packet: ReviewPacket,
  { found: { story }, hasJustBegun }: ReviewRequest,
  calls: ReviewCalls,
): string {
  const { story: name, passes, lenses, open, settled } = packet;
  const passLines = passes.map(({ number, heading, lenses, findings }) =>
    `${number}. ${lenses.join(", ") || oneLine(heading)}: ${counted(findings, "finding")}`
  );
  return joinLines(
    `# Review of ${story.ref}: ${packet.title}`,
    `State: ${packet.state}. File: ${oneLine(packet.file)}`,
    section("Diff", diffLines(packet.diff)),
    section("Criteria", packet.criteria.slice(0, MAX_CRITERIA).map((one, at) => `${at + 1}. ${one}`)),
    section(
      "Settled: raise again only what was fixed and is still there",
      bulleted(settled.map((one) => `${one.id} ${wordsOf(one)}: ${verdictWords(one)}`), MAX_TOLD),
    ),
    section("Open", bulleted(open.map(openLine), MAX_TOLD)),
    section("Passes", passLines),
    lenses.length > 0 && ["", `Lenses that have run: ${lenses.join(", ")}.`],
    "",
    packet.advice,
    section(
      "How",
      textLines(
        calls.record && `- Record a finding: ${calls.record(name)}`,
        bulleted(waysOn(packet, story, open, { name, calls, hasJustBegun })),
        (hasJustBegun || !packet.isOver) &&
          `- When the pass is over, ask whether another is due: ${calls.review(name)}`,
      ),
    ),
  );
}

/** A pass is begun, a finding settled, or the story done. */
function waysOn(
  { isOver, isRunning }: Pick<ReviewPacket, "isOver" | "isRunning">,
  { state, tracked }: Pick<Story, "state" | "tracked">,
  open: readonly Pick<ReviewFinding, "id">[],
  { name, calls, hasJustBegun = false }: {
    readonly name: string;
    readonly calls: ReviewCalls;
    readonly hasJustBegun?: boolean;
  },
): readonly string[] {
  const [first] = open;
  const mayEnd = isOver && !hasJustBegun && first === undefined && state !== "done";
  return textLines(
    first && calls.settle && `Settle one: ${calls.settle(name, first.id, "VERDICT", "WHY")}`,
    !isOver && !isRunning && calls.begin && `Begin the pass: ${calls.begin(name)}`,
    mayEnd && calls.check && `Before it is done: ${calls.check(name)}`,
    mayEnd && calls.mark &&
      `Then: ${markLine(tracked, "done", (reason) => calls.mark!(name, "done", undefined, reason))}`,
  );
}

/** Without secrets. */
export function factsOf(finding: ReviewFinding, clean: (text: string) => string) {
  const { id, pass, severity, text, file, verdict, reason, isOpen, path, line } = finding;
  const momentOf = (moment: Moment | undefined) => moment && { ...moment, by: moment.by && clean(moment.by) };
  const [found, settled] = [finding.found, finding.settled].map(momentOf);
  const safe = { text: clean(text), file, found, verdict, settled, reason: reason && clean(reason) };
  return { id, pass, severity, ...safe, isOpen, path, line };
}

export type FindingFacts = ReturnType<typeof factsOf>;

/** `found in pass 2, rejected 2026-08-02 by Ann: the caller holds the lock`. */
function verdictWords(
  { verdict, pass, reason, settled }: Pick<ReviewFinding, "verdict" | "pass" | "reason" | "settled">,
): string {
  const when = settled === undefined ? "" : ` ${renderMoment(settled)}`;
  const decided = verdict === undefined ? "" : `, ${verdict}${when}`;
  return `found in pass ${pass}${decided}${reason === undefined ? "" : `: ${reason}`}`;
}

function diffLines({ commands, from, size, uncommitted, added, problem }: DiffSource): readonly string[] {
  const count = size === undefined
    ? ""
    : `; committed: ${counted(size.files, "file")}, ${size.added} lines added and ${size.deleted} deleted`;
  const named = (label: string, paths: readonly string[]) =>
    paths.length > 0 && `- ${label}: ${abbreviateList(paths.map(oneLine), MAX_PATHS)}`;
  return textLines(
    commands.every(({ shows }) => shows !== from) && `- ${from}`,
    commands.map(({ command, shows }) => `- ${oneLine(command)} (${shows}${shows === from ? count : ""})`),
    named("Not committed", uncommitted),
    !commands.some(({ shows }) => shows.startsWith(NEW)) && named("New, not in git", added),
    problem !== undefined && `- What is not committed is not known: ${problem}`,
  );
}

function openLine(finding: FindingFacts): string {
  const { id, severity = "no severity", verdict } = finding;
  return `${id} ${severity}: ${wordsOf(finding)}${verdict === undefined ? "" : ` (${verdict})`}`;
}

function wordsOf({ text, file }: Pick<ReviewFinding, "text" | "file">): string {
  return file === undefined ? text : `${text} [${file}]`;
}

export interface FindingOutcome {
  readonly found: StoryMatch;
  readonly finding: ReviewFinding;
  readonly outcome: "added" | "known" | "settled" | "same";
  readonly alike?: ReviewFinding;
  readonly beside?: ReviewFinding;
  readonly was?: ReviewFinding;
  readonly notes?: readonly string[];
  readonly files: readonly string[];
  readonly passes: readonly ReviewPass[];
  readonly findings: readonly ReviewFinding[];
}

export function reportFinding(
  outcome: FindingOutcome,
  calls: ReviewCalls,
  clean: (text: string) => string,
): Report {
  const { found: { story, epic }, finding, alike, beside, was, files, notes = [] } = outcome;
  const { passes, findings } = outcome;
  const name = identityOf(epic, story);
  const open = findings.filter(({ isOpen }) => isOpen);
  const high = open.filter(({ severity }) => severity === "high").length;
  const advice = adviseReview(passes, findings);
  const own = open.toSorted((a, b) => Number(b.id === finding.id) - Number(a.id === finding.id));
  const text = joinLines(
    ANSWERS[outcome.outcome](outcome, calls, name),
    files.map((path) => `Changed: ${oneLine(path)}`),
    notes.map((note) => `Note: ${oneLine(note)}`),
    `${name}: ${openWords(open.length, high)}. ${advice.advice}`,
    waysOn(advice, story, own, { name, calls }),
  );
  const facts = {
    outcome: outcome.outcome,
    ...factsOf(finding, clean),
    alike: alike?.id,
    beside: beside?.id,
    was: was?.verdict,
  };
  const data = { story: name, ...facts, files, notes, open: open.length, high, advice: advice.advice };
  return { text: clean(text), data };
}

type Answer = (outcome: FindingOutcome, calls: ReviewCalls, name: string) => readonly string[];

const ANSWERS: Readonly<Record<FindingOutcome["outcome"], Answer>> = {
  added: ({ finding, alike, beside }) => {
    const other = alike ?? beside;
    const relation = alike === undefined ? "On the same line and as grave is" : "It may repeat";
    return textLines(
      `${finding.id}, ${finding.severity}: ${wordsOf(finding)}`,
      other &&
        `${relation} ${other.id}, ${other.isOpen ? "which is open" : verdictWords(other)}: ${wordsOf(other)}`,
      other && `If the two are one finding, settle ${finding.id} with a reason that names ${other.id}.`,
    );
  },
  settled: ({ finding, was }) =>
    textLines(
      `${finding.id} ${wordsOf(finding)}: ${verdictWords(finding)}`,
      was && `Before: ${verdictWords(was)}`,
    ),
  same: ({ finding }) => [`${finding.id} has that verdict already: ${verdictWords(finding)}`],
  known: ({ finding }, calls, name) => {
    const { id, pass, isOpen, verdict, severity } = finding;
    const grade = severity === undefined ? "" : ` as ${severity}`;
    const state = isOpen
      ? `known since pass ${pass}${grade}, and ${verdict ?? "not decided yet"}`
      : `known${grade}: ${verdictWords(finding)}`;
    return textLines(
      `${id} is ${state}.`,
      `It says: ${wordsOf(finding)}`,
      verdict === "fixed" && calls.settle &&
        `If it is still there, accept it again: ${calls.settle(name, id, "accepted")}`,
      `If yours is another one, ${calls.force ? `record it with ${calls.force}` : "say how it differs"}.`,
    );
  },
};

function openWords(open: number, high: number): string {
  if (open === 0) return "no finding is open";
  return `${counted(open, "finding is", "findings are")} open${high === 0 ? "" : ` (${high} high)`}`;
}
