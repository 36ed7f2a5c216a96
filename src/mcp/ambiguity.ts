/**
 * Which of several things a name means: the client's model puts them in order, its user chooses.
 *
 * The model's order is only an order: nothing is taken because a model put it first. Where nobody chooses, the
 * answer is the list of candidates with the call for each, as it is for clients that cannot be asked.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { App } from "../app.ts";
import { BmadError, type Candidate } from "../errors.ts";
import { shorten } from "./answers.ts";
import type { Asker } from "./question.ts";

/** The app for a request whose client can be asked, and what came of that. */
export interface Choices {
  /** The same app, in which a name that means several things is asked about before it fails. */
  readonly app: App;
  /** Arguments with the names that were chosen in place of those that left a doubt. */
  settle(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Lets the client of a request choose. `wish` is what the user wants, in their words. */
export function withChoices(app: App, asker: Asker, wish?: string): Choices {
  const chosen = new Map<unknown, string>();
  return {
    app: {
      ...app,
      resolve: async (query) => {
        try {
          return await app.resolve(query);
        } catch (error) {
          if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") throw error;
          const { failure } = error;
          const candidates = await rank(asker, uniqueByName(failure.candidates), query.name, wish);
          const name = await choose(
            asker,
            candidates,
            `Which ${failure.what} is "${query.name}"?`,
            query.name,
          );
          if (name === undefined) throw new BmadError({ ...failure, candidates });
          chosen.set(query.name, name);
          return await app.resolve({ name, kind: query.kind });
        }
      },
    },
    settle: (args) =>
      Object.fromEntries(Object.entries(args).map(([key, value]) => [key, chosen.get(value) ?? value])),
  };
}

/** Records of one thing in one origin have one name. */
function uniqueByName(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.name, candidate])).values()];
}

/** A person may take their time. */
const CHOICE_MS = 600_000;
/** More than a person wants to choose from; without a choice all are told. */
const MOST_CHOICES = 20;

/** The candidate that the user chooses; undefined when nobody does. */
async function choose(
  asker: Asker,
  candidates: readonly Candidate[],
  message: string,
  topic: string,
): Promise<string | undefined> {
  if (!asker.offers("elicitation")) return undefined;
  const offered = candidates.slice(0, MOST_CHOICES);
  const choice = {
    type: "string" as const,
    title: "Choice",
    enum: offered.map(({ name }) => name),
    // Titles in this form are understood since there are forms.
    enumNames: offered.map((candidate) => lineOf(candidate, 120)),
  };
  const request = inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { choice }, required: ["choice"] },
  });
  const reply = await asker.ask({ feature: "elicitation", topic, request, limitMs: CHOICE_MS });
  const name = reply.kind === "elicit" && reply.action === "accept" ? reply.content?.["choice"] : undefined;
  return choice.enum.find((one) => one === name);
}

/** To wait longer for an order than for the answer itself would be no help. */
const RANKING_MS = 2_000;
const MOST_TOKENS = 200;
/** Two are chosen from as well in any order. */
const FEW = 2;

/** The candidates in the order in which the client's model thinks they fit; without it, as they were. */
async function rank(
  asker: Asker,
  candidates: readonly Candidate[],
  name: string,
  wish: string | undefined,
): Promise<readonly Candidate[]> {
  const isWorthIt = candidates.length > FEW || !asker.offers("elicitation");
  const text = isWorthIt && asker.offers("sampling") ? rankingPrompt(candidates, name, wish) : undefined;
  if (text === undefined) return candidates;
  const request = inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 8 + 4 * candidates.length,
    modelPreferences: { speedPriority: 1, intelligencePriority: 0.3 },
  });
  const reply = await asker.ask({ feature: "sampling", topic: name, request, limitMs: RANKING_MS });
  const [block] = reply.kind === "sampling" ? [reply.result.content].flat() : [];
  return block?.type === "text" ? inOrder(candidates, block.text) : candidates;
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

/** The candidates in an order of numbers from 1; as they were when the text is no such order. */
export function inOrder(candidates: readonly Candidate[], text: string): readonly Candidate[] {
  const places = (text.match(/\d+/g) ?? []).map((number) => Number(number) - 1);
  const ordered = [...new Set(places)].map((place) => candidates[place]);
  const isOrder = places.length === candidates.length && ordered.length === candidates.length;
  return isOrder && ordered.every((candidate) => candidate !== undefined) ? ordered : candidates;
}

function lineOf({ name, description }: Candidate, width: number): string {
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
