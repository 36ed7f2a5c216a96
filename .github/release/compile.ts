/**
 * `deno task compile`: builds the program as one binary, for this platform or any of the six.
 *
 * stage.ts builds the bundle and its content in dist/; this compiles it with the rights of the `start` task
 * (binary_rights.ts) and prints the path of each binary. If a binary cannot be built, one sentence says what is
 * missing. docs/decisions/0011-one-binary.md explains the design.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { binaryFlags } from "./binary_rights.ts";
import { runDeno } from "./deno.ts";
import { explainFailure, fetchRuntime } from "./runtime.ts";
import { CODE, CONTENT, ENTRY, REPOSITORY, stageProgram } from "./stage.ts";
import { isTarget, ownTarget, programName, type Target, TARGET_NAMES } from "./targets.ts";

const HELP = `Usage: deno task compile [OPTIONS]

Builds dist/bmad-mcp.js with its content, and compiles it to one binary for each platform.

Options:
  --target TARGET   Build for this platform; repeatable [${Deno.build.target}]
  --all             Build for all platforms
  --out DIR         Write binaries to DIR/TARGET/ [dist/bin]
  --commit SHA      The commit that the program reports [HEAD of the repository]
  --bundle-only     Do not compile (deno task bundle)
  --help            Print this help

Platforms:
${TARGET_NAMES.map((target) => `  ${target}`).join("\n")}

A binary needs a runtime: the file named by DENORT_BIN, or else the one that a release takes (runtime.ts). Where that
cannot be had, Deno takes a zip in its cache or downloads it, and the binary differs from that of a release.
`;

/** A binary imports nothing from the network. Without a list, the runtime would allow seven hosts. */
export const NO_IMPORTS = "--allow-import=none.invalid:443";

/** The compiler's arguments except the rights, the platform and the output. */
const COMPILE = [
  ...["compile", "--app-name", "bmad-mcp", "--no-check"],
  // All code is in the bundle: a leftover package or URL must stop the build.
  ...["--no-config", "--no-lock", "--no-npm", "--no-remote"],
  // The code cache would be a file with a known name in a folder that everybody can write to.
  "--no-code-cache",
];

/** Options for tests. */
export interface CompileOptions {
  /** The runtime to use instead of DENORT_BIN. */
  readonly runtime?: string;
  /** Additional environment variables for the compiler. */
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
    ...[...COMPILE, ...binaryFlags(target), NO_IMPORTS],
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

/** The commit of the sources, with `-changed` if they differ from it. */
export async function readCommit(): Promise<string> {
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
    const { runtime, problem } = await releaseRuntime(target, join(stage, "runtime", target));
    if (problem !== undefined) print(`This is not the binary of a release: ${problem}\n`, Deno.stderr);
    await compileTarget(stage, target, output, runtime === undefined ? {} : { runtime });
    print(`${output}\n`);
  }
}

/** The runtime that a release takes for a platform, unless the user names one; or why it cannot be had. */
export async function releaseRuntime(
  target: Target,
  folder: string,
  { named = Deno.env.get("DENORT_BIN"), fetch = fetchRuntime }: {
    readonly named?: string;
    readonly fetch?: typeof fetchRuntime;
  } = {},
): Promise<{ readonly runtime?: string; readonly problem?: string }> {
  if (named !== undefined) return { runtime: named };
  try {
    return { runtime: await fetch(target, folder, { strip: true }) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    // A runtime that is not what was published is no reason to take one that is not checked at all.
    if (/^Cannot (?:use|check) /.test(problem)) throw error;
    return { problem };
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
  const unknown = named.find((target) => !isTarget(target));
  if (unknown !== undefined) {
    throw new Error(`Cannot compile for unknown platform ${unknown}. Use one of ${TARGET_NAMES.join(", ")}`);
  }
  return {
    help: values.help ?? false,
    bundleOnly: values["bundle-only"] ?? false,
    targets: named.filter(isTarget),
    // A task runs in the repository; INIT_CWD has the caller's folder.
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

function print(text: string, to: { writeSync(bytes: Uint8Array): number } = Deno.stdout): void {
  to.writeSync(new TextEncoder().encode(text));
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
