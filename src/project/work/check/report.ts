/**
 * What a check found, in words, as data and as rows.
 */
import type { Report } from "../../../base/report.ts";
import { counted, oneLine } from "../../../base/text.ts";
import type { Row } from "../../../content/library/mod.ts";
import type { CheckedAll, Finding } from "./model.ts";

/** A report that can also be shown as a table. */
export interface CheckReport extends Report {
  /** A row for each finding. */
  readonly rows: readonly Row[];
  /** What could not be looked at. */
  readonly unchecked: readonly string[];
  /** Whether nothing was found. */
  readonly isClean: boolean;
}

/** How many findings the text lists; the data has all. */
const MAX_TOLD = 100;

/** The result for what `subject` names: `Story 1-2`, `12 stories`. */
export function reportCheck(
  subject: string,
  { findings, unchecked, trace = [] }: Pick<CheckedAll, "findings" | "unchecked"> & Partial<CheckedAll>,
): CheckReport {
  const told = findings.slice(0, MAX_TOLD).flatMap(({ code, problem, fix, ...place }) => [
    `- ${code}: ${problem} (${placeOf(place)})`,
    `  Fix: ${fix}`,
  ]);
  const more = findings.length - MAX_TOLD;
  return {
    text: [
      findings.length === 0
        ? `${subject}: nothing found.`
        : `${subject}: ${counted(findings.length, "finding")}.`,
      ...told,
      ...(more > 0 ? [`- … and ${more} more`] : []),
      ...(unchecked.length === 0 ? [] : ["", "Not checked:", ...unchecked.map((one) => `- ${one}`)]),
      ...(trace.length === 0
        ? []
        : ["", "Requirements:", ...trace.map(({ id, by }) => `- ${id}: ${listed(by)}`)]),
    ].join("\n"),
    rows: findings.map(({ code, problem, fix, ...place }) => ({
      name: placeOf(place),
      about: problem,
      data: { code, ...place, problem, fix },
    })),
    unchecked,
    isClean: findings.length === 0,
    data: { findings, unchecked, ...(trace.length > 0 && { trace }) },
  };
}

/** How many stories are named for a requirement. */
const MAX_NAMED = 10;

function listed(by: readonly string[]): string {
  if (by.length === 0) return "no story";
  const more = by.length - MAX_NAMED;
  return `${by.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A finding on one line: `out/a.md:3: Story 1-2 …`. */
export function lineOf({ problem, ...place }: Finding): string {
  return `${placeOf(place)}: ${problem}`;
}

/** `out/a.md:3`. */
function placeOf({ path, line }: Pick<Finding, "path" | "line">): string {
  return oneLine(line === undefined ? path : `${path}:${line}`);
}
