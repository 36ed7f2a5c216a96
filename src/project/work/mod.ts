/** Each request reads the files; unchanged texts are not parsed again. */
import { recover } from "../../base/absence.ts";
import { cachedWith, cacheRecent } from "../../base/cache.ts";
import { BmadError, forbid } from "../../base/errors.ts";
import { OTHERS_CLAIMS } from "../../base/problem_groups.ts";
import { type Report, textLines } from "../../base/report.ts";
import { demand } from "../../base/people.ts";
import { command } from "../../base/text.ts";
import { parseJson } from "../../base/values.ts";
import { giveWay, once, type Seat, type WriteResult, writeResult } from "../../base/work.ts";
import {
  findResolvers,
  type Library,
  listSharedConfigs,
  listSkills,
  loadCleaner,
} from "../../content/library/mod.ts";
import { logCommits } from "../../content/repositories/mod.ts";
import { findText, type Tree } from "../../content/tree/mod.ts";
import { openFiles, openShared } from "../files/mod.ts";
import { LIMITS } from "../limits.ts";
import type { ScriptResult, ScriptWorld } from "../scripts/mod.ts";
import {
  type BoardReport,
  type BoardWorld,
  CLAIMS_FILE,
  compareBoards,
  epicName,
  findStory,
  findTarget,
  journalFor,
  journalPath,
  journalRows,
  MOVES_FILE,
  type QuestionCalls,
  readBoard,
  readRecords,
  type Records,
  repairCall,
  type RepairCalls,
  reportBoard,
  reportQuestions,
  reportTarget,
  settled,
  type StoryMatch,
  withRecords,
} from "./board/mod.ts";
import type { CheckCalls } from "./check/mod.ts";
import type { BriefRequest } from "./brief.ts";
import {
  type Board,
  cacheStoryTexts,
  foldersOf,
  problemLine,
  type Question,
  recordFolders,
  type Story,
  storyFacts,
  storyNotes,
} from "./formats/mod.ts";
import type { RecordedWorld } from "./ledgers.ts";
import type { WriteCalls } from "./next/mod.ts";
import type { PlanRequest } from "./planning.ts";
import type { ReviewCalls } from "./review/mod.ts";
import { openShell, type WorkTools } from "./tools.ts";
import type {
  AnswerRequest,
  AskRequest,
  ClaimRequest,
  EvidenceRequest,
  FindingRequest,
  MarkRequest,
  ReleaseRequest,
  RemoteRecords,
  TickRequest,
  WriteContext,
} from "./writer/mod.ts";

export type { WorkTools } from "./tools.ts";
export { type BoardWatch, openBoardWatch } from "./watch.ts";
export { type Ledgers, openLedgers } from "./ledgers.ts";
export type { StoryDetails, Task, WorkDetails } from "./details.ts";
export type { WorkStep, WriteCalls } from "./next/mod.ts";
export type { BoardReport, QuestionCalls, QuestionsReport } from "./board/mod.ts";
export type { CheckReport } from "./check/mod.ts";
export type { Board, Epic, OpenQuestion, State, Story } from "./formats/mod.ts";
export type { FoundDocument, FoundStory, ListedDocument } from "./context/mod.ts";
export type { Trace, TracedCriterion, TracedRequirement, TraceReport } from "./trace/mod.ts";
export type { FindingFacts, ReviewCalls } from "./review/mod.ts";

const loadChecking = once(() => import("./checking.ts"));
const loadContext = once(() => import("./context/mod.ts"));
const loadNext = once(() => import("./next/mod.ts"));
const loadPlanning = once(() => import("./planning.ts"));
const loadScripts = once(() => import("../scripts/mod.ts"));
const loadWriter = once(() => import("./writer/mod.ts"));

interface JournalFile {
  /** Undefined if the project has no folder for one. */
  readonly path?: string;
  readonly outcome: "added" | "removed" | "same" | "absent";
}

interface NextRequest {
  readonly by?: string;
  /** That can go on at the same time; undefined for the next one. */
  readonly count?: number;
}

interface ScriptInput {
  readonly stdin?: string;
  readonly skill?: string;
}

export interface BoardState {
  readonly isFirst: boolean;
  readonly board: Board;
  changes(): readonly Report[];
  report(): BoardReport;
}

/** Tokens: read without losing sight of the task. */
const DEFAULT_BUDGET = 8_000;

const NOBODY: Seat = { id: "", client: "" };

/** By the call that repairs it. */
const reportsOf = cachedWith((_: Board) => cacheRecent<BoardReport>(LIMITS.board.reports));

export function openWork(tools: WorkTools) {
  const { ask, person, config: { team } } = tools;
  /** A person known to the server acts under their own name. */
  const ownerFor = (given?: string) => person?.name ?? given ?? team?.who;
  const owned = <R extends { readonly by?: string }>(request: R) => ({
    ...request,
    by: ownerFor(request.by),
  });
  const opened = (track?: (tree: Tree) => Tree) => ask((library) => openBoard(tools, library, track));
  const openedForStories = async (track?: (tree: Tree) => Tree) => settled(await opened(track));
  /** As nobody in particular sees it, one serves all: only whoever holds a story sees that claim in another way. */
  const compared = async (): Promise<RecordedWorld> => {
    const { ledgers, seat: asking = team?.seat } = tools;
    const holds = ({ records }: RecordedWorld) => records.claims.some(({ seat }) => seat?.id === asking?.id);
    const open = async (given: WorkTools) => {
      const looked = await withRemote(given);
      return await ask((library) => openCompared(looked, library));
    };
    // Git's one answer for all projects of a request may be older than another request.
    if (tools.together !== undefined) return await open(tools);
    const openFor = (seat?: Seat) =>
      ledgers.world(String(seat?.id), () => open({ ...tools, seat, signal: undefined }));
    const latest = ledgers.latestWorld();
    const world = latest && !holds(latest) ? await openFor(NOBODY) : undefined;
    return world && !holds(world) ? world : await openFor(asking);
  };
  const change = async <T>(work: (world: WriteContext, writer: Writer, looked: WorkTools) => Promise<T>) => {
    const [writer, looked] = await Promise.all([loadWriter(), withRemote(tools)]);
    return writeResult(await work(settled(await openWriter(looked)), writer, looked));
  };
  const withCleaner = async (world: WriteContext) => ({ ...world, clean: (await loadCleaner()).text });
  return {
    /** Without `calls`, problems alone are of interest: a conflict is one of them. */
    board: async (calls?: RepairCalls) => {
      const world = calls === undefined ? await compared() : settled(await compared());
      const { board } = world;
      const isOut = calls && repairCall(board, calls);
      const repair = isOut && await (await loadChecking()).repairFor(tools, world, calls);
      const own = repair ? { reconcile: () => repair } : {};
      return reportsOf(board)(repair ?? "", () => reportBoard(board, own));
    },
    ledgers: async () => (await compared()).board,
    notesOf: storyNotes,
    repairOf: repairCall,
    factsOf: storyFacts,
    epicName,
    watch: (changed: (state: BoardState) => void) =>
      tools.boardWatch.listen((board, before) =>
        changed({
          isFirst: before === undefined,
          board,
          changes: () => before === undefined ? [] : compareBoards(before, board),
          report: () => reportBoard(board),
        }), {
        ask,
        read: async (library, track) => (await openCompared(await withRemote(tools), library, track)).board,
        sharedMark: () => sharedMark(tools),
        maxAge: team?.shared?.remote && LIMITS.claims.watchedViewAgeMs,
      }),
    show: async (story: string) => {
      const { board, clean, records } = settled(await compared());
      const target = findTarget(board, story);
      const entries = target.story === undefined ? [] : journalFor(records, target as StoryMatch);
      return reportTarget(target, clean, { entries, now: tools.clock.now() });
    },
    /** `calls` are those of the surface. */
    detail: async (story: string, calls: WriteCalls) => {
      const [looked, { readDetails }] = await Promise.all([withRemote(tools), import("./details.ts")]);
      return await ask(async (library) =>
        await readDetails(
          tools,
          library,
          settled(await openCompared(looked, library, cacheStoryTexts)),
          story,
          calls,
        )
      );
    },
    /** Oldest first; undefined without a journal. */
    log: async (story?: string) => {
      const { records, board, tree, folders } = await opened();
      const path = journalPath(folders);
      if (path === undefined || tree.stat(path) === undefined) {
        if (story !== undefined) findStory(board, story);
        return undefined;
      }
      const entries = story === undefined ? records.journal : journalFor(records, findStory(board, story));
      return { path, entries, rows: journalRows(entries) };
    },
    keepJournal: async (isKept: boolean): Promise<WriteResult<JournalFile>> => {
      const { files, journal } = await openWriter(tools);
      const text = journal && files.find(journal);
      if (journal === undefined && isKept) {
        const hint =
          "the project has no folder for its work: neither a configuration names one, nor is one there";
        return forbid("begin a journal", hint);
      }
      if (journal === undefined || !isKept && text === undefined) {
        return writeResult({ path: journal, outcome: "absent" });
      }
      if (isKept ? text !== undefined : text !== "") return writeResult({ path: journal, outcome: "same" });
      files.replace(journal, isKept ? "" : undefined, text);
      return writeResult({ path: journal, outcome: isKept ? "added" : "removed" });
    },
    next: async (calls: WriteCalls, request: NextRequest = {}) =>
      await reportNextIn(await withRemote(tools), calls, owned(request)),
    /** For a model whose session begins. */
    brief: async (calls: WriteCalls, request: BriefRequest) => {
      const looked = await withRemote(tools);
      const next = await reportNextIn(looked, calls, owned({}));
      const { board } = await ask((library) => openCompared(looked, library));
      return (await import("./brief.ts")).renderBrief(next, board, request);
    },
    /** With `calls`, this and `plan` name what is next once a piece of work ends. */
    mark: (given: MarkRequest, calls?: WriteCalls) =>
      change(async (world, { mark, reportMark }, looked) => {
        const approve = () => {
          if (person !== undefined) demand(person, "approve", "approve it");
        };
        const request = { ...owned(given), approve };
        const marked = await mark(world, request);
        const { files: { tree }, journal } = world;
        const report = reportMark(marked, {
          git: team?.shared && openShell(tools).git,
          // For `done`, commits were read.
          isCommitted: marked.changes.some(({ to }) => to === "done") &&
            await world.hasOpenWork?.() === false,
          journal: journal !== undefined && tree.hasFile(journal) ? journal : undefined,
        });
        return marked.hasEnded ? await withNext(looked, report, calls, request.by) : report;
      }),
    tick: (request: TickRequest) =>
      change(async (world, { tick }) => await tick(await withCleaner(world), owned(request))),
    claim: (request: ClaimRequest) =>
      change(async (world, { claim, reportClaim }) => reportClaim(await claim(world, owned(request)))),
    release: (request: ReleaseRequest) =>
      change(async (world, { release, reportClaim }) => reportClaim(await release(world, owned(request)))),
    noteBuilds: async (stories: readonly Story[]): Promise<void> => {
      const [{ noteBuilds }, world] = await Promise.all([loadWriter(), openWriter(tools)]);
      await noteBuilds(world, stories);
    },
    endClaims: async (isKnown: (token: string) => boolean) => {
      const [{ endClaims }, looked] = await Promise.all([loadWriter(), withRemote(tools)]);
      await endClaims(await openWriter(looked), isKnown);
    },
    plan: async (request: PlanRequest = {}, calls?: WriteCalls) => {
      const report = await (await loadPlanning()).planWork(tools, await openedForStories(), request);
      return writeResult(await withNext(tools, report, calls, ownerFor()));
    },
    reconcile: async () => {
      const { reconcileWork } = await loadPlanning();
      const writer = async () => await openWriter(await withRemote(tools, 0));
      return await reconcileWork(tools, await openedForStories(), writer, ownerFor());
    },
    check: async (story?: string, calls?: CheckCalls) => {
      const world = story === undefined ? await opened(cacheStoryTexts) : await openedForStories();
      return await (await loadChecking()).checkWork(tools, world, { name: story, calls });
    },
    /** `name`: a requirement or a story; `isStale` compares with earlier commits. */
    trace: async (name?: string, isStale = false) =>
      await (await loadChecking()).traceWork(tools, await openedForStories(cacheStoryTexts), {
        name,
        isStale,
      }),
    review: async (story: string, calls: ReviewCalls, lenses?: readonly string[]) => {
      const { reviewWork } = await loadChecking();
      if (lenses !== undefined) {
        const { beginPass } = await loadWriter();
        await beginPass(settled(await openWriter(tools)), { story, lenses });
      }
      const hasBegun = lenses !== undefined;
      return writeResult(await reviewWork(tools, await openedForStories(), story, { calls, hasBegun }));
    },
    finding: async (request: FindingRequest, calls: ReviewCalls) => {
      const { findInReview } = await loadChecking();
      const world = await withCleaner(settled(await openWriter(tools)));
      return writeResult(await findInReview(tools, world, owned(request), calls, openedForStories));
    },
    evidence: (request: EvidenceRequest) =>
      change((world, { recordEvidence }) => recordEvidence(world, request)),
    ask: (request: AskRequest, calls: QuestionCalls) =>
      change(async (world, { ask, reportQuestion }) =>
        reportQuestion(await ask(await withCleaner(world), owned(request)), calls)
      ),
    answer: (request: AnswerRequest) =>
      change(async (world, { answer, reportQuestion }) => {
        const answered = await answer(await withCleaner(world), owned(request));
        const isNew = answered.outcome !== "known";
        return reportQuestion(
          answered,
          {},
          isNew ? await rememberAnswer(tools, answered.question) : undefined,
        );
      }),
    questions: async (calls: QuestionCalls, number?: number) =>
      reportQuestions((await opened()).records.asked, calls, number),
    context: async (story: string, budget = DEFAULT_BUDGET) => {
      const world = await openedForStories();
      const { gatherContext, reportContext } = await loadContext();
      const found = findStory(world.board, story);
      const pack = await gatherContext({ ...world, embed: tools.embed }, found, budget);
      return reportContext(found, pack, world.clean);
    },
    documents: async () => (await loadContext()).listDocuments(await opened()),
    document: async (path: string) => (await loadContext()).openDocument(await opened(), path),
    find: async (words: string) => (await loadContext()).findInWork(await opened(), words),
    script: (command: string | readonly string[], given: ScriptInput = {}) =>
      runScriptIn(tools, command, given),
    scripts: (commands: readonly string[], given: ScriptInput = {}) => runScriptsIn(tools, commands, given),
    installedScripts: async () =>
      (await loadScripts()).installedScripts(await openScriptWorld(tools, "look at scripts")),
  };
}

export type ProjectWork = ReturnType<typeof openWork>;

/** A sentence on what came of that. The answer stands in any case. */
async function rememberAnswer({ remember }: WorkTools, question: Question): Promise<string> {
  const { number, text, story, answer, answered } = question;
  const about = story === undefined ? "" : ` about ${story}`;
  const who = answered?.by === undefined ? "" : ` (${answered.by})`;
  const problem = await remember(`Question ${number}${about}: ${text} Decided${who}: ${answer}`);
  return problem === undefined ? "Remembered as a decision." : `Not remembered as a decision: ${problem}.`;
}

function reportNextIn(tools: WorkTools, calls: WriteCalls, request: NextRequest): Promise<Report> {
  return tools.ask(async (library) => {
    const opened = await openRecords(tools, library);
    const { records, clean } = opened;
    const { reportNext } = await loadNext();
    const worktreeFor = worktreesOf(tools);
    let silence: readonly string[] = [];
    const readLedgers = (world: Omit<BoardWorld, "board">) =>
      tools.ledgers.read({ ...world, ...(tools.config.work?.git && { found: askGit(tools, world) }) });
    const compare = tools.config.work?.git && (async (world: BoardWorld) => {
      const { GIT_FOLDER, withStaleStories } = await loadChecking();
      const board = await withStaleStories(tools, world);
      silence = board.problems.filter(({ path }) => path === GIT_FOLDER).map(problemLine);
      return board;
    });
    const report = await reportNext(library, {
      calls,
      clean,
      records,
      worktreeFor,
      repair: async (board) => await (await loadChecking()).repairFor(tools, { ...opened, board }, calls),
      readLedgers,
      compare,
      ...request,
    });
    const problem = tools.remote?.problem;
    const note = textLines(
      problem !== undefined && `Claims of other clones may be missing, because ${problem}.`,
      silence,
    ).join("\n");
    if (note === "") return report;
    return { text: `${report.text}\n${note}`, data: { ...report.data, note } };
  });
}

/** What was done stays done. */
async function withNext(
  tools: WorkTools,
  report: Report,
  calls: WriteCalls | undefined,
  by: string | undefined,
): Promise<Report> {
  const next = calls && await recover(BmadError, () => reportNextIn(tools, calls, { by }));
  if (next === undefined) return report;
  return { text: `${report.text}\n\n${next.text}`, data: { ...report.data, next: next.data["next"] } };
}

export async function withRemote<T extends Pick<WorkTools, "config" | "clock" | "signal" | "remoteMemory">>(
  tools: T,
  maxAge: number = LIMITS.claims.viewAgeMs,
): Promise<T & Pick<WorkTools, "remote">> {
  const { config: { team, settings }, clock: { now }, signal, remoteMemory: memory } = tools;
  const plan = team?.shared;
  if (team?.unshared !== undefined) return { ...tools, remote: alone(team.unshared) };
  if (plan?.remote === undefined) return tools;
  const [{ openRemoteRecords }, { text: clean }] = await Promise.all([
    import("./remote_records.ts"),
    loadCleaner(),
  ]);
  const claimMs = settings.claimTime * 1_000;
  const shared = openShared(plan, now);
  return {
    ...tools,
    remote: await openRemoteRecords({ plan, shared, memory, claimMs, maxAge, now, clean, signal }),
  };
}

function alone(problem: string): RemoteRecords {
  const taken = () => Promise.resolve({ problem });
  const look = () => Promise.resolve();
  return { others: () => [], otherMoves: () => [], problem, look, take: taken, tell: taken };
}

export async function openRecords(
  { config, clock: { now }, refuse, remote, seat }: Pick<
    WorkTools,
    "config" | "clock" | "refuse" | "remote" | "seat"
  >,
  library: Library,
  track = (tree: Tree) => tree,
): Promise<Omit<BoardWorld, "board"> & { readonly records: Records; readonly shared: Tree | undefined }> {
  const { kit, project, work } = config;
  if (kit === undefined) return refuse("read the project's work");
  const { text: clean } = await loadCleaner();
  const roots = [kit.root, ...(project === undefined ? [] : [project])];
  const folders = foldersOf(await listSharedConfigs(library), roots);
  // A start that writes has settled it already.
  const output = work?.output ?? folders.output ?? (folders.v4 === undefined ? kit.output : "docs");
  const shared = config.team?.shared;
  const files = openFiles({ root: kit.root, output, writable: [], shared }, now);
  const tree = track(files.tree);
  const asking = seat ?? config.team?.seat;
  const place = {
    tree,
    folder: files.records,
    journal: journalPath(folders),
    shared: files.shared,
    others: remote?.others,
    otherMoves: remote?.otherMoves,
    seat: asking,
    findSeat: files.seats.find,
  };
  const records = readRecords(place, { now: now(), clean });
  if (asking !== undefined && records.claims.some(({ seat }) => seat?.id === asking.id)) {
    files.seats.sign(asking);
  }
  return { records, folders, tree, shared: files.shared?.tree, clean };
}

/** Beside the one that holds the project, named after it. */
function worktreesOf(tools: WorkTools) {
  const { kit, team } = tools.config;
  if (kit === undefined || team?.shared === undefined) return undefined;
  const { git, root, isTerminal } = openShell(tools);
  const folders = team.shared.project.split("/").filter(Boolean);
  const top = kit.root.split("/").slice(0, folders.length === 0 ? undefined : -folders.length);
  const beside = root === undefined ? `${"../".repeat(folders.length + 1)}${top.at(-1)}` : top.join("/");
  return (name: string) => {
    const folder = `${beside}-${name}`;
    return {
      worktree: command`${git} worktree add ${folder} -b ${name}`,
      enter: isTerminal ? command`cd ${[folder, ...folders].join("/")}` : undefined,
    };
  };
}

function sharedMark({ config: { team }, clock: { now } }: WorkTools): string | undefined {
  if (team?.shared === undefined) return undefined;
  const { tree, branches } = openShared(team.shared, now);
  const marks = [CLAIMS_FILE, MOVES_FILE].map((name) => tree.stamp(name)?.mark);
  return JSON.stringify([...marks, branches.current(), branches.commit()]);
}

async function openBoard(
  tools: WorkTools,
  library: Library,
  track?: (tree: Tree) => Tree,
  askMeanwhile?: typeof askGit,
) {
  const opened = await openRecords(tools, library, track);
  const { records, folders, tree, shared, clean } = opened;
  const found = askMeanwhile?.(tools, opened);
  // Tracked or kept with its texts, it is this request's.
  const ledgers = track === undefined
    ? await tools.ledgers.read({ tree, folders, clean, found })
    : await readBoard(tree, folders, clean, found);
  const board = withRecords(ledgers, records);
  const problem = tools.remote?.problem;
  const others = problem === undefined
    ? []
    : [{ path: OTHERS_CLAIMS, problem: `those of other clones may be missing, because ${problem}` }];
  const problems = [...board.problems, ...unreadableRecords(shared), ...others];
  return { ...opened, board: { ...board, problems } };
}

function unreadableRecords(tree: Tree | undefined): Board["problems"] {
  if (tree?.stamp("") === undefined) return [];
  return [CLAIMS_FILE, MOVES_FILE].flatMap((name) => {
    const text = findText(tree, name);
    const isMissing = text === undefined && tree.stamp(name) === undefined;
    if (isMissing || parseJson(text ?? "") !== undefined) return [];
    const problem = "it cannot be read, so what others hold may look free: delete it";
    return [{ path: `${tree.location}/${name}`, problem }];
  });
}

/** Git answers while the ledgers are read; its failure is said where the answer is needed. */
function askGit(tools: WorkTools, world: Pick<BoardWorld, "tree" | "clean">): () => void {
  return () => void loadChecking().then(({ readHistory }) => readHistory(tools, world)).catch(() => {});
}

async function openCompared(tools: WorkTools, library: Library, track?: (tree: Tree) => Tree) {
  if (tools.config.work?.git === undefined) return await openBoard(tools, library, track);
  const opened = await openBoard(tools, library, track, askGit);
  return { ...opened, board: await (await loadChecking()).compareCommits(tools, opened) };
}

type Writer = typeof import("./writer/mod.ts");

async function openWriter(tools: WorkTools): Promise<WriteContext> {
  const { config: { work: plan, team, settings }, clock: { now }, signal, ask, refuse } = tools;
  if (plan === undefined) return refuse("change the project's work");
  const opened = await ask((library) => openBoard(tools, library));
  const { board, folders } = opened;
  let chosen: string | undefined;
  return {
    files: openFiles({ ...plan, shared: team?.shared }, now, () => tools.changing?.(chosen)),
    chose: (what) => chosen = what,
    board,
    v4: folders.v4?.stories,
    now,
    journal: journalPath(folders),
    claimMs: settings.claimTime * 1_000,
    signal,
    remote: tools.remote,
    seat: tools.seat ?? team?.seat,
    demandForce: () => tools.person && demand(tools.person, "force", "force it"),
    next: (by) =>
      ask(async (library) => {
        const { board, records } = await openBoard(tools, library);
        return await (await loadNext()).nextStory(library, board, { records, by });
      }),
    overlap: async ({ story }) => {
      const { filesIn, overlapNote } = await loadNext();
      return overlapNote(board, story, filesIn(opened.tree, recordFolders(folders)));
    },
    check: async (target) => await (await loadChecking()).findingsAgainst(tools, opened, target),
    accept: async (story) => await (await loadChecking()).requirementsOf(tools, opened, story),
    hasOpenWork: async () => await (await loadChecking()).hasOpenWork(tools, opened),
  };
}

async function runScriptsIn(tools: WorkTools, commands: readonly string[], given: ScriptInput) {
  const results: ScriptResult[] = [];
  for (const command of commands) {
    await giveWay(tools.signal);
    try {
      results.push(await runScriptIn(tools, command, given));
    } catch (error) {
      // So that scripts with results are not run again.
      if (!(error instanceof BmadError) || results.length === 0) throw error;
      results.push({ status: 1, stdout: "", stderr: error.message });
    }
    if (results.at(-1)!.status !== 0) break;
  }
  return writeResult(results);
}

async function runScriptIn(
  tools: WorkTools,
  command: string | readonly string[],
  { stdin, skill }: ScriptInput,
): Promise<WriteResult<ScriptResult>> {
  const { commandOf, movesStories, parseCommandLine, runScript } = await loadScripts();
  const call = typeof command === "string" ? parseCommandLine(command) : commandOf(command);
  const line = typeof command === "string" ? command : command.join(" ");
  const own = { ...tools, changing: () => tools.changing?.(`script ${line}`) };
  const read = () => tools.ask((library) => openBoard(tools, library));
  const before = tools.config.team?.shared !== undefined && movesStories(call) ? await read() : undefined;
  const result = await runScript(call, await openScriptWorld(own, "run a script", stdin), skill);
  if (before !== undefined) await tellMoves(tools, before.board);
  return writeResult(result);
}

/** A script's output is its own: not telling others is no failure of it. */
async function tellMoves(tools: WorkTools, before: Board): Promise<void> {
  const by = tools.person?.name ?? tools.config.team?.who;
  await recover(BmadError, async () => {
    const [{ recordMoves }, looked] = await Promise.all([loadWriter(), withRemote(tools)]);
    await recordMoves(await openWriter(looked), before, by);
    return true;
  });
}

/** Fails without a project; `what` was to be done. */
async function openScriptWorld(
  { config: { work: plan }, clock: { now }, signal, person, changing, ask, refuse }: WorkTools,
  what: string,
  stdin = "",
): Promise<ScriptWorld> {
  if (plan === undefined) return refuse(what);
  const { git } = plan;
  return {
    files: openFiles(plan, now, changing),
    clock: { now },
    random: Math.random,
    skills: await ask(listSkills),
    stdin,
    signal,
    person,
    resolvers: () => ask(findResolvers),
    git: git &&
      ((folder, options, range, signal) => logCommits(folder, options, range, { ...git, now, signal })),
  };
}
