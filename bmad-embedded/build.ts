/**
 * Builds the embedded content from the npm packages listed in packages.json.
 *
 * The packages come through Deno's own npm resolution, so npm/deno.lock pins and verifies them. Each distinct file is stored
 * once under the hash of its bytes. Each pack gets a file table and an index with its inventory, read by the same code
 * that reads a user's installation; a start reads only the index. Upstream text is copied, never changed and never
 * committed, together with each package's licence.
 *
 * Run by `deno task embed`, which skips the work if no input has changed.
 */
import { createHash } from "node:crypto";
import { readInventory } from "../src/content/inventory/mod.ts";
import { prepareWords } from "../src/content/library/find/texts.ts";
import {
  baseName,
  diskTree,
  embeddedTree,
  joinPath,
  type PackFiles,
  parentPath,
  walkFiles,
} from "../src/content/tree/mod.ts";
import { MEMORY_FILES } from "../src/project/kit/memory/files.ts";
import { isHidden } from "../src/base/model.ts";
import { PACK_PATHS, type PackIndex } from "../src/content/origins/mod.ts";
import { packageFolder } from "./npm_package.ts";
import { printProgress } from "./progress.ts";
import list from "./packages.json" with { type: "json" };

interface Package {
  readonly package: string;
  readonly version: string;
  /** Folders of the package, and their folders in the pack. */
  readonly take: Readonly<Record<string, string>>;
}

const HERE = import.meta.dirname!;
const CONTENT = `${HERE}/content`;
const BLOBS = `${CONTENT}/${PACK_PATHS.blobs}`;

/** Skips what packages ship beside their content: tests, caches, tool folders. */
function isLeftOut(path: string): boolean {
  const name = baseName(path);
  return ["tests", "__pycache__", "node_modules", "dist"].includes(name) || name.startsWith(".") ||
    name.endsWith(".pyc");
}

async function buildPack(
  pack: string,
  packages: readonly Package[],
): Promise<{ index: PackIndex; files: PackFiles }> {
  const files: Record<string, Record<string, readonly [string, number]>> = {};
  const versions: Record<string, string> = {};
  const authors: Record<string, string | undefined> = {};
  const written = new Set<string>();
  const add = (path: string, bytes: Uint8Array) => {
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (!written.has(hash)) Deno.writeFileSync(`${BLOBS}/${hash}`, bytes);
    written.add(hash);
    (files[parentPath(path)] ??= {})[baseName(path)] = [hash, bytes.length];
  };
  for (const source of packages) {
    printProgress(`Building embedded content: ${source.package} ${source.version}`);
    const label = `${source.package}@${source.version}`;
    const tree = diskTree(await packageFolder(source.package, source.version, { locked: true }));
    add(`licenses/${label}/LICENSE`, tree.read("LICENSE"));
    for (const [from, to] of Object.entries(source.take)) {
      let count = 0;
      for (const path of walkFiles(tree, from, isLeftOut)) {
        add(joinPath(to, path.slice(from.length + 1)), tree.read(path));
        count++;
      }
      if (count === 0) throw new Error(`Cannot build pack ${pack}: ${from} in ${label} is empty or missing`);
      versions[to] = versions[baseName(to)] = source.version;
      authors[baseName(to)] = JSON.parse(new TextDecoder().decode(tree.read("package.json"))).author;
    }
  }
  add("licenses/NOTICE", await Deno.readFile(`${HERE}/NOTICE`));

  const inventory = await readInventory(embeddedTree(pack, () => files, BLOBS));
  if (inventory.items.length === 0) {
    throw new Error(`Cannot build pack ${pack}: no BMAD content found`);
  }
  const version = (module: string) => versions[module];
  const index: PackIndex = {
    pack,
    packages: packages.map((source) => ({ name: source.package, version: source.version })),
    inventory: {
      ...inventory,
      roots: inventory.roots.map((root) => ({ ...root, version: version(root.path) })),
      modules: inventory.modules.map((module) => ({
        author: authors[module.code],
        ...module,
        version: version(module.code),
      })),
      items: inventory.items.map((item) => ({ ...item, version: version(item.module) })),
    },
  };
  return { index, files };
}

await Deno.mkdir(CONTENT, { recursive: true });
for await (const { name } of Deno.readDir(CONTENT)) {
  if (name !== MEMORY_FILES.folder) await Deno.remove(`${CONTENT}/${name}`, { recursive: true });
}
await Deno.mkdir(BLOBS);
for (const [pack, packages] of Object.entries(list.packs)) {
  const { index, files } = await buildPack(pack, packages as unknown as readonly Package[]);
  await Deno.writeTextFile(`${CONTENT}/${PACK_PATHS.index(pack)}`, JSON.stringify(index));
  await Deno.writeTextFile(`${CONTENT}/${PACK_PATHS.files(pack)}`, JSON.stringify(files));
  const words = prepareWords(index.inventory.items.filter((item) => !isHidden(item)));
  await Deno.writeTextFile(`${CONTENT}/${PACK_PATHS.words(pack)}`, JSON.stringify(words));
  const modules = index.inventory.modules.map((module) => `${module.code} ${module.version}`).join(", ");
  printProgress(`Embedded pack ${pack}: ${index.inventory.items.length} items (${modules})`);
}
