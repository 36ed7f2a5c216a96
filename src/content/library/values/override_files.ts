/** Where a team and a user override a skill: `_bmad/custom/bmad-prd.toml`. Nothing is parsed, because lists ask too. */
import type { Entry } from "../../../base/model.ts";
import { servedFor } from "../../catalog/mod.ts";
import { joinPath } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { directPaths, SCHEME } from "../files/mounts.ts";
import { fileIn } from "../files/references.ts";
import { type Library, type LibrarySource, sourceOf } from "../library.ts";

/** Its own source, those above it and the user's, the highest last: one below would add to what a project has decided. */
export function customizingSources({ sources }: Library, { rank }: Entry): readonly LibrarySource[] {
  return sources.filter(({ origin }, at) => at <= rank || origin.kind === "user").toReversed();
}

const ENDS = [".toml", ".user.toml"];

export function overrideFiles(library: Library, entry: Entry): readonly ServedFile[] {
  const { id, folder, formerIds = [] } = entry;
  // One under a former name counts until there is one under the present name, because BMAD's setup would rename it.
  const isOpen = formerIds.length > 0 &&
    sourceOf(library, entry).tree.stat(joinPath(folder, "customize.toml")) !== undefined;
  const ids = isOpen ? [id, ...formerIds] : [id];
  return customizingSources(library, entry).flatMap((source) =>
    ENDS.flatMap((end) => ids.map((id) => overrideIn(source, id, end)).find((file) => file) ?? [])
  );
}

export function formerOverrides(library: Library, entry: Entry) {
  const { id, formerIds = [] } = entry;
  if (formerIds.length === 0) return [];
  const used = overrideFiles(library, entry);
  const isUsed = (file: ServedFile) =>
    used.some(({ source, path }) => source === file.source && path === file.path);
  return customizingSources(library, entry).flatMap((source) =>
    formerIds.flatMap((former) =>
      ENDS.flatMap((end) => {
        const file = overrideIn(source, former, end);
        return file === undefined ? [] : [{ file, name: `${id}${end}`, applies: isUsed(file) }];
      })
    )
  );
}

/** One whose skill has lost its files or has stepped back is not stray: it applies once that is served. */
export function strayOverrides(library: Library) {
  const { manifest } = library.whole;
  const served = new Map<string, Entry>();
  for (const entry of manifest.entries) {
    const instead = servedFor(manifest, entry);
    for (const id of [entry.id, ...entry.formerIds ?? []]) {
      if (!served.has(id) || instead.kind === "skill") served.set(id, instead);
    }
  }
  return listFiles(library).flatMap((file) => {
    const name = file.uri.startsWith(FOLDER) ? overriddenBy(file.uri.slice(FOLDER.length)) : undefined;
    const known = name === undefined ? undefined : served.get(name);
    return name === undefined || known?.kind === "skill" ? [] : [{ file, name, served: known }];
  });
}

const FOLDER = `${SCHEME}custom/`;

export function overriddenBy(name: string): string | undefined {
  return /^(?!config\.|ticketing-)([^/]{1,200}?)(?:\.user)?\.toml$/.exec(name)?.[1];
}

export function overriddenIds(source: LibrarySource): readonly string[] {
  if (source.origin.kind === "package") return [];
  return directPaths(source, "custom").flatMap((folder) => source.tree.list(folder))
    .flatMap(({ name, isDirectory }) => isDirectory ? [] : overriddenBy(name) ?? []);
}

function overrideIn(source: LibrarySource, id: string, end: string): ServedFile | undefined {
  return fileIn(source, `custom/${id}${end}`);
}
