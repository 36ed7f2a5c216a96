/**
 * Builds a folder that contains the program and can be run or compiled as it is.
 *
 * `stageProgram` bundles and minifies main.ts into `bmad-mcp.js` with `chunks/` that are loaded on demand, and adds the
 * embedded content, the build stamp and all licences. The folder holds nothing else, and the same sources give the
 * same bytes and times, wherever they are.
 */
import { dirname, join } from "node:path";
import * as posix from "node:path/posix";
import { fileURLToPath } from "node:url";
import { type BuildStamp, LICENCES_FILE, STAMP_FILE } from "../../src/process/host.ts";
import { PACK_PATHS } from "../../src/content/origins/mod.ts";
import { ALL_MEMORY_FILES, MEMORY_FILES } from "../../src/project/kit/memory/files.ts";
import type { PackFiles } from "../../src/content/tree/mod.ts";
import list from "../../bmad-embedded/packages.json" with { type: "json" };
import { bundleFlags } from "./binary_rights.ts";
import { runDeno, temporaryFolder } from "./deno.ts";
import { findPackages, type Package, renderLicences } from "./licences.ts";

/** The folder of the repository. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");

/** The file name of the entry point. */
export const ENTRY = "bmad-mcp.js";

/** The folder of the modules that the entry point loads. */
export const CODE = "chunks";

/** The folder of the content, relative to the entry point and to the repository. */
export const CONTENT = "bmad-embedded/content";

/** Binaries contain file times, so all files get this one: a binary must not depend on when it was built. */
const TIME = new Date("2000-01-01T00:00:00Z");

const PACKS = Object.keys(list.packs);

/**
 * Builds the program in a folder; the result of an earlier build is removed first. Returns the packages that it
 * contains.
 */
export async function stageProgram(folder: string, stamp: BuildStamp): Promise<readonly Package[]> {
  for (const name of [ENTRY, CODE, "bmad-embedded", "deno.json"]) {
    await Deno.remove(join(folder, name), { recursive: true }).catch(ignoreMissing);
  }
  const files = new Map<string, string | Uint8Array>();
  const { modules, packaged } = await bundle();
  for (const [name, code] of modules) files.set(name, inAscii(loadLate(code)));
  const packages = findPackages(packaged);
  const contentDir = join(REPOSITORY, CONTENT);
  for (const path of await listContent(contentDir)) {
    files.set(`${CONTENT}/${path}`, await Deno.readFile(join(contentDir, path)));
  }
  files.set(`${CONTENT}/${STAMP_FILE}`, `${JSON.stringify(stamp)}\n`);
  files.set(
    `${CONTENT}/${LICENCES_FILE}`,
    await renderLicences(REPOSITORY, contentDir, PACKS, packages),
  );
  files.set("deno.json", renderConfig());
  for (const [path, data] of files) await writeFile(join(folder, path), data);
  return packages;
}

/** The content files that an index names, and those of memory; unlisted files are left out. */
export async function listContent(contentDir: string): Promise<readonly string[]> {
  const paths = new Set(ALL_MEMORY_FILES.map((name) => `${MEMORY_FILES.folder}/${name}`));
  for (const pack of PACKS) {
    for (const path of [PACK_PATHS.index, PACK_PATHS.files, PACK_PATHS.words]) paths.add(path(pack));
    const text = await Deno.readTextFile(join(contentDir, PACK_PATHS.files(pack))).catch(() => {
      throw new Error(`Cannot find the embedded content in ${contentDir}. Run deno task embed`);
    });
    for (const names of Object.values(JSON.parse(text) as PackFiles)) {
      for (const [hash] of Object.values(names)) paths.add(`${PACK_PATHS.blobs}/${hash}`);
    }
  }
  return [...paths].sort();
}

/** The modules by name, and the absolute paths of all files of packages in them. */
async function bundle(): Promise<{
  readonly modules: ReadonlyMap<string, string>;
  readonly packaged: readonly string[];
}> {
  const work = await Deno.realPath(
    await Deno.makeTempDir({ dir: temporaryFolder(), prefix: "bmad-mcp-bundle-" }),
  );
  const [source, out] = [join(work, "source"), join(work, "out")];
  try {
    copySource(source);
    await runDeno([
      ...["bundle", "--quiet", "--minify", "--code-splitting", "--sourcemap=external"],
      // The browser builds of packages use no Node modules, each of which would delay the start.
      ...["--conditions=browser", "--outdir", out, "main.ts"],
    ], source);
    const modules = new Map<string, string>();
    const inputs = new Set<string>();
    for (const { name } of Deno.readDirSync(out)) {
      const text = await Deno.readTextFile(join(out, name));
      if (name.endsWith(".js")) modules.set(name, text);
      else JSON.parse(text).sources.forEach((path: string) => inputs.add(join(out, path)));
    }
    const own = [...inputs].filter((file) => file.startsWith(join(source, "src")));
    const lost = countLostDisposals(
      await Promise.all(own.map((file) => Deno.readTextFile(file))),
      modules.values(),
    );
    if (lost > 0) {
      throw new Error(
        `Cannot bundle: the minifier dropped ${lost} \`using\` declarations in src. Use try and finally for a ` +
          "variable that is used only once",
      );
    }
    const packaged = [...inputs].filter((file) => !file.startsWith(source));
    return { modules: nameModules(modules), packaged: packaged.sort() };
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** What every start loads, and what all but a few commands load. */
const [START, APP] = ["src/start.ts", "src/app.ts"];
/** What a start loads once the rights are dropped; whatever else it loads comes before, and must bring no package along. */
const RUN = "src/commands/cli/mod.ts";
/** What all that serves loads. */
const SERVER = "src/serve/mcp/mod.ts";
/** What git waits for has to start without both. */
const ALONE = "src/commands/merge_driver.ts";

/**
 * Copies the sources, so that every module which is loaded late also imports what is loaded in any case. The bundler makes
 * a file for each set of modules that the same late modules need; this way what every start loads becomes a few files
 * instead of fifty, each of which takes a fifth of a millisecond.
 */
function copySource(folder: string): void {
  const files = ["main.ts", "deno.json", "deno.lock", ...sourceFiles("src")];
  const texts = new Map(files.map((path) => [path, Deno.readTextFileSync(join(REPOSITORY, path))]));
  const named = (path: string, pattern: RegExp) =>
    [...texts.get(path)!.matchAll(pattern)].map(([, name]) => posix.join(posix.dirname(path), name!));
  const lateIn = (path: string) => named(path, /\bimport\(\s*"(\.[^"]+)"/g);
  const late = new Set(files.flatMap(lateIn));
  const early = lateIn(START).filter((path) => path !== RUN);
  const needsApp = (path: string, seen = new Set<string>()): boolean =>
    path === APP || /^src\/(?:content|project|serve)\//.test(path) || !seen.has(path) && texts.has(path) &&
      named(path, /^(?:import|export)\b(?! type\b)[^;"]*?\bfrom "(\.[^"]+)"/gm)
        .some((next) => needsApp(next, seen.add(path)));
  for (const [path, text] of texts) {
    const file = join(folder, path);
    Deno.mkdirSync(dirname(file), { recursive: true });
    const isApart = !late.has(path) || path === START || path === ALONE;
    const needed = path !== APP && needsApp(path) ? [START, APP] : [START];
    const added = isApart
      ? []
      : path.startsWith("src/serve/") && path !== SERVER && !early.includes(path)
      ? [...needed, SERVER]
      : needed;
    const imports = added
      .map((one) => `import ${JSON.stringify(`./${posix.relative(posix.dirname(path), one)}`)};\n`);
    Deno.writeTextFileSync(file, imports.join("") + text);
  }
}

function sourceFiles(folder: string): readonly string[] {
  const items = [...Deno.readDirSync(join(REPOSITORY, folder))].sort((a, b) => a.name < b.name ? -1 : 1);
  return items.flatMap(({ name, isDirectory }) =>
    isDirectory ? sourceFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

/**
 * The number of `using` declarations missing from the bundle. The minifier inlines a variable that is used once as if it
 * were an ordinary one, so that it is never disposed of.
 */
export function countLostDisposals(sources: Iterable<string>, modules: Iterable<string>): number {
  const count = (texts: Iterable<string>, declaration: RegExp) =>
    [...texts].reduce((sum, text) => sum + [...text.matchAll(declaration)].length, 0);
  return Math.max(0, count(sources, /^\s*(?:await )?using \w+ =/gm) - count(modules, /\busing [\w$]+=/g));
}

/**
 * Hides dynamic imports from Deno. A run would otherwise read and parse everything that any `import()` names before its
 * first line; a module named by an expression is read when it is imported. The compiler needs the modules by name
 * (`CODE`).
 */
function loadLate(code: string): string {
  return code.replace(/\bimport\(("[^"]+")\)/g, "import((0,$1))");
}

/** In memory, a single dash would double the size of a module: the engine stores wider characters in two bytes each. */
export function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Renames modules so that their names depend on the code alone. The bundler's own names contain a hash of the sources'
 * location, so that two clones would differ. Modules are numbered in the order in which the entry point reaches them.
 */
export function nameModules(modules: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const reference = /"\.\/([\w.-]+\.js)"/g;
  const order = ["main.js"];
  for (const name of order) {
    for (const [, next] of modules.get(name)!.matchAll(reference)) {
      if (modules.has(next!) && !order.includes(next!)) order.push(next!);
    }
  }
  const names = new Map(order.map((name, i) => [name, name.replace(/-\w{8}\.js$/, `-${i}.js`)]));
  return new Map(order.map((name, i) => {
    const folder = i === 0 ? `./${CODE}/` : "./";
    const code = modules.get(name)!.replace(
      reference,
      (word, next) => names.has(next) ? `"${folder}${names.get(next)}"` : word,
    );
    return [i === 0 ? ENTRY : `${CODE}/${names.get(name)}`, code];
  }));
}

/**
 * With this file, `deno task --config FOLDER/deno.json start` runs the bundle. It is a workspace of its own, so that
 * Deno takes nothing from a deno.json or package.json in the folders above it or in the working folder.
 */
export function renderConfig(): string {
  const words = ["deno", "run", ...bundleFlags(), ENTRY];
  const command = words.map((word) => /[*\\]/.test(word) ? `'${word}'` : word).join(" ");
  return `${JSON.stringify({ workspace: [], tasks: { start: command } }, null, 2)}\n`;
}

async function writeFile(path: string, data: string | Uint8Array): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeFile(path, typeof data === "string" ? new TextEncoder().encode(data) : data);
  await Deno.utime(path, TIME, TIME);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
