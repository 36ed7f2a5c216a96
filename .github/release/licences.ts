/**
 * Which licences must travel with the program?
 *
 * Its own, that of the runtime, those of the embedded content, and that of every npm package of which something is in
 * the bundle. The source maps of the bundle tell which those are: they name each file that was really taken, also those
 * of packages that a package brings inside its own files. A package whose licence cannot be told stops the build.
 */
import { packageFolder } from "../../bmad-embedded/npm_package.ts";
import { MEMORY_FILES, memoryFile } from "../../src/project/memory/files.ts";
import { PACK_PATHS } from "../../src/content/origins/mod.ts";
import type { PackFiles } from "../../src/content/tree/mod.ts";

/** A package at a version, and where it lies if that is known. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly folder?: string;
}

/** A text and what it is for. */
interface Licence {
  readonly of: string;
  readonly text: string;
}

/** Writes all licences as one text. `inputs` are the absolute names of all files that the bundle was made of. */
export async function renderLicences(
  repository: string,
  contentDir: string,
  packs: readonly string[],
  inputs: readonly string[],
): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(`${repository}/deno.json`));
  const own = await Deno.readTextFile(`${repository}/LICENSE`);
  const packages = findPackages(inputs.filter((input) => !input.startsWith(`${repository}/`)));
  return [
    { of: `bmad-mcp ${version}`, text: own },
    {
      of: `Deno ${Deno.version.deno}, the runtime`,
      text: renderMit(own, "2018-2026 the Deno authors") + RUNTIME,
    },
    ...await readContentLicences(contentDir, packs),
    await readMemoryLicence(contentDir),
    ...await Promise.all(packages.map((one) => readPackageLicence(one, own))),
  ].map(renderSection).join("\n");
}

/** The packages that some files belong to, sorted; fails for a file that belongs to none. */
export function findPackages(inputs: readonly string[]): readonly Package[] {
  const found = new Map<string, Package>();
  const unversioned: string[] = [];
  for (const input of inputs.map((path) => path.replaceAll("\\", "/"))) {
    // A package that is inside another one's files, as the source maps of that one tell.
    const inner = /\/node_modules\/\.pnpm\/[^/]+?@(\d[^/_(]*)[^/]*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//
      .exec(input);
    const outer = /^(.*\/npm\/[^/]+\/((?:@[^/]+\/)?[^/@]+)\/(\d[^/]*))\//.exec(input);
    if (inner !== null) found.set(`${inner[2]}@${inner[1]}`, { name: inner[2]!, version: inner[1]! });
    else if (outer !== null) {
      found.set(`${outer[2]}@${outer[3]}`, { name: outer[2]!, version: outer[3]!, folder: outer[1]! });
    } else unversioned.push(input);
  }
  // Source maps also name files that only their authors have; the package is the one that has the map.
  const names = [...found.values()].map(({ name }) => `/${name}/`);
  const stray = unversioned.find((input) =>
    !names.some((name) => input.includes(`/npm/`) && input.includes(name))
  );
  if (stray !== undefined) {
    throw new Error(`Cannot tell which package ${stray} belongs to, so its licence is missing`);
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/** The text that a package ships; a package that only says that it is under the MIT licence gets that text. */
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

/** What bmad-embedded/build.ts has put beside the content: the notice, and the licence of each package. */
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

/** What lies beside the weights of the embedder. */
async function readMemoryLicence(contentDir: string): Promise<Licence> {
  const texts = MEMORY_FILES.licences.map((name) => Deno.readTextFile(memoryFile(contentDir, name)));
  return {
    of: "all-MiniLM-L6-v2, the embedder of project memory",
    text: (await Promise.all(texts)).join("\n"),
  };
}

/** The MIT licence says the same for everybody; only whose work it is differs. */
function renderMit(mit: string, holder: string): string {
  return mit.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}

const RUNTIME = `
Only a binary contains the runtime. It is made of further software, above all V8 (BSD-3-Clause, copyright the V8
project authors), whose licences are in the source code of Deno: https://github.com/denoland/deno
`;

const RULE = "=".repeat(80);

function renderSection({ of, text }: Licence): string {
  return `${RULE}\n${of}\n${RULE}\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}
