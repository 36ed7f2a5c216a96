/**
 * What became of a finding, in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import { counted, oneLine } from "../../../base/text.ts";
import { type Found, identityOf } from "../board/mod.ts";
import type { ReviewFinding } from "../formats/mod.ts";
import { factsOf, type ReviewCalls, verdictWords, wordsOf } from "./packet.ts";

/** A finding that was recorded, recognised or settled. */
export interface Told {
  readonly found: Found;
  readonly finding: ReviewFinding;
  readonly outcome: "added" | "known" | "settled" | "same";
  readonly alike?: ReviewFinding;
  readonly files: readonly string[];
  readonly open: number;
  readonly high: number;
}

/** The answer to whoever has found or settled something. */
export function reportFinding(told: Told, calls: ReviewCalls, clean: (text: string) => string): Report {
  const { found: { story, epic }, finding, outcome, files, open, high } = told;
  const name = identityOf(epic, story);
  const lines = [
    ...ANSWERS[outcome](told, calls, name),
    ...files.map((path) => `Changed: ${oneLine(path)}`),
    `${name}: ${openWords(open, high)}.`,
  ];
  return {
    text: clean(lines.join("\n")),
    data: { story: name, outcome, ...factsOf(finding, clean), alike: told.alike?.id, files, open, high },
  };
}

type Answer = (told: Told, calls: ReviewCalls, name: string) => readonly string[];

const ANSWERS: Readonly<Record<Told["outcome"], Answer>> = {
  added: ({ finding, alike }, calls, name) => [
    `${finding.id}, ${finding.severity}: ${wordsOf(finding)}`,
    ...(alike === undefined ? [] : [
      `It may repeat ${alike.id}, ${alike.isOpen ? "which is open" : verdictWords(alike)}: ${wordsOf(alike)}`,
      ...(calls.settle === undefined
        ? []
        : [`If it does, say so: ${calls.settle(name, finding.id, "rejected", `repeats ${alike.id}`)}`]),
    ]),
  ],
  settled: ({ finding }) => [`${finding.id} ${wordsOf(finding)}: ${verdictWords(finding)}`],
  same: ({ finding }) => [`${finding.id} has that verdict already: ${verdictWords(finding)}`],
  known: ({ finding }, calls, name) => {
    const { id, pass, isOpen, verdict, severity } = finding;
    const grade = severity === undefined ? "" : ` as ${severity}`;
    const state = isOpen
      ? `known since pass ${pass}${grade}, and ${verdict ?? "not decided yet"}`
      : `known${grade}: ${verdictWords(finding)}`;
    const again = verdict === "fixed" && calls.settle !== undefined
      ? [`If it is still there, accept it again: ${calls.settle(name, id, "accepted")}`]
      : [];
    return [
      `${id} is ${state}.`,
      `It says: ${wordsOf(finding)}`,
      ...again,
      `If yours is another one, record it with ${calls.force}.`,
    ];
  },
};

function openWords(open: number, high: number): string {
  if (open === 0) return "no finding is open";
  return `${counted(open, "finding is", "findings are")} open${high === 0 ? "" : ` (${high} high)`}`;
}
