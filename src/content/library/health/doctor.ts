/** Origins, issues, broken references, files that nothing serves, and newer releases. */
import { type Entry, isHidden, isSupporting } from "../../../base/model.ts";
import { checkReferences } from "./closure.ts";
import { brokenRow, listOverridden } from "./conflicts.ts";
import { diagnose } from "./diagnose.ts";
import { hasSteppedBack, type Library, type LibrarySource } from "../library.ts";
import { originsOf } from "../overview.ts";
import { counted, withPlace } from "../../../base/text.ts";
import { giveWay, type Work } from "../../../base/work.ts";
import { countSeveral, type Row } from "../rows/row.ts";
import { compareVersions } from "../../../base/versions.ts";
import { isOwnModule } from "../../catalog/mod.ts";
import { findLeftFolders, hasRootName, layoutOf } from "../../inventory/mod.ts";
import { baseName, joinPath, whyUnserved } from "../../tree/mod.ts";
import { isServed } from "../files/mounts.ts";
import { LIMITS } from "../../limits.ts";

export type Health = Awaited<ReturnType<typeof examineLibrary>>;

export async function examineLibrary(library: Library, work: Work = {}) {
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
  const { diagnostics, unserved, references: { references, broken } } = await examineLibrary(library, work);
  return [
    verdictRow(diagnostics),
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

function verdictRow(diagnostics: Health["diagnostics"]): Row {
  const counts = (["error", "warning"] as const).flatMap((level) => {
    const count = diagnostics.filter((one) => one.level === level).length;
    return count === 0 ? [] : counted(count, level);
  });
  const about = counts.join(", ") || "no problems found";
  return { name: "verdict", about, data: { what: "verdict", verdict: about } };
}

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

function newerReleases({ whole: { manifest } }: Library) {
  const own = manifest.entries.filter(({ module, status }) =>
    isOwnModule(module) && status !== "no-file-found"
  );
  const embedded = own.filter(({ origin }) => origin.kind === "package");
  const known = embedded.find(({ version }) => version !== undefined)?.version;
  if (known === undefined) return [];
  const others = Map.groupBy(
    own.filter(({ origin }) => origin.kind !== "package"),
    ({ origin }) => origin.id,
  );
  return [...others].flatMap(([origin, entries]) => {
    const version = entries.find(({ version }) => version !== undefined)?.version;
    if (version === undefined || compareVersions(version, known) <= 0) return [];
    const [added, gone] = [missingFrom(entries, embedded), missingFrom(embedded, entries)];
    return [{ origin, version, known, added, gone }];
  });
}

function missingFrom(entries: readonly Entry[], others: readonly Entry[]): readonly string[] {
  const ids = new Set(others.map(({ id }) => id));
  const listed = entries.filter((entry) => !isHidden(entry) && !isSupporting(entry.kind)).map(({ id }) => id);
  return [...new Set(listed)].filter((id) => !ids.has(id)).sort();
}

async function findUnserved(library: Library) {
  const found: Record<"origin" | "path" | "reason", string>[] = [];
  const { unserved, folders: most } = LIMITS.health;
  const sources = library.sources.filter(({ origin }, rank) =>
    origin.kind !== "package" && !hasSteppedBack(library, rank)
  );
  for (const source of sources) {
    const report = (path: string, reason: string) => found.push({ origin: source.origin.id, path, reason });
    for (const left of await findLeftFolders(source.tree, source.inventory)) report(left.path, left.reason);
    const folders = bmadFolders(source);
    for (const { name, isDirectory } of source.tree.list("")) {
      if (!isDirectory && hasRootName(source.tree, name)) report(name, "it is a file, and must be a folder");
    }
    for (const { name, reason } of source.tree.unlisted("")) {
      if (hasRootName(source.tree, name)) report(name, reason);
    }
    for (let count = 0; folders.length > 0 && found.length < unserved && count < most; count++) {
      await giveWay();
      const folder = folders.pop()!;
      for (const { name, isDirectory } of source.tree.list(folder)) {
        const path = joinPath(folder, name);
        const reason = whyNotServed(source, path, isDirectory);
        if (reason !== undefined) report(path, reason);
        else if (isDirectory) folders.push(path);
      }
      for (const { name, reason } of source.tree.unlisted(folder)) report(joinPath(folder, name), reason);
    }
  }
  return found;
}

function bmadFolders({ tree, inventory }: LibrarySource): string[] {
  if (hasRootName(tree, "")) return [""];
  const named = tree.list("").filter(({ name, isDirectory }) => isDirectory && hasRootName(tree, name));
  // Skills share their folder with those of others.
  const roots = inventory.roots.filter((root) =>
    root.path !== "" && root.generation !== "flat" && layoutOf(root).is !== "loose skills"
  );
  return [...new Set([...named.map(({ name }) => name), ...roots.map(({ path }) => path)])];
}

function whyNotServed({ inventory: { mounts } }: LibrarySource, path: string, isFolder: boolean) {
  if (isServed(mounts, path)) return undefined;
  const isMounted = isFolder && mounts.some((mount) => mount.path.startsWith(`${path}/`));
  return whyUnserved(baseName(path)) ?? (isMounted ? undefined : FOREIGN);
}

const FOREIGN =
  "its folder holds no agents, workflows, tasks, skills or settings, and may be the project's own";
