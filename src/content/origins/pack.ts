/**
 * A pack of embedded content, as a tree with its inventory already taken.
 *
 * bmad-embedded/build.ts builds it. Opening a pack reads one file, its index; the content is read file by file,
 * on request.
 */
import { DENO_TASK, type Inventory, type PreparedWords } from "../../base/model.ts";
import { findEmbeddedText } from "../../process/embedded.ts";
import { embeddedTree, joinPath, type PackFiles, type Tree } from "../tree/mod.ts";
import { fail } from "../../base/errors.ts";

/** The index of a pack: all that a start needs of it. */
export interface PackIndex {
  /** Its name: `latest`. */
  readonly pack: string;
  /** The npm packages it was built from. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  /** Taken by the build, with the code that reads a user's folders. */
  readonly inventory: Inventory;
}

/** Where a pack's index, list of files, search terms and bytes are, below the content folder. */
export const PACK_PATHS = {
  index: (pack: string) => `${pack}.json`,
  files: (pack: string) => `${pack}.files.json`,
  words: (pack: string) => `${pack}.words.json`,
  blobs: "blobs",
} as const;

/** Opens a pack, or fails with origin-unavailable when the program was built without it. */
export function openPack(pack: string, contentDir: string) {
  const read = (path: string) => readJson(pack, contentDir, path);
  const { inventory } = read(PACK_PATHS.index(pack)) as PackIndex;
  const files = () => read(PACK_PATHS.files(pack)) as PackFiles;
  return {
    tree: embeddedTree(`embedded ${pack}`, files, `${contentDir}/${PACK_PATHS.blobs}`),
    inventory,
    /** Read by the first search; undefined where the search must compute them. */
    preparedWords: () => findJson(contentDir, PACK_PATHS.words(pack)) as PreparedWords | undefined,
  };
}

/** The result of checking every byte of a pack. */
export interface PackCheck {
  /** How many files it should have. */
  readonly files: number;
  /** The paths of files that are missing or differ from the build. */
  readonly damaged: readonly string[];
}

/** Reads a whole pack and compares it with the hashes of the build. Slow. */
export async function checkPack(pack: string, contentDir: string): Promise<PackCheck> {
  const listed = readJson(pack, contentDir, PACK_PATHS.files(pack)) as PackFiles;
  const files = Object.entries(listed).flatMap(([folder, names]) =>
    Object.entries(names).map(([name, [hash]]) => [joinPath(folder, name), hash] as const)
  );
  const tree = embeddedTree(pack, () => listed, `${contentDir}/${PACK_PATHS.blobs}`);
  const damaged: string[] = [];
  for (const [path, hash] of files) if (await hashOf(tree, path) !== hash) damaged.push(path);
  return { files: files.length, damaged };
}

async function hashOf(tree: Tree, path: string): Promise<string | undefined> {
  try {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", tree.read(path))).toHex();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function readJson(pack: string, contentDir: string, path: string): unknown {
  const found = findJson(contentDir, path);
  if (found !== undefined) return found;
  const origin = `the embedded pack ${pack}`;
  const hint = `Build it with: ${DENO_TASK} embed`;
  return fail({ code: "origin-unavailable", origin, reason: "missing or damaged", hint });
}

function findJson(contentDir: string, path: string): unknown {
  try {
    return JSON.parse(findEmbeddedText(contentDir, path) ?? "");
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
