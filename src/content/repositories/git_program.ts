/**
 * Running git so that it does what we say and nothing else.
 *
 * Git gets an argument list, never a shell command; only the environment written here; no system or user configuration,
 * and so no hooks, helpers, filters or aliases; a single transport; and no way to prompt. Credentials travel through the
 * environment, which other users of the machine cannot see, unlike arguments. Git is killed when it takes too long, uses
 * too much memory or disk space, or its result is no longer wanted.
 */
import { compareVersions } from "../../base/versions.ts";
import type { Work } from "../../base/work.ts";
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { FRUGAL, MAX_MEMORY } from "./git_memory.ts";
import { decodeEach, openStderr } from "./git_output.ts";

/** Why git could not do what we asked for. */
export class GitError extends Error {
  /** `isLocal`: whether this machine is the cause, and not the repository. */
  constructor(message: string, readonly isLocal = false) {
    super(message);
    this.name = "GitError";
  }
}

interface GitOptions {
  readonly repository: GitLocation;
  readonly rules: Pick<GitRules, "environment" | "timeout" | "maxSize">;
  /** Kills git; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Reports progress, in git's own names for its phases. */
  readonly progress?: Work["progress"];
}

/**
 * Runs git in a folder and returns what it printed; throws a `GitError`. `take` gets the output instead, a character for
 * each byte; git is killed when it throws.
 */
export type Git = (
  folder: string,
  args: readonly string[],
  take?: (text: string) => void,
) => Promise<string>;

/** The first version that can be told by a variable to ignore the user's configuration. */
const OLDEST = "2.32";

/** Longer than any answer we want. */
const MAX_OUTPUT = 1 << 20;

/** A transfer fails after so long without a byte; this also ends helpers whose git was killed. */
const STALLED_SECONDS = 30;

/** Makes sure that git is installed and recent enough, and returns its version line. */
export async function checkGit(git: Git, folder: string): Promise<string> {
  const version = (await git(folder, ["version"])).trim();
  const [number] = /(?<!\d)\d+\.\d+/.exec(version) ?? [];
  if (compareVersions(number, OLDEST) >= 0) return version;
  throw new GitError(`git ${OLDEST} or newer is required, but this is ${version}`, true);
}

export function openGit({ repository, rules, signal, progress }: GitOptions): Git {
  const env = environmentFor(repository, rules);
  const { maxSize } = rules;
  return async (folder, args, take) => {
    // Git must not obey the configuration of a repository around the folder.
    const ceiling = { GIT_CEILING_DIRECTORIES: folder.slice(0, folder.lastIndexOf("/")) };
    const output = collectOutput(MAX_OUTPUT);
    const stderr = openStderr(progress);
    const code = await supervise({
      command: ["git", ...args],
      shell: "git",
      folder,
      variables: { ...env, ...ceiling },
      maxMemory: MAX_MEMORY,
      maxFile: maxSize,
      signal,
      stdout: take === undefined ? output.push : decodeEach(take, "latin1"),
      stderr: decodeEach(stderr.push),
    }).catch(refuse);
    signal.throwIfAborted();
    if (code !== 0) throw explain(stderr.problem(), maxSize);
    return output.text();
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof SupervisorError)) throw error;
  if (error.reason === "too-much-output") throw new GitError("git printed too much");
  throw new GitError("git was not found: install git, or use a clone of the repository", true);
}

/** The reason for a failure: one of our limits where git only reports what it could not do. */
function explain(problem: string, maxSize: number): GitError {
  if (/out of memory|cannot allocate memory|mmap failed/i.test(problem)) {
    return new GitError(
      `the repository needs more than the ${MAX_MEMORY >> 20} MiB of memory that git may use (${problem})`,
    );
  }
  if (/File too large/.test(problem)) return tooLarge(maxSize);
  // Git quotes the supervisor when that is killed.
  return new GitError(problem.includes("bounded() {") ? "git was killed" : problem);
}

export function tooLarge(maxSize: number): GitError {
  return new GitError(`the repository is larger than the maximum git size of ${maxSize} bytes`);
}

function environmentFor(
  { protocol, credentials }: GitLocation,
  { environment, timeout }: GitOptions["rules"],
): Record<string, string> {
  const stalled = Math.max(1, Math.min(STALLED_SECONDS, Math.floor(timeout / 1_000)));
  const config: (readonly [key: string, value: string])[] = [
    ["core.hooksPath", "/dev/null"],
    ["core.attributesFile", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["core.autocrlf", "false"],
    ["core.protectHFS", "true"],
    ["core.protectNTFS", "true"],
    ["credential.helper", ""],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["init.defaultBranch", "none"],
    ["submodule.recurse", "false"],
    ["fetch.recurseSubmodules", "false"],
    ["transfer.bundleURI", "false"],
    // Objects stay packed, as they were sent: one file, whose size is limited.
    ["fetch.unpackLimit", "1"],
    ...FRUGAL,
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", String(stalled)],
    // Credentials must not travel to wherever a server redirects us.
    ["http.followRedirects", credentials === undefined ? "initial" : "false"],
  ];
  if (credentials !== undefined) {
    const pair = new TextEncoder().encode(`${credentials.user}:${credentials.password}`).toBase64();
    config.push(["http.extraHeader", `Authorization: Basic ${pair}`]);
  }
  return {
    ...environment,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(config.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ])),
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_SSH_VARIANT: "ssh",
    GIT_SSH_COMMAND: `ssh -o BatchMode=yes -o ClearAllForwardings=yes -o ConnectTimeout=${stalled} ` +
      `-o ServerAliveInterval=${stalled} -o ServerAliveCountMax=1`,
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
  };
}
