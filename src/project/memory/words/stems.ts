/**
 * The stems that a question is looked up by where no index has them: in the texts of files.
 */
import type { Analysis } from "./analysis.ts";

/** More are not looked for. */
const MOST = 32;
/** What a text of a program is searched for: letters and digits that its words begin with. */
const PLAIN = /^[a-z0-9]{2,}$/;

/** The stems, each with the word of the question that it is from; those of its own words first. */
export function stemsOf({ terms, parts }: Analysis): ReadonlyMap<string, string> {
  const own = new Set(terms);
  const all = parts.flatMap(({ text, stems }) => [...stems].map((stem) => [stem, text] as const))
    .filter(([stem]) => PLAIN.test(stem));
  const sorted = [...all.filter(([stem]) => own.has(stem)), ...all.filter(([stem]) => !own.has(stem))];
  return new Map(sorted.slice(0, MOST));
}
