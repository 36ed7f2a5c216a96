/**
 * Names that changed between BMAD generations, and names that nothing replaced.
 *
 * One row for each item: its present name and its former ones, newest first. A request for any of these names finds the
 * item under whichever of them exists. Where an old item was folded into a larger one, the larger one does not stand
 * for the old one. `source` says which file of which release shows it; where no release says what replaced an item, it
 * is the file that shows who does its work.
 */

interface Renaming {
  readonly now: string;
  readonly before: readonly string[];
  /** Whether the present name also finds the old ones in an old installation. */
  readonly back?: true;
  /** False where a different item does the same work: then any other match for the name is better. */
  readonly isSame?: false;
  /** False for names that nobody searches for: with many of them, those that people do search for count less. */
  readonly isSearched?: false;
  readonly source: string;
}

const SHIMS = "6.12.0: the descriptions in v6-shims";
const REMOVALS = "6.12.0: removals.txt";
const CHANGELOG = "6.0.4: CHANGELOG.md";

const RENAMINGS: readonly Renaming[] = [
  // Agents
  {
    now: "ux-designer",
    before: ["ux-expert"],
    back: true,
    source: "6.0.0-alpha.7: its agents; Sally stayed",
  },
  { now: "tea", before: ["qa", "quinn"], back: true, isSame: false, source: `${CHANGELOG}, ${REMOVALS}` },
  {
    now: "bmad-master",
    before: ["master", "bmad-orchestrator"],
    back: true,
    source: "6.0.0-alpha.7: CHANGELOG.md",
  },
  // Its menu lists what there is; 6.2.0 dropped it without a word.
  ...["help", "bmad"].map((now) => ({
    now,
    before: ["bmad-master", "master", "bmad-orchestrator", "orchestrator"],
    isSame: false as const,
    source: "6.1.0: the menu of bmad-master.md",
  })),
  { now: "dev", before: ["sm", "quick-flow-solo-dev"], isSame: false, source: REMOVALS },
  { now: "pm", before: ["po"], isSame: false, source: "6.0.0-alpha.7: its agents" },
  { now: "analyst", before: ["tech-writer"], isSame: false, source: REMOVALS },
  // Workflows
  { now: "prd", before: ["create-prd"], back: true, source: SHIMS },
  { now: "prd", before: ["edit-prd", "validate-prd"], source: SHIMS },
  {
    now: "product-brief",
    before: ["create-product-brief"],
    back: true,
    source: REMOVALS,
  },
  { now: "product-brief", before: ["product-brief-preview"], isSearched: false, source: REMOVALS },
  { now: "architecture", before: ["create-architecture"], back: true, source: SHIMS },
  { now: "ux", before: ["create-ux-design"], back: true, source: REMOVALS },
  {
    now: "build",
    before: ["quick-dev", "quick-spec", "create-tech-spec", "tech-spec"],
    back: true,
    source: `${SHIMS}, ${REMOVALS}`,
  },
  { now: "build", before: ["quick-dev-new-preview", "quick-flow"], isSearched: false, source: REMOVALS },
  // It prepares a story and develops it.
  { now: "build", before: ["dev-story", "create-story"], isSame: false, source: SHIMS },
  // The story that is created has the context since; a task of v4 makes the same document.
  ...["create-story", "build"].map((now) => ({
    now,
    before: [
      "story-context",
      "epic-tech-context",
      "create-next-story",
      "validate-next-story",
      "brownfield-create-story",
      "create-brownfield-story",
    ],
    isSame: false as const,
    isSearched: false as const,
    source: `${CHANGELOG}, ${SHIMS}`,
  })),
  { now: "build-auto", before: ["dev-auto"], back: true, source: SHIMS },
  { now: "loop-setup", before: ["auto-setup"], source: REMOVALS },
  {
    now: "project-context",
    before: ["generate-project-context", "document-project"],
    back: true,
    source: SHIMS,
  },
  { now: "walkthrough", before: ["checkpoint-preview"], back: true, source: SHIMS },
  {
    now: "advanced-elicitation",
    before: ["adv-elicit"],
    back: true,
    source: "6.0.0-alpha.22: its workflows of core",
  },
  {
    now: "qa-generate-e2e-tests",
    before: ["qa-automate"],
    back: true,
    source: "6.0.4: bmad-help.csv, which has the former name",
  },
  {
    now: "testarch-nfr",
    before: ["nfr-assess"],
    back: true,
    source: "6.0.0-alpha.7: bmm/workflows/testarch",
  },
  ...["atdd", "automate", "ci", "framework", "nfr", "test-design", "test-review", "trace"]
    .map((name) => ({
      now: `testarch-${name}`,
      before: [name],
      source: "tea 1.27.2: module-help.csv",
    })),
  // Risks are assessed in the design of tests; tracing ends with a gate.
  {
    now: "testarch-test-design",
    before: ["risk-profile"],
    isSame: false,
    isSearched: false,
    source: "tea 1.27.2: module-help.csv",
  },
  {
    now: "testarch-trace",
    before: ["trace-requirements", "qa-gate"],
    isSame: false,
    isSearched: false,
    source: "tea 1.27.2: module-help.csv",
  },
  {
    now: "code-review",
    before: ["review-story", "apply-qa-fixes"],
    isSame: false,
    isSearched: false,
    source: "6.0.0-alpha.7: quick-start.md",
  },
  { now: "bmad", before: ["help"], back: true, source: "the records of modules: retired.toml" },
  ...["help", "bmad"].flatMap((now): readonly Renaming[] => [
    { now, before: ["workflow-status", "workflow-init"], source: CHANGELOG },
    {
      now,
      before: [
        "kb-mode-interaction",
        ...["fullstack", "service", "ui"].flatMap((kind) => [`greenfield-${kind}`, `brownfield-${kind}`]),
      ],
      isSame: false,
      isSearched: false,
      source: CHANGELOG,
    },
  ]),
  {
    now: "brainstorming",
    before: ["brainstorm-project", "brainstorming-session"],
    source: "6.0.0-alpha.22: bmm/workflows, without it",
  },
  {
    now: "brainstorming",
    before: ["facilitate-brainstorming-session"],
    isSearched: false,
    source: "6.0.0-alpha.7: core/workflows",
  },
  { now: "project-context", before: ["index-docs"], isSame: false, source: REMOVALS },
  { now: "spec", before: ["shard-doc", "distillator"], isSame: false, source: REMOVALS },
  {
    now: "create-epics-and-stories",
    before: ["brownfield-create-epic"],
    isSame: false,
    isSearched: false,
    source: "6.0.0-alpha.7: bmm/workflows",
  },
  {
    now: "ux",
    before: ["generate-ai-frontend-prompt"],
    isSame: false,
    isSearched: false,
    source: "6.12.0: external_handoffs of bmad-ux",
  },
  {
    now: "sprint-planning",
    before: ["sprint-status", "check-implementation-readiness", "solutioning-gate-check"],
    source: `${SHIMS}, ${REMOVALS}`,
  },
  {
    now: "deep-recon",
    before: ["market-research", "domain-research", "technical-research", "research"],
    source: SHIMS,
  },
  { now: "deep-recon", before: ["create-deep-research-prompt"], isSearched: false, source: SHIMS },
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
    source: SHIMS,
  },
  // Of the builder
  {
    now: "builder",
    before: ["create-agent", "edit-agent"],
    isSame: false,
    isSearched: false,
    source: "bmad-builder 1.1.0: its skills",
  },
  {
    now: "workflow-builder",
    before: [
      "create-workflow",
      "edit-workflow",
      "audit-workflow",
      "workflow-compliance-check",
      "convert-legacy",
    ],
    isSame: false,
    isSearched: false,
    source: "bmad-builder 1.1.0: its skills",
  },
  {
    now: "module-builder",
    before: ["create-module", "edit-module", "module-brief"],
    isSame: false,
    isSearched: false,
    source: "6.0.0-alpha.22: its agents of bmb",
  },
];

/** Names that no item of BMAD's own modules has replaced. */
export interface Loss {
  /** The module that has such items now, where there is one. */
  readonly module?: string;
  /** What comes closest, best first. */
  readonly nearest: readonly string[];
}

const V4_MODULES = "6.0.4: docs/how-to/upgrade-to-v6.md";

const LOSSES: readonly (Loss & { readonly before: readonly string[]; readonly source: string })[] = [
  { before: ["investigate"], nearest: ["deep-recon"], source: REMOVALS },
  { before: ["init"], nearest: ["customize"], source: REMOVALS },
  { before: ["story-ready", "story-done"], nearest: ["sprint-planning"], source: CHANGELOG },
  { before: ["daily-standup"], nearest: ["party-mode"], source: "6.0.0-alpha.22: bmm, without tasks" },
  {
    before: words("create-excalidraw-dataflow create-excalidraw-diagram create-excalidraw-flowchart"),
    nearest: ["architecture"],
    source: CHANGELOG,
  },
  { before: ["create-excalidraw-wireframe"], nearest: ["ux"], source: CHANGELOG },
  { before: ["frame-expert"], nearest: ["ux-designer"], source: CHANGELOG },
  // The machinery of workflows and templates: a skill says itself how it is done.
  {
    before: ["workflow", "validate-workflow", "create-doc"],
    nearest: ["help"],
    source: "6.2.0: core, without them",
  },
  { before: ["execute-checklist"], nearest: ["review"], source: "6.0.0-alpha.7: core/tasks, without it" },
  {
    before: ["agent", "module-builder", "create-module", "edit-module", "module-brief", "redoc"],
    nearest: ["builder", "workflow-builder"],
    source: "bmad-builder 1.1.0: its skills",
  },
  { before: words("cli-chief doc-keeper release-chief"), nearest: [], source: "6.0.0-alpha.7: bmd" },
  {
    module: "cis",
    before: words(
      "brainstorming-coach creative-problem-solver design-thinking-coach innovation-strategist storyteller " +
        "presentation-master design-thinking innovation-strategy problem-solving storytelling",
    ),
    nearest: ["brainstorming"],
    source: "6.12.0: bmad-modules.yaml",
  },
  {
    module: "gds",
    before: words(
      "game-architect game-designer game-dev game-developer game-scrum-master game-sm game-qa game-solo-dev " +
        "game-analyst game-pm game-po game-ux-expert brainstorm-game create-game-brief game-brief create-gdd gdd " +
        "narrative game-architecture quick-prototype gametest-automate gametest-performance gametest-playtest-plan " +
        "gametest-test-design gametest-framework gametest-test-review game-dev-greenfield game-prototype " +
        "create-game-story game-design-brainstorming correct-course-game validate-game-story " +
        "game-brownfield-create-epic game-brownfield-create-story game-risk-profile game-test-design " +
        "review-game-story",
    ),
    nearest: [],
    source: `${V4_MODULES}; 6.12.0: bmad-modules.yaml`,
  },
  {
    before: words("infra-devops-platform review-infrastructure validate-infrastructure"),
    nearest: ["architect"],
    source: V4_MODULES,
  },
  {
    before: words(
      "beta-reader book-critic character-psychologist cover-designer dialog-specialist editor genre-specialist " +
        "narrative-designer plot-architect world-builder analyze-reader-feedback analyze-story-structure " +
        "assemble-kdp-package brainstorm-premise build-world character-depth-pass create-draft-section " +
        "critical-review develop-character expand-premise expand-synopsis final-polish generate-cover-brief " +
        "generate-cover-prompts generate-scene-list incorporate-feedback outline-scenes provide-feedback " +
        "publish-chapter quick-feedback select-next-arc workshop-dialog book-cover-design-workflow " +
        "novel-greenfield-workflow novel-serial-workflow novel-snowflake-workflow novel-writing " +
        "screenplay-development series-planning short-story-creation",
    ),
    nearest: ["brainstorming"],
    source: V4_MODULES,
  },
];

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** What is known of a short name that nothing has replaced. */
export function lossOf(name: string): Loss | undefined {
  return LOSSES.find(({ before }) => before.includes(name));
}

const PRESENT_NAMES: ReadonlyMap<string, string> = new Map(
  RENAMINGS.filter(({ back, isSame = true }) => back && isSame)
    .flatMap(({ now, before }) => before.map((name) => [name, now] as const)),
);

/** The name that an item with this short name has now. */
export function presentName(name: string): string {
  return PRESENT_NAMES.get(name) ?? name;
}

/** Another name of an item, or the name of the closest one. */
export interface OtherName {
  readonly name: string;
  readonly isSame: boolean;
}

let otherNamesByName: ReadonlyMap<string, readonly OtherName[]> | undefined;

/** The other names under which an item with this short name, or the closest one, may be found, best first. */
export function otherNames(name: string): readonly OtherName[] {
  otherNamesByName ??= indexOtherNames();
  return otherNamesByName.get(name) ?? [];
}

function indexOtherNames(): ReadonlyMap<string, readonly OtherName[]> {
  const index = new Map<string, OtherName[]>();
  for (const { now, before, back, isSame = true } of RENAMINGS) {
    const add = (name: string, others: readonly string[]) =>
      index.getOrInsertComputed(name, () => []).push(...others.map((other) => ({ name: other, isSame })));
    for (const name of before) add(name, back ? [now, ...before.filter((other) => other !== name)] : [now]);
    if (back) add(now, before);
  }
  return index;
}

/** Every name under which the item with this short name may be looked for. */
export function namesLeadingTo(name: string): readonly string[] {
  const before = RENAMINGS.filter(({ now, isSearched = true }) => now === name && isSearched)
    .flatMap((renaming) => renaming.before);
  return [...new Set([...otherNames(name).map((other) => other.name), ...before])];
}
