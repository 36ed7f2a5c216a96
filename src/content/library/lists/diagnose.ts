/**
 * The issues of a library, each with a fix: those found while it was opened, and those that only a full scan finds.
 */
import { diagnoseRefusals } from "../../inventory/mod.ts";
import { type Diagnostic, type Entry, qualifiedName } from "../../../base/model.ts";
import { truncatedSources } from "../files/files.ts";
import type { Library } from "../library.ts";

/** Every issue. It reads all served files, so a start must not wait for it. */
export async function diagnose(library: Library): Promise<readonly Diagnostic[]> {
  const { valueDiagnostics } = await import("../values/customize.ts");
  const { launcherDiagnostics } = await import("../generated/launcher.ts");
  const { withFix } = await import("./fixes.ts");
  const cut = truncatedSources(library).map(({ origin }): Diagnostic => ({
    level: "warning",
    code: "too-many-files",
    message: `only the first ${library.maxFiles} files are listed`,
    origin: origin.id,
  }));
  const known = library.diagnostics;
  const isKnown = ({ origin, path, code }: Diagnostic) =>
    known.some((other) => other.origin === origin && other.path === path && other.code === code);
  const found = [...duplicates(library), ...valueDiagnostics(library), ...launcherDiagnostics(library)];
  // Last, because everything above reads files too.
  const left = library.sources.flatMap(({ origin, tree }) =>
    diagnoseRefusals(tree).map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
  );
  const all = [...known, ...cut, ...[...found, ...left].filter((diagnostic) => !isKnown(diagnostic))];
  return all.map((diagnostic) => withFix(library, diagnostic));
}

/** The issues found while a library was opened. */
export async function diagnosticsOf(library: Library): Promise<readonly Diagnostic[]> {
  if (library.diagnostics.length === 0) return [];
  const { withFix } = await import("./fixes.ts");
  return library.diagnostics.map((diagnostic) => withFix(library, diagnostic));
}

/** Items that one origin has twice: only the first is ever served. */
function duplicates({ manifest }: Library): readonly Diagnostic[] {
  const items = Map.groupBy(
    manifest.entries.filter((entry) => entry.status !== "no-file-found"),
    ({ rank, module, kind, id }) => `${rank}:${module}:${kind}:${id}`.toLowerCase(),
  );
  return [...items.values()].flatMap(([first, ...rest]) => rest.map((entry) => duplicateOf(first!, entry)));
}

function duplicateOf(first: Entry, { file, origin }: Entry): Diagnostic {
  const message = `is not served: ${first.file} already has the name ${qualifiedName(first)}`;
  return { level: "warning", code: "duplicate-id", message, path: file, origin: origin.id };
}
