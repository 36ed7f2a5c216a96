/** The row of a search hit: why it matched and, unless its name or title did, the text around the match. */
import type { Library } from "../library.ts";
import type { Offers } from "../rows/in_force.ts";
import { displayTitle, lazyRow, type Row, rowOf } from "../rows/row.ts";
import type { Hit } from "./search.ts";

export function hitRow(library: Library, hit: Hit, offers: Offers): Row {
  const { entry } = hit;
  return lazyRow(() => {
    const { name, about, data } = rowOf(library, entry, offers);
    const [matched, snippet] = [hit.matched(), hit.snippet()];
    const score = Math.round(hit.score * 100) / 100;
    return {
      name,
      about: snippet === undefined ? about : [displayTitle(entry), snippet].filter(Boolean).join(": "),
      // For people the two most important fields are enough.
      why: matched.length === 0 ? "offers a match" : `matched: ${matched.slice(0, 2).join(", ")}`,
      data: { ...data, score, matched, snippet },
    };
  });
}
