/**
 * Reviews with what they may use: the story's files, and its commits where git is allowed.
 */
import type { Report } from "../../base/report.ts";
import { command } from "../../base/text.ts";
import { once } from "../../base/work.ts";
import { findText } from "../../content/tree/mod.ts";
import { type BoardWorld, findStory, type StoryMatch } from "./board/mod.ts";
import { recordFolders, type Story, uniqueFindings } from "./formats/mod.ts";
import { beginningOf, openCommits } from "./check/mod.ts";
import { checkWorld } from "./checking.ts";
import type { DiffSource, FindingFacts, ReviewCalls, ReviewReport } from "./review/mod.ts";
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
  const diff = await diffOf(tools, opened, found);
  return reportReview({ found, file: path, passes, findings: uniqueFindings(findings), diff, clean }, calls);
}

/** Each finding once, open ones first. */
export async function findingsIn(
  { tree, clean }: BoardWorld,
  found: StoryMatch,
): Promise<readonly FindingFacts[]> {
  const [{ openReview }, { factsOf }] = await Promise.all([loadWriter(), loadReview()]);
  const { findings } = openReview({ find: (path) => findText(tree, path) }, found);
  const facts = uniqueFindings(findings).map((one) => factsOf(one, clean));
  return [...facts.filter(({ isOpen }) => isOpen), ...facts.filter(({ isOpen }) => !isOpen)];
}

export async function findInReview(
  { signal }: WorkTools,
  { world, clean }: { readonly world: WriteContext; clean(text: string): string },
  request: FindingRequest,
  calls: ReviewCalls,
): Promise<Report> {
  const [{ recordFinding }, { findSame, reportFinding }] = await Promise.all([loadWriter(), loadReview()]);
  const recognize: Recognize = (said, known, isStrict) =>
    findSame(said, known, { hasFile: (path) => world.files.tree.hasFile(path), isStrict, signal });
  return reportFinding(await recordFinding(world, request, recognize), calls, clean);
}

async function diffOf(tools: WorkTools, opened: BoardWorld, { story }: StoryMatch): Promise<DiffSource> {
  const { tree, board, folders } = opened;
  const read = await checkWorld(tools, opened).history?.();
  if (read === undefined || typeof read === "string") return unreadDiff(story);
  const commits = openCommits(read, tree, board, () => []);
  const uncommitted = commits.uncommitted(recordFolders(folders));
  const unknown = (why: string) => ({ from: `Where the story began is not known: ${why}.`, uncommitted });
  const began = beginningOf(story, commits);
  if (typeof began === "string") return unknown(began);
  const { commit: { id, parents }, isRecorded } = began;
  if (!isRecorded && parents.length === 0) {
    return unknown("it records no baseline, and no commit comes before the one that added its file");
  }
  const size = await sizeSince(tools, isRecorded ? id : `${id}~1`);
  return {
    ...(isRecorded ? sinceBaseline(id) : {
      command: command`git diff ${id}~1`,
      from: "from before the commit that added its file, with what is not committed",
    }),
    ...(size !== undefined && { size }),
    uncommitted,
  };
}

/** Without commits, the recorded baseline is taken for granted. */
function unreadDiff({ baseline }: Story): DiffSource {
  if (baseline !== undefined) return { ...sinceBaseline(baseline), uncommitted: [] };
  return {
    from: "The story records no baseline: compare with the commit before its file was added.",
    uncommitted: [],
  };
}

function sinceBaseline(id: string): Pick<DiffSource, "command" | "from"> {
  return {
    command: command`git diff ${id}`,
    from: "from where the story began, with what is not committed",
  };
}

/** Undefined if that may not or cannot be read. */
async function sizeSince(
  { config: { work: plan }, signal }: WorkTools,
  from: string,
): Promise<DiffSource["size"]> {
  const git = plan?.git;
  if (git === undefined) return undefined;
  const { diffSizes } = await import("../../content/repositories/mod.ts");
  const { status, stdout } = await diffSizes(plan!.root, from, { ...git, signal, within: plan!.root });
  if (status !== 0) return undefined;
  // For binary files, git prints no counts.
  const rows = [...new TextDecoder().decode(stdout).matchAll(/^(\d+|-)\t(\d+|-)\t/gm)];
  const sum = (at: 1 | 2) => rows.reduce((total, row) => total + (Number(row[at]) || 0), 0);
  return { files: rows.length, added: sum(1), deleted: sum(2) };
}
