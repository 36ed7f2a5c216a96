/**
 * Where does a test get an installation that BMAD itself made, or the sources that it was made from?
 *
 * `installation` runs the installer of an npm package and keeps the result, so that it is made once for each request:
 * in `BMAD_TEST_CACHE`, else below the system's folder for temporary files. It is made beside its place and renamed
 * when complete; whoever comes second takes what is there. `sourceTree` is the package itself, as Deno unpacked it.
 * The packages are pinned in tests/installs, apart from those of the program: a user never fetches them. Tests only
 * read what they get.
 */
import { cleanEnv } from "./program.ts";
import { isOfThisRun } from "./run.ts";

interface Recipe {
  readonly program: string;
  /** Whether it asks its user, whatever its flags are. */
  readonly isInteractive?: true;
  args(directory: string, request: InstallRequest): readonly string[];
  readonly proof: string;
}

const EXPANSION_PACKS = [
  "bmad-2d-phaser-game-dev",
  "bmad-2d-unity-game-dev",
  "bmad-creative-writing",
  "bmad-godot-game-dev",
  "bmad-infrastructure-devops",
] as const;

const V4: Recipe = {
  program: "tools/installer/bin/bmad.js",
  args: (directory, { tools, extra }) => [
    ...["install", "-f", "-d", directory, "-i", ...tools.split(",")],
    ...(extra === "packs" ? ["-e", ...EXPANSION_PACKS] : []),
  ],
  proof: ".bmad-core/install-manifest.yaml",
};

const V6: Recipe = {
  program: "tools/installer/bmad-cli.js",
  args: (directory, { tools, extra, source }) => [
    "install",
    "--directory",
    directory,
    "--modules",
    "bmm",
    "--tools",
    tools,
    "--yes",
    ...(extra === "shims" ? ["--shims"] : []),
    ...(source === undefined ? [] : ["--custom-source", source]),
  ],
  proof: "_bmad/_config/manifest.yaml",
};

/** Before 6.3 the installer lay elsewhere. */
const EARLY_V6: Recipe = { ...V6, program: "tools/cli/bmad-cli.js" };

const INTERACTIVE: Recipe = {
  program: "tools/cli/commands/install.js",
  isInteractive: true,
  args: (directory, { tools }) => [directory, "bmm", tools],
  proof: "_bmad/_config/manifest.yaml",
};

const RECIPES = {
  "4.44.3": V4,
  "6.0.0-alpha.7": { ...INTERACTIVE, proof: "bmad/_cfg/manifest.yaml" },
  "6.0.0-alpha.22": INTERACTIVE,
  "6.0.0-Beta.5": INTERACTIVE,
  "6.0.4": EARLY_V6,
  "6.1.0": EARLY_V6,
  "6.2.0": EARLY_V6,
  "6.3.0": V6,
  "6.5.0": V6,
  "6.8.0": V6,
  "6.10.0": V6,
  "6.11.0": V6,
  "6.12.0": V6,
} as const satisfies Record<string, Recipe>;

export type InstallVersion = keyof typeof RECIPES;

/** One of each kind: v4, compiled agents, skills. */
const SAMPLE: readonly InstallVersion[] = ["4.44.3", "6.0.4", "6.12.0"];

/** Those of some rows whose version this run installs. */
export function ofThisRun<T>(rows: readonly T[], versionOf: (row: T) => InstallVersion): readonly T[] {
  return rows.filter((row) => isOfThisRun(SAMPLE.includes(versionOf(row))));
}

export interface InstallRequest {
  readonly version: InstallVersion;
  readonly tools: string;
  /** All expansion packs (4.44.3), or the skills that only forward to newer ones (6.12.0). */
  readonly extra?: "packs" | "shims";
  /** The folder of a module that no package has (6.12.0). */
  readonly source?: string;
}

interface InstallOptions {
  readonly cache?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const HERE = `${import.meta.dirname}/../installs`;

const PATIENCE_MS = 180_000;

/** What a fetch may need to know; the program itself is started without these. */
const NETWORK = [
  ..."NODE_EXTRA_CA_CERTS DENO_CERT HTTP_PROXY HTTPS_PROXY NO_PROXY".split(" "),
  "NPM_CONFIG_REGISTRY",
]
  .flatMap((name) => [name, name.toLowerCase()]);

function fetchingEnv(home: string, env: InstallOptions["env"]): Record<string, string> {
  const known = NETWORK.map((name) => [name, Deno.env.get(name)]).filter(([, value]) => value !== undefined);
  return cleanEnv(home, { ...Object.fromEntries(known), ...env });
}

export async function testCache(): Promise<string> {
  return Deno.env.get("BMAD_TEST_CACHE") ?? `${await tempFolder()}/bmad-mcp-test-installs`;
}

/** A version alone stands for an installation for Claude Code. */
export async function installation(
  wanted: InstallRequest | InstallVersion,
  options: InstallOptions = {},
): Promise<string> {
  const request = typeof wanted === "string" ? { version: wanted, tools: "claude-code" } : wanted;
  const cache = options.cache ?? await testCache();
  const place = `${cache}/${await keyOf(request)}`;
  if (!await exists(place)) {
    await Deno.mkdir(cache, { recursive: true });
    const draft = await Deno.makeTempDir({ dir: cache, prefix: "draft-" });
    try {
      await install(draft, request, options.env);
      await rename(draft, place);
    } finally {
      await Deno.remove(draft, { recursive: true }).catch(() => {});
    }
  }
  return await Deno.realPath(`${place}/project`);
}

async function install(draft: string, request: InstallRequest, env?: InstallOptions["env"]): Promise<void> {
  const recipe: Recipe = RECIPES[request.version];
  // The installer takes the project's name from its folder, so the folder has its last name from the start.
  const directory = `${draft}/project`;
  const home = `${draft}/home`;
  await Deno.mkdir(directory);
  await Deno.mkdir(home);
  const name = `bmad-method@${request.version}`;
  const { code, said } = await runInstaller(request.version, recipe.args(directory, request), {
    directory,
    home,
    env,
  });
  if (code !== 0 || !await exists(`${directory}/${recipe.proof}`)) {
    refuseOffline(name, said);
    throw new Error(`The installer of ${name} ended with ${code} and made no installation:\n${said}`);
  }
  await Deno.remove(home, { recursive: true });
}

export async function runInstaller(
  version: InstallVersion,
  args: readonly string[],
  { directory, home, env }: {
    readonly directory: string;
    readonly home: string;
    readonly env?: InstallOptions["env"];
  },
): Promise<{ readonly code: number; readonly said: string }> {
  if (env === undefined) await fetchPackages();
  const recipe: Recipe = RECIPES[version];
  const program = `npm:bmad-method@${version}/${recipe.program}`;
  const runner = `${HERE}/${recipe.isInteractive ? "interactive" : "run"}.ts`;
  return await runDeno(
    ["run", "-A", `--config=${HERE}/deno.json`, runner, program, ...args],
    directory,
    fetchingEnv(home, env),
  );
}

export async function runSkills(
  args: readonly string[],
  { directory, home }: { readonly directory: string; readonly home: string },
): Promise<void> {
  await fetchPackages();
  const program = "npm:skills@1.7.4/bin/cli.mjs";
  const quiet = { DO_NOT_TRACK: "1", DISABLE_TELEMETRY: "1" };
  const { code, said } = await runDeno(
    ["run", "-A", "--deny-net", `--config=${HERE}/deno.json`, `${HERE}/run.ts`, program, ...args],
    directory,
    fetchingEnv(home, quiet),
  );
  if (code === 0) return;
  refuseOffline("skills@1.7.4", said);
  throw new Error(`skills ${args.join(" ")} ended with ${code}:\n${said}`);
}

export type SourcePackage =
  | `bmad-method@${InstallVersion}`
  | "bmad-method-test-architecture-enterprise@1.27.2";

type Folders = Readonly<Record<string, { readonly localPath?: string } | undefined>>;

let folders: Promise<Folders> | undefined;

/**
 * Fetches the packages of all versions, which come together whichever is asked for. One process does so while the others
 * wait: at once, each would fetch all of them, and all would take several times as long.
 */
export function fetchPackages(): Promise<Folders> {
  return folders ??= (async () => {
    const cache = await testCache();
    await Deno.mkdir(cache, { recursive: true });
    using lock = await Deno.open(`${cache}/packages.lock`, { create: true, write: true });
    await lock.lock(true);
    return await findFolders("bmad-method@6.12.0");
  })();
}

async function findFolders(name: SourcePackage, env?: InstallOptions["env"]): Promise<Folders> {
  const run = (...args: readonly string[]) =>
    runDeno(
      [...args, `--config=${HERE}/deno.json`, `npm:${name}/package.json`],
      HERE,
      fetchingEnv(HERE, env),
    );
  const { code, out, said } = await run("info", "--json");
  const found: Folders | undefined = code === 0 ? JSON.parse(out).npmPackages : undefined;
  const folder = found?.[name]?.localPath;
  if (folder === undefined) throw new Error(`Deno does not tell where it keeps ${name}:\n${said}`);
  if (!await exists(`${folder}/package.json`)) {
    const fetched = await run("cache");
    refuseOffline(name, fetched.said);
    if (fetched.code !== 0) throw new Error(`Deno cannot fetch ${name}:\n${fetched.said}`);
  }
  return found!;
}

export async function sourceTree(name: SourcePackage, env?: InstallOptions["env"]): Promise<string> {
  const found = env === undefined ? await fetchPackages() : await findFolders(name, env);
  const folder = found[name]?.localPath;
  if (folder === undefined) throw new Error(`Deno does not tell where it keeps ${name}`);
  return await Deno.realPath(folder);
}

async function runDeno(args: readonly string[], cwd: string, env: Record<string, string>) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const limit = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(limit);
  const out = new TextDecoder().decode(stdout);
  return { code, out, said: out + new TextDecoder().decode(stderr) };
}

function refuseOffline(name: string, said: string): void {
  if (!/error sending request|failed to lookup|client error \(Connect\)|dns error/i.test(said)) return;
  throw new Error(
    `The npm package ${name} is not in Deno's cache, and the network cannot be reached. ` +
      "Run these tests once with a network; afterwards they need none.",
  );
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
async function keyOf(request: InstallRequest): Promise<string> {
  const { program, args, proof }: Recipe = RECIPES[request.version];
  const text = new TextEncoder().encode(JSON.stringify([request, program, args("", request), proof]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex().slice(0, 8);
  const words = [request.version, request.tools, ...(request.extra === undefined ? [] : [request.extra])];
  return `${words.join("-").replaceAll(/[^A-Za-z0-9.-]+/g, "+")}-${hash}`;
}

export async function exists(path: string): Promise<boolean> {
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
