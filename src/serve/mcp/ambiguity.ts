/**
 * Which of several things is meant, by a name or by the words of a search: the client's model puts them in order, its
 * user chooses.
 *
 * Where nobody chooses what a name means, the answer is the list of candidates with the call for each, as it is for
 * clients that cannot be asked: what was used comes first. Hits of a search are only put in order.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import { type App, closeMatches, type NameQuery, type Row, type SearchRequest } from "../../app.ts";
import { BmadError, type Candidate } from "../../base/errors.ts";
import type { Asker } from "./question.ts";
import { lineOf, rankByModel } from "./ranking.ts";

/** The app for a request whose client can be asked, and what came of that. */
export interface Choices {
  /** The same app, in which a name that means several things, or words that do, are asked about first. */
  readonly app: App;
  /** Arguments with the names that were chosen in place of those that left a doubt. */
  settle(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Lets the client of a request choose. `wish` is what the user wants, in their words. */
export function withChoices(app: App, asker: Asker, wish?: string): Choices {
  const chosen = new Map<unknown, string>();
  return {
    app: app.overriding({
      resolve: async (query: NameQuery) => {
        try {
          return await app.resolve(query);
        } catch (error) {
          if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") throw error;
          const { failure } = error;
          const candidates = await rankNamed(asker, app, uniqueByName(failure.candidates), query.name, wish);
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
      search: async (request: SearchRequest) => {
        const rows = await app.search(request);
        return await rankFound(asker, app, rows, request) ?? rows;
      },
    }),
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

/** Two are chosen from as well in any order. */
const FEW = 2;

/** The candidates for a name as the client's model puts them; without it, as they were. */
async function rankNamed(
  asker: Asker,
  { config }: App,
  candidates: readonly Candidate[],
  name: string,
  wish: string | undefined,
): Promise<readonly Candidate[]> {
  if (candidates.length <= FEW && asker.offers("elicitation")) return candidates;
  const byName = candidates.toSorted((a, b) => a.name < b.name ? -1 : Number(a.name > b.name));
  return await rankByModel(asker, config.settings, { candidates: byName, request: name, wish }) ?? candidates;
}

/** The hits of a search of which none is clearly the best, in the model's order; undefined where it gives none. */
async function rankFound(
  asker: Asker,
  { config }: App,
  rows: readonly Row[],
  { words, shown = Infinity }: Parameters<App["search"]>[0],
): Promise<readonly Row[] | undefined> {
  const contenders = closeMatches(rows);
  // Who does not see them all, or goes on from a page before, would see some twice and others never.
  if (contenders.length < 2 || contenders.length > shown) return undefined;
  const candidates = contenders.map((row) => ({ name: row.name, description: row.about, row }));
  const ranked = await rankByModel(asker, config.settings, { candidates, request: words });
  return ranked && [...ranked.map(({ row }) => row), ...rows.filter((row) => !contenders.includes(row))];
}
