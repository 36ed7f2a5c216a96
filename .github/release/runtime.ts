/**
 * Which runtime goes into a binary, and what to do when there is none?
 *
 * A binary is the program behind `denort`, the small runtime of Deno. It comes from `DENORT_BIN`, from a zip in Deno's
 * cache, or Deno fetches it. Where nothing of that works, `explainFailure` says what is missing. `standIn` gets a
 * platform's whole Deno from npm: with it a build for that platform can be looked into everywhere, though not started.
 */
import { join } from "node:path";
import { type Target, TARGETS } from "./targets.ts";

/** Where Deno looks for a runtime before it fetches one. */
export function cachedRuntime(denoDir: string, target: Target): string {
  return join(denoDir, "dl", "release", `v${Deno.version.deno}`, `denort-${target}.zip`);
}

/** Turns what Deno says into one sentence with a next step. */
export function explainFailure(
  target: Target,
  said: string,
  given: { readonly file?: string; readonly denoDir: string },
): string {
  const cannot = `Cannot compile for ${target}: `;
  const { file, denoDir } = given;
  if (file !== undefined && /Could not find denort/.test(said)) {
    return `${cannot}DENORT_BIN names ${file}, which does not exist; name a denort of Deno ${Deno.version.deno} for ` +
      "that platform, or unset DENORT_BIN and have Deno fetch it";
  }
  if (file !== undefined && /Writing binary bytes/.test(said)) {
    return `${cannot}DENORT_BIN names ${file}, which is no program of that platform; name a denort for ${target}`;
  }
  if (file === undefined && /Setting up base binary/.test(said)) {
    return `${cannot}its runtime, denort of Deno ${Deno.version.deno}, is not on this machine and could not be ` +
      `fetched; connect to the network, put it at ${
        cachedRuntime(denoDir, target)
      }, or name it in DENORT_BIN`;
  }
  return `${cannot}${said}`;
}

/** The whole Deno of a platform, from npm, kept for the next time; undefined when npm cannot be reached. */
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
    // Its own cache is thrown away with the archive: nobody needs the same again.
    const options = ["--silent", "--pack-destination", work, "--cache", join(work, "cache")];
    const pack = ["pack", ...options, `${TARGETS[target].deno}@${version}`];
    if (!await succeeds(Deno.build.os === "windows" ? "npm.cmd" : "npm", pack, work)) return undefined;
    const archive = [...Deno.readDirSync(work)].find((entry) => entry.name.endsWith(".tgz"))!.name;
    if (!await succeeds("tar", ["-xzf", archive, `package/${name}`], work)) return undefined;
    // In one step, so that whoever looks at the same time finds a whole file or none.
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
