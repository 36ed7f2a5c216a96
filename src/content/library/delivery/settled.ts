/**
 * A text that tells its reader how to find something out, where the answer brings it along: without the sections on that.
 */
import { splitLines } from "../../../base/text.ts";

/** The sections of BMAD's help that say where the next step can be read, and how. */
const SEARCH = ["data sources", "csv interpretation"];

/** A text in two. */
interface Settled {
  readonly text: string;
  /** The headings of what was left out. */
  readonly leftOut: readonly string[];
}

/** Leaves out the sections of the second level on where to look. */
export function withoutSearch(text: string): Settled {
  const leftOut: string[] = [];
  let isKept = true;
  let isCode = false;
  const lines = splitLines(text).filter((line) => {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    const [, level = "", heading = ""] = isCode ? [] : /^(#{1,2}) (.*)$/.exec(line) ?? [];
    if (level !== "") {
      isKept = !(level === "##" && SEARCH.includes(heading.trim().toLowerCase()));
      if (!isKept) leftOut.push(heading.trim());
    }
    return isKept;
  });
  return leftOut.length === 0 ? { text, leftOut } : { text: lines.join("\n"), leftOut };
}
