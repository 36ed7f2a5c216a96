/** A story or an epic for its page, from one reading of the board. */
import { shorten } from "../../base/text.ts";
import { baseName } from "../../content/tree/mod.ts";
import type { Library } from "../../content/library/mod.ts";
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
import { openTexts } from "./check/mod.ts";
import { findingsIn, lookAtStory, traceWork } from "./checking.ts";
import { type Box, isOpenBox, isTask } from "./formats/mod.ts";
import type { WriteCalls } from "./next/mod.ts";
import type { WorkTools } from "./tools.ts";

export type WorkDetails = Awaited<ReturnType<typeof readDetails>>;
export type StoryDetails = NonNullable<WorkDetails["story"]>;

export interface Task extends Pick<Box, "isTicked" | "heading"> {
  readonly text: string;
  readonly isOptional: boolean;
  readonly depth: number;
}

export async function readDetails(
  tools: WorkTools,
  library: Library,
  world: BoardWorld & { readonly records: Records },
  name: string,
  calls: WriteCalls,
) {
  const { epics } = world.board;
  const { story, epic } = findTarget(world.board, name);
  if (story === undefined) {
    return { epic, story: undefined, ...neighbours(epics.filter(({ ref }) => ref !== ""), epic) };
  }
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
    .filter((path) => path !== undefined).filter((path) => /\.md$/i.test(baseName(path)));
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
      documents: [...new Set(documents)],
      step,
    },
  };
}

function neighbours<T>(all: readonly T[], one: T) {
  const at = all.indexOf(one);
  return { previous: all[at - 1], next: all[at + 1] };
}

function tasksOf({ tree, clean }: BoardWorld, found: StoryMatch): readonly Task[] {
  const boxes = (openTexts(tree)(found) ?? []).flatMap(({ allBoxes }) => allBoxes).filter(isTask);
  const indents = [...new Set(boxes.map(({ indent }) => indent))].toSorted((a, b) => a - b);
  return boxes.slice(0, LIMITS.details.tasks).map((box) => ({
    text: shorten(clean(box.text), LIMITS.details.taskLength),
    heading: shorten(clean(box.heading), LIMITS.details.taskLength),
    isTicked: box.isTicked,
    depth: Math.min(indents.indexOf(box.indent), 3),
    isOptional: !box.isTicked && !isOpenBox(box),
  }));
}
