/** What a check found, in words, as data and as rows. */
import { groupProblems } from "../../../base/problem_groups.ts";
import { firstLines, joinLines, type Report } from "../../../base/report.ts";
import { abbreviateList, counted } from "../../../base/text.ts";
import { countEach } from "../../../base/values.ts";
import type { Row } from "../../../content/library/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type Board, placeOf, type State, type Story } from "../formats/mod.ts";
import type { Checked, Finding } from "./model.ts";

export interface CheckReport extends Report {
  readonly standing: string;
  readonly rows: readonly Row[];
  readonly count: number;
  readonly unchecked: readonly string[];
}

const STATE_WORDS: Readonly<Record<State, string>> = {
  "backlog": "not started",
  "ready": "not started",
  "in-progress": "in progress",
  "blocked": "blocked",
  "review": "in review",
  "done": "done",
  "dropped": "dropped",
};

export function summarizeStory({ ref, state, boxes, note }: Story, findings: readonly Finding[]): string {
  const hasBoxes = boxes.total > 0 && (state === "in-progress" || state === "blocked");
  const ticked = hasBoxes ? `: ${boxes.ticked} of ${counted(boxes.total, "box", "boxes")} ticked` : "";
  const meaning = note === undefined ? "" : ` (${note})`;
  const is = `Story ${ref} is ${STATE_WORDS[state]}${ticked}${meaning}`;
  if (state === "done") {
    return findings.length === 0 ? `${is}, and nothing speaks against it.` : `${is}, but:`;
  }
  if (state === "dropped") return `${is}.`;
  if (state === "backlog" || state === "ready") return findings.length === 0 ? `${is}.` : `${is}, but:`;
  // A mark replaces the statuses, so they are no reason to refuse it.
  if (findings.some(({ code }) => code !== "status-contradiction")) {
    return `${is}. It would be refused as "done":`;
  }
  const but = findings.length === 0 ? "." : ", but statuses contradict each other:";
  return `${is}. Nothing speaks against "done"${but}`;
}

export function summarizeStories({ epics }: Board, findings: readonly Finding[]): string {
  const all = epics.flatMap(({ stories }) => stories.map(({ state }) => STATE_WORDS[state]));
  const counts = countEach(all);
  const words = [...new Set(Object.values(STATE_WORDS))].filter((word) => counts.has(word))
    .map((word) => `${counts.get(word)} ${word}`);
  const total = all.length === 0
    ? "No stories yet"
    : `${counted(all.length, "story", "stories")}: ${words.join(", ")}`;
  return findings.length === 0 ? `${total}. No problems found.` : `${total}.`;
}

export function reportCheck(
  standing: string,
  { findings, unchecked, trace = [] }: Omit<Checked, "claims">,
): CheckReport {
  const groups = groupProblems(findings);
  const shown = groups.map(({ first: { code, problem, fix, ...place }, others }) =>
    `- ${code}: ${problem} (${placeOf(place)})${others}\n  Fix: ${fix}`
  );
  const covered = trace.map(({ id, by }) =>
    `- ${id}: ${abbreviateList(by, LIMITS.check.shownStories) || "no story"}`
  );
  return {
    text: joinLines(
      standing,
      firstLines(shown, LIMITS.check.shownFindings, (more) => `- … and ${counted(more, "more finding")}`),
      unchecked.length > 0 && ["", "Not checked:", ...unchecked.map((one) => `- ${one}`)],
      covered.length > 0 && ["", "Requirements:", ...covered],
    ),
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
