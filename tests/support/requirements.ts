/**
 * Which promise does a test prove?
 *
 * A test that proves promises of ../requirements.ts gets its name from `verifies`:
 * `Deno.test(verifies("names:persona", "a persona's name finds its agent"), () => …)`; steps likewise.
 * `checkPromises` reads the ids from the sources of the tests, where they must stand as plain strings, and
 * tells which are unknown, missing or proved although they are listed as open.
 */
import type { RequirementId } from "../requirements.ts";
import { blankText, lineAt, readLiterals } from "./source.ts";

/** The name of a test that proves promises: its sentence, then the ids. */
export function verifies(ids: RequirementId | readonly RequirementId[], sentence: string): string {
  return `${sentence} [${[ids].flat().join(", ")}]`;
}

/** What is wrong between the promises, those that are open, and the sources of the tests. */
export function checkPromises(
  ids: readonly string[],
  open: readonly string[],
  tests: Readonly<Record<string, string>>,
): string[] {
  const complaints: string[] = [];
  const proved = new Set<string>();
  for (const [file, source] of Object.entries(tests)) {
    const code = blankText(source);
    for (const match of code.matchAll(/(?<![.\w$#])verifies\(\s*(\[?)/g)) {
      const literals = readLiterals(source, code, match.index + match[0].length);
      const named = match[1] === "[" ? literals : literals.slice(0, 1);
      const place = `${file}:${lineAt(source, match.index)}`;
      if (named.length === 0) complaints.push(`${place}: verifies() needs its ids as plain strings`);
      for (const id of named) {
        if (ids.includes(id)) proved.add(id);
        else complaints.push(`${place}: nothing is promised as "${id}"`);
      }
    }
  }
  for (const id of ids) {
    if (!proved.has(id) && !open.includes(id)) complaints.push(`"${id}" is promised, but no test proves it`);
    if (proved.has(id) && open.includes(id)) {
      complaints.push(`"${id}" is proved and must leave the list of open promises`);
    }
  }
  for (const [at, id] of open.entries()) {
    if (!ids.includes(id)) complaints.push(`"${id}" is listed as open, but nothing is promised as that`);
    if (open.indexOf(id) !== at) complaints.push(`"${id}" is listed as open twice`);
  }
  return complaints;
}
