/** Reviews with what they may use: the story's files, and its commits where git is allowed. */
import type { Report } from "../../base/report.ts";
import { once } from "../../base/work.ts";
import { findText } from "../../content/tree/mod.ts";
import { type BoardWorld, findStory, type StoryMatch } from "./board/mod.ts";
import { uniqueFindings } from "./formats/mod.ts";
import { diffOf } from "./git_facts.ts";
import type { FindingFacts, ReviewCalls, ReviewReport } from "./review/mod.ts";
import type { WorkTools } from "./tools.ts";
import type { FindingRequest, Recognize, WriteContext } from "./writer/mod.ts";

const loadWriter = once(() => import("./writer/mod.ts"));
const loadReview = once(() => import("./review/mod.ts"));

export async function reviewWork(
  tools: WorkTools,
  opened: BoardWorld,
  story: string,
  calls: ReviewCalls,
): Promise<ReviewReport> {
  const found = findStory(opened.board, story);
  const { tree, clean } = opened;
  const [{ openReview }, { reportReview }] = await Promise.all([loadWriter(), loadReview()]);
  const { path, passes, findings } = openReview({ find: (path) => findText(tree, path) }, found);
  const diff = await diffOf(tools, opened, found.story);
  return reportReview({ found, file: path, passes, findings: uniqueFindings(findings), diff, clean }, calls);
}

/** Each finding once, open ones first. */
export async function findingsIn(
  { tree, clean }: BoardWorld,
  found: StoryMatch,
): Promise<readonly FindingFacts[]> {
  const [{ openReview }, { factsOf }] = await Promise.all([loadWriter(), loadReview()]);
  const { findings } = openReview({ find: (path) => findText(tree, path) }, found);
  const [settled = [], open = []] = [false, true].map((isOpen) =>
    uniqueFindings(findings).filter((one) => one.isOpen === isOpen)
  );
  return [...open, ...settled].map((one) => factsOf(one, clean));
}

export async function findInReview(
  { signal }: WorkTools,
  world: WriteContext & Pick<BoardWorld, "clean">,
  request: FindingRequest,
  calls: ReviewCalls,
): Promise<Report> {
  const [{ recordFinding }, { findSame, reportFinding }] = await Promise.all([loadWriter(), loadReview()]);
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile: (path) => world.files.tree.hasFile(path), isStrict, signal });
  return reportFinding(await recordFinding(world, request, recognize), calls, world.clean);
}
