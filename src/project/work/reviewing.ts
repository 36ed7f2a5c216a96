/**
 * Reviews with what they may use: the story's files, its commits where git is allowed, and the embedder.
 */
import type { Report } from "../../base/report.ts";
import { command } from "../../base/text.ts";
import { once } from "../../base/work.ts";
import { findText } from "../../content/tree/mod.ts";
import { type BoardWorld, findStory, type Found } from "./board/mod.ts";
import { recordFolders } from "./formats/mod.ts";
import { baselineOf, openCommits, openTexts } from "./check/mod.ts";
import { checkWorld } from "./checking.ts";
import type { DiffSource, ReviewCalls, ReviewReport } from "./review/mod.ts";
import type { WorkTools } from "./tools.ts";
import type { FindingRequest, Recognize, WriterWorld } from "./writer/mod.ts";

const loadWriter = once(() => import("./writer/mod.ts"));
const loadReview = once(() => import("./review/mod.ts"));

/** The packet for a reviewer of a story. */
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
  const diff = await diffOf(tools, opened, found);
  return reportReview({ found, file: path, passes, findings, diff, calls, clean });
}

/** Records a finding, or settles it. */
export async function findInReview(
  { signal }: WorkTools,
  { world, clean }: { readonly world: WriterWorld; clean(text: string): string },
  request: FindingRequest,
  calls: ReviewCalls,
): Promise<Report> {
  const [{ recordFinding }, { findSame, reportFinding }] = await Promise.all([loadWriter(), loadReview()]);
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile: (path) => world.files.tree.hasFile(path), isStrict, signal });
  return reportFinding(await recordFinding(world, request, recognize), calls, clean);
}

/** What a reviewer compares: from where the story began to what is there now. */
async function diffOf(tools: WorkTools, opened: BoardWorld, found: Found): Promise<DiffSource> {
  const { tree, board, folders } = opened;
  const texts = openTexts(tree)(found) ?? [];
  const baseline = baselineOf(texts);
  const read = await checkWorld(tools, opened).history?.();
  const commits = read === undefined || typeof read === "string"
    ? undefined
    : openCommits(read, tree, board, () => []);
  const uncommitted = commits?.uncommitted(recordFolders(folders)) ?? [];
  if (baseline === undefined) {
    const from = "The story records no baseline: compare with the commit before its file was added.";
    return { from, uncommitted };
  }
  const size = await sizeSince(tools, baseline);
  return {
    command: command`git diff ${baseline}`,
    from: "from where the story began, with what is not committed",
    ...(size !== undefined && { size }),
    uncommitted,
  };
}

/** How much was committed since a commit; undefined if that may not or cannot be read. */
async function sizeSince(
  { config: { work: plan }, signal }: WorkTools,
  baseline: string,
): Promise<DiffSource["size"]> {
  const git = plan?.git;
  if (git === undefined) return undefined;
  const { diffSizes } = await import("../../content/repositories/mod.ts");
  const { status, stdout } = await diffSizes(plan!.root, baseline, { ...git, signal, within: plan!.root });
  if (status !== 0) return undefined;
  // Of a file that is not text, git counts no lines.
  const rows = [...new TextDecoder().decode(stdout).matchAll(/^(\d+|-)\t(\d+|-)\t/gm)];
  const sum = (at: 1 | 2) => rows.reduce((total, row) => total + (Number(row[at]) || 0), 0);
  return { files: rows.length, added: sum(1), deleted: sum(2) };
}
