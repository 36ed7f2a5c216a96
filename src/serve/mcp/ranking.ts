/**
 * An order from the client's model: which of some candidates fit a request best.
 *
 * The order is only an order: nothing is done because a model put it first. Without a model, or where it gives no
 * order that can be read, whoever asks keeps their own.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { Config } from "../../app.ts";
import type { Candidate } from "../../base/errors.ts";
import { shorten } from "./answers.ts";
import type { Asker } from "./question.ts";

/** To wait longer for an order than for the answer itself would be no help. */
const RANKING_MS = 2_000;
const MOST_TOKENS = 200;

/** What is to be put in order, and for what. */
export interface Ranking<T extends Candidate> {
  /** The same each time that the same is asked: a client may be asked twice and reply to the first. */
  readonly candidates: readonly T[];
  /** What the candidates are to fit. */
  readonly request: string;
  /** What else the user wants, in their words. */
  readonly wish?: string;
}

/** The candidates in the order in which the client's model thinks they fit; undefined without such an order. */
export async function rankByModel<T extends Candidate>(
  asker: Asker,
  { noSampling }: Config["settings"],
  { candidates, request: topic, wish }: Ranking<T>,
): Promise<readonly T[] | undefined> {
  const isOffered = !noSampling && asker.offers("sampling");
  const text = isOffered ? rankingPrompt(candidates, topic, wish) : undefined;
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

/** The question for an order, with as much about each candidate as fits; undefined when not even the names do. */
export function rankingPrompt(
  candidates: readonly Candidate[],
  name: string,
  wish: string | undefined,
): string | undefined {
  const tries = [120, 80, 40, 0].map((width) =>
    [
      "Rank these by how well they fit the request. Reply with their numbers only, best first, like 2,1,3.",
      `Request: ${shorten(name, 60)}${
        wish === undefined || width === 0 ? "" : `: ${shorten(wish, 2 * width)}`
      }`,
      ...candidates.map((candidate, at) => `${at + 1}. ${lineOf(candidate, width)}`),
    ].join("\n")
  );
  return tries.find((text) => tokensAtMost(text) <= MOST_TOKENS);
}

/** Numbers, and what stands between the members of a list. */
const ORDER = /^\s*\d+(?:[\s,;>.]+\d+)*[\s.]*$/;

/** Things in an order of numbers from 1, each of them once; undefined when the text is anything else. */
export function inOrder<T>(things: readonly T[], text: string): readonly T[] | undefined {
  const places = ORDER.test(text) ? text.match(/\d+/g)!.map((number) => Number(number) - 1) : [];
  const ordered = [...new Set(places)].flatMap((place) => things[place] === undefined ? [] : [things[place]]);
  return places.length === things.length && ordered.length === things.length ? ordered : undefined;
}

/** A candidate on one line, with so many characters about it. */
export function lineOf({ name, description }: Candidate, width: number): string {
  const about = width === 0 ? "" : shorten(description, width);
  return about === "" ? name : `${name}: ${about}`;
}

/** Not fewer tokens than models make of a text: a piece for three letters or digits, one or more for all else. */
function tokensAtMost(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[a-z]+|\d+|[^\sa-z\d]/gi)) {
    tokens += /^[a-z\d]/i.test(piece) ? Math.ceil(piece.length / 3) : piece.codePointAt(0)! < 128 ? 1 : 2;
  }
  return tokens;
}
