/**
 * The issues of a library, each with a fix: those found while it was opened, and those that only a full scan finds.
 */
import { isAuthored, servedFor } from "../../catalog/mod.ts";
import { completeItem, diagnoseRefusals, findNearItems, layoutOf } from "../../inventory/mod.ts";
import { type Diagnostic, type Entry, qualifiedName } from "../../../base/model.ts";
import { prepareFiles, truncatedSources } from "../files/files.ts";
import { isServed } from "../files/mounts.ts";
import { openYielder } from "../../../base/work.ts";
import { hasSteppedBack, isLinkBetween, isNamed, type Library } from "../library.ts";
import { LIMITS } from "../../limits.ts";

/** Every issue. It reads all served files, so a start must not wait for it. */
export async function diagnose(library: Library): Promise<readonly Diagnostic[]> {
  const { valueDiagnostics } = await import("../values/customize.ts");
  const { launcherDiagnostics, loadEngine } = await import("../delivery/launcher.ts");
  await loadEngine(library);
  await prepareFiles(library);
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
  const found = [
    ...sideBySide(library),
    ...servedAlready(library),
    ...duplicates(library),
    ...await brokenItems(library),
    ...await nearItems(library),
    ...await valueDiagnostics(library),
    ...await launcherDiagnostics(library),
  ];
  // Last, because everything above reads files too.
  const left = library.sources.flatMap(({ origin, tree }) =>
    diagnoseRefusals(tree).map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
  ).filter((diagnostic) => !isLinkBetween(library.whole.sources, diagnostic));
  const all = [...known, ...cut, ...[...found, ...left].filter((diagnostic) => !isKnown(diagnostic))];
  return all.map((diagnostic) => withFix(library, diagnostic));
}

export async function diagnosticsOf(library: Library): Promise<readonly Diagnostic[]> {
  if (library.diagnostics.length === 0) return [];
  const { withFix } = await import("./fixes.ts");
  return library.diagnostics.map((diagnostic) => withFix(library, diagnostic));
}

/** Items whose files are missing or cannot be parsed: a manifest describes them, so their files were not opened. */
async function brokenItems(library: Library): Promise<readonly Diagnostic[]> {
  const entries = library.effective.filter(({ isBrief, status }) => isBrief && status !== "no-file-found");
  const found: Diagnostic[] = [];
  const yieldIfDue = openYielder();
  for (const entry of entries) {
    const { rank, file: path, origin } = entry;
    const { tree } = library.sources[rank]!;
    const { fault } = await completeItem(tree, entry);
    const facts = { level: "warning", path, origin: origin.id } as const;
    if (fault !== undefined) found.push({ ...facts, code: "bad-file", message: fault });
    // Of thousands, the inventory has looked only for their folders.
    if (!tree.hasFile(path)) found.push({ ...facts, code: "no-file-found", message: MISSING });
    await yieldIfDue();
  }
  return found;
}

const MISSING = "a manifest lists it, but the file is missing";

async function nearItems(library: Library): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  const yieldIfDue = openYielder();
  for (
    const { tree, inventory, origin } of library.sources.filter(({ origin }) => origin.kind !== "package")
  ) {
    const known = new Set(inventory.diagnostics.map(({ path }) => path));
    for (const near of await findNearItems(tree, inventory)) {
      await yieldIfDue();
      if (near === undefined || known.has(near.path)) continue;
      const { path, reason } = near;
      const message = `${isServed(inventory.mounts, path) ? "served as a file" : "not served"}: ${reason}`;
      found.push({ level: "info", code: "not-an-item", message, path, origin: origin.id });
      if (found.length >= LIMITS.health.nearItems) return found;
    }
  }
  return found;
}

function sideBySide({ sources }: Library): readonly Diagnostic[] {
  return sources.flatMap(({ origin, inventory }): Diagnostic[] => {
    const installed = inventory.roots.filter((root) => layoutOf(root).is === "installation");
    const byPath = [...new Map(installed.map((root) => [root.path, root])).values()];
    if (new Set(byPath.map(({ generation }) => generation)).size < 2) return [];
    const roots = byPath.map(({ path, layout, version = "" }) =>
      `${path} (${layout} ${version}`.trim() + ")"
    );
    const message = `several generations are installed side by side: ${roots.join(", ")}`;
    const isUpgrade = byPath.some((root) => layoutOf(root).inUpgrade === "replaces");
    const diagnostic = { level: "info", code: "two-generations", message, origin: origin.id } as const;
    return [isUpgrade ? { ...diagnostic, fix: UPGRADE_FIX } : diagnostic];
  });
}

const UPGRADE_FIX =
  "Nothing has to be done: flat skills replace older ones of the same name. BMAD's own skill can remove what is left";

function servedAlready(library: Library): readonly Diagnostic[] {
  return library.sources.filter(({ origin }, rank) => isNamed(origin) && hasSteppedBack(library, rank))
    .map(({ origin }) => ({
      level: "info",
      code: "served-already",
      message: "on standby: another source serves its folder already",
      origin: origin.id,
    }));
}

/** Items that one origin has twice: only one has the name. What somebody wrote over an installed item is meant so. */
function duplicates({ manifest }: Library): readonly Diagnostic[] {
  const items = Map.groupBy(
    manifest.entries.filter((entry) => entry.status !== "no-file-found"),
    ({ rank, module, kind, id }) => `${rank}:${module}:${kind}:${id}`.toLowerCase(),
  );
  return [...items.values()].filter((same) => same.length > 1).flatMap((same) => {
    const { key } = servedFor(manifest, same[0]!);
    const served = same.find((entry) => entry.key === key) ?? same[0]!;
    const isMeant = (other: Entry) => isAuthored(manifest, served) && !isAuthored(manifest, other);
    return same.filter((other) => other.key !== served.key && !isMeant(other))
      .map((other) => describeDuplicate(served, other));
  });
}

function describeDuplicate(first: Entry, { file, origin }: Entry): Diagnostic {
  const message = `is served only as a file: ${first.file} already has the name ${qualifiedName(first)}`;
  return { level: "warning", code: "duplicate-id", message, path: file, origin: origin.id };
}
