/** Opening a pack reads its index only; content is read on request. */
import { DENO_TASK, type Inventory, type PreparedWords } from "../../base/model.ts";
import { embeddedTree, joinPath, type PackFiles, type Tree } from "../tree/mod.ts";
import { recover, unlessMissing } from "../../base/absence.ts";
import { fail } from "../../base/errors.ts";

export interface PackIndex {
  readonly pack: string;
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  readonly inventory: Inventory;
}

export const PACK_PATHS = {
  index: (pack: string) => `${pack}.json`,
  files: (pack: string) => `${pack}.files.json`,
  words: (pack: string) => `${pack}.words.json`,
  blobs: "blobs",
} as const;

/** Several projects are served from one. */
const opened = new Map<string, ReturnType<typeof readPack>>();

export function openPack(pack: string, contentDir: string): ReturnType<typeof readPack> {
  const { mtime, size = 0 } = unlessMissing(() => Deno.statSync(`${contentDir}/${PACK_PATHS.index(pack)}`)) ??
    {};
  const key = JSON.stringify([pack, contentDir, mtime, size]);
  const known = opened.get(key);
  if (known !== undefined) return known;
  opened.clear();
  const read = readPack(pack, contentDir);
  opened.set(key, read);
  return read;
}

function readPack(pack: string, contentDir: string) {
  const read = (path: string) => readJson(pack, contentDir, path);
  const { inventory } = read(PACK_PATHS.index(pack)) as PackIndex;
  const files = () => read(PACK_PATHS.files(pack)) as PackFiles;
  return {
    tree: embeddedTree(`embedded ${pack}`, files, `${contentDir}/${PACK_PATHS.blobs}`),
    inventory,
    preparedWords: () => findJson(contentDir, PACK_PATHS.words(pack)) as PreparedWords | undefined,
  };
}

export type PackCheck = Awaited<ReturnType<typeof checkPack>>;

export async function checkPack(pack: string, contentDir: string) {
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
  const bytes = unlessMissing(() => tree.read(path));
  return bytes && new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function readJson(pack: string, contentDir: string, path: string): unknown {
  const found = findJson(contentDir, path);
  if (found !== undefined) return found;
  const origin = `the embedded pack ${pack}`;
  const hint = `Build it with: ${DENO_TASK} embed`;
  return fail({ code: "origin-unavailable", origin, reason: "missing or damaged", hint });
}

function findJson(contentDir: string, path: string): unknown {
  const text = unlessMissing(() => Deno.readTextFileSync(`${contentDir}/${path}`)) ?? "";
  return recover(SyntaxError, (): unknown => JSON.parse(text));
}
