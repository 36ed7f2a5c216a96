/**
 * Collects the licences that must ship with the program.
 *
 * Its own, that of the runtime, those of the embedded content, and that of every npm package with a file in the
 * bundle. The bundle's source maps name every file in it, even those of packages inside another package's files.
 * A package without a known licence stops the build.
 */
import { packageFolder } from "../../bmad-embedded/npm_package.ts";
import { MEMORY_FILES, memoryFile } from "../../src/project/kit/memory/files.ts";
import { PACK_PATHS } from "../../src/content/origins/mod.ts";
import type { PackFiles } from "../../src/content/tree/mod.ts";

/** A package at a version, with its folder if known. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly folder?: string;
}

interface Licence {
  readonly of: string;
  readonly text: string;
}

/** Renders all licences as one text. */
export async function renderLicences(
  repository: string,
  contentDir: string,
  packs: readonly string[],
  packages: readonly Package[],
): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(`${repository}/deno.json`));
  const own = await Deno.readTextFile(`${repository}/LICENSE`);
  const v8 = await Deno.readTextFile(new URL("v8_licence.txt", import.meta.url));
  return [
    { of: `bmad-mcp ${version}`, text: own },
    {
      of: `Deno ${Deno.version.deno}, the runtime`,
      text: renderMit(own, "2018-2026 the Deno authors") + RUNTIME,
    },
    { of: `V8 ${Deno.version.v8}, a part of the runtime`, text: v8 },
    ...await readContentLicences(contentDir, packs),
    await readMemoryLicence(contentDir),
    ...await Promise.all(packages.map((one) => readPackageLicence(one, own))),
  ].map(renderSection).join("\n");
}

/** The packages that files of a bundle belong to, sorted; fails for a file outside every package. */
export function findPackages(inputs: readonly string[]): readonly Package[] {
  const found = new Map<string, Package>();
  const unversioned: string[] = [];
  for (const input of inputs.map((path) => path.replaceAll("\\", "/"))) {
    // A package inside another one's files, according to that one's source maps.
    const inner = /\/node_modules\/\.pnpm\/[^/]+?@(\d[^/_(]*)[^/]*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//
      .exec(input);
    const outer = /^(.*\/npm\/[^/]+\/((?:@[^/]+\/)?[^/@]+)\/(\d[^/]*))\//.exec(input);
    if (inner !== null) found.set(`${inner[2]}@${inner[1]}`, { name: inner[2]!, version: inner[1]! });
    else if (outer !== null) {
      found.set(`${outer[2]}@${outer[3]}`, { name: outer[2]!, version: outer[3]!, folder: outer[1]! });
    } else unversioned.push(input);
  }
  // Source maps also name files that only their authors have; they belong to the package with the map.
  const names = [...found.values()].map(({ name }) => `/${name}/`);
  const stray = unversioned.find((input) =>
    !names.some((name) => input.includes(`/npm/`) && input.includes(name))
  );
  if (stray !== undefined) {
    throw new Error(`Cannot find the licence of ${stray}: it belongs to no known package`);
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/** The licence text of a package; a package that only declares MIT gets the MIT text. */
async function readPackageLicence({ name, version, folder }: Package, mit: string): Promise<Licence> {
  const at = folder ?? await packageFolder(name, version, { locked: false });
  const names = [...Deno.readDirSync(at)].filter(({ isFile }) => isFile).map(({ name }) => name);
  const files = names.filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort();
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(`${at}/${file}`)));
  if (texts.length === 0) {
    const { license, author } = JSON.parse(await Deno.readTextFile(`${at}/package.json`));
    const holder = typeof author === "string" ? author : author?.name;
    if (license !== "MIT" || !holder) {
      throw new Error(`Cannot ship ${name}@${version}: ${at} has no licence text`);
    }
    texts.push(renderMit(mit, holder));
  }
  return { of: `${name} ${version}, an npm package`, text: texts.join("\n") };
}

/** The licence that a package declares, as an SPDX identifier. */
export async function readDeclaredLicence({ name, version, folder }: Package): Promise<string> {
  const at = folder ?? await packageFolder(name, version, { locked: false });
  const { license } = JSON.parse(await Deno.readTextFile(`${at}/package.json`));
  if (typeof license === "string") return license;
  throw new Error(`Cannot list ${name}@${version}: its package.json declares no licence`);
}

/** The notice and the licence of each package, which bmad-embedded/build.ts puts beside the content. */
async function readContentLicences(
  contentDir: string,
  packs: readonly string[],
): Promise<readonly Licence[]> {
  const licences = new Map<string, string>();
  for (const pack of packs) {
    const files: PackFiles = JSON.parse(await Deno.readTextFile(`${contentDir}/${PACK_PATHS.files(pack)}`));
    for (const folder of Object.keys(files).filter((path) => /^licenses(\/|$)/.test(path)).sort()) {
      for (const [hash] of Object.values(files[folder]!)) {
        const of = folder === "licenses"
          ? "The embedded BMAD content"
          : `${folder.slice(9)}, embedded content`;
        licences.set(of, await Deno.readTextFile(`${contentDir}/${PACK_PATHS.blobs}/${hash}`));
      }
    }
  }
  return [...licences].map(([of, text]) => ({ of, text }));
}

/** The licences beside the embedder's weights. */
async function readMemoryLicence(contentDir: string): Promise<Licence> {
  const texts = MEMORY_FILES.licences.map((name) => Deno.readTextFile(memoryFile(contentDir, name)));
  return {
    of: "all-MiniLM-L6-v2, the embedder of project memory",
    text: (await Promise.all(texts)).join("\n"),
  };
}

/** The MIT licence differs only in its copyright line. */
function renderMit(mit: string, holder: string): string {
  return mit.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}

const RUNTIME = `
Only a binary contains the runtime. It includes further software: V8, whose licence follows, and libraries whose
licences are in the source code of Deno: https://github.com/denoland/deno
`;

const RULE = "=".repeat(80);

function renderSection({ of, text }: Licence): string {
  return `${RULE}\n${of}\n${RULE}\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}
