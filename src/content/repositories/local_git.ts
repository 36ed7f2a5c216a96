/** Asks git about commits of the user's own repository, whose configuration may name programs: none of them starts. */
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import { GIT_SECONDS, NO_ANSWER } from "../../settings/plan/mod.ts";
import { LIMITS } from "../limits.ts";
import { isWithin } from "../../base/time.ts";
import { irregularFile, silenceOf } from "./git_files.ts";
import {
  ceilingAbove,
  FRUGAL,
  type GitConfig,
  gitConfig,
  QUIET,
  SILENT,
  WITHOUT_USER,
} from "./git_program.ts";

export interface GitAnswer {
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

interface LocalOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Absolute and real: git looks for no repository above it. */
  readonly within: string;
  /** Git's own, if they are not in `within`. */
  readonly folders?: readonly string[];
  readonly now?: () => number;
  readonly maxOutput?: number;
  /** Settings that the user has in git's own files, which are not read. */
  readonly settings?: GitConfig;
}

const CONFIG = [
  ...QUIET,
  ...FRUGAL,
  // Files of the project must not become git's configuration.
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

/** The options are the caller's own; the range and the paths come from elsewhere. */
export function logCommits(
  folder: string,
  options: readonly string[],
  range: string | readonly string[],
  limits: LocalOptions,
  paths: readonly string[] = [],
) {
  const places = [range, "--", ...paths.map((path) => `:(literal)${path}`)].flat();
  return runGit(folder, ["log", ...SAFE, ...options, "--end-of-options", ...places], limits);
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

const SIZES = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--numstat"];

/** Since a commit, or of several commits alone. */
export function diffSizes(folder: string, commits: string | readonly string[], limits: LocalOptions) {
  const command = typeof commits === "string"
    ? ["diff", ...SIZES, "--relative", "--end-of-options", commits, "HEAD"]
    : ["show", ...SIZES, "--no-show-signature", "--format=", "--end-of-options", ...commits];
  return runGit(folder, [...command, "--"], limits);
}

export interface LocalChange {
  readonly path: string;
  /** `unclear`: only a filter that the repository names could tell whether the file has changed. */
  readonly kind: "new" | "changed" | "unclear";
}

/** What `git status` says of a folder, or why it says nothing. Filters are programs: none of them runs. */
export async function listChanges(
  folder: string,
  limits: LocalOptions,
): Promise<readonly LocalChange[] | string> {
  const named = await runGit(folder, ["config", "-z", "--name-only", "--get-regexp", "^filter\\."], limits);
  // Git ends with 1 if there are none.
  if (named.status !== 0 && (named.status !== 1 || named.stderr !== "")) return problemOf(named);
  const drivers = new Set(fieldsIn(named).map((name) => name.slice(0, name.lastIndexOf("."))));
  if (drivers.size > MAX_FILTERS) return `the repository names more than ${MAX_FILTERS} filters`;
  const settings = [...drivers].flatMap((name) => [
    ...["clean", "smudge", "process"].map((key) => [`${name}.${key}`, ""] as const),
    [`${name}.required`, "false"] as const,
  ]);
  const status = await runGit(folder, ["status", ...STATUS, "--", "."], {
    ...limits,
    settings: [...limits.settings ?? [], ...settings],
  });
  if (status.status !== 0) return problemOf(status);
  const rows = fieldsIn(status).flatMap(changeIn);
  const doubtful = rows.filter(({ isDoubtful }) => isDoubtful).map(({ path }) => path);
  const filtered = doubtful.length === 0 ? new Set() : await filteredIn(doubtful, limits);
  return rows.map(({ path, kind }) => ({ path, kind: filtered.has(path) ? "unclear" : kind }));
}

const STATUS = [
  "--porcelain=v2",
  "-z",
  "--untracked-files=all",
  "--no-renames",
  // Looking into a submodule takes a git of its own.
  "--ignore-submodules=dirty",
];
const MAX_FILTERS = 100;
const MAX_FILTERED = 1_000;
/** The fields before the path, by the kind of a row: new, changed, in conflict. */
const FIELDS: Readonly<Record<string, number>> = { "?": 1, "1": 8, "u": 10 };

function changeIn(row: string) {
  const fields = row.split(" ");
  const path = fields.slice(FIELDS[fields[0]!] ?? Infinity).join(" ");
  // A repository inside this one is a folder.
  if (path === "" || path.endsWith("/")) return [];
  const kind = row.startsWith("?") ? "new" as const : "changed" as const;
  return [{ path, kind, isDoubtful: /^1 .M/.test(row) }];
}

/** Those of the paths that have a filter; all if that cannot be told. */
async function filteredIn(paths: readonly string[], limits: LocalOptions) {
  if (paths.length > MAX_FILTERED) return new Set(paths);
  const answer = await runGit(limits.within, ["check-attr", "-z", "filter", "--", ...paths], limits);
  if (answer.status !== 0) return new Set(paths);
  const fields = fieldsIn(answer);
  return new Set(
    fields.filter((_, at) => at % 3 === 0 && !/^un(?:set|specified)$/.test(fields[at + 2] ?? "")),
  );
}

function fieldsIn({ stdout }: GitAnswer): readonly string[] {
  return new TextDecoder().decode(stdout).split("\0").filter((field) => field !== "");
}

function problemOf({ stderr, status }: GitAnswer): string {
  return stderr.trim() || `git exited ${status}`;
}

const EMPTY_TREES: readonly string[] = [
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

/** By repository, since when git is not asked again. */
const silent = new Map<string, { readonly since: number; readonly problem: string }>();

async function runGit(folder: string, command: readonly string[], options: LocalOptions): Promise<GitAnswer> {
  const { environment, timeout, signal, within, folders = [`${within}/.git`] } = options;
  const { now = () => performance.now(), settings = [], maxOutput = LIMITS.git.localOutput } = options;
  const { since = -Infinity, problem = "" } = silent.get(within) ?? {};
  if (isWithin(GIT_SECONDS.silence * 1_000, since, now())) return failure(problem);
  const irregular = irregularFile(folders);
  if (irregular !== undefined) return failure(silenceOf(irregular, within));
  const args = ["--no-pager", "-C", folder, ...command];
  // Git refuses other users' projects for what their configuration may start, which is switched off here.
  const config = gitConfig([
    ...CONFIG,
    ...settings,
    ["safe.directory", within.replaceAll("\\", "/")],
  ]);
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
    // It may have ended all the same, while we were busy.
    if (late.aborted && status !== 0) {
      const problem = `${NO_ANSWER} within ${timeout / 1_000} seconds`;
      silent.set(within, { since: now(), problem });
      return failure(problem);
    }
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
