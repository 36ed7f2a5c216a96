/**
 * The sections of documents that a story needs within a budget of tokens, and what reviews of its neighbours settled:
 * of stories that list a file which it changes, then those of its epic.
 */
import { joinLines, type Report } from "../../../base/report.ts";
import { counted, oneLine, safeText, shorten } from "../../../base/text.ts";
import { tokensIn } from "../../../base/tokens.ts";
import { type Interruptible, runInSlices } from "../../../base/work.ts";
import { baseName, findText, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { BoardWorld, StoryMatch } from "../board/mod.ts";
import {
  type Board,
  type Document,
  fileList,
  filesNamedIn,
  findDocuments,
  lengthProblem,
  listedFiles,
  readingCost,
  readPlanTitle,
  readReview,
  readStoryText,
  type ReviewFinding,
  type Story,
  type Verdict,
} from "../formats/mod.ts";
import { costOfPiece, headingsOf, isGeneral, linesOfPieces, type Piece, piecesOf } from "./pieces.ts";
import { type Embed, queryOf, rankPieces, type Scored } from "./rank.ts";

interface ContextWorld extends Omit<BoardWorld, "clean"> {
  readonly embed?: Embed;
}

export interface Pack {
  readonly taken: readonly Scored[];
  readonly left: readonly Scored[];
  readonly decisions: readonly StoryDecisions[];
  readonly tokens: number;
  readonly budget: number;
  readonly unread: readonly string[];
}

const DECISIONS_SHARE = 0.1;

export async function gatherContext(world: ContextWorld, found: StoryMatch, budget: number): Promise<Pack> {
  const { tree, board, folders, embed } = world;
  const { story } = found;
  const others = otherSpecs(found, board);
  const planned = (await runInSlices(findDocuments(tree, folders, board)))
    .filter(({ path, role }) =>
      role !== "story" && role !== "other" && !others.some((folder) => path.startsWith(folder))
    ).slice(0, LIMITS.context.documents);
  const documents = [...planned, ...earlierStories(found, board)];
  const { pieces, unread } = await runInSlices(readPieces(tree, documents));
  const texts = [story.file, story.plan].map((path) => path && findText(tree, path));
  const text = texts.filter(Boolean).join("\n");
  const isOwn = (piece: Piece) => isPlanOf(piece, found);
  const { needed, rest } = await rankPieces(pieces, queryOf(found, text), isOwn, embed);
  const all = [...needed, ...rest];
  const general = all.filter(({ piece }) => isGeneral(piece))
    .map((one): Scored => one.why === "requirement" ? one : { ...one, why: "general" });
  const decisions = await runInSlices(findDecisions(world, found, budget * DECISIONS_SHARE));
  const taken = new Map<Piece, Scored>();
  const paths = new Set<string>();
  let tokens = tokensIn(decisionLines(decisions, (text) => text).join("\n"));
  const take = (wanted: readonly Scored[], most: number) => {
    for (const one of wanted) {
      const { piece } = one;
      const cost = costOfPiece(piece, !paths.has(piece.path));
      if (taken.has(piece) || tokens + cost > most) continue;
      taken.set(piece, one);
      paths.add(piece.path);
      tokens += cost;
    }
  };
  // General rules leave room for what it names.
  take(general, budget / 2);
  take(needed.filter(({ piece }) => !isPlanOfOthers(piece, found)), budget);
  const order = new Map(documents.map(({ path }, at) => [path, at]));
  return {
    taken: [...taken.values()].sort((a, b) =>
      order.get(a.piece.path)! - order.get(b.piece.path)! || a.piece.from - b.piece.from
    ),
    left: all.filter(({ piece }) => !taken.has(piece)),
    decisions,
    tokens,
    budget,
    unread,
  };
}

function otherSpecs({ epic }: StoryMatch, { epics }: Board): readonly string[] {
  return epics.filter(({ ref, ledger }) => ref !== epic.ref && baseName(parentPath(ledger)) === ref)
    .map(({ ledger }) => `${parentPath(ledger)}/`);
}

function earlierStories({ story, epic }: StoryMatch, { epics }: Board): readonly Document[] {
  const all = epics.flatMap((one) => one.stories);
  const before = epic.stories.slice(0, epic.stories.findIndex(({ ref }) => ref === story.ref));
  const after = all.filter(({ ref }) => story.after.includes(ref));
  const paths = [...after, ...before.toReversed().slice(0, LIMITS.context.earlierStories)]
    .filter(({ state }) => state === "done" || state === "review")
    .flatMap(({ file, plan }) => [file, plan].filter((path) => path !== undefined));
  return [...new Set(paths)].map((path) => ({ path, role: "story" }));
}

function* readPieces(
  tree: Tree,
  documents: readonly Document[],
): Interruptible<{ readonly pieces: readonly Piece[]; readonly unread: readonly string[] }> {
  const pieces: Piece[] = [];
  const unread: string[] = [];
  let left = LIMITS.source.cost;
  for (const document of documents) {
    const text = left > 0 && pieces.length < LIMITS.context.pieces
      ? findText(tree, document.path)
      : undefined;
    yield;
    if (text === undefined || lengthProblem(text) !== undefined) {
      unread.push(document.path);
      continue;
    }
    left -= readingCost(document.path, text);
    for (const piece of yield* piecesOf(document, text, LIMITS.context.pieces - pieces.length)) {
      pieces.push(piece);
    }
  }
  return { pieces, unread };
}

function plannedIn({ chain, role }: Piece) {
  // An earlier story's file is not a plan.
  const headings = role === "story" ? [] : chain.flatMap((heading) => readPlanTitle(heading) ?? []);
  return {
    story: headings.findLast((one) => one.story !== undefined)?.ref,
    epic: headings.findLast((one) => one.story === undefined)?.ref,
  };
}

function isPlanOf(piece: Piece, { story, epic }: StoryMatch): boolean {
  const planned = plannedIn(piece);
  return planned.story === undefined ? planned.epic === epic.ref : planned.story === story.ref;
}

function isPlanOfOthers(piece: Piece, { story, epic }: StoryMatch): boolean {
  const planned = plannedIn(piece);
  if (planned.story !== undefined) return planned.story !== story.ref && !story.after.includes(planned.story);
  return planned.epic !== undefined && planned.epic !== epic.ref;
}

export function reportContext({ story }: StoryMatch, pack: Pack, clean: (text: string) => string): Report {
  const { taken, left, decisions, tokens, budget, unread } = pack;
  const decided = decisionLines(decisions, clean);
  const near = left.slice(0, LIMITS.context.shownLeft);
  const documents = documentsOf(left.map(({ piece }) => piece));
  const title = `# Context for ${story.ref}: ${story.title}`;
  const own = story.file === undefined ? "" : ` The story itself: ${oneLine(story.file)}`;
  const notRead = unread.slice(0, LIMITS.context.shownLeft).map((path) => `- ${oneLine(path)}: not read`);
  const leftLine = ({ path, sections, tokens }: typeof documents[number]) => {
    const named = near.map(({ piece }) => piece).filter((piece) => piece.path === path);
    const nearest = sectionsOf(named).map(({ lines, chain }) => `${lines} ${headingsOf(chain.slice(-1))}`);
    const rest = nearest.length === 0 ? "" : `; nearest: ${clean(nearest.join(", "))}`;
    return `- ${oneLine(path)}: ${counted(sections, "section")}, about ${tokens} tokens${rest}`;
  };
  const packed = joinLines(
    [title, "", `${counted(taken.length, "section")}, about ${tokens} of ${budget} tokens.${own}`],
    chaptersOf(taken.map(({ piece }) => piece)).map(clean),
    decided,
    ["", "## Left out", ""],
    documents.length === 0 ? "- nothing" : documents.map(leftLine),
    notRead,
  );
  const whole = documentsOf([...taken, ...left].map(({ piece }) => piece));
  const size = whole.reduce((sum, { tokens }) => sum + tokens, 0);
  const named = joinLines(
    [title, ""],
    [`Read these documents whole: with about ${size} tokens they are shorter than a selection.${own}`, ""],
    whole.map(({ path, tokens }) => `- ${oneLine(path)}: about ${tokens} tokens`),
    notRead,
    decided,
  );
  const isLonger = tokensIn(packed) - tokensIn(decided.join("\n")) > size;
  const factsOf = ({ path, from, to, role, chain, tokens }: Piece) => {
    return { path, from, to, role, headings: chain.map((heading) => clean(oneLine(heading))), tokens };
  };
  return {
    text: whole.length > 0 && isLonger ? named : packed,
    data: {
      story: story.ref,
      budget,
      tokens,
      sections: taken.map(({ piece, why }) => ({ ...factsOf(piece), why, text: clean(bodyOf(piece)) })),
      settled: decisionData(decisions, clean),
      left: { sections: near.map(({ piece }) => factsOf(piece)), documents, unread },
    },
  };
}

function documentsOf(pieces: readonly Piece[]) {
  return [...Map.groupBy(pieces, ({ path }) => path)].map(([path, all]) => ({
    path,
    sections: all.length,
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
  }));
}

function chaptersOf(pieces: readonly Piece[]): readonly string[] {
  return [...Map.groupBy(pieces, ({ path }) => path)].flatMap(([path, all]) => {
    const title = all[0]!.chain[0];
    const isShared = all.every(({ chain }) => chain.length > 1 && chain[0] === title);
    return [
      `\n## ${[oneLine(path), ...isShared ? [headingsOf([title!])] : []].join(": ")}`,
      ...sectionsOf(all).map(({ lines, chain, text }) => {
        const headings = headingsOf(isShared ? chain.slice(1) : chain);
        return `\n### ${lines}${headings === "" ? "" : `: ${headings}`}\n\n${text}`;
      }),
    ];
  });
}

function sectionsOf(pieces: readonly Piece[]) {
  return [...Map.groupBy(pieces, ({ chain }) => chain.join("\n")).values()].map((pieces) => ({
    lines: linesOfPieces(pieces),
    chain: pieces[0]!.chain,
    text: pieces.map(bodyOf).join(pieces.some(({ defines }) => defines !== undefined) ? "\n" : "\n\n"),
  }));
}

function bodyOf({ text }: Piece): string {
  return safeText(text.replace(/^#{1,6}[^\n]*\n+/, ""));
}

interface StoryDecisions {
  readonly story: Story;
  readonly findings: readonly ReviewFinding[];
}

function* findDecisions(
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

/** What waits, and what would be raised or done again by mistake, before what is over. */
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

function decisionLine({ verdict, text, file, reason }: ReviewFinding, clean: (text: string) => string) {
  const place = file === undefined ? "" : ` (${oneLine(file)})`;
  // Before it is cut: half a secret does not look like one.
  return shorten(
    clean(`- ${verdict}: ${text}${place}${reason === undefined ? "" : ` – ${reason}`}`),
    LIMITS.context.decisionLine,
  );
}

function decisionLines(all: readonly StoryDecisions[], clean: (text: string) => string): readonly string[] {
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

function decisionData(all: readonly StoryDecisions[], clean: (text: string) => string) {
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
