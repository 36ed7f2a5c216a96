/** A story or an epic for its page: everything that the other operations say of it, from one reading of the board. */
import { shorten } from "../../base/text.ts";
import { baseName } from "../../content/tree/mod.ts";
import type { Library, Row } from "../../content/library/mod.ts";
import { LIMITS } from "../limits.ts";
import {
  type BoardWorld,
  findTarget,
  journalFor,
  journalRows,
  planFiles,
  type Records,
  type StoryMatch,
  timesIn,
} from "./board/mod.ts";
import { type CheckReport, openTexts } from "./check/mod.ts";
import { findingsIn, lookAtStory, traceWork } from "./checking.ts";
import { type Box, type Epic, isOpenBox, isReviewBox, type Story } from "./formats/mod.ts";
import type { WorkStep, WriteCalls } from "./next/mod.ts";
import type { FindingFacts } from "./review/mod.ts";
import type { WorkTools } from "./tools.ts";
import type { TracedRequirement, TracedStory } from "./trace/mod.ts";

export interface WorkDetails {
  readonly epic: Epic;
  readonly story?: StoryDetails;
  /** Neighbours on the board: stories of a story, epics of an epic. */
  readonly previous?: Story | Epic;
  readonly next?: Story | Epic;
}

export interface StoryDetails {
  readonly story: Story;
  readonly tasks: readonly Task[];
  readonly check: CheckReport;
  readonly findings: readonly FindingFacts[];
  readonly history: readonly Row[];
  readonly times?: string;
  readonly trace: TracedStory;
  readonly requirements: readonly TracedRequirement[];
  readonly documents: readonly string[];
  /** Undefined if nothing can be said. */
  readonly step?: WorkStep;
}

export interface Task extends Pick<Box, "isTicked" | "heading"> {
  readonly text: string;
  readonly isOptional: boolean;
}

type DetailsWorld = BoardWorld & { readonly records: Records };

export async function readDetails(
  tools: WorkTools,
  library: Library,
  world: DetailsWorld,
  name: string,
  calls: WriteCalls,
): Promise<WorkDetails> {
  const { epics } = world.board;
  const { story, epic } = findTarget(world.board, name);
  if (story === undefined) return { epic, ...neighbours(epics.filter(({ ref }) => ref !== ""), epic) };
  const found = { story, epic };
  const { stepFor } = await import("./next/mod.ts");
  const { data: trace } = await traceWork(tools, world, { name: story.ref, isStale: false });
  const [check, findings, step] = await Promise.all([
    lookAtStory(tools, world, found),
    (story.file ?? story.plan) === undefined ? [] : findingsIn(world, found),
    stepFor(library, story, { calls, clean: world.clean, records: world.records, opened: world }),
  ]);
  const entries = journalFor(world.records, found);
  const named = [story.file, story.plan, epic.file, ...trace.requirements.map(({ path }) => path)];
  const documents = [...named, ...planFiles(world.tree, world.folders)]
    .filter((path) => path !== undefined && /\.md$/i.test(baseName(path)));
  return {
    epic,
    ...neighbours(epics.flatMap(({ stories }) => stories), story),
    story: {
      story: { ...story, criteria: story.criteria.map(world.clean) },
      tasks: tasksOf(world, found),
      check,
      findings,
      history: journalRows(entries.slice(-LIMITS.details.entries)),
      times: timesIn(entries, tools.clock.now()),
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

function tasksOf({ tree, clean }: BoardWorld, found: StoryMatch): readonly Task[] {
  const boxes = openTexts(tree)(found)?.flatMap(({ allBoxes }) => allBoxes) ?? [];
  return boxes.filter((box) => !isReviewBox(box) && box.role !== "later" && box.role !== "criteria")
    .slice(0, LIMITS.details.tasks).map((box) => ({
      text: shorten(clean(box.text), LIMITS.details.taskLength),
      heading: shorten(clean(box.heading), LIMITS.details.taskLength),
      isTicked: box.isTicked,
      isOptional: !box.isTicked && !isOpenBox(box),
    }));
}
