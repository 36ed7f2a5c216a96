/**
 * Where does a test get an installation that BMAD itself made?
 *
 * `installation` runs the installer of the npm package that deno.lock has verified and keeps the result, so that
 * it is made once for each recipe: in `BMAD_TEST_CACHE`, else below the system's folder for temporary files. It is
 * made beside its place and renamed when complete; whoever comes second takes what is there. Tests only read it.
 */
import { cleanEnv } from "./program.ts";

/** How an installer is called. `{directory}` and `{tools}` are filled in. */
interface Recipe {
  readonly package: string;
  readonly args: readonly string[];
  /** What an installation must have when it is complete. */
  readonly proof: string;
}

/** One row for each version that tests want. */
const RECIPES = {
  "6.12.0": {
    package: "npm:bmad-method@6.12.0",
    args: ["install", "--directory", "{directory}", "--modules", "bmm", "--tools", "{tools}", "--yes"],
    proof: "_bmad/_config/manifest.yaml",
  },
} as const satisfies Record<string, Recipe>;

/** The versions that there are recipes for. */
export type InstallVersion = keyof typeof RECIPES;

/** Which installation is wanted: of which version, for which coding tools (as the installer names them). */
export interface InstallRequest {
  readonly version: InstallVersion;
  readonly tools: string;
}

const CONFIG = new URL("../../deno.json", import.meta.url);

const PATIENCE_MS = 180_000;

/** The project folder of a real installation, made now or before. */
export async function installation(request: InstallRequest, cacheFolder?: string): Promise<string> {
  const recipe: Recipe = RECIPES[request.version];
  const cache = cacheFolder ?? Deno.env.get("BMAD_TEST_CACHE") ??
    `${await tempFolder()}/bmad-mcp-test-installs`;
  const place = `${cache}/${await keyOf(request, recipe)}`;
  if (!await exists(place)) {
    await Deno.mkdir(cache, { recursive: true });
    const draft = await Deno.makeTempDir({ dir: cache, prefix: "draft-" });
    try {
      await install(draft, request, recipe);
      await rename(draft, place);
    } finally {
      await Deno.remove(draft, { recursive: true }).catch(() => {});
    }
  }
  return await Deno.realPath(`${place}/project`);
}

async function install(draft: string, request: InstallRequest, recipe: Recipe): Promise<void> {
  // The installer takes the project's name from its folder, so the folder has its last name from the start.
  const directory = `${draft}/project`;
  const home = `${draft}/home`;
  await Deno.mkdir(directory);
  await Deno.mkdir(home);
  const filled = recipe.args.map((arg) =>
    arg.replace("{directory}", directory).replace("{tools}", request.tools)
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `--config=${decodeURIComponent(CONFIG.pathname)}`, recipe.package, ...filled],
    cwd: directory,
    env: cleanEnv(home),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const limit = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(limit);
  if (code !== 0 || !await exists(`${directory}/${recipe.proof}`)) {
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    throw new Error(
      `The installer of ${recipe.package} ended with ${code} and made no installation:\n${said}`,
    );
  }
  await Deno.remove(home, { recursive: true });
}

/** Puts a draft in its place, unless somebody else was faster. */
async function rename(draft: string, place: string): Promise<void> {
  try {
    await Deno.rename(draft, place);
  } catch (error) {
    if (!await exists(place)) throw error;
  }
}

/** `6.12.0-claude-code-1a2b3c4d`: another recipe never finds the installation of an old one. */
async function keyOf(request: InstallRequest, recipe: Recipe): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([request, recipe]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex().slice(0, 8);
  return `${request.version}-${request.tools.replaceAll(/[^a-z0-9-]+/g, "+")}-${hash}`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Deno does not tell the folder for temporary files, but makes folders in it. */
async function tempFolder(): Promise<string> {
  const probe = await Deno.makeTempDir();
  await Deno.remove(probe);
  return probe.replace(/[\\/][^\\/]*$/, "");
}
