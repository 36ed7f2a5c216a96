/** A word that a caller chooses from a closed set, such as a section or a category. */
import { failUnknown } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { oneLine } from "../../../base/text.ts";

const MAX_SHOWN = 60;

/** The word that was chosen, in any case; fails with those to choose from. */
export function chooseFrom<T extends string>(known: readonly T[], what: string, given: string): T {
  const word = given.toLowerCase();
  return known.find((one) => one.toLowerCase() === word) ??
    failUnknown(what, oneLine(given.slice(0, MAX_SHOWN).toWellFormed()), known, suggest(word, known));
}
