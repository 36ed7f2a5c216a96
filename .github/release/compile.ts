/**
 * `deno task compile`: the program as one binary, for this platform or for any of the six.
 *
 * The bundle and its content are built into dist/ (stage.ts) and compiled from there with the rights of the `start`
 * task (baked_rights.ts). docs/decisions/0011-one-binary.md says why it is done like that. Prints the path of each
 * binary; says in one sentence what is missing when it cannot be built.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bakedFlags } from "./baked_rights.ts";
import { runDeno } from "./deno.ts";
import { explainFailure } from "./runtime.ts";
import { CODE, CONTENT, ENTRY, REPOSITORY, stageProgram } from "./stage.ts";
import { isTarget, ownTarget, programName, type Target, TARGET_NAMES } from "./targets.ts";

const HELP = `Usage: deno task compile [OPTIONS]

Builds dist/bmad-mcp.js with its content, and from it one binary for each platform asked for.

Options:
  --target TARGET   Build for this platform; may be given more than once. By default: ${Deno.build.target}
  --all             Build for all platforms
  --out DIR         Put binaries into DIR/TARGET/ [dist/bin]
  --commit SHA      The commit that the program says it was built from [that of the repository]
  --bundle-only     Build no binary (deno task bundle)
  --help            Print this

Platforms:
${TARGET_NAMES.map((target) => `  ${target}`).join("\n")}

A binary needs a runtime: the file that DENORT_BIN names, a zip in Deno's cache, or Deno fetches it.
`;

/** What the binary may load from elsewhere: nothing. Without a list, the runtime allows seven hosts. */
const NO_IMPORTS = "--allow-import=none.invalid:443";

/** How a binary is compiled from the staged program, save for its rights, its platform and its place. */
const COMPILE = [
  ...["compile", "--app-name", "bmad-mcp", "--no-check"],
  // All code is in the bundle: a package or an address that was left in it must stop the build.
  ...["--no-config", "--no-lock", "--no-npm", "--no-remote"],
  // The code cache would be a file of a known name in a folder that everybody can write to.
  "--no-code-cache",
];

/** How a compilation differs from the usual. */
export interface CompileOptions {
  /** The runtime that goes into the binary, in place of what DENORT_BIN names. */
  readonly runtime?: string;
  /** Variables for the compiler. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Compiles a staged program for a platform. */
export async function compileTarget(
  stage: string,
  target: Target,
  output: string,
  { runtime = Deno.env.get("DENORT_BIN"), env }: CompileOptions = {},
): Promise<void> {
  const args = [
    ...[...COMPILE, ...bakedFlags(target), NO_IMPORTS],
    ...[CONTENT, CODE].flatMap((name) => ["--include", join(stage, name)]),
    ...["--target", target, "--output", output, join(stage, ENTRY)],
  ];
  const given = runtime === undefined ? env : { ...env, DENORT_BIN: runtime };
  try {
    await runDeno(args, stage, given);
  } catch (error) {
    const { denoDir } = JSON.parse(await runDeno(["info", "--json"], stage, given));
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(explainFailure(target, said, { file: runtime, denoDir }));
  }
}

/** The commit that the sources are at, marked where they differ from it. */
async function readCommit(): Promise<string> {
  const git = async (...args: string[]) => {
    const { success, stdout } = await new Deno.Command("git", { args, cwd: REPOSITORY, stderr: "null" })
      .output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  };
  try {
    const commit = await git("rev-parse", "HEAD");
    const changes = await git("status", "--porcelain", "--untracked-files=no");
    return commit === undefined ? "unknown" : `${commit}${changes ? "-changed" : ""}`;
  } catch {
    return "unknown";
  }
}

async function main(words: readonly string[]): Promise<void> {
  const options = readOptions(words);
  if (options.help) return print(HELP);
  const stage = join(REPOSITORY, "dist");
  await stageProgram(stage, { commit: options.commit ?? await readCommit() });
  if (options.bundleOnly) return print(`${join(stage, ENTRY)}\n`);
  for (const target of options.targets) {
    const folder = join(options.out, target);
    await Deno.mkdir(folder, { recursive: true });
    const output = join(folder, programName(target));
    await compileTarget(stage, target, output);
    print(`${output}\n`);
  }
}

interface Options {
  readonly help: boolean;
  readonly bundleOnly: boolean;
  readonly targets: readonly Target[];
  readonly out: string;
  readonly commit?: string;
}

function readOptions(words: readonly string[]): Options {
  const { values } = parse(words);
  const named = values.all ? TARGET_NAMES : values.target ?? [ownTarget()];
  const strange = named.find((target) => !isTarget(target));
  if (strange !== undefined) {
    throw new Error(`Cannot compile for ${strange}: the platforms are ${TARGET_NAMES.join(", ")}`);
  }
  return {
    help: values.help ?? false,
    bundleOnly: values["bundle-only"] ?? false,
    targets: named.filter(isTarget),
    // A task runs in the repository and leaves the caller's folder in INIT_CWD.
    out: resolve(Deno.env.get("INIT_CWD") ?? Deno.cwd(), values.out ?? join(REPOSITORY, "dist", "bin")),
    commit: values.commit,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        target: { type: "string", multiple: true },
        all: { type: "boolean" },
        out: { type: "string" },
        commit: { type: "string" },
        "bundle-only": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new Error(`Cannot compile: ${error instanceof Error ? error.message : error}; see --help`);
  }
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Cannot ")) throw error;
    Deno.stderr.writeSync(new TextEncoder().encode(`${error.message}\n`));
    Deno.exit(1);
  }
}
