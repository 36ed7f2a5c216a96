/**
 * The category of an item: the phase of a project in which it is used.
 *
 * Earlier releases file each workflow under one of four phases. From 6.11 on there are only `plan`, `ship` and anytime,
 * so an item whose phase no longer says it keeps the category that it had before.
 */
import { presentName } from "./aliases.ts";
import { isOwnModule } from "./identity.ts";
import { phaseCategory } from "../../base/generations.ts";
import type { Category, Item } from "../../base/model.ts";

/** Where BMAD's own workflows belong, by their present names. */
const FORMER: Readonly<Partial<Record<Category, readonly string[]>>> = {
  analysis: ["brainstorming", "deep-recon", "forge-idea", "prfaq", "product-brief"],
  planning: ["prd", "spec", "ux"],
  solutioning: ["architecture", "create-epics-and-stories"],
  implementation: ["correct-course", "sprint-planning"],
};

const BY_NAME: ReadonlyMap<string, Category> = new Map(
  Object.entries(FORMER).flatMap(([category, names]) =>
    names.map((name) => [name, category as Category] as const)
  ),
);

/** The category of an item. */
export function categoryOf({ phase, module, name }: Pick<Item, "phase" | "module" | "name">): Category {
  // A numbered phase is one of the four.
  const isExact = phase !== undefined && /^\d/.test(phase);
  const former = !isExact && isOwnModule(module) ? BY_NAME.get(presentName(name)) : undefined;
  return former ?? phaseCategory(phase);
}
