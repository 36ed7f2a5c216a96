/** Notes as messages of commits in a remote repository. A ref is pushed only if it is what the caller saw: one wins. */
import { oneLine, splitLines } from "../../base/text.ts";
import { once } from "../../base/work.ts";
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import { GIT_SECONDS, NO_ANSWER, type RemotePlan } from "../../settings/plan/mod.ts";
import { LIMITS } from "../limits.ts";
import { ceilingAbove, decodeEach, gitConfig, GitError, openStderr } from "./git_program.ts";
import { irregularFile, silenceOf } from "./git_files.ts";
import { QUIET, SILENT, supervisorFailure } from "./git_program.ts";

export interface RemoteRef {
  readonly name: string;
  readonly id: string;
  /** The message of the commit; undefined for one that the caller knows. */
  readonly message?: string;
}

/** `from` is the commit that it must have led to so far; undefined stands for no ref. */
export interface RefChange {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface RemoteRefs {
  /** All below the prefix, and which of some branches the remote has. */
  list(
    isKnown: (ref: RemoteRef) => boolean,
    branches: readonly string[],
  ): Promise<{ readonly refs: readonly RemoteRef[]; readonly branches: readonly string[] }>;
  commit(message: string): Promise<string>;
  push(changes: readonly RefChange[]): Promise<ReadonlyMap<string, string>>;
  machine(): Promise<string | undefined>;
}

/** The commits are fetched, but no ref is changed: that is what git calls a dry run. */
const FETCH =
  "--dry-run --quiet --no-tags --no-write-fetch-head --no-auto-maintenance --no-recurse-submodules --refmap="
    .split(" ");

const PUSH = "--porcelain --no-verify --no-progress --no-signed --no-follow-tags --no-recurse-submodules"
  .split(" ");

const CONFIG = [
  ...QUIET,
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["fetch.writeCommitGraph", "false"],
  // The notes have no history to negotiate about.
  ["fetch.negotiationAlgorithm", "noop"],
  ["push.recurseSubmodules", "no"],
  ["push.followTags", "false"],
  ["push.gpgSign", "false"],
  ["transfer.bundleURI", "false"],
  ["credential.interactive", "false"],
  ["log.showSignature", "false"],
  ["i18n.commitEncoding", "utf-8"],
  ["i18n.logOutputEncoding", "utf-8"],
] as const;

const VARIABLES: Readonly<Record<string, string>> = {
  ...SILENT,
  ...gitConfig(CONFIG),
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
  // Git wants a name and an address, which users may not have set.
  GIT_AUTHOR_NAME: "bmad-mcp",
  GIT_AUTHOR_EMAIL: "bmad-mcp@localhost",
  GIT_COMMITTER_NAME: "bmad-mcp",
  GIT_COMMITTER_EMAIL: "bmad-mcp@localhost",
  GIT_NO_REPLACE_OBJECTS: "1",
  GCM_INTERACTIVE: "never",
};

export type ReachablePlan = RemotePlan & Required<Pick<RemotePlan, "git">>;

/** Instead of a program's exit code: of many refs, one that is too large must not hide the others. */
const TOO_MUCH = -1;

type Command = readonly [name: string, ...args: string[]];

export function openRemoteRefs(
  { name: remote, folder, git }: ReachablePlan,
  prefixes: readonly string[],
  given: AbortSignal | undefined,
): RemoteRefs {
  const late = AbortSignal.timeout(git.timeout);
  const signal = given === undefined ? late : AbortSignal.any([late, given]);
  const localMs = Math.max(GIT_SECONDS.local * 1_000, git.timeout / 5);
  const variables = { ...git.environment, ...VARIABLES, ...ceilingAbove(folder) };
  const refuseLate = () => {
    if (late.aborted) throw new GitError(`it has not answered within ${git.timeout / 1_000} seconds`);
  };
  /** Only what asks the remote may take the time for it. */
  const answer = async (...command: Command) => {
    refuseLate();
    const irregular = irregularFile([`${folder}/.git`]);
    if (irregular !== undefined) throw new GitError(silenceOf(irregular, folder));
    const isLocal = !["ls-remote", "fetch", "push"].includes(command[1]!);
    const soon = isLocal ? AbortSignal.timeout(localMs) : undefined;
    const output = collectOutput(LIMITS.remoteRefs.output);
    const stderr = openStderr();
    const code = await supervise({
      command,
      shell: "git",
      folder,
      variables,
      maxFile: LIMITS.remoteRefs.fileBytes,
      signal: soon === undefined ? signal : AbortSignal.any([signal, soon]),
      stdout: output.push,
      stderr: decodeEach(stderr.push),
    }).catch((error) => {
      if (error instanceof SupervisorError && error.reason === "too-much-output") return TOO_MUCH;
      return supervisorFailure("", "git was not found: install git")(error);
    });
    given?.throwIfAborted();
    refuseLate();
    if (soon?.aborted && code !== 0) throw new GitError(`${NO_ANSWER} within ${localMs / 1_000} seconds`);
    const problem = code === TOO_MUCH ? () => "it has sent too much" : stderr.problem;
    return { code, text: output.text(), problem };
  };
  const run = async (...command: Command): Promise<string> => {
    const { code, text, problem } = await answer(...command);
    if (code !== 0) throw new GitError(problem());
    return text;
  };
  const tried = async (...command: Command): Promise<string | undefined> => {
    const { code, text } = await answer(...command);
    return code === 0 ? text : undefined;
  };
  /** Without a remote of that name, git would take the name for a folder of the project. */
  const checkRemote = once(async () => {
    const from = await run("git", "remote", "get-url", remote);
    const to = await run("git", "remote", "get-url", "--push", "--all", remote);
    if (from.trim() !== to.trim()) throw new GitError("git pushes to another address than it fetches from");
  });
  const listOnce = async (branches: readonly string[]) => {
    const heads = branches.slice(0, LIMITS.remoteRefs.branches).map((branch) => `refs/heads/${branch}`);
    const patterns = [...prefixes.map((prefix) => `${prefix}*`), ...heads];
    const text = await run("git", "ls-remote", "--quiet", "--refs", remote, ...patterns);
    const all = splitLines(text).slice(0, LIMITS.remoteRefs.refs).flatMap((line): readonly RemoteRef[] => {
      const [, id, name] = /^([0-9a-f]{40,64})\t(\S+)$/.exec(line) ?? [];
      return id === undefined ? [] : [{ id, name: name! }];
    });
    return {
      refs: all.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix))),
      branches: all.flatMap(({ name }) => heads.includes(name) ? [name.slice("refs/heads/".length)] : []),
    };
  };
  const fetchRefs = (refs: readonly RemoteRef[]) =>
    tried("git", "fetch", ...FETCH, remote, ...refs.map(({ name }) => `+${name}:${name}`));
  const readInto = async (found: Map<string, string>, refs: readonly RemoteRef[]): Promise<void> => {
    const options = ["--no-walk=unsorted", "--ignore-missing", "--no-color", "--format=%H%n%B%x00"];
    const ids = refs.map(({ id }) => id);
    const text = await tried("git", "--no-pager", "log", ...options, "--end-of-options", ...ids, "--");
    for (const one of text?.split("\0") ?? []) {
      const [id = "", ...message] = splitLines(one.trimStart());
      found.set(id, message.join("\n"));
    }
  };

  return {
    list: async (isKnown, asked) => {
      await checkRemote();
      const { refs, branches } = await listOnce(asked);
      const messages = new Map<string, string>();
      const missing = (all: readonly RemoteRef[]) => all.filter(({ id }) => !messages.has(id));
      const wanted = refs.filter((ref) => !isKnown(ref));
      for (let at = 0; at < wanted.length; at += LIMITS.remoteRefs.perCall) {
        const some = wanted.slice(at, at + LIMITS.remoteRefs.perCall);
        await readInto(messages, some);
        if (missing(some).length === 0) continue;
        await fetchRefs(missing(some));
        await readInto(messages, some);
      }
      // One that leads to something else, or is gone, spoils the call for all.
      for (const one of missing(wanted).slice(0, LIMITS.remoteRefs.alone)) {
        await fetchRefs([one]);
        await readInto(messages, [one]);
        messages.getOrInsert(one.id, "");
      }
      const read = refs.flatMap((ref) => {
        const message = messages.get(ref.id);
        return isKnown(ref) ? [ref] : message === undefined ? [] : [{ ...ref, message }];
      });
      return { refs: read, branches };
    },
    commit: async (message) => {
      const tree = (await run("git", "mktree")).trim();
      return (await run("git", "commit-tree", tree, "-m", message)).trim();
    },
    push: async (changes) => {
      await checkRemote();
      const leases = changes.map(({ name, from = "" }) => `--force-with-lease=${name}:${from}`);
      const specs = changes.map(({ name, to = "" }) => `${to}:${name}`);
      const { code, text, problem } = await answer("git", "push", ...PUSH, ...leases, remote, ...specs);
      const answers = splitLines(text).flatMap((line) => {
        const [flag, spec, summary] = line.split("\t");
        return summary === undefined ? [] : [{ flag, name: spec!.slice(spec!.indexOf(":") + 1), summary }];
      });
      // If git has not come so far as to ask for a ref, the remote was not reached.
      if (code !== 0 && answers.length === 0) throw new GitError(problem());
      return new Map(
        answers.filter(({ flag }) => flag === "!").map(({ name, summary }) => [name, oneLine(summary)]),
      );
    },
    machine: async () => (await tried("uname", "-n"))?.trim() || undefined,
  };
}
