/**
 * The lines of `.gitattributes` that give ledgers their merge driver, and those of others that give them another one.
 */
import { splitLines } from "../../base/text.ts";
import { JOURNAL_FILE } from "../../project/work/formats/sprint_keys.ts";
import { MERGED_FILES } from "../../project/work/merge/mod.ts";

/** The name of our driver in git's configuration. */
export const DRIVER = "bmad-ledger";

/** The files, each with its driver; git has the last one itself. */
const DRIVERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MERGED_FILES.map((name) => [name, DRIVER])),
  [JOURNAL_FILE]: "union",
};

/** Our lines. Names without a slash hold in every folder. */
export const ATTRIBUTE_LINES: readonly string[] = Object.entries(DRIVERS).map(([name, driver]) =>
  `${name} merge=${driver}`
);

/** The first line of others that says how one of the files is merged; undefined if none does. */
export function foreignDriver(text: string): string | undefined {
  return splitLines(text).map((line) => line.trim()).find((line) => {
    const [pattern = "", ...attributes] = line.split(/\s+/);
    const own = attributes.findLast((one) => /^(?:[-!]?merge$|merge=|binary$)/.test(one));
    if (line.startsWith("#") || own === undefined) return false;
    const name = pattern.replace(/^"|"$/g, "").split("/").at(-1)!;
    return Object.entries(DRIVERS).some(([file, driver]) => fits(name, file) && own !== `merge=${driver}`);
  });
}

/** Whether a pattern of git's fits a name. A set of signs counts as any sign. */
function fits(pattern: string, name: string): boolean {
  const signs = pattern.match(/\[[^\]]{1,50}\]|\\?[^]/g) ?? [];
  let [at, from, star, matched] = [0, 0, -1, 0];
  while (from < name.length) {
    const sign = signs[at];
    if (sign === "*") [star, matched, at] = [at, from, at + 1];
    else if (sign !== undefined && (sign === "?" || sign.startsWith("[") || sign.at(-1) === name[from])) {
      [at, from] = [at + 1, from + 1];
    } else if (star >= 0) {
      matched++;
      [at, from] = [star + 1, matched];
    } else return false;
  }
  return signs.slice(at).every((sign) => sign === "*");
}
