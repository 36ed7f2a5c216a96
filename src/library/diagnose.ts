/**
 * What is not as it should be: all that was gathered on the way, and what only a look at every file shows.
 */
import type { Diagnostic } from "../model.ts";
import { listFiles } from "./files.ts";
import type { Library } from "./library.ts";

/** Every diagnostic. Looks at all served files, so it is not for the way of a start. */
export function diagnose(library: Library): readonly Diagnostic[] {
  listFiles(library);
  const links = library.holdings.flatMap(({ origin, tree }) =>
    tree.refused().map((path): Diagnostic => ({
      level: "warning",
      code: "link-refused",
      message: "left out: the link leads out of the folder that is served",
      origin: origin.id,
      path,
    }))
  );
  return [...library.manifest.diagnostics, ...links];
}
