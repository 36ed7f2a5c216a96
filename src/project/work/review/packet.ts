/**
 * The packet for a reviewer who knows nothing: what to look at, what is settled and why, what is open, and when to stop.
 */
import type { Report } from "../../../base/report.ts";
import { counted, oneLine } from "../../../base/text.ts";
import { type Found, identityOf } from "../board/mod.ts";
import type { ReviewFinding, ReviewPass, State, Verdict } from "../formats/mod.ts";

/** What a reviewer looks at. */
export interface DiffSource {
  /** The command that prints it; undefined if no commit is known to begin from. */
  readonly command?: string;
  /** Where it begins, in words, or why that is not known. */
  readonly from: string;
  /** The size of what is committed; undefined where commits may not be read. */
  readonly size?: { readonly files: number; readonly added: number; readonly deleted: number };
  /** The files that differ from their last commit. */
  readonly uncommitted: readonly string[];
}

/** What a packet is made from. */
export interface ReviewWorld {
  readonly found: Found;
  readonly file: string;
  readonly passes: readonly ReviewPass[];
  readonly findings: readonly ReviewFinding[];
  readonly diff: DiffSource;
  readonly calls: ReviewCalls;
  clean(text: string): string;
}

/** Calls in the words of a surface; those that write are missing where nothing may be written. */
export interface ReviewCalls {
  review(story: string): string;
  /** What a call needs to record a finding that looks like a known one. */
  readonly force: string;
  begin?(story: string): string;
  record?(story: string): string;
  settle?(story: string, id: string, verdict: Verdict, reason?: string): string;
}

/** BMAD's own limit for the loops of a review. */
const MAX_PASSES = 5;
const MAX_CRITERIA = 50;
const MAX_TOLD = 100;

/** Whether another pass is due, and why. */
export interface Advice {
  readonly isOver: boolean;
  readonly why: string;
}

/** A pass that brought nothing new above low severity ends a review. */
export function adviseReview(passes: readonly ReviewPass[], findings: readonly ReviewFinding[]): Advice {
  const number = passes.length;
  if (number === 0) return { isOver: false, why: "No pass has begun." };
  const open = findings.filter(({ isOpen }) => isOpen).length;
  const isGrave = ({ severity, verdict }: ReviewFinding) => severity !== "low" && verdict !== "rejected";
  const found = findings.filter(({ pass }) => pass === number);
  const grave = found.filter(isGrave).length;
  const again = findings.filter((one) => one.isOpen && one.pass < number && isGrave(one)).length;
  const left = open === 0 ? "" : ` ${counted(open, "finding is", "findings are")} still to be settled.`;
  if (again > 0) {
    const why = `${counted(again, "finding", "findings")} of earlier passes above low severity ${
      again === 1 ? "is" : "are"
    } open. Another pass is due once that is settled.`;
    return { isOver: false, why };
  }
  if (found.length > 0 && grave === 0) {
    return { isOver: true, why: `Stop: pass ${number} brought nothing new above low severity.${left}` };
  }
  if (found.length === 0) {
    return {
      isOver: true,
      why:
        `Pass ${number} has brought nothing new so far. One that brings nothing new above low severity ends the review.${left}`,
    };
  }
  const brought = `Pass ${number} brought ${counted(grave, "new finding")} above low severity.`;
  if (number >= MAX_PASSES) {
    return { isOver: true, why: `${brought} After ${MAX_PASSES} passes, let a person decide how to go on.` };
  }
  const due = open === 0 ? "Another pass is due." : "Another pass is due after that.";
  return { isOver: false, why: `${brought}${left} ${due}` };
}

/** A finding as plain data, without secrets. */
export type FindingFacts = Pick<
  ReviewFinding,
  "id" | "pass" | "severity" | "text" | "file" | "verdict" | "reason" | "isOpen" | "path" | "line"
>;

/** The packet as plain data. */
export interface ReviewPacket {
  readonly story: string;
  readonly title: string;
  readonly state: State;
  readonly file: string;
  readonly diff: DiffSource;
  readonly criteria: readonly string[];
  readonly passes: readonly {
    readonly number: number;
    readonly heading: string;
    readonly lenses: readonly string[];
    readonly findings: number;
  }[];
  readonly lenses: readonly string[];
  readonly open: readonly FindingFacts[];
  readonly settled: readonly FindingFacts[];
  readonly isOver: boolean;
  readonly advice: string;
}

/** A packet in words and as data. */
export interface ReviewReport extends Report {
  readonly packet: ReviewPacket;
}

/** The packet. */
export function reportReview(world: ReviewWorld): ReviewReport {
  const { found: { story, epic }, file, passes, findings, diff, clean } = world;
  const { isOver, why } = adviseReview(passes, findings);
  const facts = findings.map((one) => factsOf(one, clean));
  const packet: ReviewPacket = {
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
    isOver,
    advice: why,
  };
  return { text: textOf(packet, story.ref, world.calls), data: { ...packet }, packet };
}

function textOf(packet: ReviewPacket, ref: string, calls: ReviewCalls): string {
  const { story: name, title, state, file, diff, criteria, passes, lenses, open, settled, isOver, advice } =
    packet;
  const [first] = open;
  return [
    `# Review of ${ref}: ${title}`,
    `State: ${state}. File: ${oneLine(file)}`,
    ...section("Diff", diffLines(diff)),
    ...section("Criteria", criteria.slice(0, MAX_CRITERIA).map((one, at) => `${at + 1}. ${one}`)),
    ...section("Settled: raise again only what was fixed and is still there", bulleted(settled, settledLine)),
    ...section("Open", bulleted(open, openLine)),
    ...section(
      "Passes",
      passes.map(({ number, heading, lenses, findings }) =>
        `${number}. ${lenses.length === 0 ? oneLine(heading) : lenses.join(", ")}: ${
          counted(findings, "finding")
        }`
      ),
    ),
    ...(lenses.length === 0 ? [] : ["", `Lenses that have run: ${lenses.join(", ")}.`]),
    "",
    advice,
    ...section("How", [
      ...(isOver || calls.begin === undefined ? [] : [`- Begin the pass: ${calls.begin(name)}`]),
      ...(calls.record === undefined ? [] : [`- Record a finding: ${calls.record(name)}`]),
      ...(calls.settle === undefined || first === undefined
        ? []
        : [`- Settle one: ${calls.settle(name, first.id, "fixed")}`]),
      `- When the pass is over, ask whether another is due: ${calls.review(name)}`,
    ]),
  ].join("\n");
}

/** A finding as data. */
export function factsOf(finding: ReviewFinding, clean: (text: string) => string): FindingFacts {
  const { id, pass, severity, text, file, verdict, reason, isOpen, path, line } = finding;
  return {
    id,
    pass,
    severity,
    text: clean(text),
    file,
    verdict,
    reason: reason && clean(reason),
    isOpen,
    path,
    line,
  };
}

/** `rejected in pass 2: the caller holds the lock`. */
export function verdictWords(
  { verdict, pass, reason }: Pick<ReviewFinding, "verdict" | "pass" | "reason">,
): string {
  return `${verdict ?? "noted"} in pass ${pass}${reason === undefined ? "" : `: ${reason}`}`;
}

function diffLines({ command, from, size, uncommitted }: DiffSource): readonly string[] {
  const count = size === undefined
    ? ""
    : `: ${counted(size.files, "file")}, ${size.added} lines added and ${size.deleted} deleted`;
  return [
    `- ${command === undefined ? from : `${command} (${from}${count})`}`,
    ...(uncommitted.length === 0 ? [] : [
      `- Not committed: ${uncommitted.slice(0, 10).map(oneLine).join(", ")}${
        uncommitted.length > 10 ? ` and ${uncommitted.length - 10} more` : ""
      }`,
    ]),
  ];
}

function openLine(finding: FindingFacts): string {
  const { id, severity = "no severity", verdict } = finding;
  return `${id} ${severity}: ${wordsOf(finding)}${verdict === undefined ? "" : ` (${verdict})`}`;
}

function settledLine(finding: FindingFacts): string {
  return `${finding.id} ${wordsOf(finding)}: ${verdictWords(finding)}`;
}

/** What is wrong, and where. */
export function wordsOf({ text, file }: Pick<ReviewFinding, "text" | "file">): string {
  return file === undefined ? text : `${text} [${file}]`;
}

function bulleted(
  findings: readonly FindingFacts[],
  line: (finding: FindingFacts) => string,
): readonly string[] {
  const more = findings.length - MAX_TOLD;
  return [
    ...findings.slice(0, MAX_TOLD).map((one) => `- ${line(one)}`),
    ...(more > 0 ? [`- … and ${more} more`] : []),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, ...lines];
}
