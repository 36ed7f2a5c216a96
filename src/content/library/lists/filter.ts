/**
 * Which things a list or a search is about: of one kind, module or category.
 *
 * A word that can never fit, such as a category that there is not, is refused with those that do: an empty answer
 * would look as if there were nothing.
 */
import { fail } from "../../../base/errors.ts";
import { type Category, categoryOf, type Entry, isOf, type Kind } from "../../../base/model.ts";

/** What has to be true of an entry; what is not said is true of all. */
export interface Filter {
  /** Only what is of this kind, or plays this role. */
  readonly kind?: Kind;
  /** Only this module, by its code in any case. */
  readonly module?: string;
  /** One of the `Category` words, or a phase as BMAD spells it: `2-planning`. */
  readonly category?: string;
}

/** Puts entries in the order in which they are likely wanted; without it, they stay as the content has them. */
export type Order = (entries: readonly Entry[]) => readonly Entry[];

/** In the order in which projects go through them. */
export const CATEGORIES: readonly Category[] = [
  "analysis",
  "planning",
  "solutioning",
  "implementation",
  "other",
];

/** Tells whether an entry is asked for, or fails where nothing ever could be. */
export function filterOf(filter: Filter): (entry: Entry) => boolean {
  const { kind } = filter;
  const module = filter.module?.toLowerCase();
  const category = filter.category === undefined ? undefined : readCategory(filter.category);
  return (entry) =>
    (kind === undefined || isOf(entry, kind)) &&
    (!module || entry.module.toLowerCase() === module) &&
    (category === undefined || categoryOf(entry.phase) === category);
}

function readCategory(text: string): Category {
  const word = text.trim().toLowerCase();
  const category = CATEGORIES.find((one) => one === word) ?? categoryOf(word);
  if (category !== "other" || word === "other") return category;
  const problem = `"${text}" is no category`;
  return fail({
    code: "invalid-input",
    field: "category",
    problem,
    hint: `Use one of ${CATEGORIES.join(", ")}`,
  });
}
