/** Git does what we say and nothing else: no shell, configuration, hooks or prompts, and a single transport. */
import { oneLine } from "../../base/text.ts";
import { compareVersions } from "../../base/versions.ts";
import type { Work } from "../../base/work.ts";
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import { LIMITS } from "../limits.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";

export class GitError extends Error {
  constructor(message: string, readonly isLocal = false) {
    super(message);
    this.name = "GitError";
  }
}

/** Keeps git far below its limit of memory. */
export const FRUGAL: GitConfig = [
  ["core.bigFileThreshold", "16m"],
  ["core.packedGitWindowSize", "32m"],
  ["core.packedGitLimit", "256m"],
  ["core.deltaBaseCacheLimit", "32m"],
  ["pack.windowMemory", "64m"],
  ["pack.threads", "1"],
];

export type GitConfig = readonly (readonly [key: string, value: string])[];

/** Nothing that a repository or a user has configured starts a program in the background. */
export const QUIET: GitConfig = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** Git asks nobody, shows nothing page by page, and answers in English. */
export const SILENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
};

export const WITHOUT_USER: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
};

export function gitConfig(settings: GitConfig): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ])),
  };
}

/** Git does not enter a ceiling, but starts in one: the folder above is the first that it must not see. */
export function ceilingAbove(folder: string): Record<string, string> {
  return { GIT_CEILING_DIRECTORIES: folder.replace(/[\\/][^\\/]*$/, "") || "/" };
}

export function supervisorFailure(tooMuchOutput: string, notFound: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SupervisorError)) throw error;
    const isLocal = error.reason !== "too-much-output";
    throw new GitError(isLocal ? notFound : tooMuchOutput, isLocal);
  };
}

interface GitOptions {
  readonly repository: GitLocation;
  readonly rules: Pick<GitRules, "environment" | "timeout" | "maxSize">;
  readonly signal: AbortSignal;
  readonly progress?: Work["progress"];
}

/** Throws a `GitError`. `take` gets the output instead, a character for each byte, and may throw to kill git. */
export type Git = (
  folder: string,
  args: readonly string[],
  take?: (text: string) => void,
) => Promise<string>;

/** The first that can be told by a variable to ignore the user's configuration. */
const OLDEST = "2.32";

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
    const output = collectOutput(LIMITS.git.output);
    const stderr = openStderr(progress);
    const code = await supervise({
      command: ["git", ...args],
      shell: "git",
      folder,
      variables: { ...env, ...ceilingAbove(folder) },
      maxMemory: LIMITS.git.memory,
      maxFile: maxSize,
      signal,
      stdout: take === undefined ? output.push : decodeEach(take, "latin1"),
      stderr: decodeEach(stderr.push),
    }).catch(supervisorFailure(
      "git printed too much",
      "git was not found: install git, or use a clone of the repository",
    ));
    signal.throwIfAborted();
    if (code !== 0) throw explain(stderr.problem(), maxSize);
    return output.text();
  };
}

function explain(problem: string, maxSize: number): GitError {
  if (/out of memory|cannot allocate memory|mmap failed/i.test(problem)) {
    const limit = `${LIMITS.git.memory >> 20} MiB of memory that git may use`;
    return new GitError(`the repository needs more than the ${limit} (${problem})`);
  }
  if (/File too large/.test(problem)) return tooLarge(maxSize);
  // Git quotes the supervisor when that is killed.
  return new GitError(problem.includes("bounded() {") ? "git was killed" : problem);
}

export function tooLarge(maxSize: number): GitError {
  return new GitError(`the repository is larger than the maximum git size of ${maxSize} bytes`);
}

/** Credentials travel here, where other users cannot see them. */
function environmentFor(
  { protocol, credentials }: GitLocation,
  { environment, timeout }: GitOptions["rules"],
) {
  const stalled = Math.max(1, Math.min(LIMITS.git.stalledSeconds, Math.floor(timeout / 1_000)));
  const pair = credentials &&
    new TextEncoder().encode(`${credentials.user}:${credentials.password}`).toBase64();
  const config: GitConfig = [
    ...QUIET,
    ...FRUGAL,
    ["core.attributesFile", "/dev/null"],
    ["core.autocrlf", "false"],
    ["core.protectHFS", "true"],
    ["core.protectNTFS", "true"],
    ["credential.helper", ""],
    ["init.defaultBranch", "none"],
    ["submodule.recurse", "false"],
    ["fetch.recurseSubmodules", "false"],
    ["transfer.bundleURI", "false"],
    // Objects stay packed, as they were sent: one file, whose size is limited.
    ["fetch.unpackLimit", "1"],
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", String(stalled)],
    // Credentials must not travel to wherever a server redirects us.
    ["http.followRedirects", credentials === undefined ? "initial" : "false"],
    ...(pair === undefined ? [] : [["http.extraHeader", `Authorization: Basic ${pair}`] as const]),
  ];
  return {
    ...environment,
    ...SILENT,
    ...WITHOUT_USER,
    ...gitConfig(config),
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_SSH_VARIANT: "ssh",
    GIT_SSH_COMMAND: `ssh -o BatchMode=yes -o ClearAllForwardings=yes -o ConnectTimeout=${stalled} ` +
      `-o ServerAliveInterval=${stalled} -o ServerAliveCountMax=1`,
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_LFS_SKIP_SMUDGE: "1",
  };
}

export function decodeEach(take: (text: string) => void, encoding = "utf-8"): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder(encoding);
  return (bytes) => take(decoder.decode(bytes, { stream: true }));
}

export function openStderr(progress?: Work["progress"]): { push(text: string): void; problem(): string } {
  let rest = "";
  let lines: readonly string[] = [];
  const takeLine = (line: string) => {
    const [, phase, done, total] = /^(?:remote: )?([A-Z][\w ]+):\s+\d+% \((\d+)\/(\d+)\)/.exec(line) ?? [];
    if (phase !== undefined) progress?.(Number(done), Number(total), phase);
    else if (line.trim() !== "") lines = [...lines.slice(-LIMITS.git.errorLines), line.trim()];
  };
  return {
    push: (text) => {
      const parts = (rest + text).split(/[\r\n]/);
      rest = parts.pop()!.slice(-LIMITS.git.errorLine);
      parts.forEach(takeLine);
    },
    problem: () => {
      if (rest !== "") takeLine(rest);
      return summarize(lines);
    },
  };
}

const ERROR_LINE = /^(fatal|error|remote|ERROR|ssh|.*Permission denied|Host key)/;
const ACCESS_DENIED =
  /could not read (Username|Password)|Authentication failed|error: 40[13]|Permission denied \(/;

function summarize(lines: readonly string[]): string {
  const errors = lines.filter((line) => ERROR_LINE.test(line));
  const said = (errors.length > 0 ? errors : lines).slice(-3)
    .map((line) => line.replace(/^(fatal|error|remote): */i, "")).join("; ");
  // The text of a stranger: on a terminal it must do nothing but be read.
  const plain = oneLine(said).slice(0, 400).replace(/(?<![. ])[. ]+$/, "") ||
    "git failed without a message";
  return ACCESS_DENIED.test(plain) ? `access denied (${plain})` : plain;
}
