/**
 * A ranking by the client's model: which candidates fit a request best.
 *
 * It is only an order: nothing is done because a model put it first. Without a model, or if its reply cannot be read as
 * an order, the caller keeps its own.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { Config } from "../../app.ts";
import type { Candidate } from "../../base/errors.ts";
import { shorten } from "../../base/text.ts";
import type { Asker } from "./question.ts";

/** A ranking is not worth a longer wait. */
const RANKING_MS = 2_000;
const MAX_TOKENS = 200;

interface Ranking<T extends Candidate> {
  /** In the same order each time, because a client may be asked twice and reply to the first question. */
  readonly candidates: readonly T[];
  readonly request: string;
  readonly message?: string;
}

export async function rankByModel<T extends Candidate>(
  asker: Asker,
  { noSampling }: Config["settings"],
  { candidates, request: topic, message }: Ranking<T>,
): Promise<readonly T[] | undefined> {
  const isOffered = !noSampling && asker.offers("sampling");
  const text = isOffered ? rankingPrompt(candidates, topic, message) : undefined;
  if (text === undefined) return undefined;
  const request = inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 8 + 4 * candidates.length,
    modelPreferences: { speedPriority: 1, intelligencePriority: 0.3 },
  });
  const reply = await asker.ask({ feature: "sampling", topic, request, limitMs: RANKING_MS });
  const [block] = reply.kind === "sampling" ? [reply.result.content].flat() : [];
  return block?.type === "text" ? inOrder(candidates, block.text) : undefined;
}

export function rankingPrompt(
  candidates: readonly Candidate[],
  request: string,
  message: string | undefined,
): string | undefined {
  const attempts = [120, 80, 40, 0].map((width) => {
    const wanted = message === undefined || width === 0 ? "" : `: ${shorten(message, 2 * width)}`;
    return [
      "Rank these by how well they fit the request. Reply with their numbers only, best first, like 2,1,3.",
      `Request: ${shorten(request, 60)}${wanted}`,
      ...candidates.map((candidate, at) => `${at + 1}. ${lineOf(candidate, width)}`),
    ].join("\n");
  });
  return attempts.find((text) => estimateTokens(text) <= MAX_TOKENS);
}

const ORDER = /^\s*\d+(?:[\s,;>.]+\d+)*[\s.]*$/;

/** Items in an order of numbers from 1, each exactly once; undefined if the text is anything else. */
export function inOrder<T>(items: readonly T[], text: string): readonly T[] | undefined {
  const places = ORDER.test(text) ? text.match(/\d+/g)!.map((number) => Number(number) - 1) : [];
  const ordered = [...new Set(places)].flatMap((place) => items[place] === undefined ? [] : [items[place]]);
  return places.length === items.length && ordered.length === items.length ? ordered : undefined;
}

/** A candidate on one line, with the first `width` characters of its description. */
export function lineOf({ name, description }: Candidate, width: number): string {
  const about = width === 0 ? "" : shorten(description, width);
  return about === "" ? name : `${name}: ${about}`;
}

/** An upper bound: a token for three letters or digits, one or two for any other character. */
function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[a-z]+|\d+|[^\sa-z\d]/gi)) {
    tokens += /^[a-z\d]/i.test(piece) ? Math.ceil(piece.length / 3) : piece.codePointAt(0)! < 128 ? 1 : 2;
  }
  return tokens;
}
