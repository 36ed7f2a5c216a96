/**
 * Running git so that it does what we say and nothing else.
 *
 * Git gets an argument list, never a shell's line; an environment that holds only what is written here; no
 * configuration of the system's or the user's, and so no hooks, helpers, filters and aliases; one transport; and
 * nobody to ask. Credentials go through the environment, which other users of the machine cannot see, unlike
 * arguments. When it takes too long or is not wanted any more it is ended.
 */
import type { Work } from "../../base/work.ts";
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";

/** Why something with a repository did not work. */
export class Trouble extends Error {
  /** `isLocal`: whether this machine is to blame, and not the repository. */
  constructor(message: string, readonly isLocal = false) {
    super(message);
    this.name = "Trouble";
  }
}

/** How one repository's git is run. */
export interface GitOptions {
  readonly repository: GitLocation;
  readonly rules: Pick<GitRules, "environment" | "timeout">;
  /** Ends what is running, with the reason as a `Trouble`. */
  readonly signal: AbortSignal;
  /** Told how far git is, in its own words for what it does. */
  readonly progress?: Work["progress"];
}

/** Runs git in a folder and gives what it printed; fails with `Trouble`. */
export type Git = (folder: string, args: readonly string[]) => Promise<string>;

/** The oldest version that can be kept from the user's configuration by a variable. */
const OLDEST = [2, 32] as const;

/** No answer that we want is longer. */
const MAX_OUTPUT = 1 << 20;

/** How long git may take to end when it is told to. */
const GRACE_MS = 2_000;

/** So long without a single byte, and the transfer has failed; also ends helpers whose git is gone. */
const STALLED_SECONDS = 30;

/** Makes sure that there is a git that can be used, and says which. */
export async function checkGit(git: Git, folder: string): Promise<string> {
  const version = (await git(folder, ["version"])).trim();
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const [least, second] = OLDEST;
  if (Number(major) > least || (Number(major) === least && Number(minor) >= second)) return version;
  throw new Trouble(`git ${OLDEST.join(".")} or newer is needed, and this is ${version}`, true);
}

/** The git for one repository. */
export function openGit({ repository, rules, signal, progress }: GitOptions): Git {
  const env = environmentFor(repository, rules);
  return async (folder, args) => {
    signal.throwIfAborted();
    const child = spawnGit(folder, args, env);
    let killing: ReturnType<typeof setTimeout> | undefined;
    const output = takeAll(child.stdout, MAX_OUTPUT);
    const talk = openTalk(progress);
    const words = takeEach(child.stderr, talk.hear);
    const end = () => {
      endChild(child, "SIGTERM");
      killing = setTimeout(() => endChild(child, "SIGKILL"), GRACE_MS);
      // A helper of a git that has gone may keep the other end open; without a reader it ends as well.
      output.cancel();
      words.cancel();
    };
    signal.addEventListener("abort", end);
    try {
      const [{ success }, printed] = await Promise.all([child.status, output.all, words.all]);
      signal.throwIfAborted();
      if (!success) throw new Trouble(talk.problem());
      return printed;
    } finally {
      signal.removeEventListener("abort", end);
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
    throw new Trouble("git is needed for it and was not found: install git, or clone it elsewhere", true);
  }
}

function endChild(child: Deno.ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended by itself.
  }
}

/** All that git gets to see. */
function environmentFor(
  { protocol, credentials }: GitLocation,
  { environment, timeout }: GitOptions["rules"],
): Record<string, string> {
  const stalled = Math.max(1, Math.min(STALLED_SECONDS, Math.floor(timeout / 1_000)));
  const config: readonly (readonly [key: string, value: string])[] = [
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
    // Where a server sends us, nobody has said that our credentials should go, too.
    ["http.followRedirects", credentials === undefined ? "initial" : "false"],
    ...(credentials === undefined ? [] : [["http.extraHeader", authorization(credentials)] as const]),
  ];
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

function authorization({ user, password }: NonNullable<GitLocation["credentials"]>): string {
  return `Authorization: Basic ${new TextEncoder().encode(`${user}:${password}`).toBase64()}`;
}

interface Taking<T> {
  /** Settles at the end of the stream, or when the rest is not wanted. */
  readonly all: Promise<T>;
  cancel(): void;
}

/** Hands on a stream piece by piece. */
function takeEach(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Taking<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    for (let part; !(part = await reader.read()).done;) take(decoder.decode(part.value, { stream: true }));
  };
  return { all: read(), cancel: () => void reader.cancel().catch(() => {}) };
}

/** The text of a stream, up to so many characters. */
function takeAll(stream: ReadableStream<Uint8Array>, most: number): Taking<string> {
  let text = "";
  const { all, cancel } = takeEach(stream, (part) => text.length < most ? text += part : cancel());
  return { all: all.then(() => text), cancel };
}

/** What git says on stderr while it works: how far it is, and in the end what is wrong. */
function openTalk(progress: GitOptions["progress"]): { hear(text: string): void; problem(): string } {
  let rest = "";
  const lines: string[] = [];
  const hearLine = (line: string) => {
    const [, phase, done, total] = /([A-Z][\w ]+):\s+\d+% \((\d+)\/(\d+)\)/.exec(line) ?? [];
    if (phase !== undefined) progress?.(Number(done), Number(total), phase);
    else if (line.trim() !== "") lines.splice(0, lines.length, ...lines.slice(-20), line.trim());
  };
  return {
    hear: (text) => {
      const parts = (rest + text).split(/[\r\n]/);
      rest = parts.pop()!.slice(-MAX_LINE);
      parts.forEach(hearLine);
    },
    problem: () => {
      if (rest !== "") hearLine(rest);
      return describeTalk(lines);
    },
  };
}

const MAX_LINE = 2_000;

/** The most telling lines, as one. */
function describeTalk(lines: readonly string[]): string {
  const telling = lines.filter((line) =>
    /^(fatal|error|remote|ERROR|ssh|.*Permission denied|Host key)/.test(line)
  );
  const said = (telling.length > 0 ? telling : lines).slice(-3)
    .map((line) => line.replace(/^(fatal|error|remote): */i, "")).join("; ");
  // Other people's words: on a terminal they must not do more than be read.
  const plain = said.replaceAll(/\p{C}+/gu, " ").slice(0, 400).replace(/[. ]+$/, "") ||
    "git failed without a word";
  return /could not read (Username|Password)|Authentication failed|error: 40[13]|Permission denied \(/.test(
      plain,
    )
    ? `it does not let us in (${plain})`
    : plain;
}
