/**
 * How BMAD's generations differ, and what they call the same.
 */
import type { Category, Generation } from "./model.ts";

/** What several units ask about a generation. What only one file asks stands there. */
export interface GenerationFacts {
  /** Whether nearly everything is a skill: up to 6.12 below an installer's manifests, later by itself. */
  readonly isOfSkills: boolean;
  /** Whether workflows and skills have folders of their own; before, a folder held all items of one kind. */
  readonly hasItemFolders: boolean;
  /** Whether an installer compiles agents, which `*.customize.yaml` then changes. */
  readonly compilesAgents: boolean;
}

/** Every generation, the newest first: within one origin it overrides the older ones. */
export const GENERATIONS: Readonly<Record<Generation, GenerationFacts>> = {
  flat: { isOfSkills: true, hasItemFolders: true, compilesAgents: false },
  skills: { isOfSkills: true, hasItemFolders: true, compilesAgents: false },
  v6: { isOfSkills: false, hasItemFolders: true, compilesAgents: true },
  v4: { isOfSkills: false, hasItemFolders: false, compilesAgents: false },
  v3: { isOfSkills: false, hasItemFolders: false, compilesAgents: false },
};

/** In the order of the table. */
export const NEWEST_FIRST = Object.keys(GENERATIONS) as readonly Generation[];

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
