/**
 * What is not as it should be: all that was gathered on the way, and what only a look at every file shows.
 */
import { refusedLinks } from "../../inventory/mod.ts";
import type { Diagnostic } from "../../model.ts";
import { cutShort } from "../files/files.ts";
import type { Library } from "../library.ts";

/** Every diagnostic. Looks at all served files, so it is not for the way of a start. */
export async function diagnose(library: Library): Promise<readonly Diagnostic[]> {
  const { valueDiagnostics } = await import("../values/customize.ts");
  const { launcherDiagnostics } = await import("../made/launcher.ts");
  // Looks at every folder, and so meets every link.
  const many = cutShort(library);
  const known = library.diagnostics;
  const links = library.holdings.flatMap(({ origin, tree }) =>
    refusedLinks(tree).map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
  );
  const cut = many.map((
    { origin },
  ): Diagnostic => ({
    level: "warning",
    code: "too-many-files",
    message: `only the first ${library.maxFiles} files are listed (--max-files)`,
    origin: origin.id,
  }));
  const isKnown = ({ origin, path, code }: Diagnostic) =>
    known.some((other) => other.origin === origin && other.path === path && other.code === code);
  const found = [...links, ...valueDiagnostics(library), ...launcherDiagnostics(library)];
  return [...known, ...cut, ...found.filter((diagnostic) => !isKnown(diagnostic))];
}
