/**
 * Turns compiled binaries into a release. `deno task release` takes the first step, the release workflow the others:
 *
 *     package.ts prepare  [--version V]                 make a checkout ready to be tagged, and show the release notes
 *     package.ts check    [--tag TAG]                                          check readiness, print version and targets
 *     package.ts archive  --target T --program FILE --licenses FILE --out DIR    the archive and the bundle of one binary
 *     package.ts complete --dir DIR                         add install scripts, manifests and SHA256SUMS to all archives
 *     package.ts notes    [--channels npm,packages,container]     print the release notes, for where it was published
 *     package.ts registry --dir DIR [--channels …]          print the MCP registry entry of the release with these SHA256SUMS
 *
 * Each also takes `--repository OWNER/NAME`. This file only reads and writes files; its siblings generate the contents.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { PRODUCT } from "../../src/base/model.ts";
import { type ArchiveFile, buildTarGz, buildZip } from "./archive.ts";
import { runDeno } from "./deno.ts";
import { buildManifests, renderServerEntry } from "./manifests.ts";
import { buildMcpbFiles } from "./mcpb.ts";
import { buildPlugins } from "./plugins.ts";
import {
  type Channel,
  CHANNELS,
  checkOwner,
  editsFor,
  findNotes,
  linkNotes,
  OWNED_PAGES,
  renderInstallNotes,
} from "./readiness.ts";
import { describeRelease, fillIn, LICENCES_NAME, type Release, type Sums } from "./release.ts";
import { REPOSITORY } from "./stage.ts";
import { isTarget, programName, TARGET_NAMES, TARGETS } from "./targets.ts";

/** Files for users that name the repository and the version, by their names in a release. */
const TEMPLATES = {
  "install.sh": "install.sh",
  "install.ps1": "install.ps1",
  "compose.yaml": "container/compose.yaml",
} as const;

const TEXT = { type: "string" } as const;
const OPTIONS = {
  ...{ repository: TEXT, version: TEXT, tag: TEXT, channels: TEXT },
  ...{ target: TEXT, program: TEXT, licenses: TEXT, out: TEXT, dir: TEXT },
};

/** Returns the value of an option; fails if it is missing and nothing stands for it. */
type Given = (option: keyof typeof OPTIONS, otherwise?: string) => string;

async function prepare(release: Release): Promise<string> {
  const edits = editsFor(release, new Date().toISOString().slice(0, 10));
  for (const [path, edit] of Object.entries(edits)) {
    await Deno.writeTextFile(`${REPOSITORY}/${path}`, edit(await readText(path)));
  }
  await runDeno(["task", "--quiet", "docs"], REPOSITORY);
  await runDeno(["fmt", "--quiet", ...Object.keys(edits)], REPOSITORY);
  await checkReady(release, `v${release.version}`);
  return await notes(release, () => "");
}

/** Without a tag nothing will be released, so nothing is checked. */
async function check(release: Release, given: Given): Promise<string> {
  const tag = given("tag", "");
  if (tag !== "") await checkReady(release, tag);
  const targets = TARGET_NAMES.map((target) => {
    const { os, arch, runner } = TARGETS[target];
    return { name: `${os}-${arch}`, target, runner, program: programName(target) };
  });
  return `version=${release.version}\ntargets=${JSON.stringify(targets)}\n`;
}

async function checkReady(release: Release, tag: string): Promise<void> {
  const { version } = release;
  if (tag !== `v${version}`) {
    throw new Error(
      `Cannot release ${tag}: deno.json has version ${version}, so the tag must be v${version}`,
    );
  }
  findNotes(await readText("CHANGELOG.md"), version);
  for (const page of OWNED_PAGES) checkOwner(page, await readText(page), release);
}

/** Packs one binary with the files that must accompany it. */
async function archive(release: Release, given: Given): Promise<string> {
  const target = given("target");
  if (!isTarget(target)) {
    throw new Error(`Unknown --target ${target}. Use one of ${TARGET_NAMES.join(", ")}`);
  }
  const files: readonly ArchiveFile[] = [
    { path: programName(target), content: await Deno.readFile(given("program")), isProgram: true },
    { path: "README.md", content: await readText("README.md") },
    { path: "LICENSE", content: await readText("LICENSE") },
    { path: "NOTICE", content: await readText("bmad-embedded/NOTICE") },
    { path: LICENCES_NAME, content: await Deno.readTextFile(given("licenses")) },
  ];
  const build = TARGETS[target].os === "windows" ? buildZip : buildTarGz;
  const made = {
    [release.files.archive(target)]: build(files),
    [release.files.bundle(target)]: buildZip(buildMcpbFiles(release, target, files)),
  };
  await Deno.mkdir(given("out"), { recursive: true });
  for (const [name, bytes] of Object.entries(made)) await Deno.writeFile(`${given("out")}/${name}`, bytes);
  return Object.keys(made).map((name) => `${name}\n`).join("");
}

/** Adds the files that a release has once to the archives and bundles of all platforms. */
async function complete(release: Release, given: Given): Promise<string> {
  const { repository, version, files } = release;
  const dir = given("dir");
  const platforms = TARGET_NAMES.flatMap((target) => [files.archive(target), files.bundle(target)]);
  const built = [...platforms, files.npm, files.sbom];
  const missing = built.filter((name) => !existsSync(`${dir}/${name}`));
  if (missing.length > 0) throw new Error(`Cannot complete ${dir}: missing ${missing.join(", ")}`);
  for (const [name, source] of Object.entries(TEMPLATES)) {
    const text = await readText(`.github/release/${source}`);
    await Deno.writeTextFile(`${dir}/${name}`, fillIn(text, release));
  }
  const sums = await readSums(dir, [...built, ...Object.keys(TEMPLATES)]);
  const manifests = {
    ...buildManifests(describeRelease(repository, version, sums)),
    ...buildPlugins(release, await readText("LICENSE")),
  };
  const zip = buildZip(Object.entries(manifests).map(([path, content]) => ({ path, content })));
  await Deno.writeFile(`${dir}/${files.manifests}`, zip);
  const all = [...sums, ...await readSums(dir, [files.manifests])];
  const lines = all.map(([name, sum]) => `${sum}  ${name}\n`).join("");
  await Deno.writeTextFile(`${dir}/SHA256SUMS`, lines);
  return lines;
}

/** The change log section, and how to install the release. */
async function notes(release: Release, given: Given): Promise<string> {
  const section = linkNotes(findNotes(await readText("CHANGELOG.md"), release.version), release);
  return `${section}\n\n${renderInstallNotes(release, channelsIn(given))}`;
}

async function registry({ repository, version }: Release, given: Given): Promise<string> {
  const lines = (await Deno.readTextFile(`${given("dir")}/SHA256SUMS`)).trimEnd().split("\n");
  const sums = new Map(lines.map((line) => line.split("  ").toReversed() as [string, string]));
  const hasNpm = channelsIn(given).includes("npm");
  return renderServerEntry(describeRelease(repository, version, sums), hasNpm);
}

/** Where the release was published. */
function channelsIn(given: Given): readonly Channel[] {
  const named = given("channels", "").split(",").filter((name) => name !== "");
  const unknown = named.find((name) => !CHANNELS.some((known) => known === name));
  if (unknown !== undefined) {
    throw new Error(`Unknown channel ${unknown}. Use some of ${CHANNELS.join(", ")}`);
  }
  return CHANNELS.filter((channel) => named.includes(channel));
}

async function readSums(dir: string, names: readonly string[]): Promise<Sums> {
  const sums = new Map<string, string>();
  for (const name of names) {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(`${dir}/${name}`));
    sums.set(name, new Uint8Array(digest).toHex());
  }
  return sums;
}

async function readText(path: string): Promise<string> {
  return await Deno.readTextFile(`${REPOSITORY}/${path}`);
}

/** Every step by name. */
export const STEPS = { prepare, check, archive, complete, notes, registry } as const;

/** Runs one step and returns its output. */
export async function runStep(args: readonly string[]): Promise<string> {
  const { values, positionals: [name = ""] } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  if (!Object.hasOwn(STEPS, name)) {
    throw new Error(`Unknown step "${name}". Use one of ${Object.keys(STEPS).join(", ")}`);
  }
  const given: Given = (option, otherwise) => {
    const value = values[option] ?? otherwise;
    if (value === undefined) throw new Error(`Missing --${option} for ${name}`);
    return value;
  };
  const release = describeRelease(given("repository"), given("version", PRODUCT.version));
  return await STEPS[name as keyof typeof STEPS](release, given);
}

if (import.meta.main) {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(await runStep(Deno.args)));
  } catch (error) {
    Deno.stderr.writeSync(new TextEncoder().encode(`${(error as Error).message}\n`));
    Deno.exitCode = 1;
  }
}
