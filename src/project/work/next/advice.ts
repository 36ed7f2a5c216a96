/** Which step comes next, and why. Only required ones are recommended; where nothing decides, it says so. */
import { fail } from "../../../base/errors.ts";
import { phaseCategory } from "../../../base/generations.ts";
import { liesIn } from "../../../base/paths.ts";
import { abbreviateList } from "../../../base/text.ts";
import type { Values } from "../../../base/values.ts";
import { type Library, listHelp, listSteps, loadCleaner, type Step } from "../../../content/library/mod.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { type Artefacts, findArtefacts, type Progress } from "./progress.ts";
import {
  type BoardWorld,
  mapStories,
  NOTHING_ASKED,
  planFiles,
  readBoard,
  type Records,
  type StoryMatch,
  withRecords,
} from "../board/mod.ts";
import {
  type Board,
  type BoardFolders,
  documentRole,
  filesNamedIn,
  foldersOf,
  isClaimOf,
  problemLine,
  recordFolders,
  type Story,
} from "../formats/mod.ts";
import { type Advice, adviseNoStep, adviseStories, documentHeadline, nameOf } from "./stories.ts";
import { LIMITS } from "../../limits.ts";

export type Roadmap = Awaited<ReturnType<typeof readRoadmap>>;

export interface RoadmapOptions {
  track?(tree: Tree): Tree;
  readonly records?: Omit<Records, "journal">;
  readLedgers?(world: Omit<BoardWorld, "board">): Promise<Board>;
  compare?(world: BoardWorld): Promise<Board>;
  readonly by?: string;
  /** That can be worked on in parallel; undefined for the next one. */
  readonly count?: number;
  readonly opened?: Pick<BoardWorld, "board" | "folders">;
  readonly only?: Pick<Story, "ledger" | "key">;
}

interface PlannedBoard extends Board {
  readonly canPlan: boolean;
}

const NO_RECORDS: NonNullable<RoadmapOptions["records"]> = {
  claims: [],
  moves: [],
  forced: [],
  asked: NOTHING_ASKED,
  beginnings: [],
};

export async function readRoadmap(
  library: Library,
  { track, records, readLedgers, compare, by, count, opened, only }: RoadmapOptions = {},
) {
  const steps = await listSteps(library);
  const unknown = (why: string) => ({
    steps,
    /** Never empty; several modules may have required steps. */
    advice: [adviseNoStep("unknown", why)],
    overlaps: [],
    filesOf: (() => new Set()) as FilesOf,
    progressOf: (_: Step): Progress => ({ state: "unknown", files: [], folders: [] }),
    artefacts: undefined,
    boards: [],
  });
  const paths = pathsIn(steps);
  const flat = steps.filter(({ entry }) => entry.generation === "flat");
  if (paths.length === 0 && flat.length === 0) return unknown("no help catalogue has required steps");
  const artefacts = await findArtefacts(library, steps, track);
  if (artefacts.reason !== undefined) return unknown(artefacts.reason);
  const { text: clean } = await loadCleaner();
  const { tree } = artefacts;
  // Modules with the same folders share a board.
  const boards = new Map(opened === undefined ? [] : [[JSON.stringify(opened.folders), opened] as const]);
  const boardOf = async (configs: readonly Values[]): Promise<PlannedBoard> => {
    const folders = foldersOf(configs, artefacts.roots);
    const read = async () => {
      const ledgers = await (readLedgers?.({ tree, folders, clean }) ?? readBoard(tree, folders, clean));
      const board = withRecords(ledgers, records ?? NO_RECORDS);
      return await compare?.({ board, tree, folders, clean }) ?? board;
    };
    const key = JSON.stringify(folders);
    const board = boards.get(key)?.board ?? await read();
    boards.set(key, { board, folders });
    const canPlan = folders.implementation.length > 0 && planFiles(tree, folders).length > 0 &&
      board.epics.some(({ stories }) => stories.length > 0);
    return { ...ledgersOf(board, folders), canPlan };
  };
  const plans: { readonly path: readonly Step[]; readonly board: PlannedBoard }[] = [];
  for (const path of paths) plans.push({ path, board: await boardOf([path[0]!.config]) });
  // A project that follows one module need not start another.
  const started = plans.filter(({ path, board }) =>
    board.ledgers.length > 0 || required(path).some((step) => artefacts.of(step).files.length > 0)
  );
  const asked = (started.length > 0 || flat.length > 0 ? started : plans).map(({ path, board }) => ({
    board,
    advise: (board: PlannedBoard) => advise({ path, steps, board, artefacts, by }),
  }));
  if (flat.length > 0) {
    const help = await listHelp(library);
    const board = await boardOf([...new Set(flat.map(({ config }) => config))]);
    asked.unshift({ board, advise: (board) => adviseFlat(flat, help, board, by) });
  }
  const conflict = asked.map(({ board }) => board.conflict).find(Boolean);
  if (conflict !== undefined) return unknown(problemLine(conflict));
  const filesOf = filesIn(tree, [...boards.values()].flatMap(({ folders }) => recordFolders(folders)));
  const waves = asked.map(({ board: whole, advise }) => {
    const board = only === undefined ? whole : withOnly(whole, only);
    return count === undefined
      ? { advice: [advise(board)], overlaps: [] }
      : adviseWave(board, { count, by, advise, filesOf });
  });
  return {
    steps,
    advice: waves.flatMap((wave) => wave.advice).slice(0, Math.max(count ?? Infinity, asked.length))
      .map((one) => ({ ...one, why: clean(one.why) })),
    overlaps: waves.flatMap((wave) => wave.overlaps),
    progressOf: artefacts.of,
    artefacts,
    boards: asked.map(({ board }) => board),
    filesOf,
  };
}

export async function nextStory(
  library: Library,
  { epics }: Board,
  ahead: RoadmapOptions,
): Promise<StoryMatch> {
  const { advice } = await readRoadmap(library, ahead);
  const next = advice.find((one) => one.story !== undefined)?.story;
  for (const epic of epics) {
    const story = epic.stories.find((one) => next !== undefined && isSame(one, next));
    if (story !== undefined) return { story, epic };
  }
  const canPlan = advice.some((one) => one.canPlan);
  const hint = canPlan
    ? "none can be begun before a sprint is made of the plan"
    : `none can be begun: ${advice.map(({ why }) => why).join("; ")}`;
  return fail({ code: "not-allowed", what: "claim a story", hint, fixes: canPlan ? ["plan"] : undefined });
}

function withOnly<T extends Board>(board: T, only: Pick<Story, "ledger" | "key">): T {
  const epics = board.epics.map((epic) => ({
    ...epic,
    stories: epic.stories.filter((story) => isSame(story, only)),
  }));
  return { ...board, epics: epics.filter(({ stories }) => stories.length > 0) };
}

function pathsIn(steps: readonly Step[]): readonly (readonly Step[])[] {
  const paths = Map.groupBy(steps.filter(({ isInPhase }) => isInPhase), ({ module }) => module);
  return [...paths.values()].filter((path) => required(path).length > 0);
}

function required(path: readonly Step[]): readonly Step[] {
  return path.filter(({ help }) => help.required);
}

/** Without planned ones: a step has yet to make a ledger of them. */
function ledgersOf(board: Board, folders: BoardFolders): Board {
  const isBegun = (folder: string) =>
    folder === folders.v4?.stories &&
    board.epics.some((epic) => epic.stories.some(({ file }) => file !== undefined));
  const ledgers = board.ledgers.filter(({ path, format }) => format !== "story-files" || isBegun(path));
  // An epic's ledger may lie in a listed folder.
  const epics = board.epics.filter(({ ledger }) => ledgers.some(({ path }) => liesIn(ledger, path)));
  return { ...board, ledgers, epics };
}

interface Situation {
  readonly path: readonly Step[];
  readonly steps: readonly Step[];
  readonly board: PlannedBoard;
  readonly artefacts: Artefacts;
  readonly by: string | undefined;
}

function advise(situation: Situation): Advice {
  const { path, board, by } = situation;
  const planner = path.findLast(({ help }) => help.required && /\bsprint\b/i.test(help.outputs));
  const building = planner === undefined
    ? path.filter(({ help }) => phaseCategory(help.phase) === "implementation")
    : path.slice(path.indexOf(planner) + 1);
  const byStories = adviseStories(building, board, { planner, by });
  if (byStories !== undefined) return adviseUnlisted(byStories, board, planner);
  const advice = adviseSteps(situation, building);
  if (planner === undefined || advice.step !== planner) return advice;
  return { ...advice, headline: PLAN, canPlan: board.canPlan };
}

const PLAN = "Plan the sprint";

function adviseUnlisted(byStories: Advice, { unlisted }: Board, planner: Step | undefined): Advice {
  if (byStories.is !== "done" || planner === undefined || unlisted.length === 0) return byStories;
  const why = `the plan has stories that the sprint does not have: ${
    abbreviateList(unlisted)
  }; ${byStories.why}`;
  return { is: "next", step: planner, headline: PLAN, why, files: byStories.files, canPlan: true };
}

function adviseSteps(situation: Situation, building: readonly Step[]): Advice {
  const { path, artefacts } = situation;
  const steps = required(path);
  const at = steps.findLastIndex((step) => artefacts.of(step).files.length > 0);
  const last = steps[at];
  if (last === undefined) return adviseSpec(situation, building) ?? adviseStart(steps[0]!, artefacts);
  const skipped = steps.slice(0, at).filter((step) => artefacts.of(step).state === "none");
  const but = skipped.length === 0 ? "" : `; skipped, with no files: ${skipped.map(idOf).join(", ")}`;
  const { state, files, problem } = artefacts.of(last);
  if (state === "started") {
    const why = `${idOf(last)} is under way: ${files[0]} is not marked as finished${but}`;
    return { is: "next", step: last, headline: headlineFor(last, true), why, files };
  }
  if (problem !== undefined) return adviseNoStep("unknown", `${problem}${but}`, files);
  const next = steps[at + 1];
  const left = abbreviateList(files, 1);
  if (next === undefined) return adviseNoStep("done", `every required step is done: ${left}${but}`, files);
  const why = state === "done"
    ? `${idOf(last)} is done: ${left}${but}`
    : `${idOf(last)} has left ${left}${but}; if that is not finished, continue with ${idOf(last)}`;
  return { is: "next", step: next, headline: headlineFor(next), why, files };
}

function headlineFor({ help: { outputs, title } }: Step, isBegun = false): string {
  return documentHeadline(documentRole(outputs), title, isBegun);
}

function adviseFlat(
  steps: readonly Step[],
  help: readonly string[],
  board: PlannedBoard,
  by: string | undefined,
): Advice {
  const building = BUILDING.flatMap((name) => steps.filter(({ entry }) => entry.name === name))
    .map((step) => ({ ...step, help: { ...step.help, required: step.entry.name === BUILDING[0] } }));
  const start = help.length === 0
    ? ""
    : `; ${help.join(", ")} ${help.length === 1 ? "says" : "say"} where to start`;
  // Tickets have since taken the place of sprints.
  const planner = steps.find(({ entry }) => entry.name === "sprint-planning");
  const byStories = adviseStories(building, board, { planner, by });
  if (byStories !== undefined) {
    const advice = adviseUnlisted(byStories, board, planner);
    return { ...advice, step: steps.find(({ entry }) => entry === advice.step?.entry) };
  }
  if (planner === undefined || !board.canPlan) {
    return adviseNoStep("unknown", `there are no stories yet${start}`);
  }
  const why = "the plan has stories, and there is no sprint yet";
  return { is: "next", step: planner, headline: PLAN, why, files: [], canPlan: true };
}

const BUILDING = ["build", "code-review", "retrospective", "ticket"];

/** A spec can be built without other documents. */
function adviseSpec({ steps, artefacts }: Situation, building: readonly Step[]): Advice | undefined {
  const spec = steps.find(({ help }) => /^spec\.md\b/i.test(help.outputs));
  const step = required(building).at(-1);
  if (spec === undefined || step === undefined) return undefined;
  const files = artefacts.of(spec).files.filter((path) => /(?:^|\/)spec\.md$/i.test(path));
  if (files.length === 0) return undefined;
  const split = `if it needs several stories, let ${idOf(spec)} split it first`;
  return {
    is: "next",
    step,
    headline: "Build the spec",
    why: `${idOf(step)} can build ${files[0]}; ${split}`,
    files,
  };
}

function adviseStart(first: Step, artefacts: Artefacts): Advice {
  const { state, folders } = artefacts.of(first);
  const { location, outputs } = first.help;
  if (state !== "unknown") {
    const why = `${idOf(first)} is the first required step; no ${outputs} in ${folders.join(", ")} yet`;
    return { is: "next", step: first, headline: headlineFor(first), why, files: [] };
  }
  const where = location === ""
    ? "the catalogue names no folder"
    : `its folder ${location} is not in the project`;
  return adviseNoStep("unknown", `whether ${idOf(first)} is done cannot be seen: ${where}`);
}

/** `bmad-prd`; in v4, where an agent takes several steps, `pm *create-prd`. */
function idOf({ entry, help }: Step): string {
  return entry.generation === "v4" ? `${entry.id} *${help.code}` : entry.id;
}

type FilesOf = (story: Story) => ReadonlySet<string>;

type Overlap = NonNullable<ReturnType<typeof overlapOf>>;

interface WaveTools {
  readonly count: number;
  readonly by?: string;
  advise(board: PlannedBoard): Advice;
  readonly filesOf: FilesOf;
}

/**
 * As if several people asked and took in turn; but no story that shares files with another under way. Only the first
 * advice may be without a story.
 */
function adviseWave(board: PlannedBoard, { count, by, advise, filesOf }: WaveTools) {
  const advice: Advice[] = [];
  const overlaps: Overlap[] = [];
  const changed = changedBy(board, ({ claim }) => claim !== undefined && !isClaimOf(claim, by), filesOf);
  for (let rest = board; advice.length < count && overlaps.length < LIMITS.next.keptBack;) {
    const next = advise(rest);
    const { story } = next;
    if (story === undefined) {
      if (advice.length > 0) break;
      return {
        advice: [overlaps.length === 0 ? next : { ...next, ...keptBack(overlaps, next.files) }],
        overlaps,
      };
    }
    const overlap = overlapOf(story, changed, filesOf);
    if (overlap === undefined) {
      advice.push(next);
      for (const file of filesOf(story)) changed.set(file, story);
    } else overlaps.push(overlap);
    rest = mapStories(rest, (one) => isSame(one, story) ? { ...one, claim: TAKEN } : one);
  }
  return { advice: advice.length > 0 ? advice : [keptBack(overlaps)], overlaps };
}

/** Owners are never empty. */
const TAKEN = { by: "", until: new Date(0).toISOString(), holder: "" };

function isSame(one: Pick<Story, "ledger" | "key">, other: Pick<Story, "ledger" | "key">): boolean {
  return one.key === other.key && one.ledger === other.ledger;
}

function changedBy({ epics }: Board, isMeant: (story: Story) => boolean, filesOf: FilesOf) {
  const stories = epics.flatMap(({ stories }) => stories).filter(isMeant);
  return new Map(stories.flatMap((story) => [...filesOf(story)].map((file) => [file, story] as const)));
}

function overlapOf(story: Story, changed: ReadonlyMap<string, Story>, filesOf: FilesOf) {
  const shared = [...filesOf(story)].filter((file) => changed.has(file));
  const other = shared[0] === undefined ? undefined : changed.get(shared[0]);
  return other && { story, with: other, files: shared.filter((file) => changed.get(file) === other) };
}

export function overlapNote(board: Board, story: Story, filesOf: FilesOf): string | undefined {
  const changed = changedBy(board, ({ claim, key }) => claim !== undefined && key !== story.key, filesOf);
  const overlap = overlapOf(story, changed, filesOf);
  if (overlap === undefined) return undefined;
  const { with: other, files } = overlap;
  return `like ${nameOf(other)}, which ${other.claim!.holder} holds, it changes ${abbreviateList(files)}`;
}

export function filesIn(tree: Tree, records: readonly string[]): FilesOf {
  const known = new Map<string, ReadonlySet<string>>();
  const namedIn = (path: string | undefined) =>
    path === undefined ? [] : [...filesNamedIn(path, findText(tree, path) ?? "", records)];
  return ({ ledger, key, file, plan }) =>
    known.getOrInsertComputed(`${ledger}\n${key}`, () => new Set([file, plan].flatMap(namedIn)));
}

function keptBack(overlaps: readonly Overlap[], files: readonly string[] = []): Advice {
  const words = overlaps.map(({ story, with: other, files }) =>
    `${nameOf(story)} changes ${files[0]}, as ${nameOf(other)} does`
  );
  const why = `what could be done would get in the way of what is under way: ${abbreviateList(words)}`;
  return adviseNoStep("held", why, files);
}
