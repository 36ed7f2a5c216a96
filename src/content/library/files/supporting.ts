/** Supporting entries: templates, checklists, knowledge and configuration, and files that belong to no item. */
import { GENERATIONS } from "../../../base/generations.ts";
import { type Entry, type Kind, KINDS, type Root, ROOT_NAMES } from "../../../base/model.ts";
import { parentPath } from "../../tree/mod.ts";
import { listFiles, type ServedFile, stemOf } from "./files.ts";
import { bmadFolderOf, isBelow, SCHEME } from "./mounts.ts";
import { entriesAt, type Library, perLibrary } from "../library.ts";

/** Which URIs are of which kind; the first match counts. The end comes first: a pattern looks back from there once. */
const PATTERNS: readonly (readonly [kind: Kind, pattern: RegExp])[] = [
  ["knowledge", /\.md$(?<=\/knowledge\/.+\.md)/is],
  ["checklist", /\.md$(?<=checklist[^/]*|\/checklists\/[^/]+)/i],
  ["template", /\.(?:md|ya?ml|html|xml|csv|json)$(?<=\/templates?\/[^/]+\.\w+|template[^/]*)/i],
  ["config", /^bmad:\/\/[^/]+\/(?:config|core-config|module)\.ya?ml$/i],
];

const SORTING = new Set(["assets", "templates", "template", "data", "resources", "references", "knowledge"]);

export function kindOf(uri: string): Kind | undefined {
  return PATTERNS.find(([, pattern]) => pattern.test(uri))?.[0];
}

const PARTS: readonly (readonly [use: string, pattern: RegExp])[] = [
  ["instructions", /\/instructions\.(?:md|xml)$/i],
  ["step", /\/steps?(?:-[^/]*)?\/[^/]+$|\/step-[^/]+$/i],
  ["data", /\.(?:csv|json)$|\/(?:data|resources|references)\/[^/]+$/i],
];

export function useOf(uri: string): string | undefined {
  return kindOf(uri) ?? PARTS.find(([, pattern]) => pattern.test(uri))?.[0];
}

/** Whether a file lies in the folder of an item, or in embedded content: those are found through their items. */
function openOwned({ manifest, sources }: Library): (rank: number, path: string) => boolean {
  const folders = new Set(
    manifest.entries.filter(({ ownsFolder }) => ownsFolder).map(({ rank, folder }) => `${rank}:${folder}`),
  );
  const isOwned = (rank: number, folder: string): boolean =>
    folder !== "" && (folders.has(`${rank}:${folder}`) || isOwned(rank, parentPath(folder)));
  return (rank, path) => sources[rank]!.origin.kind === "package" || isOwned(rank, parentPath(path));
}

export const supportingEntries = perLibrary((library): readonly Entry[] => {
  const isOwned = openOwned(library);
  const found = new Map<string, Entry>();
  for (const file of listFiles(library)) {
    const rank = library.sources.indexOf(file.source);
    const root = file.source.inventory.roots.find(({ path }) => isBelow(file.path, path));
    // In v4, those are items of their own.
    const isPack = root !== undefined && !GENERATIONS[root.generation].hasItemFolders;
    const named = kindOf(file.uri);
    const known = isPack && named !== "config" ? undefined : named;
    const kind = known ?? (isOwned(rank, file.path) ? undefined : "file");
    if (kind === undefined || entriesAt(library, file, library.manifest.entries).length > 0) continue;
    const entry = buildEntry(file, root, { kind, rank, position: found.size });
    found.getOrInsert(`${entry.module}:${kind}:${entry.id}`, entry);
  }
  return [...found.values()];
});

function buildEntry(
  { uri, path, source }: ServedFile,
  root: Root | undefined,
  at: Pick<Entry, "kind" | "rank" | "position">,
): Entry {
  const { origin } = source;
  const [module = "", ...rest] = decodeURIComponent(uri.slice(SCHEME.length)).split("/");
  const stem = stemOf(path);
  const owner = rest.slice(0, -1).findLast((part) => !SORTING.has(part)) ?? module;
  const isFile = at.kind === "file";
  // `template.md` says nothing without its owner.
  const name = !isFile && (KINDS as readonly string[]).includes(stem) ? `${owner}-${stem}` : stem;
  // A file at the top of its root has no other folder to be named by.
  const [place, id] = !isFile
    ? [module, name]
    : rest.length > 0
    ? [module, rest.join("/")]
    : [bmadFolderOf(source, path) ?? ROOT_NAMES[0]!, module];
  return {
    ...at,
    key: `${origin.id}:${place}:${at.kind}:${id}`,
    roles: [],
    id,
    name,
    module: place,
    generation: root?.generation ?? "skills",
    version: root?.version,
    status: "verified",
    folder: parentPath(path),
    ownsFolder: false,
    file: path,
    description: isFile ? "" : `of ${owner}`,
    origin,
  };
}
