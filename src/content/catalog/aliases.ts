/**
 * Names that changed between BMAD generations.
 *
 * One row for each item: its present name and its former ones, newest first. A request for any of these names finds the
 * item under whichever of them exists. Where an old item was folded into a larger one, the larger one does not stand
 * for the old one.
 */

interface Renaming {
  readonly now: string;
  readonly before: readonly string[];
  /** Whether the present name also finds the old ones in an old installation. */
  readonly back?: true;
  /** False where a different item does the same work: then any other match for the name is better. */
  readonly isSame?: false;
}

const RENAMINGS: readonly Renaming[] = [
  // Agents
  { now: "ux-designer", before: ["ux-expert"], back: true },
  { now: "tea", before: ["qa", "quinn"], back: true, isSame: false },
  { now: "bmad-master", before: ["master", "bmad-orchestrator"], back: true },
  { now: "dev", before: ["sm", "quick-flow-solo-dev"], isSame: false },
  { now: "pm", before: ["po"], isSame: false },
  { now: "analyst", before: ["tech-writer"], isSame: false },
  // Workflows
  { now: "prd", before: ["create-prd"], back: true },
  { now: "prd", before: ["edit-prd", "validate-prd"] },
  { now: "product-brief", before: ["create-product-brief"], back: true },
  { now: "architecture", before: ["create-architecture"], back: true },
  { now: "ux", before: ["create-ux-design"], back: true },
  { now: "build", before: ["quick-dev", "quick-spec", "create-tech-spec", "tech-spec"], back: true },
  // It prepares a story and develops it.
  { now: "build", before: ["dev-story", "create-story"], isSame: false },
  { now: "build-auto", before: ["dev-auto"], back: true },
  { now: "project-context", before: ["generate-project-context", "document-project"], back: true },
  { now: "walkthrough", before: ["checkpoint-preview"], back: true },
  { now: "advanced-elicitation", before: ["adv-elicit"], back: true },
  { now: "qa-generate-e2e-tests", before: ["qa-automate"], back: true },
  { now: "testarch-nfr", before: ["nfr-assess"], back: true },
  ...["atdd", "automate", "ci", "framework", "nfr", "test-design", "test-review", "trace"]
    .map((name) => ({ now: `testarch-${name}`, before: [name] })),
  { now: "bmad", before: ["help"], back: true },
  { now: "help", before: ["workflow-status", "workflow-init"] },
  { now: "bmad", before: ["workflow-status", "workflow-init"] },
  { now: "brainstorming", before: ["brainstorm-project", "brainstorming-session"] },
  { now: "project-context", before: ["index-docs"], isSame: false },
  { now: "spec", before: ["shard-doc", "distillator"], isSame: false },
  {
    now: "sprint-planning",
    before: ["sprint-status", "check-implementation-readiness", "solutioning-gate-check"],
  },
  { now: "deep-recon", before: ["market-research", "domain-research", "technical-research", "research"] },
  {
    now: "review",
    before: [
      "editorial-review",
      "editorial-review-prose",
      "editorial-review-structure",
      "review-adversarial-general",
      "review-edge-case-hunter",
      "review-verification-gap",
    ],
  },
];

const PRESENT_NAMES: ReadonlyMap<string, string> = new Map(
  RENAMINGS.filter(({ back, isSame = true }) => back && isSame)
    .flatMap(({ now, before }) => before.map((name) => [name, now] as const)),
);

/** The name that an item with this short name has now. */
export function presentName(name: string): string {
  return PRESENT_NAMES.get(name) ?? name;
}

/** The other names under which an item with this short name, or the closest one, may be found, best first. */
export function otherNames(name: string): readonly { readonly name: string; readonly isSame: boolean }[] {
  return RENAMINGS.flatMap(({ now, before, back, isSame = true }) => {
    const names = before.includes(name)
      ? back ? [now, ...before.filter((other) => other !== name)] : [now]
      : now === name && back
      ? before
      : [];
    return names.map((name) => ({ name, isSame }));
  });
}

/** Every name under which the item with this short name may be looked for. */
export function namesLeadingTo(name: string): readonly string[] {
  const before = RENAMINGS.filter(({ now }) => now === name).flatMap((renaming) => renaming.before);
  return [...new Set([...otherNames(name).map((other) => other.name), ...before])];
}
