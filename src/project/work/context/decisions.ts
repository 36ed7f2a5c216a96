/**
 * What reviews of neighbouring stories have found and decided, so that a developer does not repeat it.
 *
 * A neighbour is a story of the same epic, or one whose documents list a file that this story changes; the latter come
 * first.
 */
import { oneLine, shorten } from "../../../base/text.ts";
import type { Interruptible } from "../../../base/work.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { StoryMatch } from "../board/mod.ts";
import {
  type Board,
  fileList,
  filesNamedIn,
  lengthProblem,
  listedFiles,
  readingCost,
  readReview,
  readStoryText,
  type ReviewFinding,
  type Story,
  type Verdict,
} from "../formats/mod.ts";
import { tokensIn } from "../../../base/tokens.ts";

export interface StoryDecisions {
  readonly story: Story;
  readonly findings: readonly ReviewFinding[];
}

export function* findDecisions(
  { tree, board }: { readonly tree: Tree; readonly board: Board },
  { story, epic }: StoryMatch,
  most: number,
): Interruptible<readonly StoryDecisions[]> {
  if (most < MIN_TOKENS) return [];
  const own = pathsOf(story).flatMap((path) => [...filesNamedIn(path, findText(tree, path) ?? "", [])]);
  const files = fileList(own.map((path) => ({ path })));
  const others = board.epics.filter(({ ref }) => ref !== epic.ref).flatMap(({ stories }) => stories);
  const all = [...epic.stories.filter(({ ref }) => ref !== story.ref).toReversed(), ...others.toReversed()]
    .filter(({ state }) => REVIEWED.includes(state)).slice(0, LIMITS.context.reviewedStories);
  const inEpic = new Set(epic.stories);
  const [near, ofEpic]: [StoryDecisions[], StoryDecisions[]] = [[], []];
  let left = LIMITS.source.cost / 10;
  for (const other of all) {
    if (left <= 0) break;
    const texts = pathsOf(other).flatMap((path) => {
      const text = findText(tree, path) ?? "";
      left -= readingCost(path, text);
      return lengthProblem(text) === undefined ? [readStoryText(path, text)] : [];
    });
    yield;
    const findings = texts.flatMap((text) => readReview(text).findings)
      .filter(({ verdict, isOpen }) => verdict !== undefined && !isOpen)
      .sort((a, b) => rankOf(a) - rankOf(b) || b.pass - a.pass || a.line - b.line);
    if (findings.length === 0) continue;
    const isNear = texts.flatMap(listedFiles).some(({ path }) => files.has(path));
    if (isNear) near.push({ story: other, findings });
    else if (inEpic.has(other)) ofEpic.push({ story: other, findings });
  }
  return within([...near, ...ofEpic], most);
}

/** What waits, and what would be raised or done again by mistake, matters more than what is over. */
const TOLD_FIRST: readonly Verdict[] = ["deferred", "rejected", "fixed"];

function rankOf({ verdict, severity }: ReviewFinding): number {
  return 2 * TOLD_FIRST.indexOf(verdict!) + (severity === "low" ? 1 : 0);
}

const REVIEWED: readonly string[] = ["in-progress", "blocked", "review", "done"];
const MIN_TOKENS = 20;

function pathsOf({ file, plan }: Story): readonly string[] {
  return [...new Set([file, plan])].filter((path) => path !== undefined);
}

function within(all: readonly StoryDecisions[], most: number): readonly StoryDecisions[] {
  let [count, tokens] = [0, 0];
  return all.flatMap(({ story, findings }) => {
    const taken = findings.slice(0, LIMITS.context.findingsOfOne).filter((finding) => {
      const cost = tokensIn(decisionLine(finding, (text) => text));
      if (count >= LIMITS.context.findings || tokens + cost > most) return false;
      tokens += cost;
      return ++count > 0;
    });
    return taken.length === 0 ? [] : [{ story, findings: taken }];
  });
}

/** `- rejected: The session never ends (src/login.ts:3) – it ends with the browser`. */
function decisionLine(
  { verdict, text, file, reason }: ReviewFinding,
  clean: (text: string) => string,
): string {
  const place = file === undefined ? "" : ` (${oneLine(file)})`;
  // Cleaned before it is cut: half a secret does not look like one.
  return shorten(
    clean(`- ${verdict}: ${text}${place}${reason === undefined ? "" : ` – ${reason}`}`),
    LIMITS.context.decisionLine,
  );
}

export function decisionLines(
  all: readonly StoryDecisions[],
  clean: (text: string) => string,
): readonly string[] {
  if (all.length === 0) return [];
  return [
    "",
    "## Settled in reviews of neighbouring stories",
    ...all.flatMap(({ story: { ref, title }, findings }) => [
      "",
      `### ${ref}: ${title}`,
      "",
      ...findings.map((one) => decisionLine(one, clean)),
    ]),
  ];
}

export function decisionData(all: readonly StoryDecisions[], clean: (text: string) => string) {
  return all.flatMap(({ story, findings }) =>
    findings.map(({ path, line, pass, severity, verdict, text, file, reason }) => ({
      story: story.ref,
      path,
      line,
      pass,
      ...(severity && { severity }),
      verdict: verdict!,
      text: clean(text),
      ...(file && { file: clean(file) }),
      ...(reason && { reason: clean(reason) }),
    }))
  );
}
