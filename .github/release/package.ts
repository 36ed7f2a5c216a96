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
import { parseArgs } from "node:util";
import { PRODUCT } from "../../src/base/model.ts";
import { type ArchiveFile, buildTarGz, buildZip } from "./archive.ts";
import {
  archiveName,
  LICENCES_NAME,
  manifestsName,
  mcpbName,
  npmName,
  platformName,
  RUNNERS,
  sbomName,
} from "./artifacts.ts";
import { buildMcpbFiles } from "./mcpb.ts";
import { buildManifests, renderServerEntry } from "./manifests.ts";
import { buildPlugins } from "./plugins.ts";
import {
  CHANNELS,
  checkOwner,
  checkTag,
  dateChanges,
  findNotes,
  linkNotes,
  OWNED_PAGES,
  ownPage,
  renderInstallNotes,
  setVersion,
} from "./readiness.ts";
import { imageOf, ownerOf } from "./release.ts";
import { isTarget, programName, TARGET_NAMES, TARGETS } from "./targets.ts";

const { version } = PRODUCT;

/** Files for users that name the repository and the version, by their names in a release. */
const TEMPLATES = {
  "install.sh": "install.sh",
  "install.ps1": "install.ps1",
  "compose.yaml": "container/compose.yaml",
} as const;

/** Returns the value of a required option. */
type Given = (option: "repository" | "target" | "program" | "licenses" | "out" | "dir") => string;

/** Options that may be missing. */
interface Optional {
  readonly version?: string;
  readonly tag?: string;
  /** Where the release was published, comma-separated. */
  readonly channels?: string;
}

/** Names the account and the version wherever they stand. What was ready already stays as it is. */
async function prepare(given: Given, { version: next = version }: Optional): Promise<string> {
  const repository = given("repository");
  const day = new Date().toISOString().slice(0, 10);
  const edits: Readonly<Record<string, (text: string) => string>> = {
    ...Object.fromEntries(OWNED_PAGES.map((page) => [page, (text: string) => ownPage(text, repository)])),
    "deno.json": (text) => setVersion(text, next),
    "CHANGELOG.md": (text) => dateChanges(text, next, day),
  };
  for (const [path, edit] of Object.entries(edits)) {
    await Deno.writeTextFile(new URL(`../../${path}`, import.meta.url), edit(await readText(path)));
  }
  await runDeno("task", "--quiet", "docs");
  await runDeno("fmt", "--quiet", ...Object.keys(edits));
  const step = ["run", "--allow-all", ".github/release/package.ts"];
  await runDeno(...step, "check", "--repository", repository, "--tag", `v${next}`);
  return await runDeno(...step, "notes", "--repository", repository);
}

/** Another process, which reads the version anew. */
async function runDeno(...args: readonly string[]): Promise<string> {
  const cwd = new URL("../..", import.meta.url);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args], cwd })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
  return new TextDecoder().decode(stdout);
}

/** The outputs for the workflow. Without a tag nothing will be released, so nothing is checked. */
async function check(given: Given, { tag }: Optional): Promise<string> {
  if (tag !== undefined) {
    checkTag(tag, version);
    findNotes(await readText("CHANGELOG.md"), version);
    for (const page of OWNED_PAGES) checkOwner(page, await readText(page), given("repository"));
  }
  const targets = TARGET_NAMES.map((target) => ({
    name: platformName(target),
    target,
    runner: RUNNERS[target],
    program: programName(target),
  }));
  return `version=${version}\ntargets=${JSON.stringify(targets)}\n`;
}

/** Packs one binary with the files that must accompany it. */
async function archive(given: Given): Promise<string> {
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
  const made = {
    [archiveName(version, target)]: (TARGETS[target].os === "windows" ? buildZip : buildTarGz)(files),
    [mcpbName(version, target)]: buildZip(buildMcpbFiles(given("repository"), version, target, files)),
  };
  await Deno.mkdir(given("out"), { recursive: true });
  for (const [name, bytes] of Object.entries(made)) await Deno.writeFile(`${given("out")}/${name}`, bytes);
  return Object.keys(made).map((name) => `${name}\n`).join("");
}

/** Adds the files that a release has once to the archives and bundles of all platforms. */
async function complete(given: Given): Promise<string> {
  const repository = given("repository");
  const dir = given("dir");
  const built = [
    ...TARGET_NAMES.flatMap((target) => [archiveName(version, target), mcpbName(version, target)]),
    npmName(repository, version),
    sbomName(version),
  ];
  const found = new Set([...Deno.readDirSync(dir)].map(({ name }) => name));
  const missing = built.filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`Cannot complete ${dir}: missing ${missing.join(", ")}`);
  for (const [name, source] of Object.entries(TEMPLATES)) {
    const text = await readText(`.github/release/${source}`);
    const filled = text.replaceAll("ghcr.io/OWNER/bmad-mcp:VERSION", `${imageOf(repository)}:${version}`)
      .replaceAll("OWNER/bmad-mcp", repository);
    await Deno.writeTextFile(`${dir}/${name}`, filled);
  }
  const sums = await readSums(dir, [...built, ...Object.keys(TEMPLATES)]);
  const manifests = {
    ...buildManifests({ repository, version, sums }),
    ...buildPlugins({ repository, version }, await readText("LICENSE")),
  };
  await Deno.writeFile(
    `${dir}/${manifestsName(version)}`,
    buildZip(Object.entries(manifests).map(([path, content]) => ({ path, content }))),
  );
  const all = [...sums, ...await readSums(dir, [manifestsName(version)])];
  const lines = all.map(([name, sum]) => `${sum}  ${name}\n`).join("");
  await Deno.writeTextFile(`${dir}/SHA256SUMS`, lines);
  return lines;
}

/** The change log section, and how to install the release. */
async function notes(given: Given, { channels = "" }: Optional): Promise<string> {
  const repository = given("repository");
  const section = linkNotes(findNotes(await readText("CHANGELOG.md"), version), repository, version);
  return `${section}\n\n${renderInstallNotes(repository, version, publishedBy(channels))}`;
}

/** The entry of the MCP registry, for what was published. */
async function registry(given: Given, { channels = "" }: Optional): Promise<string> {
  const lines = (await Deno.readTextFile(`${given("dir")}/SHA256SUMS`)).trimEnd().split("\n");
  const sums = new Map(lines.map((line) => line.split("  ").toReversed() as [string, string]));
  const hasNpm = publishedBy(channels).includes("npm");
  return renderServerEntry({ repository: given("repository"), version, sums }, hasNpm);
}

function publishedBy(channels: string) {
  const named = channels.split(",").filter((name) => name !== "");
  const unknown = named.find((name) => !CHANNELS.some((known) => known === name));
  if (unknown !== undefined) {
    throw new Error(`Unknown channel ${unknown}. Use some of ${CHANNELS.join(", ")}`);
  }
  return CHANNELS.filter((channel) => named.includes(channel));
}

async function readSums(dir: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const sums = new Map<string, string>();
  for (const name of names) {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(`${dir}/${name}`));
    sums.set(name, new Uint8Array(digest).toHex());
  }
  return sums;
}

async function readText(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
}

/** Every step by name. */
export const STEPS = { prepare, check, archive, complete, notes, registry } as const;

/** Runs one step and returns its output. */
export async function runStep(args: readonly string[]): Promise<string> {
  const text = { type: "string" } as const;
  const { values, positionals: [name = ""] } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ repository: text, version: text, tag: text, channels: text, target: text },
      ...{ program: text, licenses: text, out: text, dir: text },
    },
  });
  if (!Object.hasOwn(STEPS, name)) {
    throw new Error(`Unknown step "${name}". Use one of ${Object.keys(STEPS).join(", ")}`);
  }
  const given: Given = (option) => {
    const value = values[option];
    if (value === undefined) throw new Error(`Missing --${option} for ${name}`);
    return value;
  };
  ownerOf(given("repository"));
  return await STEPS[name as keyof typeof STEPS](given, values);
}

if (import.meta.main) {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(await runStep(Deno.args)));
  } catch (error) {
    Deno.stderr.writeSync(new TextEncoder().encode(`${(error as Error).message}\n`));
    Deno.exitCode = 1;
  }
}
