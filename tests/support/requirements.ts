/**
 * Which promise does a test prove?
 *
 * ../requirements.json is the list of promises to users, clients and models: by the part of the surface, an id and one
 * sentence that can be checked. A test or step that proves some gets its name from `verifies`:
 * `Deno.test(verifies("names:persona", "a persona's name finds its agent"), () => …)`.
 */
import promises from "../requirements.json" with { type: "json" };
import { blankText, lineAt, readLiterals } from "./source.ts";

type Promises = typeof promises;
type RequirementId = { [Part in keyof Promises]: keyof Promises[Part] }[keyof Promises];

export const PROMISES: Readonly<Record<RequirementId, string>> = Object.assign(
  {},
  ...Object.values(promises),
);

/** The name of a test that proves promises: its sentence, then the ids. */
export function verifies(ids: RequirementId | readonly RequirementId[], sentence: string): string {
  return `${sentence} [${[ids].flat().join(", ")}]`;
}

/** The ids at the end of a test's name, and the quote that ends it. */
const IDS = / \[([a-z]+:[a-z0-9-]+(?:, [a-z]+:[a-z0-9-]+)*)\](["`])/g;

/** What is wrong between the promises and the sources of the tests, in which ids must be plain strings. */
export function checkPromises(ids: readonly string[], tests: Readonly<Record<string, string>>): string[] {
  const complaints: string[] = [];
  const proved = new Set<string>();
  for (const [file, source] of Object.entries(tests)) {
    const code = blankText(source);
    const note = (id: string, at: number) => {
      if (ids.includes(id)) proved.add(id);
      else complaints.push(`${file}:${lineAt(source, at)}: nothing is promised as "${id}"`);
    };
    for (const match of code.matchAll(/(?<![.\w$#])verifies\(\s*(\[?)/g)) {
      const literals = readLiterals(source, code, match.index + match[0].length);
      const named = match[1] === "[" ? literals : literals.slice(0, 1);
      if (named.length === 0) {
        complaints.push(`${file}:${lineAt(source, match.index)}: verifies() needs its ids as plain strings`);
      }
      for (const id of named) note(id, match.index);
    }
    for (const { 0: { length }, 1: named, 2: quote, index } of source.matchAll(IDS)) {
      // In a comment there is no quote.
      if (code[index + length - 1] !== quote) continue;
      for (const id of named!.split(", ")) note(id, index);
    }
  }
  const missing = ids.filter((id) => !proved.has(id));
  return [...complaints, ...missing.map((id) => `"${id}" is promised, but no test proves it`)];
}
