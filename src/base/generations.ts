import type { Category, Generation } from "./model.ts";

export interface GenerationFacts {
  /** Up to 6.12 below an installer's manifests, later by itself. */
  readonly isOfSkills: boolean;
  /** Earlier, one folder held all items of a kind. */
  readonly hasItemFolders: boolean;
  /** `*.customize.yaml` then changes them. */
  readonly compilesAgents: boolean;
}

/** The newest first: within one origin it overrides the older ones. */
export const GENERATIONS: Readonly<Record<Generation, GenerationFacts>> = {
  flat: { isOfSkills: true, hasItemFolders: true, compilesAgents: false },
  skills: { isOfSkills: true, hasItemFolders: true, compilesAgents: false },
  v6: { isOfSkills: false, hasItemFolders: true, compilesAgents: true },
  v4: { isOfSkills: false, hasItemFolders: false, compilesAgents: false },
  v3: { isOfSkills: false, hasItemFolders: false, compilesAgents: false },
};

export const NEWEST_FIRST = Object.keys(GENERATIONS) as readonly Generation[];

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
