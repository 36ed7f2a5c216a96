/**
 * The state of health of a library: its origins, everything that was found wrong, and the references that lead
 * nowhere.
 */
import { checkReferences } from "./closure.ts";
import { deadRow } from "./conflicts.ts";
import { diagnose } from "./diagnose.ts";
import type { Library } from "../library.ts";
import { nextRow } from "./next.ts";
import type { Watch } from "../pace.ts";
import type { Row } from "./row.ts";

/** The rows of the origins, of every diagnostic, of the references, and of what the project should do next. */
export async function listHealth(
  library: Library,
  origins: readonly Row[],
  watch: Watch,
): Promise<readonly Row[]> {
  const { references, dead } = await checkReferences(library, watch);
  return [
    ...origins.map((row) => ({ ...row, data: { what: "origin", ...row.data } })),
    ...(await diagnose(library)).map((diagnostic) => ({
      name: diagnostic.level,
      about: [diagnostic.origin, diagnostic.path, diagnostic.message].filter(Boolean).join(": "),
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
