/**
 * What BMAD's generations call the same.
 */
import type { Category, Generation } from "./model.ts";

/** Whether nearly everything of a generation is a skill: up to 6.12 below an installer's manifests, later by itself. */
export function isOfSkills(generation: Generation | undefined): boolean {
  return generation === "skills" || generation === "flat";
}

/** What generations called BMAD's core, the present name last. */
export const CORE_MODULES: readonly string[] = ["core", "toolbox", "core-tools"];

const CATEGORIES: readonly (readonly [RegExp, Category])[] = [
  [/analysis/, "analysis"],
  [/plan/, "planning"],
  [/solutioning/, "solutioning"],
  [/implementation|^ship$/, "implementation"],
];

/** The category of a phase as any generation spells it: `2-plan-workflows`, `2-planning` and `plan` are one. */
export function phaseCategory(phase: string | undefined): Category {
  return CATEGORIES.find(([pattern]) => phase !== undefined && pattern.test(phase))?.[1] ?? "other";
}
