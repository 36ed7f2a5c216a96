/**
 * Gathers a pack: reads the documents, ranks their pieces, and fills the budget with the most needed.
 */
import { inTurns, type Steps } from "../../../base/work.ts";
import { baseName, findText, parentPath, type Tree } from "../../../content/tree/mod.ts";
import type { BoardWorld, Found } from "../board/mod.ts";
import {
  type Board,
  costOf,
  type Document,
  excessOf,
  findDocuments,
  MAX_COST,
  readPlanTitle,
} from "../formats/mod.ts";
import { costOfPiece, isGeneral, type Piece, piecesOf } from "./pieces.ts";
import { queryOf } from "./query.ts";
import { type Embed, rankPieces, type Scored } from "./rank.ts";
import { findSettled, type Settled, settledLines } from "./settled.ts";
import { tokensIn } from "../../../base/tokens.ts";

/** What a pack is made from. */
export interface ContextWorld extends Omit<BoardWorld, "clean"> {
  /** Vectors of texts, where the user has an embedder. */
  readonly embed?: Embed;
}

/** A pack. */
export interface Pack {
  /** In the order of the documents. */
  readonly taken: readonly Scored[];
  /** The most needed first. */
  readonly left: readonly Scored[];
  /** What reviews of neighbouring stories have decided. */
  readonly settled: readonly Settled[];
  /** What all that is taken costs, with its headings. */
  readonly tokens: number;
  readonly budget: number;
  /** Documents that were not read, because the others reach the limit. */
  readonly unread: readonly string[];
}

/** More than any project has. */
export const MAX_DOCUMENTS = 300;
const MAX_PIECES = 20_000;
/** Earlier stories of the same epic, the latest first. */
const MAX_EARLIER = 5;

/** Of the budget, for what reviews have decided. */
const SETTLED_SHARE = 0.1;

/** Gathers what a story needs. */
export async function gatherContext(world: ContextWorld, found: Found, budget: number): Promise<Pack> {
  const { tree, board, folders, embed } = world;
  const { story } = found;
  const others = otherSpecs(found, board);
  const planned = (await inTurns(findDocuments(tree, folders, board)))
    .filter(({ path, role }) =>
      role !== "story" && role !== "other" && !others.some((folder) => path.startsWith(folder))
    ).slice(0, MAX_DOCUMENTS);
  const documents = [...planned, ...earlierStories(found, board)];
  const { pieces, unread } = await inTurns(readPieces(tree, documents));
  const text = [story.file, story.plan].map((path) => path && findText(tree, path)).filter(Boolean).join(
    "\n",
  );
  const isOwn = (piece: Piece) => isPlanOf(piece, found);
  const { needed, rest } = await rankPieces(pieces, queryOf(found, text), isOwn, embed);
  const all = [...needed, ...rest];
  const general = all.filter(({ piece }) => isGeneral(piece))
    .map((one): Scored => one.why === "requirement" ? one : { ...one, why: "general" });
  const settled = await inTurns(findSettled(world, found, budget * SETTLED_SHARE));
  const taken = new Map<Piece, Scored>();
  const paths = new Set<string>();
  let tokens = tokensIn(settledLines(settled, (text) => text).join("\n"));
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
  // What holds for every story leaves room for what this one names.
  take(general, budget / 2);
  take(needed.filter(({ piece }) => !isPlanOfOthers(piece, found)), budget);
  const order = new Map(documents.map(({ path }, at) => [path, at]));
  return {
    taken: [...taken.values()].sort((a, b) =>
      order.get(a.piece.path)! - order.get(b.piece.path)! || a.piece.from - b.piece.from
    ),
    left: all.filter(({ piece }) => !taken.has(piece)),
    settled,
    tokens,
    budget,
    unread,
  };
}

/** The folders of specs that the story is not of. */
function otherSpecs({ epic }: Found, { epics }: Board): readonly string[] {
  return epics.filter(({ ref, ledger }) => ref !== epic.ref && baseName(parentPath(ledger)) === ref)
    .map(({ ledger }) => `${parentPath(ledger)}/`);
}

/** The files of stories that it builds on, and of those before it. */
function earlierStories({ story, epic }: Found, { epics }: Board): readonly Document[] {
  const all = epics.flatMap((one) => one.stories);
  const before = epic.stories.slice(0, epic.stories.findIndex(({ ref }) => ref === story.ref));
  const after = all.filter(({ ref }) => story.after.includes(ref));
  const paths = [...after, ...before.toReversed().slice(0, MAX_EARLIER)]
    .filter(({ state }) => state === "done" || state === "review").flatMap((
      { file, plan },
    ) => [file, plan]);
  return [...new Set(paths)].filter((path) => path !== undefined).map((path) => ({
    path: path!,
    role: "story",
  }));
}

function* readPieces(
  tree: Tree,
  documents: readonly Document[],
): Steps<{ readonly pieces: readonly Piece[]; readonly unread: readonly string[] }> {
  const pieces: Piece[] = [];
  const unread: string[] = [];
  let left = MAX_COST;
  for (const document of documents) {
    const text = left > 0 && pieces.length < MAX_PIECES ? findText(tree, document.path) : undefined;
    yield;
    if (text === undefined || excessOf(text) !== undefined) {
      unread.push(document.path);
      continue;
    }
    left -= costOf(document.path, text);
    for (const piece of yield* piecesOf(document, text, MAX_PIECES - pieces.length)) pieces.push(piece);
  }
  return { pieces, unread };
}

/** The epic and the story that a piece of a plan is about. */
function plannedIn({ chain, role }: Piece) {
  // The file of an earlier story is not a plan.
  const headings = role === "story" ? [] : chain.flatMap((heading) => readPlanTitle(heading) ?? []);
  return {
    story: headings.findLast((one) => one.story !== undefined)?.ref,
    epic: headings.findLast((one) => one.story === undefined)?.ref,
  };
}

function isPlanOf(piece: Piece, { story, epic }: Found): boolean {
  const planned = plannedIn(piece);
  return planned.story === undefined ? planned.epic === epic.ref : planned.story === story.ref;
}

/** What is planned for other stories is not needed, except for those that it builds on. */
function isPlanOfOthers(piece: Piece, { story, epic }: Found): boolean {
  const planned = plannedIn(piece);
  if (planned.story !== undefined) return planned.story !== story.ref && !story.after.includes(planned.story);
  return planned.epic !== undefined && planned.epic !== epic.ref;
}
