/**
 * Is it really done? Compares what a project claims with what its files show. A rule looks for one kind of lie; one
 * that cannot know finds nothing, so an honest project has no findings, whatever its style and language.
 */
import { findConflict } from "../../../base/conflicts.ts";
import { groupProblems } from "../../../base/problem_groups.ts";
import { firstLines, joinLines, textLines } from "../../../base/report.ts";
import { abbreviateList, counted, quotable } from "../../../base/text.ts";
import { countEach } from "../../../base/values.ts";
import { type Interruptible, runInSlices } from "../../../base/work.ts";
import { baseName, findText, joinPath, type Tree, walkFiles } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { mapStories, matchesIn, type RepairCalls, repairLine, type StoryMatch } from "../board/mod.ts";
import {
  type Board,
  cachedStoryText,
  DEFERRED_FILE,
  FORMS,
  lengthProblem,
  listedFiles,
  placeOf,
  type Problem,
  readingCost,
  readStoryText,
  resolveFiles,
  type State,
  stateOf,
  type Story,
  type StoryText,
} from "../formats/mod.ts";
import { DOCUMENT_RULES, HOW_TESTS_NAME } from "./documents.ts";
import { type Commits, lazily, openCommits } from "./history.ts";
import {
  appliesTo,
  type Checked,
  type CheckWorld,
  claimsWork,
  type Finding,
  findingOf,
  newFinding,
  NOT_ALLOWED,
  type Rule,
  type Subject,
} from "./model.ts";
import { traceRequirements } from "./requirements.ts";
import {
  checkEpic,
  driftFromCommits,
  driftOfUnbegun,
  sentenceOf,
  STATUS_RULES,
  withoutRetrospective,
  WORK_RULES,
} from "./work.ts";

export { criteriaOf, HOW_TESTS_NAME, namedCriteria, unnamedWords } from "./documents.ts";
export { testsOf, withoutRetrospective } from "./work.ts";
export * from "./history.ts";
export * from "./model.ts";
export * from "./requirements.ts";

/**
 * Begun work is measured as if it were done, as a mark would. `isMarking` skips the statuses, which are about to
 * change.
 */
export function checkStory(
  world: CheckWorld,
  found: StoryMatch,
  { isMarking = false }: { readonly isMarking?: boolean } = {},
): Promise<Checked> {
  const { state: own } = found.story;
  const isBegun = own === "in-progress" || own === "blocked" || own === "review";
  const state = isMarking || isBegun ? "done" : own;
  return judge(world, [{ ...found, state }], isMarking ? DONE_RULES : RULES);
}

export async function checkAll(world: CheckWorld): Promise<Required<Checked>> {
  const { epics, problems } = world.board;
  const { findings, notes, unchecked, claims } = await judge(world, storiesIn(world.board), RULES);
  const ofLedgers = [...problems, ...deferredTexts(world).flatMap(({ path, text }) => conflictIn(path, text))]
    .map((one) => newFinding("ledger-problem", sentenceOf(one), one));
  const { trace, uncovered } = await runInSlices(traceRequirements(world));
  const ended = epics.filter(({ retrospective }) => retrospective && stateOf(retrospective) === "done");
  const unwritten = await runInSlices(withoutRetrospective(world, ended));
  return {
    findings: [...ofLedgers, ...epics.flatMap(checkEpic), ...unwritten, ...findings, ...uncovered],
    // Too many to read.
    notes: notes.filter(({ code }) => code !== "criterion-untested"),
    unchecked,
    claims,
    trace,
  };
}

/** Ledgers against commits; the same board if these cannot be read. */
export async function withGitDrift(world: CheckWorld): Promise<Board> {
  const { board, history } = world;
  const all = storiesIn(board);
  const read = all.length === 0 ? undefined : await history?.();
  if (read === undefined || typeof read === "string") return board;
  const commits = openCommits(read, board);
  const drift = new Map<Story, readonly Problem[]>();
  const look = (subject: Subject) => {
    drift.set(subject.story, driftFromCommits(subject));
    return [];
  };
  for (const { story } of all) drift.set(story, driftOfUnbegun(world, commits, story));
  await runInSlices(
    judgeSteps(world, all.filter(mayHaveDrifted(world, commits)), [["claimed", look]], commits),
  );
  return mapStories(board, (story) => {
    const more = drift.get(story) ?? [];
    return more.length === 0 ? story : { ...story, drift: [...story.drift, ...more] };
  });
}

/** Looking for more takes longer than reading what it lists. */
const MANY_NAMES = 50;

/** Whether texts must be read, which takes as long as the board. */
function mayHaveDrifted({ tree }: CheckWorld, commits: Commits): (judged: Judged) => boolean {
  const names = [...new Set(commits.changedFiles.map(baseName))];
  return ({ story: { form, baseline, file, plan }, state }) => {
    if (!claimsWork(state)) return false;
    if (baseline !== undefined || FORMS[form].completion.routeWithoutBaseline !== undefined) return true;
    return state === "done" && names.length > 0 && [file, plan].some((path) => {
      if (names.length > MANY_NAMES) return true;
      const text = path === undefined ? "" : findText(tree, path) ?? "";
      return names.some((name) => text.includes(name));
    });
  };
}

function storiesIn(board: Board) {
  return matchesIn(board).map((one) => ({ ...one, state: one.story.state }));
}

const DONE_RULES: readonly Rule[] = [...DOCUMENT_RULES, ...WORK_RULES];
const RULES: readonly Rule[] = [...STATUS_RULES, ...DONE_RULES];

type Judged = StoryMatch & Pick<Subject, "state">;

async function judge(world: CheckWorld, stories: readonly Judged[], rules: readonly Rule[]) {
  const claims = stories.some(({ state }) => claimsWork(state));
  const history = claims ? await world.history?.() ?? NOT_ALLOWED : undefined;
  const read = typeof history === "object" ? openCommits(history, world.board) : history;
  return { ...await runInSlices(judgeSteps(world, stories, rules, read)), claims };
}

/** `read`: commits, or why they cannot be read; undefined if nothing claims to be done. */
function* judgeSteps(
  world: CheckWorld,
  stories: readonly Judged[],
  rules: readonly Rule[],
  read: Commits | string | undefined,
): Interruptible<Omit<Checked, "claims">> {
  const { tree } = world;
  const textsOf = openTexts(tree);
  const listed = readWhenAsked(() => listAll(world));
  const index = readWhenAsked(() => indexFiles(tree));
  const isBelow = (path: string) =>
    index().get(baseName(path))?.some((one) => one.endsWith(`/${path}`)) === true;
  const quote = (text: string) => `"${quotable(world.clean(text.slice(0, 2_000)), 80)}"`;
  const deferred = lazily(() => deferredIn(world));
  const commits = typeof read === "object" ? read : undefined;
  const findings: Finding[] = [];
  const notes: Finding[] = [];
  const uncompared: string[] = [];
  let left = 0;
  for (const one of stories.filter(({ state }) => state !== "dropped")) {
    const texts = textsOf(one);
    if (texts === undefined) {
      left++;
      continue;
    }
    const listedElsewhere = (path: string) =>
      listed().get(baseName(path))?.some(({ ref, path: other }) =>
        ref !== one.story.ref && (other === path || path.endsWith(`/${other}`) || other.endsWith(`/${path}`))
      ) === true;
    const named = claimsWork(one.state) ? texts.flatMap(listedFiles) : [];
    const own = resolveFiles(named, (path) => tree.hasFile(path) || commits?.hasTouched(path) === true);
    const { work, found } = yield* untilRead(() => {
      const work = texts.length > 0 && claimsWork(one.state) ? commits?.workOf(one.story, texts) : undefined;
      const known = typeof work === "string" ? {} : { work };
      const lookups = { commits, deferred, listedElsewhere, isBelow };
      const name = `Story ${one.story.ref}`;
      const subject: Subject = { ...one, name, texts, listed: own, ...known, ...lookups, quote, world };
      const found = rules.filter(([scope]) => appliesTo(scope, one.state))
        .flatMap(([, find]) => [...find(subject)])
        .map(({ isNote, ...remark }) => ({ isNote, finding: findingOf(subject, remark) }));
      return { work, found };
    });
    if (typeof work === "string") {
      uncompared.push(`Commits of story ${one.story.ref} were not compared: ${work}.`);
    }
    for (const { isNote, finding } of found) (isNote ? notes : findings).push(finding);
    yield;
  }
  const were = counted(left, "story was", "stories were");
  const unchecked = textLines(
    typeof read === "string" && `Commits were not read: ${read}.`,
    commits?.problem && `What is not committed is not known: ${commits.problem}.`,
    firstLines(
      uncompared,
      LIMITS.check.shownUncompared,
      (more) => `Commits of ${counted(more, "more story", "more stories")} were not compared.`,
    ),
    left > 0 && `${were} not looked at: the files of all others reach the limit.`,
  );
  return { findings, notes, unchecked };
}

/** The story is judged again once that is read. */
class NotRead extends Error {
  constructor(readonly read: () => Interruptible<void>) {
    super();
  }
}

/** In slices: few stories need it, and it takes long. */
function readWhenAsked<T>(read: () => Interruptible<T>): () => T {
  let found: { readonly value: T } | undefined;
  function* steps(): Interruptible<void> {
    found = { value: yield* read() };
  }
  return () => {
    if (found === undefined) throw new NotRead(steps);
    return found.value;
  };
}

function* untilRead<T>(judge: () => T): Interruptible<T> {
  for (;;) {
    try {
      return judge();
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
      yield* error.read();
    }
  }
}

export function commandFailed(path: string, note: string | undefined): Finding {
  const problem = `The project's own commands failed${note === undefined ? "" : `: ${note}`}.`;
  return newFinding("command-failed", problem, { path });
}

function* listAll({ tree, board }: CheckWorld) {
  const textsOf = openTexts(tree);
  const listed: { readonly ref: string; readonly path: string }[] = [];
  for (const epic of board.epics) {
    for (const story of epic.stories) {
      const texts = textsOf({ story, epic }) ?? [];
      const paths = texts.flatMap((text) => listedFiles(text).flatMap(({ names }) => names));
      if (listed.length < LIMITS.check.indexedFiles) {
        for (const path of paths) listed.push({ ref: story.ref, path });
      }
      yield;
    }
  }
  return Map.groupBy(listed, ({ path }) => baseName(path));
}

function conflictIn(path: string, text: string): readonly Problem[] {
  const conflict = findConflict(text);
  return conflict === undefined ? [] : [{ path, ...conflict }];
}

function deferredIn(world: CheckWorld) {
  return deferredTexts(world).flatMap(({ path, text }) =>
    readStoryText(path, text).allBoxes.filter(({ isTicked }) => !isTicked).map((box) => ({ ...box, path }))
  );
}

function deferredTexts({ tree, board, folders: { implementation, output } }: CheckWorld) {
  const ledgers = board.ledgers.map(({ path }) => path);
  const folders = [...implementation, output, ...ledgers].filter((folder) => folder !== undefined);
  return [...new Set(folders)].flatMap((folder) => {
    const path = joinPath(folder, DEFERRED_FILE);
    const text = tree.hasFile(path) ? findText(tree, path) ?? "" : "";
    return lengthProblem(text) === undefined ? [{ path, text }] : [];
  });
}

/** A package in a larger project lists files relative to its own folder. */
function* indexFiles(tree: Tree): Interruptible<ReadonlyMap<string, readonly string[]>> {
  const found: string[] = [];
  const isSkipped = (path: string) => /(?:^|\/)(?:\.[^/]*|node_modules|vendor|dist|target)$/.test(path);
  for (const path of walkFiles(tree, "", isSkipped)) {
    if (found.push(path) >= LIMITS.check.indexedFiles) break;
    yield;
  }
  return Map.groupBy(found, baseName);
}

/** Undefined once one answer's limit is reached. */
export function openTexts(tree: Tree): (found: StoryMatch) => readonly StoryText[] | undefined {
  let left = LIMITS.source.cost;
  return ({ story: { file, plan } }) => {
    if (left <= 0) return undefined;
    return [...new Set([file, plan])].flatMap((path) => {
      const known = path === undefined ? undefined : cachedStoryText(tree, path);
      if (known !== undefined) return [known];
      const text = path === undefined ? undefined : findText(tree, path);
      if (text === undefined) return [];
      left -= readingCost(path!, text);
      return lengthProblem(text) === undefined ? [readStoryText(path!, text)] : [];
    });
  };
}

export type CheckReport = ReturnType<typeof reportCheck>;

export interface CheckCalls extends RepairCalls {
  accept?(story: string): string;
}

type CheckedWithCalls = Omit<Checked, "claims" | "findings"> & {
  readonly findings: readonly (Finding & { readonly settle?: string | undefined })[];
  readonly repair?: string | undefined;
};

const STATE_WORDS: Readonly<Record<State, string>> = {
  "backlog": "not started",
  "ready": "not started",
  "in-progress": "in progress",
  "blocked": "blocked",
  "review": "in review",
  "done": "done",
  "dropped": "dropped",
};

export function summarizeStory({ ref, state, boxes, note }: Story, findings: readonly Finding[]): string {
  const hasBoxes = boxes.total > 0 && (state === "in-progress" || state === "blocked");
  const ticked = hasBoxes ? `: ${boxes.ticked} of ${counted(boxes.total, "box", "boxes")} ticked` : "";
  const meaning = note === undefined ? "" : ` (${note})`;
  const is = `Story ${ref} is ${STATE_WORDS[state]}${ticked}${meaning}`;
  if (state === "done") {
    return findings.length === 0 ? `${is}, and nothing speaks against it.` : `${is}, but:`;
  }
  if (state === "dropped") return `${is}.`;
  if (state === "backlog" || state === "ready") return findings.length === 0 ? `${is}.` : `${is}, but:`;
  // A mark replaces the statuses, so they are no reason to refuse it.
  if (findings.some(({ code }) => code !== "status-contradiction")) {
    return `${is}. It would be refused as "done":`;
  }
  const but = findings.length === 0 ? "." : ", but statuses contradict each other:";
  return `${is}. Nothing speaks against "done"${but}`;
}

export function summarizeStories({ epics, conflict }: Board, findings: readonly Finding[]): string {
  if (conflict !== undefined) return "The state of the stories is unknown.";
  const all = epics.flatMap(({ stories }) => stories.map(({ state }) => STATE_WORDS[state]));
  const counts = countEach(all);
  const words = [...new Set(Object.values(STATE_WORDS))].filter((word) => counts.has(word))
    .map((word) => `${counts.get(word)} ${word}`);
  const total = all.length === 0
    ? "No stories yet"
    : `${counted(all.length, "story", "stories")}: ${words.join(", ")}`;
  return findings.length === 0 ? `${total}. No problems found.` : `${total}.`;
}

export function reportCheck(
  standing: string,
  { findings, notes, unchecked, trace = [], repair }: CheckedWithCalls,
) {
  const groups = groupProblems(findings);
  const noted = notes.map(({ problem }) => problem);
  const told = textLines(
    firstLines(noted, LIMITS.check.shownFindings),
    notes.some(({ code }) => code === "criterion-untested") && HOW_TESTS_NAME,
  );
  const settling = findings.flatMap(({ settle }) => settle ?? []);
  const ways = textLines(
    repairLine(repair),
    firstLines([...new Set(settling)].map((call) => `Settle it: ${call}`), LIMITS.check.shownUncompared),
  );
  const shown = groups.map(({ first: { code, problem, fix, ...place }, others }) =>
    `- ${code}: ${problem} (${placeOf(place)})${others}\n  Fix: ${fix}`
  );
  const covered = trace.map(({ id, by }) =>
    `- ${id}: ${abbreviateList(by, LIMITS.check.shownStories) || "no story"}`
  );
  return {
    text: joinLines(
      standing,
      firstLines(shown, LIMITS.check.shownFindings, (more) => `- … and ${counted(more, "more finding")}`),
      ways,
      told.length > 0 && ["", ...told],
      unchecked.length > 0 && ["", "Not checked:", ...unchecked.map((one) => `- ${one}`)],
      covered.length > 0 && ["", "Requirements:", ...covered],
    ),
    rows: groups.map(({ first: { code, problem, fix, ...place }, others }) => ({
      name: placeOf(place),
      about: `${problem}${others}`,
      data: { code, ...place, problem, fix },
    })),
    standing,
    unchecked,
    ways,
    count: findings.length,
    notes: told,
    data: { standing, findings, notes: noted, unchecked, repair, ...(trace.length > 0 && { trace }) },
  };
}
