/**
 * What a check found, in words, as data and as rows.
 */
import { groupAlike } from "../../../base/alike.ts";
import type { Report } from "../../../base/report.ts";
import { counted, fewOf } from "../../../base/text.ts";
import type { Row } from "../../../content/library/mod.ts";
import { placeOf } from "../board/mod.ts";
import type { Board, State, Story } from "../formats/mod.ts";
import type { Checked, Finding } from "./model.ts";

/** A report that can also be shown as a table. */
export interface CheckReport extends Report {
  /** How far the story or the project is, in a sentence. */
  readonly standing: string;
  /** A row for all findings that are alike. */
  readonly rows: readonly Row[];
  readonly count: number;
  readonly unchecked: readonly string[];
}

/** How many findings the text lists; the data has all. */
const MAX_TOLD = 100;

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
  const counts = all.length === 0
    ? "No stories yet"
    : `${counted(all.length, "story", "stories")}: ${words.join(", ")}`;
  return findings.length === 0 ? `${counts}. No problems found.` : `${counts}.`;
}

/** The result for what is as `standing` says. */
export function reportCheck(
  standing: string,
  { findings, unchecked, trace = [] }: Omit<Checked, "claims">,
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
      ...(trace.length === 0 ? [] : [
        "",
        "Requirements:",
        ...trace.map(({ id, by }) => `- ${id}: ${fewOf(by, MAX_NAMED) || "no story"}`),
      ]),
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

const MAX_NAMED = 10;
