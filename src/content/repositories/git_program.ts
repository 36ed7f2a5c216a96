/**
 * Running git so that it does what we say and nothing else.
 *
 * Git gets an argument list, never a shell command; only the environment written here; no system or user configuration,
 * and so no hooks, helpers, filters or aliases; a single transport; and no way to prompt. Credentials travel through the
 * environment, which other users of the machine cannot see, unlike arguments. Git is killed when it takes too long or
 * its result is no longer wanted.
 */
import { onAbort, type Work } from "../../base/work.ts";
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { openStderr, readAll, readEach } from "./git_output.ts";

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
  readonly rules: Pick<GitRules, "environment" | "timeout">;
  /** Kills git; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Reports progress, in git's own names for its phases. */
  readonly progress?: Work["progress"];
}

/** Runs git in a folder and returns what it printed; throws a `GitError`. */
export type Git = (folder: string, args: readonly string[]) => Promise<string>;

/** The first version that can be told by a variable to ignore the user's configuration. */
const OLDEST = [2, 32] as const;

/** Longer than any answer we want. */
const MAX_OUTPUT = 1 << 20;

/** How long git may take to end after SIGTERM. */
const GRACE_MS = 2_000;

/** A transfer fails after so long without a byte; this also ends helpers whose git was killed. */
const STALLED_SECONDS = 30;

/** Makes sure that git is installed and recent enough, and returns its version line. */
export async function checkGit(git: Git, folder: string): Promise<string> {
  const version = (await git(folder, ["version"])).trim();
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const [least, second] = OLDEST;
  if (Number(major) > least || (Number(major) === least && Number(minor) >= second)) return version;
  throw new GitError(`git ${OLDEST.join(".")} or newer is required, but this is ${version}`, true);
}

export function openGit({ repository, rules, signal, progress }: GitOptions): Git {
  const env = environmentFor(repository, rules);
  return async (folder, args) => {
    signal.throwIfAborted();
    const child = spawnGit(folder, args, env);
    let killing: ReturnType<typeof setTimeout> | undefined;
    const output = readAll(child.stdout, MAX_OUTPUT);
    const stderr = openStderr(progress);
    const messages = readEach(child.stderr, stderr.push);
    const cancel = onAbort(signal, () => {
      kill(child, "SIGTERM");
      killing = setTimeout(() => kill(child, "SIGKILL"), GRACE_MS);
      // A helper of the killed git may keep the pipes open; without a reader it ends as well.
      output.cancel();
      messages.cancel();
    });
    try {
      const [{ success }, printed] = await Promise.all([child.status, output.all, messages.all]);
      signal.throwIfAborted();
      if (!success) throw new GitError(stderr.problem());
      return printed;
    } finally {
      cancel();
      clearTimeout(killing);
    }
  };
}

function spawnGit(cwd: string, args: readonly string[], env: Record<string, string>): Deno.ChildProcess {
  const streams = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
  try {
    return new Deno.Command("git", { args: [...args], cwd, env, clearEnv: true, ...streams }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable)) throw error;
    throw new GitError("git was not found: install git, or use a clone of the repository", true);
  }
}

function kill(child: Deno.ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    child.kill(signal);
  } catch {
    // It has already ended.
  }
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
