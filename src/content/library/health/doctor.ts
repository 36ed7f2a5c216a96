/**
 * The health of a library: its origins, its issues, how many items are overridden, and its broken references.
 */
import type { Diagnostic } from "../../../base/model.ts";
import { checkReferences, type Closure } from "./closure.ts";
import { brokenRow, listOverridden } from "./conflicts.ts";
import { diagnose } from "./diagnose.ts";
import type { Library } from "../library.ts";
import { type NewerRelease, newerReleases } from "./newer.ts";
import { type OriginFacts, originsOf } from "./origin_facts.ts";
import { counted, withPlace } from "../../../base/text.ts";
import type { Work } from "../../../base/work.ts";
import { countSeveral, type Row } from "../rows/row.ts";
import { findUnserved, type Unserved } from "./unserved.ts";

/** The health of a library. */
export interface Health {
  /** Highest priority first. */
  readonly origins: readonly OriginFacts[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many items several origins have. */
  readonly conflicts: number;
  /** How many items one origin has several times. */
  readonly repeated: number;
  readonly references: Closure;
  readonly unserved: readonly Unserved[];
  readonly newer: readonly NewerRelease[];
}

/** Examines everything; reads every file. */
export async function healthOf(library: Library, work: Work = {}): Promise<Health> {
  return {
    references: await checkReferences(library, work),
    diagnostics: await diagnose(library),
    origins: originsOf(library),
    ...countSeveral(listOverridden(library)),
    unserved: await findUnserved(library),
    newer: newerReleases(library),
  };
}

export async function listHealth(
  library: Library,
  origins: readonly Row[],
  next: readonly Row[],
  work: Work,
): Promise<readonly Row[]> {
  const { diagnostics, unserved, references: { references, broken } } = await healthOf(library, work);
  return [
    ...origins.map((row) => ({ ...row, data: { what: "origin", ...row.data } })),
    ...diagnostics.map((diagnostic) => {
      const { level, fix } = diagnostic;
      const about = `${withPlace(diagnostic)}. ${fix}`;
      return { name: level, about, data: { what: "diagnostic", ...diagnostic } };
    }),
    ...unserved.map(({ origin, path, reason }) => ({
      name: "not served",
      about: `${origin}: ${path}: ${reason}`,
      data: { what: "unserved", origin, path, reason },
    })),
    {
      name: "references",
      about: `${counted(references, "reference")}, ${broken.length} broken`,
      data: { what: "references", references, dead: broken.length },
    },
    ...broken.map(brokenRow),
    ...(next.length === 0 ? [] : [nextRow(next)]),
  ];
}

/** What a project should do next, on one line. */
function nextRow(rows: readonly Row[]): Row {
  const decided = rows.filter(({ data: { standing } }) => Object.hasOwn(VERDICTS, String(standing)));
  return {
    name: "next",
    about: decided.map(({ name, data }) => `${name}: ${data["why"]}`).join("; "),
    data: {
      what: "next",
      advice: decided.map(({ name, data: { standing, story, why, files } }) => {
        const is = VERDICTS[String(standing)];
        return { is, name: is === "next" ? name : undefined, story, why, files };
      }),
    },
  };
}

const VERDICTS: Readonly<Record<string, string>> = { next: "next", "all done": "done", unknown: "unknown" };
