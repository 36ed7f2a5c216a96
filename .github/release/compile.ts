/**
 * `deno task compile`: builds the program as one binary, for this platform or another of the six.
 *
 * stage.ts builds the bundle and its content in dist/; this compiles it with the rights of the `start` task
 * (binary_rights.ts) and the runtime that runtime.ts has checked, and prints the path of the binary. If it cannot be built,
 * one sentence says what is missing. docs/decisions/0011-one-binary.md explains the design.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { binaryFlags } from "./binary_rights.ts";
import { runDeno } from "./deno.ts";
import { explainFailure, fetchRuntime } from "./runtime.ts";
import { CODE, CONTENT, ENTRY, REPOSITORY, stageProgram } from "./stage.ts";
import { isTarget, ownTarget, programName, type Target, TARGET_NAMES } from "./targets.ts";

const HELP = `Usage: deno task compile [--target TARGET] [--commit SHA]

Builds dist/bmad-mcp.js with its content (deno task bundle ends here), and compiles it to dist/bin/TARGET/.
TARGET is one of ${TARGET_NAMES.join(", ")} [${Deno.build.target}].
SHA is what the program reports [HEAD of the repository].
DENORT_BIN names a runtime of your own; without it, the published one is downloaded and checked.
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

/** Compiles a staged program for a platform with its runtime. */
export async function compileTarget(
  stage: string,
  target: Target,
  output: string,
  runtime: string,
): Promise<void> {
  const args = [
    ...[...COMPILE, ...binaryFlags(target), NO_IMPORTS],
    ...[CONTENT, CODE].flatMap((name) => ["--include", join(stage, name)]),
    ...["--target", target, "--output", output, join(stage, ENTRY)],
  ];
  try {
    await runDeno(args, stage, { DENORT_BIN: runtime });
  } catch (error) {
    throw new Error(explainFailure(target, String((error as Error).message), runtime));
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
  const { help, target = ownTarget(), commit, "bundle-only": bundleOnly } = parse(words);
  if (help) return print(HELP);
  if (!isTarget(target)) {
    throw new Error(`Cannot compile for unknown platform ${target}. Use one of ${TARGET_NAMES.join(", ")}`);
  }
  const stage = join(REPOSITORY, "dist");
  const runtime = bundleOnly ? "" : Deno.env.get("DENORT_BIN") ||
    await fetchRuntime(target, join(stage, "runtime", target), { strip: true });
  await stageProgram(stage, { commit: commit ?? await readCommit() });
  if (bundleOnly) return print(`${join(stage, ENTRY)}\n`);
  const folder = join(stage, "bin", target);
  await Deno.mkdir(folder, { recursive: true });
  const output = join(folder, programName(target));
  await compileTarget(stage, target, output, runtime);
  print(`${output}\n`);
}

function parse(words: readonly string[]) {
  try {
    const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
    const options = {
      target: text,
      commit: text,
      "bundle-only": flag,
      help: { ...flag, short: "h" },
    } as const;
    return parseArgs({ args: [...words], options }).values;
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
