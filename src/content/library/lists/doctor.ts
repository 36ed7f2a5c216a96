/**
 * The health of a library: its origins, its issues, how many items are overridden, and its broken references.
 */
import { overriddenEntries } from "../../catalog/mod.ts";
import type { Diagnostic } from "../../../base/model.ts";
import { checkReferences, type Closure } from "./closure.ts";
import { brokenRow } from "./conflicts.ts";
import { diagnose } from "./diagnose.ts";
import type { Library } from "../library.ts";
import { nextRow } from "./next.ts";
import { type OriginFacts, originsOf } from "./origin_facts.ts";
import { counted } from "../../../base/text.ts";
import type { Work } from "../../../base/work.ts";
import type { Row } from "./row.ts";

/** The health of a library. */
export interface Health {
  /** Highest priority first. */
  readonly origins: readonly OriginFacts[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many items several origins have. */
  readonly conflicts: number;
  readonly references: Closure;
}

/** Examines everything; reads every file. */
export async function healthOf(library: Library, work: Work = {}): Promise<Health> {
  return {
    references: await checkReferences(library, work),
    diagnostics: await diagnose(library),
    origins: originsOf(library),
    conflicts: overriddenEntries(library.manifest).length,
  };
}

export async function listHealth(
  library: Library,
  origins: readonly Row[],
  work: Work,
): Promise<readonly Row[]> {
  const { diagnostics, references: { references, broken } } = await healthOf(library, work);
  return [
    ...origins.map((row) => ({ ...row, data: { what: "origin", ...row.data } })),
    ...diagnostics.map((diagnostic) => {
      const { level, origin, path, message, fix } = diagnostic;
      const about = `${[origin, path, message].filter(Boolean).join(": ")}. ${fix}`;
      return { name: level, about, data: { what: "diagnostic", ...diagnostic } };
    }),
    {
      name: "references",
      about: `${counted(references, "reference")}, ${broken.length} broken`,
      data: { what: "references", references, dead: broken.length },
    },
    ...broken.map(brokenRow),
    await nextRow(library),
  ];
}
