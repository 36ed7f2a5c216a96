/**
 * What an installer noted about an installation: the hash of every file, and whether it brought skills along that only
 * forward to others.
 */
import type { Entry } from "../../../base/model.ts";
import { normalizeText, parseTable, parseYaml } from "../../parse.ts";
import { asText, asValues } from "../../../base/values.ts";
import { findBytes, findText, joinPath, normalizePath } from "../../tree/mod.ts";
import { filesOf } from "../files/files.ts";
import { type Library, type LibrarySource, sourceOf } from "../library.ts";
import type { LostCustomization } from "./upgrade.ts";

/** Whether the installation has skills that only forward to others; undefined if it does not say so. */
export function installedShims({ sources }: Library, origin: string): boolean | undefined {
  const source = sources.find((one) => one.origin.id === origin);
  for (const { path } of source?.inventory.roots ?? []) {
    const text = findText(source!.tree, joinPath(path, "_config/manifest.yaml"));
    const said = text === undefined ? undefined : asValues(parseYaml(text).value["installation"]);
    if (typeof said?.["installShims"] === "boolean") return said["installShims"];
  }
  return undefined;
}

/** The files of some entries that somebody has changed since they were installed: an upgrade replaces them. */
export async function editedFiles(
  library: Library,
  origin: string,
  entries: readonly Entry[],
): Promise<readonly LostCustomization[]> {
  const source = library.sources.find((one) => one.origin.id === origin);
  const hashes = source === undefined ? [] : notedHashes(source);
  if (hashes.length === 0) return [];
  const edited: LostCustomization[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    for (const { path } of filesOf(library, entry)) {
      if (seen.has(path)) continue;
      seen.add(path);
      const wanted = hashesFor(hashes, entry, path);
      const bytes = findBytes(source!.tree, path);
      if (wanted.length === 0 || bytes === undefined || await isAsNoted(bytes, wanted)) continue;
      const reason = "the file itself was changed, and is replaced";
      const file = `${sourceOf(library, entry).origin.location}/${path}`;
      edited.push({ file, name: `${entry.module}/${entry.id}`, reason });
    }
  }
  return edited;
}

/** A file as its installer noted it. */
interface Noted {
  /** In the tree or, of a skill, in the folder that it was copied from. */
  readonly path: string;
  /** In hexadecimal digits; v4 notes only the first of them. */
  readonly hash: string;
}

function notedHashes({ tree, inventory }: LibrarySource): readonly Noted[] {
  return inventory.roots.flatMap(({ path: root, generation }): Noted[] => {
    if (generation === "v4") {
      const text = findText(tree, joinPath(root, "install-manifest.yaml"));
      const { files } = text === undefined ? {} : parseYaml(text).value;
      return (Array.isArray(files) ? files : []).map(asValues).flatMap(({ path, hash }) =>
        notedAs("", asText(path), asText(hash))
      );
    }
    const text = ["_config", "_cfg"].map((folder) =>
      findText(tree, joinPath(root, `${folder}/files-manifest.csv`))
    ).find((found) => found !== undefined);
    const rows = text === undefined ? [] : parseTable(text).value;
    return rows.flatMap(({ path, hash }) => notedAs(root, path, hash));
  });
}

function notedAs(root: string, path: string | undefined, hash: string | undefined): readonly Noted[] {
  const plain = path === undefined ? undefined : normalizePath(path);
  return plain === undefined || !/^[\da-f]{16,64}$/.test(hash ?? "")
    ? []
    : [{ path: joinPath(root, plain), hash: hash! }];
}

/** The hashes that a file of an entry may have: a skill was copied out of the folder that its path names. */
function hashesFor(noted: readonly Noted[], { id, folder }: Entry, path: string): readonly string[] {
  const place = `/${id}/${path.slice(folder.length + 1)}`;
  return noted.filter((one) => one.path === path || (folder.endsWith(`/${id}`) && one.path.endsWith(place)))
    .map(({ hash }) => hash);
}

/** Whether bytes have one of some hashes, also if git has changed how their lines end. */
async function isAsNoted(bytes: Uint8Array<ArrayBuffer>, hashes: readonly string[]): Promise<boolean> {
  const isOne = async (data: Uint8Array<ArrayBuffer>) => {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data)).toHex();
    return hashes.some((noted) => hash.startsWith(noted));
  };
  return await isOne(bytes) ||
    await isOne(new TextEncoder().encode(normalizeText(new TextDecoder().decode(bytes))));
}
