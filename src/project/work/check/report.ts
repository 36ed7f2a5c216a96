/**
 * What a check found, in words, as data and as rows.
 */
import { groupAlike } from "../../../base/alike.ts";
import type { Report } from "../../../base/report.ts";
import { counted, fewOf, oneLine } from "../../../base/text.ts";
import type { Row } from "../../../content/library/mod.ts";
import type { Board, State, Story } from "../formats/mod.ts";
import type { CheckedAll, Finding } from "./model.ts";

/** A report that can also be shown as a table. */
export interface CheckReport extends Report {
  /** How far the story or the project is, in a sentence. */
  readonly standing: string;
  /** A row for all findings that are alike. */
  readonly rows: readonly Row[];
  /** How many findings there are. */
  readonly count: number;
  /** What could not be looked at. */
  readonly unchecked: readonly string[];
}

/** How many findings the text lists; the data has all. */
const MAX_TOLD = 100;

/** How each state is told. */
const TOLD: Readonly<Record<State, string>> = {
  "backlog": "not started",
  "ready": "not started",
  "in-progress": "in progress",
  "blocked": "blocked",
  "review": "in review",
  "done": "done",
  "dropped": "dropped",
};

/** How far a story is, and whether anything speaks against "done". */
export function standingOf({ ref, state, boxes, note }: Story, findings: readonly Finding[]): string {
  const hasBoxes = boxes.total > 0 && (state === "in-progress" || state === "blocked");
  const ticked = hasBoxes ? `: ${boxes.ticked} of ${counted(boxes.total, "box", "boxes")} ticked` : "";
  const meaning = note === undefined ? "" : ` (${note})`;
  const is = `Story ${ref} is ${TOLD[state]}${ticked}${meaning}`;
  if (state === "done") {
    return findings.length === 0 ? `${is}, and nothing speaks against it.` : `${is}, but:`;
  }
  if (state === "dropped") return `${is}.`;
  if (state === "backlog" || state === "ready") return findings.length === 0 ? `${is}.` : `${is}, but:`;
  // A mark sets the statuses, so that these are no reason to refuse it.
  if (findings.some(({ code }) => code !== "status-contradiction")) {
    return `${is}. It would be refused as "done":`;
  }
  const but = findings.length === 0 ? "." : ", but statuses contradict each other:";
  return `${is}. Nothing speaks against "done"${but}`;
}

/** How many stories are how far. */
export function standingOfAll({ epics }: Board, findings: readonly Finding[]): string {
  const all = epics.flatMap(({ stories }) => stories.map(({ state }) => TOLD[state]));
  const words = [...new Set(Object.values(TOLD))].flatMap((word) => {
    const count = all.filter((one) => one === word).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const counts = [counted(all.length, "story", "stories"), words.join(", ")].filter(Boolean).join(": ");
  return findings.length === 0 ? `${counts}. Nothing found.` : `${counts}.`;
}

/** The result for what is as `standing` says. */
export function reportCheck(
  standing: string,
  { findings, unchecked, trace = [] }: Pick<CheckedAll, "findings" | "unchecked"> & Partial<CheckedAll>,
): CheckReport {
  const groups = groupAlike(findings);
  const told = groups.slice(0, MAX_TOLD).flatMap(({ first: { code, problem, fix, ...place }, others }) => [
    `- ${code}: ${problem} (${placeOf(place)})${others}`,
    `  Fix: ${fix}`,
  ]);
  const more = groups.length - MAX_TOLD;
  return {
    text: [
      standing,
      ...told,
      ...(more > 0 ? [`- … and ${counted(more, "more finding")}`] : []),
      ...(unchecked.length === 0 ? [] : ["", "Not checked:", ...unchecked.map((one) => `- ${one}`)]),
      ...(trace.length === 0
        ? []
        : ["", "Requirements:", ...trace.map(({ id, by }) => `- ${id}: ${listed(by)}`)]),
    ].join("\n"),
    rows: groups.map(({ first: { code, problem, fix, ...place }, others }) => ({
      name: placeOf(place),
      about: `${problem}${others}`,
      data: { code, ...place, problem, fix },
    })),
    standing,
    unchecked,
    count: findings.length,
    data: { standing, findings, unchecked, ...(trace.length > 0 && { trace }) },
  };
}

/** How many stories are named for a requirement. */
const MAX_NAMED = 10;

function listed(by: readonly string[]): string {
  if (by.length === 0) return "no story";
  return fewOf(by, MAX_NAMED);
}

/** A finding on one line: `out/a.md:3: Story 1-2 …`. */
export function lineOf({ problem, ...place }: Finding): string {
  return `${placeOf(place)}: ${problem}`;
}

/** `out/a.md:3`. */
function placeOf({ path, line }: Pick<Finding, "path" | "line">): string {
  return oneLine(line === undefined ? path : `${path}:${line}`);
}
