/**
 * A hit of a search as a row.
 */
import type { Library } from "../library.ts";
import type { Offers } from "../lists/offers.ts";
import { displayTitle, lazyRow, type Row, rowOf } from "../lists/row.ts";
import type { Hit } from "./search.ts";

/** The row of a hit. For people it shows the place where the words were found, where the name does not have them. */
export function hitRow(library: Library, hit: Hit, offers: Offers): Row {
  const { entry } = hit;
  return lazyRow(() => {
    const { name, about, data } = rowOf(library, entry, offers);
    const [matched, snippet] = [hit.matched(), hit.snippet()];
    const score = Math.round(hit.score * 100) / 100;
    return {
      name,
      about: snippet === undefined ? about : [displayTitle(entry), snippet].filter(Boolean).join(": "),
      // For people the two weightiest are reason enough.
      why: matched.length === 0 ? "offers what fits" : `matched: ${matched.slice(0, 2).join(", ")}`,
      data: { ...data, score, matched, snippet },
    };
  });
}
