/**
 * A context pack in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import { counted, oneLine, safeText } from "../../../base/text.ts";
import type { Found } from "../board/mod.ts";
import type { Pack } from "./pack.ts";
import { headingsOf, linesOfPieces, type Piece } from "./pieces.ts";
import { settledData, settledLines } from "./settled.ts";
import { tokensIn } from "../../../base/tokens.ts";

/** How many pieces that were left out are named. */
const MAX_LEFT = 10;

/** The pack of a story. `clean` removes secrets. */
export function reportContext({ story }: Found, pack: Pack, clean: (text: string) => string): Report {
  const { taken, left, settled, tokens, budget, unread } = pack;
  const decided = settledLines(settled, clean);
  const near = left.slice(0, MAX_LEFT);
  const documents = documentsOf(left.map(({ piece }) => piece));
  const title = `# Context for ${story.ref}: ${story.title}`;
  const own = story.file === undefined ? "" : ` The story itself: ${oneLine(story.file)}`;
  const notRead = unread.slice(0, MAX_LEFT).map((path) => `- ${oneLine(path)}: not read`);
  const packed = [
    title,
    "",
    `${counted(taken.length, "section")}, about ${tokens} of ${budget} tokens.${own}`,
    ...chaptersOf(taken.map(({ piece }) => piece)).map(clean),
    ...decided,
    "",
    "## Left out",
    "",
    ...documents.map(({ path, sections, tokens }) => {
      const named = near.map(({ piece }) => piece).filter((piece) => piece.path === path);
      const nearest = sectionsOf(named).map(({ lines, chain }) => `${lines} ${headingsOf(chain.slice(-1))}`);
      return `- ${oneLine(path)}: ${counted(sections, "section")}, about ${tokens} tokens${
        nearest.length === 0 ? "" : `; nearest: ${clean(nearest.join(", "))}`
      }`;
    }),
    ...(documents.length === 0 ? ["- nothing"] : []),
    ...notRead,
  ].join("\n");
  const whole = documentsOf([...taken, ...left].map(({ piece }) => piece));
  const size = whole.reduce((sum, { tokens }) => sum + tokens, 0);
  const named = [
    title,
    "",
    `Read these documents whole: with about ${size} tokens they are shorter than a selection.${own}`,
    "",
    ...whole.map(({ path, tokens }) => `- ${oneLine(path)}: about ${tokens} tokens`),
    ...notRead,
    ...decided,
  ].join("\n");
  const isLonger = tokensIn(packed) - tokensIn(decided.join("\n")) > size;
  const factsOf = (piece: Piece) => ({
    path: piece.path,
    from: piece.from,
    to: piece.to,
    role: piece.role,
    headings: piece.chain.map((heading) => clean(oneLine(heading))),
    tokens: piece.tokens,
  });
  return {
    text: whole.length > 0 && isLonger ? named : packed,
    data: {
      story: story.ref,
      budget,
      tokens,
      sections: taken.map(({ piece, why }) => ({ ...factsOf(piece), why, text: clean(bodyOf(piece)) })),
      settled: settledData(settled, clean),
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

/** Each document once, with its sections and the title that all of them have above them. */
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

/** Each section once: several requirements of one list are pieces of it. */
function sectionsOf(pieces: readonly Piece[]) {
  return [...Map.groupBy(pieces, ({ chain }) => chain.join("\n")).values()].map((pieces) => ({
    lines: linesOfPieces(pieces),
    chain: pieces[0]!.chain,
    text: pieces.map(bodyOf).join(pieces.some(({ defines }) => defines !== undefined) ? "\n" : "\n\n"),
  }));
}

/** The text without its own heading, which its title has. */
function bodyOf({ text }: Piece): string {
  return safeText(text.replace(/^#{1,6}[^\n]*\n+/, ""));
}
