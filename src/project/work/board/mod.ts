/**
 * Every epic and story that the project's ledgers know. Several formats may be in use at once. An invalid file becomes
 * a problem with its line, and the rest of it is shown.
 */
import { cachedWith, cacheRecent } from "../../../base/cache.ts";
import { fail } from "../../../base/errors.ts";
import { liesIn } from "../../../base/paths.ts";
import { oneLine } from "../../../base/text.ts";
import { type Interruptible, runInSlices } from "../../../base/work.ts";
import type { Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Adapter,
  type Board,
  type BoardFolders,
  type Epic,
  findPlans,
  type Ledger,
  openSource,
  type Reading,
  type Source,
  SPEC_FOLDERS,
  SPRINT_STATUS,
  type State,
  type Story,
  STORY_FILES,
  TICKET_TREE,
} from "../formats/mod.ts";

export * from "./beginnings.ts";
export * from "./changes.ts";
export * from "./claims.ts";
export * from "./find.ts";
export * from "./journal.ts";
export * from "./moves.ts";
export * from "./questions.ts";
export * from "./records.ts";
export * from "./repairs.ts";
export * from "./report.ts";

export interface BoardWorld {
  readonly board: Board;
  readonly tree: Tree;
  readonly folders: BoardFolders;
  clean(text: string): string;
}

const ADAPTERS: readonly Adapter[] = [TICKET_TREE, SPRINT_STATUS, SPEC_FOLDERS, STORY_FILES];

export function planFiles(tree: Tree, folders: BoardFolders): readonly string[] {
  const source = openSource(tree, folders);
  return folders.planning.flatMap((folder) => findPlans(source, folder));
}

/** Never fails because of what files contain. `found` is called once there is a ledger. */
export function readBoard(
  tree: Tree,
  folders: BoardFolders,
  clean: (text: string) => string = (text) => text,
  found: () => void = () => {},
): Promise<Board> {
  return runInSlices(readSteps(openSource(tree, folders), clean, found));
}

function* readSteps(
  source: Source,
  clean: (text: string) => string,
  found: () => void,
): Interruptible<Board> {
  const read: (Reading & { readonly ledger: Ledger })[] = [];
  for (const adapter of ADAPTERS) {
    for (const path of adapter.find(source).filter(source.claim)) {
      found();
      const reading = yield* adapter.read(source, path);
      const resolved = adapter.knowsWaits ? reading : withDependencies(reading);
      read.push({ ledger: { path, format: adapter.format }, ...resolved });
    }
  }
  const ledgers = read.map(({ ledger }) => ledger);
  return yield* safeBoard({
    ledgers: read.filter(({ epics }) => epics.length > 0).map(({ ledger }) => ledger),
    conflict: source.conflicts.find(({ path }) => ledgers.some((ledger) => liesIn(path, ledger.path))),
    epics: read.flatMap(({ epics }) => epics),
    actions: read.flatMap(({ actions }) => actions),
    questions: [],
    unlisted: read.flatMap(({ unlisted = [] }) => unlisted),
    problems: source.problems,
  }, clean);
}

export function settled<T extends { readonly board: Board }>(opened: T): T {
  const { conflict } = opened.board;
  return conflict === undefined ? opened : fail({ code: "invalid-file", ...conflict });
}

/** Without secrets, and control characters in paths. Criteria are cleaned when shown. */
function* safeBoard(board: Board, clean: (text: string) => string): Interruptible<Board> {
  const cleaned = cleanedBy(clean);
  const textOf = (text: string) => cleaned(text, () => clean(withoutCutWord(text)));
  const paths = new Map<string, string>();
  const pathOf = (path: string) => paths.getOrInsertComputed(path, oneLine);
  // Nearly everything stays the same object.
  const safe = <T extends object>(one: T): T => {
    let copy: T | undefined;
    for (const name of Object.keys(one) as (keyof T & string)[]) {
      const [value, other] = [one[name], safeValue(name, one[name])];
      if (other !== value) (copy ??= { ...one })[name] = other as T[typeof name];
    }
    return copy ?? one;
  };
  const safeValue = (name: string, value: unknown): unknown => {
    if (typeof value === "string") return PATHS.has(name) ? pathOf(value) : textOf(value);
    if (name === "tracked" && value) return safe(value);
    if (name === "criteria" || name === "stories" || !Array.isArray(value) || value.length === 0) {
      return value;
    }
    const items = value.map((item) => typeof item === "string" ? textOf(item) : safe(item));
    return items.some((item, at) => item !== value[at]) ? items : value;
  };
  const epics: Epic[] = [];
  for (const epic of board.epics) {
    const stories: Story[] = [];
    for (let at = 0; at < epic.stories.length; at += A_TURN) {
      yield;
      stories.push(...epic.stories.slice(at, at + A_TURN).map(safe));
    }
    epics.push({ ...safe(epic), stories });
  }
  return { ...safe({ ...board, epics: [] }), epics };
}

/** Half a secret does not look like one. */
function withoutCutWord(text: string): string {
  if (!text.endsWith("…")) return text;
  const at = text.lastIndexOf(" ");
  return at < 0 ? text : `${text.slice(0, at)} …`;
}

const cleanedBy = cachedWith((_: (text: string) => string) => cacheRecent<string>(LIMITS.board.cleanedTexts));

const A_TURN = 100;

const PATHS: ReadonlySet<string> = new Set(["path", "ledger", "file", "plan"]);

/**
 * References hold inside one ledger. A story waits for what it builds on until that is in review or done; a dropped one
 * still blocks, an unknown name does not. An epic is finished only when done.
 */
function withDependencies({ epics, ...rest }: Reading): Reading {
  const stories = epics.flatMap((epic) => epic.stories);
  const open = new Set(
    [...epics.filter(({ state }) => state !== "done"), ...stories.filter(({ state }) => !isBuilt(state))]
      .map(({ ref }) => plain(ref)),
  );
  const waits = ({ after }: Epic | Story) => after.filter((ref) => open.has(plain(ref)));
  return {
    epics: epics.map((epic) => {
      const gate = waits(epic);
      const stories = epic.stories.map((story) =>
        story.after.length === 0 && gate.length === 0
          ? story
          : { ...story, waitsFor: [...new Set([...gate, ...waits(story)])] }
      );
      return { ...epic, waitsFor: gate, stories };
    }),
    ...rest,
  };
}

function isBuilt(state: State): boolean {
  return state === "done" || state === "review";
}

function plain(ref: string): string {
  return ref.toLowerCase().replaceAll(".", "-");
}
