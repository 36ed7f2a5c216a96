/**
 * What is not as it should be: all that was gathered on the way, and what only a look at every file shows; each with
 * what mends it.
 */
import { diagnoseRefusals } from "../../inventory/mod.ts";
import type { Diagnostic, Entry } from "../../../base/model.ts";
import { qualifiedName } from "../../../base/model.ts";
import { cutShort } from "../files/files.ts";
import type { Library } from "../library.ts";

/** Every diagnostic. Looks at all served files, so it is not for the way of a start. */
export async function diagnose(library: Library): Promise<readonly Diagnostic[]> {
  const { valueDiagnostics } = await import("../values/customize.ts");
  const { launcherDiagnostics } = await import("../generated/launcher.ts");
  const { withRemedy } = await import("./remedies.ts");
  // Looks at every folder, and so meets every link.
  const many = cutShort(library);
  const known = library.diagnostics;
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
  const found = [...duplicates(library), ...valueDiagnostics(library), ...launcherDiagnostics(library)];
  // Last, because all of the above met files, too.
  const left = library.holdings.flatMap(({ origin, tree }) =>
    diagnoseRefusals(tree).map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
  );
  const all = [...known, ...cut, ...[...found, ...left].filter((diagnostic) => !isKnown(diagnostic))];
  return all.map((diagnostic) => withRemedy(library, diagnostic));
}

/** What was gathered on the way, each with what mends it. */
export async function toldOnTheWay(library: Library): Promise<readonly Diagnostic[]> {
  if (library.diagnostics.length === 0) return [];
  const { withRemedy } = await import("./remedies.ts");
  return library.diagnostics.map((diagnostic) => withRemedy(library, diagnostic));
}

/** Things that one origin holds twice under the same name: only the first is ever served. */
function duplicates({ manifest }: Library): readonly Diagnostic[] {
  const things = Map.groupBy(
    manifest.entries.filter((entry) => entry.status !== "no-file-found"),
    ({ rank, module, kind, id }) => `${rank}:${module}:${kind}:${id}`.toLowerCase(),
  );
  return [...things.values()].flatMap(([first, ...others]) =>
    others.map((entry) => duplicateOf(first!, entry))
  );
}

function duplicateOf(first: Entry, { file, origin }: Entry): Diagnostic {
  const message = `is not served: ${qualifiedName(first)} is already ${first.file}`;
  return { level: "warning", code: "duplicate-id", message, path: file, origin: origin.id };
}
