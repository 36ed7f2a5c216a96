/** Check, trace and review; commits only where the user allows git. */
import { cachedWith } from "../../base/cache.ts";
import { expectFailure, type FailedCheck } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { abbreviateList, command, counted, shorten } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { once, runInSlices } from "../../base/work.ts";
import { diffSizes, listChanges, logCommits, showFiles } from "../../content/repositories/mod.ts";
import { NO_ANSWER } from "../../settings/plan/mod.ts";
import { findText, realPath, type Tree } from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { type BoardWorld, findStory, repairCall, type StoryMatch, type Target } from "./board/mod.ts";
import {
  checkAll,
  type CheckCalls,
  type Checked,
  type CheckReport,
  checkStory,
  type CheckWorld,
  commandFailed,
  definitionsIn,
  filesOfEnds,
  type Finding,
  type History,
  LOG,
  openCommits,
  PATCHES,
  placesOfStarts,
  readEnds,
  readLog,
  readStarts,
  reportCheck,
  summarizeStories,
  summarizeStory,
  withGitDrift,
  withoutRetrospective,
} from "./check/mod.ts";
import { type Board, problemLine, recordFolders, type Story, uniqueFindings } from "./formats/mod.ts";
import type { DiffSource, FindingFacts, FindingOutcome, ReviewCalls, ReviewReport } from "./review/mod.ts";
import { openShell, type WorkTools } from "./tools.ts";
import type { PastWorld, TraceReport, Words } from "./trace/mod.ts";
import type { FindingRequest, Recognize, WriteContext } from "./writer/mod.ts";

const loadTrace = once(() => import("./trace/mod.ts"));
const loadWriter = once(() => import("./writer/mod.ts"));
const loadReview = once(() => import("./review/mod.ts"));

export async function lookAtStory(
  tools: WorkTools,
  opened: BoardWorld,
  found: StoryMatch,
): Promise<CheckReport> {
  return reportStory(found, await checkStory(checkWorld(tools, opened), found));
}

function reportStory({ story }: StoryMatch, checked: Parameters<typeof reportCheck>[1]): CheckReport {
  return reportCheck(summarizeStory(story, checked.findings), checked);
}

export async function checkWork(
  tools: WorkTools,
  opened: BoardWorld,
  { name, calls = {} }: { readonly name?: string | undefined; readonly calls?: CheckCalls | undefined },
): Promise<CheckReport> {
  const compared = await compareCommits(tools, opened);
  // Both sides of a conflict would be stories.
  const board = compared.conflict === undefined ? compared : { ...compared, epics: [] };
  const world = checkWorld(tools, { ...opened, board });
  const withCalls = async ({ findings, ...checked }: Checked, only?: Story) => ({
    ...checked,
    findings: findings.map((one) => ({ ...one, settle: settleCall(one, calls) })),
    repair: await repairFor(tools, world, { reconcile: calls.reconcile }, only),
  });
  if (name !== undefined) {
    const found = findStory(board, name);
    const checked = await withCalls(await withCommands(tools, await checkStory(world, found)), found.story);
    return reportStory(found, checked);
  }
  const checked = await withCalls(await withCommands(tools, await checkAll(world)));
  return reportCheck(summarizeStories(board, checked.findings), checked);
}

function settleCall({ code, story }: Finding, { accept }: CheckCalls): string | undefined {
  return code === "requirement-changed" && story !== undefined ? accept?.(story) : undefined;
}

export async function compareCommits(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  const board = await withGitDrift(checkWorld(tools, opened));
  return await withStaleStories(tools, { ...opened, board });
}

export async function withStaleStories(tools: WorkTools, opened: BoardWorld): Promise<Board> {
  const world = pastWorld(tools, opened);
  const board = await (await loadTrace()).withStale(world);
  const read = board.epics.length === 0 ? undefined : await world.history?.();
  const reason = typeof read === "object" ? read.status : read;
  if (typeof reason !== "string" || !reason.startsWith(NO_ANSWER)) return board;
  const silence = { path: GIT_FOLDER, problem: `what is committed is not known, because ${reason}` };
  return { ...board, problems: [...board.problems, silence] };
}

export const GIT_FOLDER = ".git";

export async function findingsAgainst(
  tools: WorkTools,
  opened: BoardWorld,
  { story, epic }: Target,
): Promise<readonly FailedCheck[]> {
  const { findings } = story === undefined
    ? { findings: await runInSlices(withoutRetrospective(checkWorld(tools, opened), [epic])) }
    : await withCommands(tools, await checkDone(tools, opened, { story, epic }));
  return findings.map((one) => ({
    reason: problemLine(one),
    problem: one.problem,
    fix: one.fix,
    ...(one.code === "requirement-changed" && { settledBy: "reason" as const }),
  }));
}

async function checkDone(tools: WorkTools, opened: BoardWorld, { story, epic }: StoryMatch) {
  const board = await withStaleStories(tools, opened);
  const isMeant = (one: Story) => one.ledger === story.ledger && one.key === story.key;
  const stale = board.epics.flatMap(({ stories }) => stories).find(isMeant);
  const world = checkWorld(tools, { ...opened, board });
  return await checkStory(world, { story: stale ?? story, epic }, { isMarking: true });
}

/** Where only marks are left that the check refuses, that is the way on. */
export async function repairFor(
  tools: WorkTools,
  opened: BoardWorld,
  calls: CheckCalls & Pick<ReviewCalls, "check">,
  only?: Story,
): Promise<string | undefined> {
  const call = repairCall(opened.board, calls, only);
  const all = opened.board.epics.flatMap((epic) => epic.stories.map((story) => ({ story, epic })));
  const [first, ...others] = all.filter(({ story }) => story.due !== undefined).slice(0, MAX_REPAIRS);
  if (call === undefined || first === undefined) return call;
  for (const one of [first, ...others]) {
    const isRefused = one.story.due === "done" && (await checkDone(tools, opened, one)).findings.length > 0;
    if (!isRefused) return call;
  }
  return calls.check?.(first.story.ref);
}

const MAX_REPAIRS = 20;

/** Besides the records; undefined where git cannot say it. */
export async function hasOpenWork(tools: WorkTools, opened: BoardWorld): Promise<boolean | undefined> {
  const read = await checkWorld(tools, opened).history?.();
  if (read === undefined || typeof read === "string" || typeof read.status === "string") return undefined;
  return openCommits(read, opened.board).uncommitted(recordFolders(opened.folders)).length > 0;
}

/** Recorded when somebody says that a story is as its requirements now want it. */
export async function requirementsOf(
  tools: WorkTools,
  opened: BoardWorld,
  story: Story,
): Promise<readonly string[]> {
  return await (await loadTrace()).acceptedNow(pastWorld(tools, opened), story);
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

/** The project's own completion contract, if something claims to be done. */
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
    // Without such a script, there are no commands.
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
  { calls, hasBegun: hasJustBegun }: { readonly calls: ReviewCalls; readonly hasBegun: boolean },
): Promise<ReviewReport> {
  const found = findStory(opened.board, story);
  const { path: file, passes, findings } = await reviewOf(opened, found);
  const diff = await diffOf(tools, opened, found.story);
  const request = { found, file, passes, findings, diff, hasJustBegun, clean: opened.clean };
  const ways = await endOf(tools, request, calls, () => Promise.resolve(opened));
  return (await loadReview()).reportReview(request, ways);
}

/** The way on when nothing is open: the mark, or the check if that would refuse it. It runs no commands. */
async function endOf(
  tools: WorkTools,
  { found, findings }: Pick<FindingOutcome, "found" | "findings">,
  calls: ReviewCalls,
  reopen: () => Promise<BoardWorld>,
): Promise<ReviewCalls> {
  const isLast = found.story.state !== "done" && findings.every(({ isOpen }) => !isOpen);
  const isRefused = isLast && (await checkDone(tools, await reopen(), found)).findings.length > 0;
  return { ...calls, [isRefused ? "mark" : "check"]: undefined };
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
  tools: WorkTools,
  world: WriteContext & Pick<BoardWorld, "clean">,
  request: FindingRequest,
  calls: ReviewCalls,
  reopen: () => Promise<BoardWorld>,
): Promise<Report> {
  const [{ recordFinding }, { findSame, reportFinding }] = await Promise.all([loadWriter(), loadReview()]);
  const hasFile = (path: string) => world.files.tree.hasFile(path);
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile, isStrict, signal: tools.signal });
  const { story, text } = request;
  const again: FindingRequest["again"] = (verdict) => calls.settle?.(story, text, verdict, "WHY");
  const outcome = await recordFinding(world, { ...request, again }, recognize);
  return reportFinding(outcome, await endOf(tools, outcome, calls, reopen), world.clean);
}

/** Undefined where git may not be run. */
function gitIn({ config: { work: plan }, clock, signal }: WorkTools) {
  if (plan?.git === undefined) return undefined;
  const { within } = plan.git;
  const { now } = clock;
  const prefix = plan.root === within ? "" : `${plan.root.slice(within.length + 1)}/`;
  return { root: plan.root, prefix, limits: { ...plan.git, now, signal } };
}

function checkWorld(tools: WorkTools, board: BoardWorld): CheckWorld {
  const { script, settings } = tools.config;
  const world = { ...board, mayRun: script !== undefined && !settings.readOnly };
  return gitIn(tools) === undefined ? world : { ...world, history: () => historyWithStarts(tools, board) };
}

async function historyWithStarts(tools: WorkTools, { board, tree, clean }: BoardWorld) {
  const read = await readHistory(tools, { tree, clean });
  if (typeof read === "string" || read.commits.length === 0) return read;
  const { root, limits } = gitIn(tools)!;
  const known = historyOf(tree);
  // Each of many projects would ask git once more for stories that are over.
  const { ids, files } = placesOfStarts(board, read, tools.together !== undefined);
  const starts = ids.length === 0
    ? undefined
    : await (known.starts ??= logCommits(root, PATCHES, ids, limits, files)
      .then(({ stdout }) => readStarts(new TextDecoder().decode(stdout))));
  const changed = filesOfEnds(board, read).map((path) => [path, `${read.commits[0]!.id}:./${path}`] as const);
  const committed = changed.length === 0
    ? undefined
    : await (known.committed ??= readVersions(tools, changed.map(([, name]) => name))
      .then((texts) =>
        new Map(changed.flatMap(([path, name]) => [...readEnds(path, texts.get(name) ?? "")]))
      ));
  return { ...read, starts, committed };
}

export function readHistory(
  tools: WorkTools,
  { tree, clean }: Pick<BoardWorld, "tree" | "clean">,
): Promise<History | string> {
  const git = gitIn(tools)!;
  const told = (problem: string) => shorten(clean(problem.slice(0, 2_000)).replace(/^fatal: /, ""));
  const readIn = async (folder: string) => {
    const [{ status, stdout, stderr }, changes] = await Promise.all([
      logCommits(folder, LOG, "HEAD", git.limits),
      listChanges(folder, git.limits),
    ]);
    return {
      log: readLog(new TextDecoder().decode(stdout)),
      changes,
      problem: status === 0 ? undefined : stderr,
    };
  };
  const read = async () => {
    const { within } = git.limits;
    const isShared = tools.together !== undefined && git.prefix !== "";
    const { log, changes, problem } =
      await (isShared
        ? tools.together!.getOrInsertComputed(within, () => readIn(within)) as ReturnType<typeof readIn>
        : readIn(git.root));
    if (problem !== undefined && !UNBORN.test(problem)) return told(problem);
    const here = <T extends { readonly path: string }>(all: readonly T[]) =>
      below(git.prefix, all).map((one) => ({ ...one, path: one.path.slice(git.prefix.length) }));
    return {
      ...log,
      ...(isShared && { commits: log.commits.map((one) => ({ ...one, changes: here(one.changes) })) }),
      status: typeof changes === "string"
        ? told(changes)
        : new Map(here(changes).map(({ path, kind }) => [path, kind])),
    };
  };
  return historyOf(tree).read ??= read();
}

/** Each of many projects asks: all lists are divided once, by folders as deep as theirs. */
function below<T extends { readonly path: string }>(folder: string, all: readonly T[]): readonly T[] {
  if (folder === "") return all;
  const depth = folder.split("/").length - 1;
  const divide = () =>
    Map.groupBy(all, ({ path }) => `${path.split("/").slice(0, -1).slice(0, depth).join("/")}/`);
  return (dividedLists(all).getOrInsertComputed(depth, divide) as ReturnType<typeof divide>).get(folder) ??
    [];
}

const dividedLists = cachedWith((_: readonly unknown[]) => new Map<number, unknown>());

const UNBORN = /does not have any commits yet/;

interface Reading {
  read?: Promise<History | string>;
  starts?: Promise<History["starts"]>;
  committed?: Promise<History["committed"]>;
}

const historyOf = cachedWith((_: Tree): Reading => ({}));

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

const knownWords = cachedWith((_: WorkTools["config"]) => new Map<string, Words>());

/** Undefined for a commit without the document; what could not be read is missing. */
async function readVersions(tools: WorkTools, names: readonly string[]) {
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
    // One missing version fails the whole call; hashes always exist.
    const isPath = (name: string) => name.includes(":");
    await read(some.filter((name) => !isPath(name)));
    for (const name of some.filter(isPath).slice(0, LIMITS.git.singleVersions)) {
      if (!await read([name])) texts.set(name, undefined);
    }
  }
  return texts;
}

async function diffOf(tools: WorkTools, opened: BoardWorld, story: Story): Promise<DiffSource> {
  const { board, folders } = opened;
  const read = await checkWorld(tools, opened).history?.();
  if (read === undefined || typeof read === "string") return { ...unreadDiff(tools, story), problem: read };
  const commits = openCommits(read, board);
  const { changed, added } = commits.openFiles(recordFolders(folders));
  const { problem } = commits;
  const found = commits.reviewOf(story);
  const { NEW } = await loadReview();
  const { prefix, root } = gitIn(tools)!;
  const { git, pathOf } = openShell(tools);
  // All shells can read their names; a link leads elsewhere.
  const isReadable = (path: string) =>
    command`${path}` !== undefined &&
    realPath(`${root}/${path}`)?.replaceAll("\\", "/") === `${root}/${path}` &&
    findText(opened.tree, path) !== undefined;
  const readable = added.slice(0, MAX_READ).filter(isReadable);
  const open = changed.length === 0
    ? []
    : shown(command`${git} diff HEAD${{ line: prefix && " -- ." }}`, "what is not committed");
  const others = added.filter((path) => !readable.includes(path));
  const besides = others.length === 0 ? "" : `, like ${abbreviateList(others, 3)}`;
  const lines = Map.groupBy(readable, (_, at) => Math.floor(at / MAX_SHOWN));
  const more = [...lines].flatMap(([at, paths]) =>
    shown(command`cat ${{ args: paths.map(pathOf) }}`, `${NEW}${at === 0 ? besides : ""}`)
  );
  const rest = { uncommitted: changed, added, ...(problem !== undefined && { problem }) };
  if (typeof found === "string") {
    return { commands: [...open, ...more], from: `Where the story began is not known: ${found}.`, ...rest };
  }
  const { began: { commit, words }, own, others: left } = found;
  const without = left === 0 ? "" : `, without ${counted(left, "commit")} of other work`;
  if (commit !== undefined && prefix === "" && (left === 0 || own.length > MAX_SHOWN)) {
    const about = `from ${words}, with what is not committed`;
    const size = await sizeOf(tools, commit.id);
    const commands = [...shown(command`${git} diff ${commit.id}`, about), ...more];
    return { commands, from: about, size, ...rest };
  }
  const ids = own.slice(0, MAX_SHOWN).map(({ id }) => id).toReversed();
  const from = `${counted(ids.length, "commit")} from ${words}${without}`;
  if (ids.length === 0) return { commands: [...open, ...more], from, ...rest };
  const committed = shown(command`${git} show ${{ args: ids.map((id) => id.slice(0, 12)) }}`, from);
  return { commands: [...committed, ...open, ...more], from, size: await sizeOf(tools, ids), ...rest };
}

/** Of commits and files in one command. */
const MAX_SHOWN = 40;
const MAX_READ = 400;

function shown(command: string | undefined, shows: string): DiffSource["commands"] {
  return command === undefined ? [] : [{ command, shows }];
}

/** Without commits, the recorded baseline counts. */
function unreadDiff(tools: WorkTools, { baseline, began = baseline }: Story): DiffSource {
  const { git } = openShell(tools);
  const nothing = { uncommitted: [], added: [] };
  if (began === undefined) {
    const from = "The story records no baseline: compare with the commit before the first one that names it.";
    return { commands: [], from, ...nothing };
  }
  const from = "from where the story began, with what is not committed";
  const added = shown(
    command`${git} ls-files --others --exclude-standard`,
    "names what is new and not in git",
  );
  return { commands: [...shown(command`${git} diff ${began}`, from), ...added], from, ...nothing };
}

async function sizeOf(tools: WorkTools, commits: string | readonly string[]): Promise<DiffSource["size"]> {
  const { root, limits } = gitIn(tools)!;
  const { status, stdout } = await diffSizes(root, commits, limits);
  if (status !== 0) return undefined;
  // For binary files, git prints no counts.
  const rows = [...new TextDecoder().decode(stdout).matchAll(/^(\d+|-)\t(\d+|-)\t(.*)/gm)];
  const sum = (at: 1 | 2) => rows.reduce((total, row) => total + (Number(row[at]) || 0), 0);
  return { files: new Set(rows.map((row) => row[3])).size, added: sum(1), deleted: sum(2) };
}
