/**
 * Which promise does a test prove?
 *
 * ../requirements.json is the list of promises to users, clients and models: by the part of the surface, an id and one
 * sentence that can be checked. The name of a test or step that proves some ends with their ids:
 * `Deno.test("a persona's name finds its agent [names:persona]", () => …)`.
 */
import promises from "../requirements.json" with { type: "json" };
import { blankText, lineAt } from "./source.ts";

type Promises = typeof promises;
type RequirementId = { [Part in keyof Promises]: keyof Promises[Part] }[keyof Promises];

export const PROMISES: Readonly<Record<RequirementId, string>> = Object.assign(
  {},
  ...Object.values(promises),
);

/** The ids at the end of a test's name, and the quote that ends it. */
const IDS = / \[([a-z]+:[a-z0-9-]+(?:, [a-z]+:[a-z0-9-]+)*)\](["`])/g;

/** What is wrong between the promises and the sources of the tests, whose names must have the ids as plain text. */
export function checkPromises(ids: readonly string[], tests: Readonly<Record<string, string>>): string[] {
  const complaints: string[] = [];
  const proved = new Set<string>();
  for (const [file, source] of Object.entries(tests)) {
    const code = blankText(source);
    for (const { 0: { length }, 1: named, 2: quote, index } of source.matchAll(IDS)) {
      // In a comment there is no quote.
      if (code[index + length - 1] !== quote) continue;
      for (const id of named!.split(", ")) {
        if (ids.includes(id)) proved.add(id);
        else complaints.push(`${file}:${lineAt(source, index)}: nothing is promised as "${id}"`);
      }
    }
  }
  const missing = ids.filter((id) => !proved.has(id));
  return [...complaints, ...missing.map((id) => `"${id}" is promised, but no test proves it`)];
}
