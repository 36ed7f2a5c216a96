/**
 * `deno task npm`: builds the npm package, for people who have Node and no binary, and the bill of materials.
 *
 * It holds the bundle, a launcher for Node, and depends on nothing but the npm package of Deno, at the version that
 * everything is tested with. Its rights are those of the binary. The same sources give the same bytes.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { PRODUCT } from "../../src/base/model.ts";
import { type ArchiveFile, buildTarGz } from "./archive.ts";
import { bundleFlags } from "./binary_rights.ts";
import { NO_IMPORTS, readCommit } from "./compile.ts";
import { renderSbom } from "./sbom.ts";
import { describeRelease, DESCRIPTION, LICENCES_NAME, type Release, renderJson } from "./release.ts";
import { CODE, CONTENT, ENTRY, REPOSITORY, stageProgram } from "./stage.ts";
import { nodeSystem, type Target, TARGET_NAMES, TARGETS } from "./targets.ts";

const LAUNCHER = "launcher.cjs";

/** What clients on Linux and macOS start: as LAUNCHER, without Node. */
const SHELL_LAUNCHER = "launcher.sh";

/** Arguments of `deno run`: all code is in the package, and nothing of the working folder counts. */
const RUN = ["run", "--no-config", "--no-lock", "--no-npm", "--no-remote", NO_IMPORTS];

/** The package of a release from a staged program, as npm packs it. */
export async function buildNpmPackage(release: Release, stage: string): Promise<Uint8Array> {
  const files: ArchiveFile[] = [
    { path: "package.json", content: renderJson(buildManifest(release)) },
    { path: "launch.json", content: renderJson(buildLaunch()) },
    {
      path: LAUNCHER,
      content: await Deno.readFile(new URL("npm_launcher.cjs", import.meta.url)),
      isProgram: true,
    },
    { path: SHELL_LAUNCHER, content: await renderShellLauncher() },
    { path: ENTRY, content: await Deno.readFile(join(stage, ENTRY)) },
    { path: LICENCES_NAME, content: await Deno.readFile(join(stage, CONTENT, "licenses.txt")) },
    ...await readBelow(stage, CODE),
    ...await readBelow(stage, CONTENT),
  ];
  for (const [name, source] of [["README.md"], ["LICENSE"], ["NOTICE", "bmad-embedded/NOTICE"]] as const) {
    files.push({ path: name, content: await Deno.readFile(join(REPOSITORY, source ?? name)) });
  }
  return buildTarGz(files.map((file) => ({ ...file, path: `package/${file.path}` })));
}

function buildManifest({ npm, version, home, registryName }: Release): unknown {
  return {
    name: npm,
    version,
    description: DESCRIPTION,
    keywords: ["mcp", "mcp-server", "bmad", "bmad-method"],
    mcpName: registryName,
    license: "MIT",
    homepage: `${home}#readme`,
    repository: { type: "git", url: `git+${home}.git` },
    bugs: `${home}/issues`,
    type: "module",
    bin: { [PRODUCT.name]: LAUNCHER },
    engines: { node: ">=20" },
    dependencies: { deno: Deno.version.deno },
  };
}

/** What the launcher needs to know, by Node's names of systems and platforms. */
function buildLaunch() {
  const byPlatform = <T>(name: (target: Target) => string, value: (target: Target) => T) =>
    Object.fromEntries(TARGET_NAMES.map((target) => [name(target), value(target)]));
  return {
    entry: ENTRY,
    deno: Deno.version.deno,
    args: byPlatform(nodeSystem, (target) => [...RUN, ...bundleFlags(target)]),
    packages: byPlatform(
      (target) => `${nodeSystem(target)}-${TARGETS[target].arch}`,
      (target) => TARGETS[target].deno,
    ),
  };
}

/** The launcher for the shell, with what the other one reads from launch.json. */
export async function renderShellLauncher(): Promise<string> {
  const { entry, deno, args, packages } = buildLaunch();
  const lists = new Set([args["linux"], args["darwin"]].map((words) => words!.map(quote).join(" ")));
  if (lists.size > 1) {
    throw new Error("Linux and macOS need different arguments: npm_launcher.sh has one list");
  }
  const names = Object.entries(packages).filter(([platform]) => !platform.startsWith("win32"));
  const words: Readonly<Record<string, string>> = {
    "@PACKAGES@": names.map(([, name]) => name).join(" "),
    "@VERSION@": deno,
    "@ARGS@": [...lists].join(),
    "@ENTRY@": entry,
  };
  const text = await Deno.readTextFile(new URL("npm_launcher.sh", import.meta.url));
  return text.replaceAll(/@[A-Z]+@/g, (word) => words[word] ?? word);
}

/** A word for the shell. */
function quote(word: string): string {
  return /^[\w=/.,:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function readBelow(stage: string, folder: string): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(stage, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) files.push(...await readBelow(stage, path));
    else files.push({ path, content: await Deno.readFile(join(stage, path)) });
  }
  return files;
}

if (import.meta.main) {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args: Deno.args, options: { repository: text, out: text } });
  const { repository, out = join(REPOSITORY, "dist", "npm") } = values;
  if (repository === undefined) throw new Error("Usage: deno task npm --repository OWNER/NAME [--out DIR]");
  const release = describeRelease(repository);
  const stage = join(REPOSITORY, "dist");
  const packages = await stageProgram(stage, { commit: await readCommit() });
  const folder = resolve(Deno.env.get("INIT_CWD") ?? Deno.cwd(), out);
  const file = join(folder, release.files.npm);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeFile(file, await buildNpmPackage(release, stage));
  await Deno.writeTextFile(join(folder, release.files.sbom), await renderSbom(packages));
  Deno.stdout.writeSync(new TextEncoder().encode(`${file}\n`));
}
