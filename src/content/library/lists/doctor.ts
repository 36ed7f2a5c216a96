/**
 * The state of health of a library: its origins, everything that was found wrong, what several origins hold, and the
 * references that lead nowhere.
 */
import { overriddenEntries } from "../../catalog/mod.ts";
import type { Diagnostic } from "../../../base/model.ts";
import { checkReferences, type Closure } from "./closure.ts";
import { deadRow } from "./conflicts.ts";
import { diagnose } from "./diagnose.ts";
import type { Library } from "../library.ts";
import { nextRow } from "./next.ts";
import { type OriginFacts, originFacts } from "./origin_facts.ts";
import type { Work } from "../../../base/work.ts";
import type { Row } from "./row.ts";

/** All that is known of how a library is. */
export interface Health {
  /** Best first. */
  readonly origins: readonly OriginFacts[];
  /** Everything that was found wrong, each with what mends it. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many things several origins hold, so that one shadows the others. */
  readonly conflicts: number;
  /** What the served texts refer to, and what of it is nowhere. */
  readonly references: Closure;
}

/** Looks at everything. Takes its time. */
export async function healthOf(library: Library, work: Work = {}): Promise<Health> {
  return {
    references: await checkReferences(library, work),
    diagnostics: await diagnose(library),
    origins: library.holdings.map(originFacts),
    conflicts: overriddenEntries(library.manifest).length,
  };
}

/** The rows of the origins, of every diagnostic, of the references, and of what the project should do next. */
export async function listHealth(
  library: Library,
  origins: readonly Row[],
  work: Work,
): Promise<readonly Row[]> {
  const { diagnostics, references: { references, dead } } = await healthOf(library, work);
  return [
    ...origins.map((row) => ({ ...row, data: { what: "origin", ...row.data } })),
    ...diagnostics.map((diagnostic) => ({
      name: diagnostic.level,
      about: `${
        [diagnostic.origin, diagnostic.path, diagnostic.message].filter(Boolean).join(": ")
      }. ${diagnostic.fix}`,
      data: { what: "diagnostic", ...diagnostic },
    })),
    {
      name: "references",
      about: `${references} files and skills are referred to, ${dead.length} of them are nowhere`,
      data: { what: "references", references, dead: dead.length },
    },
    ...dead.map(deadRow),
    await nextRow(library),
  ];
}
