/**
 * Is it really done? Compares what a project claims of its stories with what its files show.
 *
 * A rule looks for one kind of lie; to add one, add it to its list and its fix to `FIXES`. A rule that cannot know keeps
 * silent: an honest project has no findings, whatever its style and language.
 */
import { counted } from "../../../base/text.ts";
import { inTurns, type Steps } from "../../../base/work.ts";
import { baseName, findText, joinPath, type Tree, walkFiles } from "../../../content/tree/mod.ts";
import type { Found } from "../board/mod.ts";
import {
  type Board,
  costOf,
  DEFERRED_FILE,
  excessOf,
  keptText,
  listedFiles,
  MAX_COST,
  type Problem,
  readStoryText,
  stateOf,
  type Story,
  type StoryText,
} from "../formats/mod.ts";
import { DOCUMENT_RULES } from "./documents.ts";
import { driftFromCommits } from "./git_drift.ts";
import { type History, openCommits } from "./history.ts";
import { type Checked, type CheckWorld, claimsWork, type Finding } from "./model.ts";
import { checkEpic, sentenceOf, STATUS_RULES, withoutRetrospective } from "./statuses.ts";
import { foundIn, isAmong, type Rule, type Subject } from "./subject.ts";
import { traceRequirements } from "./requirements.ts";
import { WORK_RULES } from "./work.ts";

export { type Checked, type CheckWorld, type Code, type Finding, FIXES, type Traced } from "./model.ts";
export {
  aimsIn,
  type Definition,
  definitionsIn,
  missingIn,
  readRequirements,
  type Requirement,
} from "./requirements.ts";
export { criteriaIn, namedCriteria } from "./documents.ts";
export { type Beginning, beginningOf, type Commits, openCommits, type Work } from "./history.ts";
export { type Change, type Commit, type History, LOG, readLog } from "./history.ts";
export { withoutRetrospective } from "./statuses.ts";
export { type CheckReport, reportCheck, standingOf, standingOfAll } from "./report.ts";

/**
 * Checks one story. Work that has begun is measured as if it were done, because that is the question, and a mark would ask
 * the same; `isMarking` leaves out the statuses, which are about to change.
 */
export function checkStory(
  world: CheckWorld,
  found: Found,
  { isMarking = false }: { readonly isMarking?: boolean } = {},
): Promise<Checked> {
  const { state: own } = found.story;
  const isBegun = own === "in-progress" || own === "blocked" || own === "review";
  const state = isMarking || isBegun ? "done" : own;
  return judge(world, [{ ...found, state }], isMarking ? EVIDENCE : RULES);
}

/** Checks all stories by the states that they have, the ledgers themselves, and whether all requirements are planned. */
export async function checkAll(world: CheckWorld): Promise<Required<Checked>> {
  const { epics, problems } = world.board;
  const { findings, unchecked, claims } = await judge(world, storiesIn(world.board), RULES);
  const ofLedgers = problems.map((one) => foundIn("ledger-problem", sentenceOf(one), one));
  const { trace, uncovered } = await inTurns(traceRequirements(world));
  const ended = epics.filter(({ retrospective }) => retrospective && stateOf(retrospective) === "done");
  const unwritten = await inTurns(withoutRetrospective(world, ended));
  return {
    findings: [...ofLedgers, ...epics.flatMap(checkEpic), ...unwritten, ...findings, ...uncovered],
    unchecked,
    claims,
    trace,
  };
}

/** The board with where its ledgers and the commits disagree; the same one if commits may not or cannot be read. */
export async function withGitDrift(world: CheckWorld): Promise<Board> {
  const { board, history } = world;
  const all = storiesIn(board);
  const read = all.length === 0 ? undefined : await history?.();
  if (read === undefined || typeof read === "string") return board;
  const drift = new Map<Story, readonly Problem[]>();
  const look = (subject: Subject) => {
    drift.set(subject.story, driftFromCommits(subject));
    return [];
  };
  await judge({ ...world, history: () => Promise.resolve(read) }, all, [["always", look]], { isAsked: true });
  const withDrift = (story: Story): Story => {
    const more = drift.get(story) ?? [];
    return more.length === 0 ? story : { ...story, drift: [...story.drift, ...more] };
  };
  return {
    ...board,
    epics: board.epics.map((epic) => ({ ...epic, stories: epic.stories.map(withDrift) })),
  };
}

/** Every story, measured by its own state. */
function storiesIn({ epics }: Board) {
  return epics.flatMap((epic) => epic.stories.map((story) => ({ story, epic, state: story.state })));
}

const MAX_TOLD = 5;

/** What the files show, whatever the statuses say. */
const EVIDENCE: readonly Rule[] = [...DOCUMENT_RULES, ...WORK_RULES];
const RULES: readonly Rule[] = [...STATUS_RULES, ...EVIDENCE];

async function judge(
  world: CheckWorld,
  stories: readonly (Found & Pick<Subject, "state">)[],
  rules: readonly Rule[],
  { isAsked = stories.some(({ state }) => claimsWork(state)) } = {},
): Promise<Checked> {
  const read = isAsked ? await world.history?.() ?? "the user has not allowed it (BMAD_ALLOW_GIT)" : "";
  return await inTurns(judgeSteps(world, stories, rules, { read, isAsked }));
}

function* judgeSteps(
  world: CheckWorld,
  stories: readonly (Found & Pick<Subject, "state">)[],
  rules: readonly Rule[],
  { read, isAsked }: { readonly read: History | string; readonly isAsked: boolean },
): Steps<Checked> {
  const { tree, board } = world;
  const textsOf = openTexts(tree);
  const others = readWhenAsked(() => summarize(world));
  const index = readWhenAsked(() => indexFiles(tree));
  const isBelow = (path: string) =>
    index().get(baseName(path))?.some((one) => one.endsWith(`/${path}`)) === true;
  let boxes: ReturnType<typeof deferredIn> | undefined;
  const deferred = () => boxes ??= deferredIn(world);
  const commits = typeof read === "string"
    ? undefined
    : openCommits(read, tree, board, () => others().baselines);
  const findings: Finding[] = [];
  const unchecked: string[] = read === "" || typeof read !== "string"
    ? []
    : [`Commits were not read: ${read}.`];
  const uncompared: string[] = [];
  let left = 0;
  for (const one of stories.filter(({ state }) => state !== "dropped")) {
    const texts = textsOf(one);
    if (texts === undefined) {
      left++;
      continue;
    }
    const listedElsewhere = (path: string) =>
      others().listed.get(baseName(path))?.some(({ ref, path: other }) =>
        ref !== one.story.ref && (other === path || path.endsWith(`/${other}`) || other.endsWith(`/${path}`))
      ) === true;
    const listed = claimsWork(one.state) ? texts.flatMap(listedFiles) : [];
    const { work, found } = yield* untilRead(() => {
      const work = texts.length > 0 && claimsWork(one.state) ? commits?.workOf(one.story, texts) : undefined;
      const known = typeof work === "string" ? {} : { work };
      const subject: Subject = {
        ...one,
        texts,
        listed,
        ...known,
        commits,
        deferred,
        listedElsewhere,
        isBelow,
        world,
      };
      return {
        work,
        found: rules.flatMap(([among, find]) => isAmong(among, one.state) ? [...find(subject)] : []),
      };
    });
    if (typeof work === "string") {
      uncompared.push(`Commits of story ${one.story.ref} were not compared: ${work}.`);
    }
    findings.push(...found);
    yield;
  }
  unchecked.push(...uncompared.slice(0, MAX_TOLD));
  const more = uncompared.length - MAX_TOLD;
  if (more > 0) {
    unchecked.push(`Commits of ${counted(more, "more story", "more stories")} were not compared.`);
  }
  if (left > 0) {
    const were = counted(left, "story was", "stories were");
    unchecked.push(`${were} not looked at: the files of all others reach the limit.`);
  }
  return { findings, unchecked, claims: isAsked };
}

/** Says that something has to be read before a story can be judged. */
class NotRead extends Error {
  constructor(readonly read: () => Steps<void>) {
    super();
  }
}

/** Something that takes long to read and that few stories need: the first that asks for it is judged again. */
function readWhenAsked<T>(read: () => Steps<T>): () => T {
  let found: { readonly value: T } | undefined;
  function* steps(): Steps<void> {
    found = { value: yield* read() };
  }
  return () => {
    if (found === undefined) throw new NotRead(steps);
    return found.value;
  };
}

function* untilRead<T>(judge: () => T): Steps<T> {
  for (;;) {
    try {
      return judge();
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
      yield* error.read();
    }
  }
}

/** The finding for a script of the project that failed. */
export function commandFailed(path: string, note: string | undefined): Finding {
  const problem = `The project's own commands failed${note === undefined ? "" : `: ${note}`}.`;
  return foundIn("command-failed", problem, { path });
}

/** What the files of all stories say of files and baselines. */
interface Summary {
  readonly baselines: readonly string[];
  /** By their names, without folders. */
  readonly listed: ReadonlyMap<string, readonly { readonly ref: string; readonly path: string }[]>;
}

function* summarize({ tree, board }: CheckWorld): Steps<Summary> {
  const textsOf = openTexts(tree);
  const baselines: string[] = [];
  const listed: { readonly ref: string; readonly path: string }[] = [];
  for (const epic of board.epics) {
    for (const story of epic.stories) {
      const texts = textsOf({ story, epic }) ?? [];
      if (story.baseline !== undefined) baselines.push(story.baseline);
      const paths = texts.flatMap((text) => listedFiles(text).map(({ path }) => path));
      if (listed.length < MAX_FILES) { for (const path of paths) listed.push({ ref: story.ref, path }); }
      yield;
    }
  }
  return { baselines, listed: Map.groupBy(listed, ({ path }) => baseName(path)) };
}

function deferredIn({ tree, board, folders: { implementation, output } }: CheckWorld) {
  const ledgers = board.ledgers.map(({ path }) => path);
  const folders = [...implementation, output, ...ledgers].filter((folder) => folder !== undefined);
  return [...new Set(folders)].flatMap((folder) => {
    const path = joinPath(folder, DEFERRED_FILE);
    const text = tree.hasFile(path) ? findText(tree, path) ?? "" : "";
    if (excessOf(text) !== undefined) return [];
    return readStoryText(path, text).allBoxes.filter(({ isTicked }) => !isTicked).map((box) => ({
      ...box,
      path,
    }));
  });
}

/** More files than are looked through for one that is not where a list says. */
const MAX_FILES = 20_000;

/** The files of a project by their names: a package of a larger project names them from its own folder. */
function* indexFiles(tree: Tree): Steps<ReadonlyMap<string, readonly string[]>> {
  const found: string[] = [];
  const isSkipped = (path: string) => /(?:^|\/)(?:\.[^/]*|node_modules|vendor|dist|target)$/.test(path);
  for (const path of walkFiles(tree, "", isSkipped)) {
    if (found.push(path) >= MAX_FILES) break;
    yield;
  }
  return Map.groupBy(found, baseName);
}

/** Reads the files of stories; undefined once the limit of one answer is reached. */
export function openTexts(tree: Tree): (found: Found) => readonly StoryText[] | undefined {
  let left = MAX_COST;
  return ({ story: { file, plan } }) => {
    if (left <= 0) return undefined;
    return [...new Set([file, plan])].flatMap((path) => {
      const known = path === undefined ? undefined : keptText(tree, path);
      if (known !== undefined) return [known];
      const text = path === undefined ? undefined : findText(tree, path);
      if (text === undefined) return [];
      left -= costOf(path!, text);
      return excessOf(text) === undefined ? [readStoryText(path!, text)] : [];
    });
  };
}
