/**
 * Asks git about the commits of a repository that is the user's own, where its own configuration is in force.
 *
 * That configuration may name programs. So only commits are read, never the working tree, whose files git would pass
 * through the repository's filters; and whatever could still start a program or a transfer is switched off.
 */
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import { FRUGAL, MAX_MEMORY } from "./git_memory.ts";

/** What git printed, and how it ended. */
export interface GitAnswer {
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** What git gets, and how long it may take. */
export interface LocalOptions {
  /** The variables that git gets beside ours. */
  readonly environment: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** The folder that holds the repository, absolute and real: git looks for none above it. */
  readonly within: string;
  /** How many bytes it may print. */
  readonly maxOutput?: number;
}

/** A list of a million changed files. */
const MAX_OUTPUT = 64 << 20;

const CONFIG: readonly (readonly [key: string, value: string])[] = [
  // Nothing that can be committed is a repository: files of the project must not become its configuration.
  ["safe.bareRepository", "explicit"],
  ["core.hooksPath", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.fsmonitor", "false"],
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
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ...FRUGAL,
];

const SETTINGS: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: String(CONFIG.length + 1),
  ...Object.fromEntries(CONFIG.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])),
  // No transport at all: an object that is missing is not fetched.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
};

const SAFE = ["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color"];

/** Runs `git log` in a folder. The arguments are the caller's own; a revision from elsewhere comes last. */
export function logCommits(
  folder: string,
  options: readonly string[],
  range: string,
  limits: LocalOptions,
): Promise<GitAnswer> {
  return runGit(folder, ["log", ...SAFE, ...options, "--end-of-options", range, "--"], limits);
}

/**
 * Files as they were, by the hashes of their content or as `COMMIT:./PATH`, which come from elsewhere; undefined if one of
 * them cannot be read. A tree without files between two of them shows where one ends.
 */
export async function showFiles(
  folder: string,
  names: readonly string[],
  limits: LocalOptions,
): Promise<readonly string[] | undefined> {
  const tree = EMPTY_TREES.find(({ length }) => length === /^[0-9a-f]*/.exec(names[0] ?? "")![0].length);
  if (tree === undefined) return undefined;
  const between = names.flatMap((name) => [name, tree]);
  const { status, stdout } = await runGit(
    folder,
    ["show", ...SAFE, "--end-of-options", tree, ...between],
    limits,
  );
  const parts = new TextDecoder().decode(stdout).split(`tree ${tree}\n\n`);
  return status === 0 && parts.length === names.length + 2 ? parts.slice(1, -1) : undefined;
}

/** How many lines each file has gained and lost from a commit, which comes from elsewhere, to the present one. */
export function diffSizes(folder: string, from: string, limits: LocalOptions): Promise<GitAnswer> {
  const options = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--numstat", "--relative"];
  return runGit(folder, ["diff", ...options, "--end-of-options", from, "HEAD", "--"], limits);
}

/** The hashes of a tree without files: by SHA-1 and by SHA-256. */
const EMPTY_TREES: readonly string[] = [
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

async function runGit(
  folder: string,
  command: readonly string[],
  { environment, timeout, signal, within, maxOutput = MAX_OUTPUT }: LocalOptions,
): Promise<GitAnswer> {
  const args = ["--no-pager", "-C", folder, ...command];
  // Git does not enter a ceiling, but starts in one: the folder above is the first that it must not see.
  const ceiling = { GIT_CEILING_DIRECTORIES: within.replace(/[\\/][^\\/]*$/, "") || "/" };
  // A project may belong to another user, as in a container. Git refuses those because of what their configuration may
  // start, which is switched off here whoever wrote it.
  const safe = {
    [`GIT_CONFIG_KEY_${CONFIG.length}`]: "safe.directory",
    [`GIT_CONFIG_VALUE_${CONFIG.length}`]: within.replaceAll("\\", "/"),
  };
  const late = AbortSignal.timeout(timeout);
  const [stdout, stderr] = [collectOutput(maxOutput), collectOutput(maxOutput)];
  try {
    const status = await supervise({
      command: ["git", ...args],
      shell: "git",
      // It starts no program, except that a git older than 2.44 without the security updates still asks the remote of a
      // partial clone for missing objects, with no transport allowed.
      isAlone: true,
      folder,
      variables: { ...environment, ...SETTINGS, ...ceiling, ...safe },
      maxMemory: MAX_MEMORY,
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
