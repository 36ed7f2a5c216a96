/**
 * Filters for lists and searches: by kind, module or category.
 *
 * An unknown category fails with the known ones: an empty list would look as if nothing matched.
 */
import { categoryOf, moduleNames } from "../../catalog/mod.ts";
import { fail } from "../../../base/errors.ts";
import { phaseCategory } from "../../../base/generations.ts";
import { type Category, type Entry, isOf, type Kind } from "../../../base/model.ts";

/** The conditions that an entry must meet. */
export interface Filter {
  /** Only entries of this kind or role. */
  readonly kind?: Kind;
  /** Only this module, by its code; case does not matter. */
  readonly module?: string;
  /** One of the `Category` words, or a phase as BMAD spells it: `2-planning`. */
  readonly category?: string;
}

/** Sorts entries by how likely they are wanted. */
export type Order = (entries: readonly Entry[]) => readonly Entry[];

/** In the order of a project. */
export const CATEGORIES: readonly Category[] = [
  "analysis",
  "planning",
  "solutioning",
  "implementation",
  "other",
];

/** The test for a filter; fails for an unknown category. */
export function filterOf(filter: Filter): (entry: Entry) => boolean {
  const { kind } = filter;
  const modules = filter.module ? moduleNames(filter.module) : undefined;
  const category = filter.category === undefined ? undefined : parseCategory(filter.category);
  return (entry) =>
    (kind === undefined || isOf(entry, kind)) &&
    (modules === undefined || modules.includes(entry.module.toLowerCase())) &&
    (category === undefined || categoryOf(entry) === category);
}

function parseCategory(text: string): Category {
  const word = text.trim().toLowerCase();
  const category = CATEGORIES.find((one) => one === word) ?? phaseCategory(word);
  if (category !== "other" || word === "other") return category;
  const problem = `expected one of ${CATEGORIES.join(", ")}, got "${text}"`;
  return fail({ code: "invalid-input", field: "category", problem });
}
