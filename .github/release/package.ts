/**
 * Turns compiled binaries into a release, in four steps that the release workflow calls:
 *
 *     package.ts check    [--tag TAG]                                          check readiness, print version and targets
 *     package.ts archive  --target T --program FILE --licenses FILE --out DIR    the archive and the bundle of one binary
 *     package.ts complete --dir DIR                         add install scripts, manifests and SHA256SUMS to all archives
 *     package.ts notes                                                                            print the release notes
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
} from "./artifacts.ts";
import { buildMcpbFiles } from "./mcpb.ts";
import { buildManifests } from "./manifests.ts";
import { buildPlugins } from "./plugins.ts";
import { checkOwner, checkTag, findNotes, OWNED_PAGES, renderInstallNotes } from "./readiness.ts";
import { ownerOf } from "./release.ts";
import { isTarget, programName, TARGET_NAMES, TARGETS } from "./targets.ts";

const { version } = PRODUCT;
const INSTALL_SCRIPTS = ["install.sh", "install.ps1"];

/** Returns the value of a required option. */
type Given = (option: "repository" | "target" | "program" | "licenses" | "out" | "dir") => string;

/** The outputs for the workflow. Without a tag nothing will be released, so nothing is checked. */
async function check(given: Given, tag: string | undefined): Promise<string> {
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
  ];
  const found = new Set([...Deno.readDirSync(dir)].map(({ name }) => name));
  const missing = built.filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`Cannot complete ${dir}: missing ${missing.join(", ")}`);
  for (const script of INSTALL_SCRIPTS) {
    const text = await readText(`.github/release/${script}`);
    await Deno.writeTextFile(`${dir}/${script}`, text.replaceAll("OWNER/bmad-mcp", repository));
  }
  const sums = await readSums(dir, [...built, ...INSTALL_SCRIPTS]);
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
async function notes(given: Given): Promise<string> {
  const section = findNotes(await readText("CHANGELOG.md"), version);
  return `${section}\n\n${renderInstallNotes(given("repository"), version)}`;
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
export const STEPS = { check, archive, complete, notes } as const;

/** Runs one step and returns its output. */
export async function runStep(args: readonly string[]): Promise<string> {
  const text = { type: "string" } as const;
  const { values, positionals: [name = ""] } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ repository: text, tag: text, target: text },
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
  return await STEPS[name as keyof typeof STEPS](given, values.tag);
}

if (import.meta.main) {
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(await runStep(Deno.args)));
  } catch (error) {
    Deno.stderr.writeSync(new TextEncoder().encode(`${(error as Error).message}\n`));
    Deno.exitCode = 1;
  }
}
