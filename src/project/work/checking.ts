/** Check, trace and review, with what they may use; commits only where the user allows git. */
import { cachedWith } from "../../base/cache.ts";
import { expectFailure, type FailedCheck } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { command, shorten } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { once, runInSlices } from "../../base/work.ts";
import { diffSizes, logCommits, showFiles } from "../../content/repositories/mod.ts";
import { findText, type Tree } from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { type BoardWorld, findStory, type StoryMatch, type Target } from "./board/mod.ts";
import {
  beginningOf,
  checkAll,
  type Checked,
  type CheckReport,
  checkStory,
  type CheckWorld,
  commandFailed,
  definitionsIn,
  type History,
  LOG,
  openCommits,
  readLog,
  reportCheck,
  summarizeStories,
  summarizeStory,
  withGitDrift,
  withoutRetrospective,
} from "./check/mod.ts";
import { type Board, problemLine, recordFolders, type Story, uniqueFindings } from "./formats/mod.ts";
import type { DiffSource, FindingFacts, ReviewCalls, ReviewReport } from "./review/mod.ts";
import type { WorkTools } from "./tools.ts";
import type { PastWorld, TraceReport, Words } from "./trace/mod.ts";
import type { FindingRequest, Recognize, WriteContext } from "./writer/mod.ts";

const loadTrace = once(() => import("./trace/mod.ts"));
const loadWriter = once(() => import("./writer/mod.ts"));
const loadReview = once(() => import("./review/mod.ts"));

/** Without running commands of the project. */
export async function lookAtStory(
  tools: WorkTools,
  opened: BoardWorld,
  found: StoryMatch,
): Promise<CheckReport> {
  return reportStory(found, await checkStory(checkWorld(tools, opened), found));
}

function reportStory({ story }: StoryMatch, checked: Checked): CheckReport {
  return reportCheck(summarizeStory(story, checked.findings), checked);
}

export async function checkWork(tools: WorkTools, opened: BoardWorld, name?: string): Promise<CheckReport> {
  const world = checkWorld(tools, opened);
  if (name !== undefined) {
    const found = findStory(opened.board, name);
    return reportStory(found, await withCommands(tools, await checkStory(world, found)));
  }
  const checked = await withCommands(tools, await checkAll(world));
  return reportCheck(summarizeStories(opened.board, checked.findings), checked);
}

/** Adds drift and changed requirements where git is allowed. */
export async function compareCommits(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  const board = await withGitDrift(checkWorld(tools, opened));
  return await withStaleStories(tools, { ...opened, board });
}

export async function withStaleStories(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  return await (await loadTrace()).withStale(pastWorld(tools, opened));
}

export async function findingsAgainst(
  tools: WorkTools,
  opened: BoardWorld,
  { story, epic }: Target,
): Promise<readonly FailedCheck[]> {
  const world = checkWorld(tools, opened);
  const { findings } = story === undefined
    ? { findings: await runInSlices(withoutRetrospective(world, [epic])) }
    : await withCommands(tools, await checkStory(world, { story, epic }, { isMarking: true }));
  return findings.map((one) => ({ reason: problemLine(one), problem: one.problem, fix: one.fix }));
}

export async function traceWork(
  tools: WorkTools,
  opened: BoardWorld,
  { name, isStale }: { readonly name?: string; readonly isStale: boolean },
): Promise<TraceReport> {
  const { readTrace, reportPart, reportTrace } = await loadTrace();
  const trace = await readTrace(pastWorld(tools, opened), isStale);
  if (name === undefined) return reportTrace(trace);
  return reportPart(trace, name, () => findStory(opened.board, name).story.ref);
}

/** Runs the project's own completion contract, if something claims to be done. */
async function withCommands({ verify }: WorkTools, checked: Checked): Promise<Checked> {
  const unchecked = (why: string) => ({ ...checked, unchecked: [...checked.unchecked, why] });
  if (!checked.claims) return checked;
  try {
    const { data } = await verify();
    const { status, script, note } = asValues(data);
    const path = asText(script) ?? "";
    if (status === "PASS") return checked;
    if (status === "NONE") return unchecked(`${path} checked nothing: ${asText(note)}.`);
    return { ...checked, findings: [...checked.findings, commandFailed(path, asText(note))] };
  } catch (error) {
    const failure = expectFailure(error);
    // A project without such a script defines no commands.
    if (failure.code !== "not-allowed") return checked;
    const why = failure.setting === "allowExec"
      ? "the user has not allowed it (--allow-exec, BMAD_ALLOW_EXEC)"
      : failure.hint;
    return unchecked(`The project's commands were not run: ${why}.`);
  }
}

export async function reviewWork(
  tools: WorkTools,
  opened: BoardWorld,
  story: string,
  calls: ReviewCalls,
): Promise<ReviewReport> {
  const found = findStory(opened.board, story);
  const { path: file, passes, findings } = await reviewOf(opened, found);
  const diff = await diffOf(tools, opened, found.story);
  const request = { found, file, passes, findings, diff, clean: opened.clean };
  return (await loadReview()).reportReview(request, calls);
}

/** Each finding once, open ones first. */
export async function findingsIn(opened: BoardWorld, found: StoryMatch): Promise<readonly FindingFacts[]> {
  const [{ findings }, { factsOf }] = await Promise.all([reviewOf(opened, found), loadReview()]);
  return findings.toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen))
    .map((one) => factsOf(one, opened.clean));
}

async function reviewOf({ tree }: BoardWorld, found: StoryMatch) {
  const { openReview } = await loadWriter();
  const review = openReview({ find: (path) => findText(tree, path) }, found);
  return { ...review, findings: uniqueFindings(review.findings) };
}

export async function findInReview(
  { signal }: WorkTools,
  world: WriteContext & Pick<BoardWorld, "clean">,
  request: FindingRequest,
  calls: ReviewCalls,
): Promise<Report> {
  const [{ recordFinding }, { findSame, reportFinding }] = await Promise.all([loadWriter(), loadReview()]);
  const hasFile = (path: string) => world.files.tree.hasFile(path);
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile, isStrict, signal });
  return reportFinding(await recordFinding(world, request, recognize), calls, world.clean);
}

/** Undefined where git may not be run. */
function gitIn({ config: { work: plan }, signal }: WorkTools) {
  if (plan?.git === undefined) return undefined;
  return { root: plan.root, limits: { ...plan.git, signal, within: plan.root } };
}

function checkWorld(tools: WorkTools, board: BoardWorld): CheckWorld {
  const git = gitIn(tools);
  const { script, settings } = tools.config;
  const world = { ...board, mayRun: script !== undefined && !settings.readOnly };
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

function pastWorld(tools: WorkTools, board: BoardWorld): PastWorld {
  const world = checkWorld(tools, board);
  if (world.history === undefined) return world;
  const known = knownWords(tools.config);
  const wordsIn: PastWorld["wordsIn"] = async (versions) => {
    const words = new Map(known.entries().filter(([name]) => versions.includes(name)));
    const texts = await readVersions(tools, versions.filter((name) => !words.has(name)));
    if (known.size + texts.size > LIMITS.git.cachedVersions) known.clear();
    for (const [name, text] of texts) {
      const defined = await runInSlices(definitionsIn("", text ?? ""));
      words.set(name, new Map(Array.from(defined, ([id, one]) => [id, one.words])));
      if (text !== undefined) known.set(name, words.get(name)!);
    }
    return words;
  };
  return { ...world, wordsIn };
}

/** Earlier versions never change. */
const knownWords = cachedWith((_: WorkTools["config"]) => new Map<string, Words>());

/** Undefined for a commit without the document; what could not be read is missing. */
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

async function diffOf(tools: WorkTools, opened: BoardWorld, story: Story): Promise<DiffSource> {
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
