/**
 * Templates, checklists, knowledge and configuration that lie among other files, as things of their own.
 *
 * Before skills, v4 kept them in folders of their own, and the inventory finds them there. Everywhere else they are
 * files among others, told by their name or folder, so they are looked for when somebody first asks for one: no
 * start pays for it. A file that several skills carry a copy of is one thing.
 */
import { type Entry, type Kind, KINDS, type Root } from "../../../base/model.ts";
import { baseName, parentPath } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { perLibrary } from "../library.ts";

/** What tells a file's kind; the first that fits counts. */
const SIGNS: readonly (readonly [kind: Kind, sign: RegExp])[] = [
  ["knowledge", /\/knowledge\/.+\.md$/i],
  ["checklist", /checklist[^/]*\.md$/i],
  ["template", /(?:\/templates?\/[^/]+|template[^/]*)\.(?:md|ya?ml|html|xml|csv|json)$/i],
  ["config", /^bmad:\/\/[^/]+\/(?:config|core-config|module)\.ya?ml$/i],
];

/** Folders that sort a skill's files, and so do not name what is in them. */
const SORTING = new Set(["assets", "templates", "template", "data", "resources", "references", "knowledge"]);

/** The kind that a file's URI tells. */
export function kindOf(uri: string): Kind | undefined {
  return SIGNS.find(([, sign]) => sign.test(uri))?.[0];
}

/** The kinds that may lie inside other things. */
export const SUPPORTING_KINDS: readonly Kind[] = SIGNS.map(([kind]) => kind);

/** Every template, checklist, piece of knowledge and configuration file that the inventory did not list itself. */
export const supportingEntries = perLibrary((library): readonly Entry[] => {
  const taken = new Set(library.manifest.entries.map((entry) => `${entry.rank}:${entry.file}`));
  const found = new Map<string, Entry>();
  for (const file of listFiles(library)) {
    const rank = library.sources.indexOf(file.source);
    const kind = kindOf(file.uri);
    const root = file.source.inventory.roots.find(({ path }) =>
      path === "" || file.path.startsWith(`${path}/`)
    );
    const isListed = (kind !== "config" && (root?.generation === "v4" || root?.generation === "v3")) ||
      taken.has(`${rank}:${file.path}`);
    if (kind === undefined || isListed) continue;
    const entry = entryOf(file, root, kind, rank, found.size);
    const thing = `${entry.module}:${kind}:${entry.id}`;
    if (!found.has(thing)) found.set(thing, entry);
  }
  return [...found.values()];
});

function entryOf(
  { uri, path, source }: ServedFile,
  root: Root | undefined,
  kind: Kind,
  rank: number,
  position: number,
): Entry {
  const [module = "", ...rest] = decodeURIComponent(uri.slice(SCHEME.length)).split("/");
  const stem = baseName(path).replace(/\.\w+$/, "").toLowerCase();
  const owner = rest.slice(0, -1).findLast((part) => !SORTING.has(part)) ?? module;
  // `template.md` says nothing without the thing it belongs to.
  const id = (KINDS as readonly string[]).includes(stem) ? `${owner}-${stem}` : stem;
  return {
    key: `${source.origin.id}:${module}:${kind}:${id}`,
    kind,
    roles: [],
    id,
    name: id,
    module,
    generation: root?.generation ?? "skills",
    version: root?.version,
    status: "verified",
    folder: parentPath(path),
    ownsFolder: false,
    file: path,
    description: `of ${owner}`,
    origin: source.origin,
    rank,
    position,
  };
}
