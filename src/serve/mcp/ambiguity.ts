/**
 * Which of several items is meant, by a name or by a search: the client's model ranks them, its user chooses.
 *
 * Without a choice, or if the client cannot be asked, an ambiguous name is answered with the list of candidates and the
 * call for each, recently used ones first. Search results are only ranked.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import { type App, closeMatches, type NameQuery, type Row, type SearchRequest } from "../../app.ts";
import { BmadError, type Candidate } from "../../base/errors.ts";
import type { Asker } from "./question.ts";
import type { Args } from "./tool.ts";
import { lineOf, rankByModel } from "./ranking.ts";

/** Lets the client of a request choose. `message` is what the user wants, in their words. */
export function withChoices(app: App, asker: Asker, message?: string) {
  const chosen = new Map<unknown, string>();
  const resolve = async (query: NameQuery) => {
    try {
      return await app.resolve(query);
    } catch (error) {
      if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") throw error;
      const { failure } = error;
      const candidates = await rankNamed(asker, app, uniqueByName(failure.candidates), query.name, message);
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

/** The same item in several origins has one name. */
function uniqueByName(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.name, candidate])).values()];
}

/** A person may take their time. */
const CHOICE_MS = 600_000;
const MAX_CHOICES = 20;

async function choose(
  asker: Asker,
  candidates: readonly Candidate[],
  message: string,
  topic: string,
): Promise<string | undefined> {
  if (!asker.offers("elicitation")) return undefined;
  const offered = candidates.slice(0, MAX_CHOICES);
  const choice = {
    type: "string" as const,
    title: "Choice",
    enum: offered.map(({ name }) => name),
    // The form of titles that every protocol version with forms understands.
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
