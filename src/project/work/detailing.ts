/**
 * A story or an epic for its page: everything that the other operations say of it, from one reading of the board.
 */
import { shorten } from "../../base/text.ts";
import { baseName } from "../../content/tree/mod.ts";
import type { Library, Row } from "../../content/library/mod.ts";
import {
  type BoardWorld,
  deedRows,
  deedsOf,
  findTarget,
  type Found,
  planFiles,
  type Records,
  timesIn,
} from "./board/mod.ts";
import { type CheckReport, openTexts } from "./check/mod.ts";
import { lookAtStory, traceWork } from "./checking.ts";
import { type Box, type Epic, isOfReview, isOpenBox, type Story } from "./formats/mod.ts";
import type { WorkStep, WriteCalls } from "./next/mod.ts";
import type { FindingFacts } from "./review/mod.ts";
import { findingsIn } from "./reviewing.ts";
import type { WorkTools } from "./tools.ts";
import type { TracedRequirement, TracedStory } from "./trace/mod.ts";

/** A story or an epic as its page shows it. */
export interface Detailed {
  readonly epic: Epic;
  /** Undefined for an epic. */
  readonly story?: DetailedStory;
  /** Of a story, those before and after it on the board; of an epic, its neighbours. */
  readonly previous?: Story | Epic;
  readonly next?: Story | Epic;
}

/** A story with all that is known of it. */
export interface DetailedStory {
  readonly story: Story;
  readonly tasks: readonly Task[];
  /** What speaks against "done". */
  readonly check: CheckReport;
  readonly findings: readonly FindingFacts[];
  /** The oldest first. */
  readonly history: readonly Row[];
  /** How long it was in each state. */
  readonly times?: string;
  readonly trace: TracedStory;
  readonly requirements: readonly TracedRequirement[];
  /** The files to read, by their paths in the project. */
  readonly documents: readonly string[];
  /** What to do with it now; undefined if nothing can be said. */
  readonly step?: WorkStep;
}

/** A box of a story's list of tasks. */
export interface Task extends Pick<Box, "isTicked" | "heading"> {
  readonly text: string;
  /** Whether it does not have to be ticked. */
  readonly isOptional: boolean;
}

/** A board with what is known of who did what. */
export type DetailedWorld = BoardWorld & { readonly records: Records };

const MAX_TASKS = 200;
const MAX_TEXT = 500;
const MAX_DEEDS = 50;

/** A story, or an epic, by its name. */
export async function detailWork(
  tools: WorkTools,
  library: Library,
  world: DetailedWorld,
  name: string,
  calls: WriteCalls,
): Promise<Detailed> {
  const { epics } = world.board;
  const { story, epic } = findTarget(world.board, name);
  if (story === undefined) return { epic, ...neighbours(epics.filter(({ ref }) => ref !== ""), epic) };
  const found = { story, epic };
  const { stepFor } = await import("./next/mod.ts");
  const { trace } = await traceWork(tools, world, { name: story.ref, isStale: false });
  const [check, findings, step] = await Promise.all([
    lookAtStory(tools, world, found),
    (story.file ?? story.plan) === undefined ? [] : findingsIn(world, found),
    stepFor(library, story, { calls, clean: world.clean, records: world.records, opened: world }),
  ]);
  const deeds = deedsOf(world.records, found);
  const plans = planFiles(world.tree, world.folders);
  const documents = [
    story.file,
    story.plan,
    epic.file,
    ...trace.requirements.map(({ path }) => path),
    ...plans,
  ]
    .filter((path) => path !== undefined && /\.md$/i.test(baseName(path)));
  return {
    epic,
    ...neighbours(epics.flatMap(({ stories }) => stories), story),
    story: {
      story: { ...story, criteria: story.criteria.map(world.clean) },
      tasks: tasksOf(world, found),
      check,
      findings,
      history: deedRows(deeds.slice(-MAX_DEEDS)),
      times: timesIn(deeds, tools.clock.now()),
      trace: trace.stories[0]!,
      requirements: trace.requirements,
      documents: [...new Set(documents as readonly string[])],
      step,
    },
  };
}

function neighbours<T>(all: readonly T[], one: T): { readonly previous?: T; readonly next?: T } {
  const at = all.indexOf(one);
  return { previous: all[at - 1], next: all[at + 1] };
}

function tasksOf({ tree, clean }: BoardWorld, found: Found): readonly Task[] {
  const boxes = openTexts(tree)(found)?.flatMap(({ allBoxes }) => allBoxes) ?? [];
  return boxes.filter((box) => !isOfReview(box) && box.role !== "later" && box.role !== "criteria")
    .slice(0, MAX_TASKS).map((box) => ({
      text: shorten(clean(box.text), MAX_TEXT),
      heading: shorten(clean(box.heading), MAX_TEXT),
      isTicked: box.isTicked,
      isOptional: !box.isTicked && !isOpenBox(box),
    }));
}
