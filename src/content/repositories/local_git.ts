/** Asks git about commits of the user's own repository, whose configuration may name programs: none of them starts. */
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import { LIMITS } from "../limits.ts";
import { ceilingAbove, FRUGAL, gitConfig, QUIET, SILENT, WITHOUT_USER } from "./git_program.ts";

export interface GitAnswer {
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

interface LocalOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** The folder that holds the repository, absolute and real: git looks for none above it. */
  readonly within: string;
  readonly maxOutput?: number;
}

const CONFIG = [
  ...QUIET,
  ...FRUGAL,
  // Nothing that can be committed is a repository: files of the project must not become its configuration.
  ["safe.bareRepository", "explicit"],
  ["core.attributesFile", "/dev/null"],
  ["core.pager", "cat"],
  // Signatures are verified by a program that the repository can name.
  ["log.showSignature", "false"],
  // What the repository says of these would change the lists that scripts measure.
  ["core.quotePath", "false"],
  ["log.diffMerges", "separate"],
  ["log.mailmap", "false"],
  // Files that the repository names: a pipe or a device would never end.
  ["mailmap.file", "/dev/null"],
  ["diff.orderFile", "/dev/null"],
] as const;

const SAFE = ["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color"];

/** The options are the caller's own; the range comes from elsewhere. */
export function logCommits(folder: string, options: readonly string[], range: string, limits: LocalOptions) {
  return runGit(folder, ["log", ...SAFE, ...options, "--end-of-options", range, "--"], limits);
}

/** `names` come from elsewhere: hashes or `COMMIT:./PATH`. An empty tree between two files shows where one ends. */
export async function showFiles(
  folder: string,
  names: readonly string[],
  limits: LocalOptions,
): Promise<readonly string[] | undefined> {
  const tree = EMPTY_TREES.find(({ length }) => length === /^[0-9a-f]*/.exec(names[0] ?? "")![0].length);
  if (tree === undefined) return undefined;
  const command = ["show", ...SAFE, "--end-of-options", tree, ...names.flatMap((name) => [name, tree])];
  const { status, stdout } = await runGit(folder, command, limits);
  const parts = new TextDecoder().decode(stdout).split(`tree ${tree}\n\n`);
  return status === 0 && parts.length === names.length + 2 ? parts.slice(1, -1) : undefined;
}

export function diffSizes(folder: string, from: string, limits: LocalOptions): Promise<GitAnswer> {
  const options = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--numstat", "--relative"];
  return runGit(folder, ["diff", ...options, "--end-of-options", from, "HEAD", "--"], limits);
}

const EMPTY_TREES: readonly string[] = [
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

async function runGit(
  folder: string,
  command: readonly string[],
  { environment, timeout, signal, within, maxOutput = LIMITS.git.localOutput }: LocalOptions,
): Promise<GitAnswer> {
  const args = ["--no-pager", "-C", folder, ...command];
  // Git refuses projects of other users because of what their configuration may start, which is switched off here.
  const config = gitConfig([...CONFIG, ["safe.directory", within.replaceAll("\\", "/")]]);
  const variables = {
    ...environment,
    ...SILENT,
    ...WITHOUT_USER,
    ...config,
    ...ceilingAbove(within),
    // No transport at all: an object that is missing is not fetched.
    GIT_ALLOW_PROTOCOL: "none",
  };
  const late = AbortSignal.timeout(timeout);
  const [stdout, stderr] = [collectOutput(maxOutput), collectOutput(maxOutput)];
  try {
    const status = await supervise({
      command: ["git", ...args],
      shell: "git",
      // It starts no program, except that a git before 2.44 may ask a partial clone's remote, with no transport allowed.
      isAlone: true,
      folder,
      variables,
      maxMemory: LIMITS.git.memory,
      signal: AbortSignal.any([late, ...signal === undefined ? [] : [signal]]),
      stdout: stdout.push,
      stderr: stderr.push,
    });
    signal?.throwIfAborted();
    if (late.aborted) return failure(`git took longer than ${timeout / 1_000} seconds`);
    return { status, stdout: stdout.bytes(), stderr: stderr.text() };
  } catch (error) {
    if (!(error instanceof SupervisorError)) throw error;
    return error.reason === "too-much-output"
      ? failure(`git printed more than ${maxOutput >> 20} MiB: use a shorter range`)
      : failure("git was not found: install git");
  }
}

function failure(stderr: string): GitAnswer {
  return { status: 1, stdout: new Uint8Array(), stderr };
}
