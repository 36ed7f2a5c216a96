/**
 * What git says of a project's work, where the user allows it: its commits, earlier versions of its documents, and the diff
 * of a story.
 */
import { cachedWith } from "../../base/cache.ts";
import { command, shorten } from "../../base/text.ts";
import { runInSlices } from "../../base/work.ts";
import { diffSizes, logCommits, showFiles } from "../../content/repositories/mod.ts";
import type { Tree } from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import type { BoardWorld } from "./board/mod.ts";
import {
  beginningOf,
  type CheckWorld,
  definitionsIn,
  type History,
  LOG,
  openCommits,
  readLog,
} from "./check/mod.ts";
import { recordFolders, type Story } from "./formats/mod.ts";
import type { DiffSource } from "./review/mod.ts";
import { mayRun, type WorkTools } from "./tools.ts";
import type { PastWorld, Words } from "./trace/mod.ts";

/** The project's folder, and the limits of a call; undefined where git may not be run. */
function gitIn({ config: { work: plan }, signal }: WorkTools) {
  if (plan?.git === undefined) return undefined;
  return { root: plan.root, limits: { ...plan.git, signal, within: plan.root } };
}

export function checkWorld(tools: WorkTools, board: BoardWorld): CheckWorld {
  const git = gitIn(tools);
  const world = { ...board, mayRun: mayRun(tools.config) };
  if (git === undefined) return world;
  const read = async () => {
    const { status, stdout, stderr } = await logCommits(git.root, LOG, "HEAD", git.limits);
    return status === 0
      ? readLog(new TextDecoder().decode(stdout))
      : shorten(board.clean(stderr.slice(0, 2_000)).replace(/^fatal: /, ""));
  };
  return { ...world, history: () => historyOf(board.tree).read ??= read() };
}

/** The commits are read once for all questions of a request. */
const historyOf = cachedWith((_: Tree): { read?: Promise<History | string> } => ({}));

export function pastWorld(tools: WorkTools, board: BoardWorld): PastWorld {
  const world = checkWorld(tools, board);
  if (world.history === undefined) return world;
  const known = knownWords(tools.config);
  const wordsIn: PastWorld["wordsIn"] = async (versions) => {
    const words = new Map<string, Words>();
    const texts = await readVersions(tools, versions.filter((name) => !known.has(name)));
    for (const [name, text] of texts) {
      const defined = await runInSlices(definitionsIn("", text ?? ""));
      words.set(name, new Map(Array.from(defined, ([id, one]) => [id, one.words])));
    }
    for (const name of versions.filter((one) => known.has(one))) words.set(name, known.get(name)!);
    if (known.size + texts.size > LIMITS.git.cachedVersions) known.clear();
    for (const [name, text] of texts) if (text !== undefined) known.set(name, words.get(name)!);
    return words;
  };
  return { ...world, wordsIn };
}

/** Earlier versions never change. */
const knownWords = cachedWith((_: WorkTools["config"]) => new Map<string, Words>());

/** Texts by the names of versions: undefined for a commit without the document; what could not be read is missing. */
async function readVersions(
  tools: WorkTools,
  names: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const { root, limits } = gitIn(tools)!;
  const texts = new Map<string, string | undefined>();
  const read = async (some: readonly string[]): Promise<boolean> => {
    const shown = await showFiles(root, some, { ...limits, maxOutput: LIMITS.git.output });
    shown?.forEach((text, at) => texts.set(some[at]!, text));
    return shown !== undefined;
  };
  for (let at = 0; at < names.length; at += LIMITS.git.versionsAtOnce) {
    const some = names.slice(at, at + LIMITS.git.versionsAtOnce);
    if (await read(some)) continue;
    // One missing version fails the whole call; hashes always exist, so they are read together.
    const isPath = (name: string) => name.includes(":");
    await read(some.filter((name) => !isPath(name)));
    for (const name of some.filter(isPath).slice(0, LIMITS.git.singleVersions)) {
      if (!await read([name])) texts.set(name, undefined);
    }
  }
  return texts;
}

export async function diffOf(tools: WorkTools, opened: BoardWorld, story: Story): Promise<DiffSource> {
  const { tree, board, folders } = opened;
  const read = await checkWorld(tools, opened).history?.();
  if (read === undefined || typeof read === "string") return unreadDiff(story);
  const commits = openCommits(read, tree, board);
  const uncommitted = commits.uncommitted(recordFolders(folders));
  const unknown = (why: string) => ({ from: `Where the story began is not known: ${why}.`, uncommitted });
  const began = beginningOf(story, commits);
  if (typeof began === "string") return unknown(began);
  const { commit: { id, parents }, isRecorded } = began;
  if (isRecorded) return { ...sinceBaseline(id), size: await sizeSince(tools, id), uncommitted };
  if (parents.length === 0) {
    return unknown("it records no baseline, and no commit comes before the one that added its file");
  }
  return {
    command: command`git diff ${id}~1`,
    from: "from before the commit that added its file, with what is not committed",
    size: await sizeSince(tools, `${id}~1`),
    uncommitted,
  };
}

/** Without commits, the recorded baseline is taken for granted. */
function unreadDiff({ baseline }: Story): DiffSource {
  const from = "The story records no baseline: compare with the commit before its file was added.";
  return { ...(baseline === undefined ? { from } : sinceBaseline(baseline)), uncommitted: [] };
}

function sinceBaseline(id: string): Pick<DiffSource, "command" | "from"> {
  return {
    command: command`git diff ${id}`,
    from: "from where the story began, with what is not committed",
  };
}

/** Undefined if that cannot be read. */
async function sizeSince(tools: WorkTools, from: string): Promise<DiffSource["size"]> {
  const { root, limits } = gitIn(tools)!;
  const { status, stdout } = await diffSizes(root, from, limits);
  if (status !== 0) return undefined;
  // For binary files, git prints no counts.
  const rows = [...new TextDecoder().decode(stdout).matchAll(/^(\d+|-)\t(\d+|-)\t/gm)];
  const sum = (at: 1 | 2) => rows.reduce((total, row) => total + (Number(row[at]) || 0), 0);
  return { files: rows.length, added: sum(1), deleted: sum(2) };
}
