/**
 * A context pack in words and as data.
 */
import type { Report } from "../../../base/report.ts";
import { counted, oneLine, safeText } from "../../../base/text.ts";
import type { Found } from "../board/mod.ts";
import type { Pack } from "./pack.ts";
import { type Piece, titleOf } from "./pieces.ts";

/** How many pieces that were left out are named. */
const MAX_LEFT = 10;

/** The pack of a story. `clean` removes secrets. */
export function reportContext({ story }: Found, pack: Pack, clean: (text: string) => string): Report {
  const { taken, left, tokens, budget, unread } = pack;
  const documents = [...Map.groupBy(left, ({ piece }) => piece.path)].map(([path, all]) => ({
    path,
    sections: all.length,
    tokens: all.reduce((sum, { piece }) => sum + piece.tokens, 0),
  }));
  const near = left.slice(0, MAX_LEFT);
  const lines = [
    `# Context for ${story.ref}: ${story.title}`,
    "",
    `${counted(taken.length, "section")}, about ${tokens} of ${budget} tokens.${
      story.file === undefined ? "" : ` The story itself: ${oneLine(story.file)}`
    }`,
    ...taken.flatMap(({ piece }) => ["", `## ${clean(titleOf(piece))}`, "", clean(bodyOf(piece))]),
    "",
    "## Left out",
    "",
    ...near.map(({ piece }) => `- ${clean(titleOf(piece))}: about ${piece.tokens} tokens`),
    ...documents.map(({ path, sections, tokens }) =>
      `- ${oneLine(path)}: ${counted(sections, "section")} in all, about ${tokens} tokens`
    ),
    ...(documents.length === 0 ? ["- nothing"] : []),
    ...unread.slice(0, MAX_LEFT).map((path) => `- ${oneLine(path)}: not read`),
  ];
  const factsOf = (piece: Piece) => ({
    path: piece.path,
    from: piece.from,
    to: piece.to,
    role: piece.role,
    headings: piece.chain.map((heading) => clean(oneLine(heading))),
    tokens: piece.tokens,
  });
  return {
    text: lines.join("\n"),
    data: {
      story: story.ref,
      budget,
      tokens,
      sections: taken.map(({ piece, why }) => ({ ...factsOf(piece), why, text: clean(bodyOf(piece)) })),
      left: { sections: near.map(({ piece }) => factsOf(piece)), documents, unread },
    },
  };
}

/** The text without its own heading, which its title has. */
function bodyOf({ text }: Piece): string {
  return safeText(text.replace(/^#{1,6}[^\n]*\n+/, ""));
}
