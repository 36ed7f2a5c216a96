/** The client's model ranks the items, its user chooses. */
import {
  type App,
  closeMatches,
  type Config,
  type NameQuery,
  type Row,
  type SearchRequest,
} from "../../app.ts";
import { BmadError, type Candidate } from "../../base/errors.ts";
import { shorten } from "../../base/text.ts";
import { type Asker, askForm, askModel } from "./question.ts";
import type { Args } from "./tool.ts";

export function withChoices(app: App, asker: Asker, message?: string) {
  const chosen = new Map<unknown, string>();
  const resolve = async (query: NameQuery) => {
    try {
      return await app.resolve(query);
    } catch (error) {
      if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") throw error;
      const { failure } = error;
      const byName = new Map(failure.candidates.map((one) => [one.name, one]));
      const candidates = await rankNamed(asker, app, [...byName.values()], query.name, message);
      const name = await choose(asker, candidates, `Which ${failure.what} is "${query.name}"?`, query.name);
      if (name === undefined) throw new BmadError({ ...failure, candidates });
      chosen.set(query.name, name);
      return await app.resolve({ name, kind: query.kind });
    }
  };
  const search = async (request: SearchRequest) => {
    const rows = await app.search(request);
    return await rankResults(asker, app, rows, request) ?? rows;
  };
  return {
    app: app.overriding({ resolve, search }),
    applyTo: (args: Args): Args =>
      Object.fromEntries(Object.entries(args).map(([key, value]) => [key, chosen.get(value) ?? value])),
  };
}

const MAX_CHOICES = 20;

async function choose(asker: Asker, candidates: readonly Candidate[], message: string, topic: string) {
  if (!asker.offers("elicitation")) return undefined;
  const offered = candidates.slice(0, MAX_CHOICES);
  const choice = {
    type: "string" as const,
    title: "Choice",
    enum: offered.map(({ name }) => name),
    // The form of titles that every protocol version with forms understands.
    enumNames: offered.map((candidate) => lineOf(candidate, 120)),
  };
  const schema = { type: "object" as const, properties: { choice }, required: ["choice"] };
  const reply = await askForm(asker, topic, message, schema);
  return choice.enum.find((one) => one === reply?.["choice"]);
}

/** At most this many are not worth ranking if the user chooses. */
const FEW = 2;

async function rankNamed(
  asker: Asker,
  { config }: App,
  candidates: readonly Candidate[],
  name: string,
  message: string | undefined,
): Promise<readonly Candidate[]> {
  if (candidates.length <= FEW && asker.offers("elicitation")) return candidates;
  const byName = candidates.toSorted((a, b) => a.name < b.name ? -1 : Number(a.name > b.name));
  return await rankByModel(asker, config.settings, { candidates: byName, request: name, message }) ??
    candidates;
}

async function rankResults(
  asker: Asker,
  { config }: App,
  rows: readonly Row[],
  { words, shown = Infinity }: SearchRequest,
): Promise<readonly Row[] | undefined> {
  const contenders = closeMatches(rows);
  // On a page that does not show all of them, some would appear twice and others never.
  if (contenders.length < 2 || contenders.length > shown) return undefined;
  const candidates = contenders.map((row) => ({ name: row.name, description: row.about, row }));
  const ranked = await rankByModel(asker, config.settings, { candidates, request: words });
  return ranked && [...ranked.map(({ row }) => row), ...rows.filter((row) => !contenders.includes(row))];
}

/** A ranking is not worth a longer wait. */
const RANKING_MS = 2_000;
const MAX_TOKENS = 200;

export async function rankByModel<T extends Candidate>(
  asker: Asker,
  { noSampling }: Config["settings"],
  { candidates, request: topic, message }: {
    /** In the same order each time, because a client may be asked twice and reply to the first question. */
    readonly candidates: readonly T[];
    readonly request: string;
    readonly message?: string;
  },
): Promise<readonly T[] | undefined> {
  const isOffered = !noSampling && asker.offers("sampling");
  const text = isOffered ? rankingPrompt(candidates, topic, message) : undefined;
  if (text === undefined) return undefined;
  const reply = await askModel(asker, topic, RANKING_MS, {
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 8 + 4 * candidates.length,
    modelPreferences: { speedPriority: 1, intelligencePriority: 0.3 },
  });
  const [block] = [reply?.content ?? []].flat();
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

/** Numbers from 1, best first; others keep their order. Of a sentence, only the one number in it. */
export function inOrder<T>(items: readonly T[], text: string): readonly T[] | undefined {
  const places = (text.match(/\d+/g) ?? []).map((number) => Number(number) - 1);
  const chosen = new Set(places);
  const isOrder = places.length > 0 && chosen.size === places.length &&
    (places.length === 1 || ORDER.test(text)) && places.every((place) => place in items);
  return isOrder
    ? [...places.map((place) => items[place]!), ...items.filter((_, at) => !chosen.has(at))]
    : undefined;
}

function lineOf({ name, description }: Candidate, width: number): string {
  const about = width === 0 ? "" : shorten(description, width);
  return about === "" ? name : `${name}: ${about}`;
}

function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[a-z]+|\d+|[^\sa-z\d]/gi)) {
    tokens += /^[a-z\d]/i.test(piece) ? Math.ceil(piece.length / 3) : piece.codePointAt(0)! < 128 ? 1 : 2;
  }
  return tokens;
}
