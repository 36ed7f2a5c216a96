/**
 * The content that is baked into the program, as a tree with its inventory already taken.
 *
 * Built by bmad-embedded/build.ts. Opening a pack reads one file, its index; the content itself is read file by
 * file when somebody asks for it.
 */
import type { Inventory } from "../model.ts";
import { embeddedTree, findBakedText, type PackFiles, type Tree } from "../tree/mod.ts";
import { fail } from "../errors.ts";

/** The index of a pack: all that a start needs of it. */
export interface PackIndex {
  /** The name under which `--pack` chooses it: `latest`. */
  readonly pack: string;
  /** The npm packages that it was built from. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  /** Taken when the pack was built, by the code that reads a user's folders. */
  readonly inventory: Inventory;
}

/** Where a pack's index, its list of files and the bytes of all files are, below the content folder. */
export const PACK_PATHS = {
  index: (pack: string) => `${pack}.json`,
  files: (pack: string) => `${pack}.files.json`,
  blobs: "blobs",
} as const;

/** Opens a pack, or fails with origin-unavailable when the program was built without it. */
export function openPack(
  pack: string,
  contentDir: string,
): { readonly tree: Tree; readonly inventory: Inventory } {
  const read = (path: string) => readJson(pack, contentDir, path);
  const { inventory } = read(PACK_PATHS.index(pack)) as PackIndex;
  const files = () => read(PACK_PATHS.files(pack)) as PackFiles;
  return { tree: embeddedTree(`embedded ${pack}`, files, `${contentDir}/${PACK_PATHS.blobs}`), inventory };
}

function readJson(pack: string, contentDir: string, path: string): unknown {
  try {
    return JSON.parse(findBakedText(contentDir, path) ?? "");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const hint = "Build it with: npx -y deno@2.9.5 task embed";
    return fail({
      code: "origin-unavailable",
      origin: `the embedded pack ${pack}`,
      reason: "it is missing or damaged",
      hint,
    });
  }
}
