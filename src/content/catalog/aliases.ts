/** Names that changed between BMAD generations, or that nothing replaced. `source`: which file of which release shows it. */
import { once } from "../../base/cache.ts";
import { CORE_MODULES } from "../../base/generations.ts";

/** Each by all names it has had, the present one last. */
const OWN_MODULES: readonly (readonly string[])[] = [
  ["bmad-core", "bmad-agent", "common"],
  CORE_MODULES,
  ["bmm", "method"],
];
const OWN_NAMES: ReadonlySet<string> = new Set(OWN_MODULES.flat());

export function isOwnModule(code: string): boolean {
  return OWN_NAMES.has(code.toLowerCase());
}

export function moduleNames(code: string): readonly string[] {
  const word = code.trim().toLowerCase();
  return OWN_MODULES.find((names) => names.includes(word)) ?? [word];
}

interface Renaming {
  readonly now: string;
  readonly before: readonly string[];
  /** Whether the present name also finds the old ones in an old installation. */
  readonly back?: true;
  /** False where a different item does the same work: then any other match for the name is better. */
  readonly isSame?: false;
  /** The release that no longer had it: in an older one, nothing else does its work. */
  readonly gone?: string;
  /** False for names that nobody searches for: too many of them would dilute the others. */
  readonly isSearched?: false;
}

const words = (text: string): readonly string[] => text.split(" ");

function rows(now: string, before: string, _source: string, facts: Omit<Renaming, "now" | "before"> = {}) {
  return words(now).map((name): Renaming => ({ now: name, before: words(before), ...facts }));
}

const BACK = { back: true } as const;
const UNSEARCHED = { isSearched: false } as const;
const SUCCESSOR = { isSame: false } as const;
const SINCE_V6 = { ...SUCCESSOR, gone: "6.0.0-alpha.0" } as const;
const FORGOTTEN = { ...SUCCESSOR, ...UNSEARCHED } as const;

const SHIMS = "6.12.0: the descriptions in v6-shims";
const REMOVALS = "6.12.0: removals.txt";
const CHANGELOG = "6.0.4: CHANGELOG.md";
const TEA = "tea 1.27.2: module-help.csv";
const BUILDER = "bmad-builder 1.1.0: its skills";

const renamings = once((): readonly Renaming[] =>
  [
    rows("ux-designer", "ux-expert", "6.0.0-alpha.7: its agents; Sally stayed", BACK),
    rows("tea", "qa quinn", `${CHANGELOG}, ${REMOVALS}`, { ...BACK, ...SUCCESSOR }),
    rows("bmad-master", "master", "6.0.0-alpha.7: CHANGELOG.md", BACK),
    rows("bmad-master", "bmad-orchestrator", "6.0.0-alpha.7: CHANGELOG.md; v4 has both", SINCE_V6),
    // Its menu lists everything; 6.2.0 dropped it without a word.
    rows(
      "help bmad",
      "bmad-master master bmad-orchestrator orchestrator",
      "6.1.0: bmad-master.md",
      { ...SUCCESSOR, gone: "6.2.0" },
    ),
    rows("dev", "sm quick-flow-solo-dev", REMOVALS, { ...SUCCESSOR, gone: "6.3.0" }),
    rows("pm", "po", "6.0.0-alpha.7: its agents", SINCE_V6),
    rows("analyst", "tech-writer", REMOVALS, { ...SUCCESSOR, gone: "6.11.0" }),
    rows("prd", "create-prd", SHIMS, BACK),
    rows("prd", "edit-prd validate-prd", SHIMS),
    rows("product-brief", "create-product-brief", REMOVALS, BACK),
    rows("product-brief", "product-brief-preview", REMOVALS, UNSEARCHED),
    rows("architecture", "create-architecture", SHIMS, BACK),
    rows("ux", "create-ux-design", REMOVALS, BACK),
    rows("build", "quick-dev quick-spec create-tech-spec tech-spec", `${SHIMS}, ${REMOVALS}`, BACK),
    rows("build", "quick-dev-new-preview quick-flow", REMOVALS, UNSEARCHED),
    rows("build", "dev-story create-story", SHIMS, { ...SUCCESSOR, gone: "6.11.0" }),
    // The created story has had the context since; a v4 task makes the same document.
    rows(
      "create-story build",
      "story-context epic-tech-context create-next-story validate-next-story brownfield-create-story " +
        "create-brownfield-story",
      `${CHANGELOG}, ${SHIMS}`,
      FORGOTTEN,
    ),
    rows("create-story", "create-next-story", "4.44.3: its tasks", { ...FORGOTTEN, ...BACK }),
    rows("build-auto", "dev-auto", SHIMS, BACK),
    rows("loop-setup", "auto-setup", REMOVALS),
    rows("project-context", "generate-project-context document-project", SHIMS, BACK),
    rows("walkthrough", "checkpoint-preview", SHIMS, BACK),
    rows("advanced-elicitation", "adv-elicit", "6.0.0-alpha.22: its workflows of core", BACK),
    rows(
      "qa-generate-e2e-tests",
      "qa-automate",
      "6.0.4: bmad-help.csv",
      BACK,
    ),
    rows("testarch-nfr", "nfr-assess", "6.0.0-alpha.7: bmm/workflows/testarch", BACK),
    ...words("atdd automate ci framework nfr test-design test-review trace")
      .map((name) => rows(`testarch-${name}`, name, TEA)),
    rows("testarch-test-design", "risk-profile", TEA, FORGOTTEN),
    rows("testarch-trace", "trace-requirements qa-gate", TEA, FORGOTTEN),
    rows("code-review", "review-story apply-qa-fixes", "6.0.0-alpha.7: quick-start.md", FORGOTTEN),
    rows("bmad", "help", "the records of modules: retired.toml", BACK),
    rows("help bmad", "workflow-status workflow-init", CHANGELOG),
    rows(
      "help bmad",
      "kb-mode-interaction greenfield-fullstack brownfield-fullstack greenfield-service brownfield-service " +
        "greenfield-ui brownfield-ui",
      CHANGELOG,
      FORGOTTEN,
    ),
    rows(
      "brainstorming",
      "brainstorm-project brainstorming-session",
      "6.0.0-alpha.22: bmm/workflows",
    ),
    rows("brainstorming", "facilitate-brainstorming-session", "6.0.0-alpha.7: core/workflows", UNSEARCHED),
    rows("project-context", "index-docs", REMOVALS, SUCCESSOR),
    rows("spec", "shard-doc distillator", REMOVALS, SUCCESSOR),
    rows("create-epics-and-stories", "brownfield-create-epic", "6.0.0-alpha.7: bmm/workflows", FORGOTTEN),
    rows("ux", "generate-ai-frontend-prompt", "6.12.0: external_handoffs of bmad-ux", FORGOTTEN),
    rows(
      "sprint-planning",
      "sprint-status check-implementation-readiness solutioning-gate-check",
      `${SHIMS}, ${REMOVALS}`,
    ),
    rows("deep-recon", "market-research domain-research technical-research research", SHIMS),
    rows("deep-recon", "create-deep-research-prompt", SHIMS, UNSEARCHED),
    rows(
      "review",
      "editorial-review editorial-review-prose editorial-review-structure review-adversarial-general " +
        "review-edge-case-hunter review-verification-gap",
      SHIMS,
    ),
    rows("builder", "create-agent edit-agent", BUILDER, FORGOTTEN),
    rows(
      "workflow-builder",
      "create-workflow edit-workflow audit-workflow workflow-compliance-check convert-legacy",
      BUILDER,
      FORGOTTEN,
    ),
    rows(
      "module-builder",
      "create-module edit-module module-brief",
      "6.0.0-alpha.22: bmb",
      FORGOTTEN,
    ),
  ].flat(2)
);

/** By id; where the agent's file is missing, nothing else says it. 4.44.3: its agents. */
export const V4_PERSONAS: Readonly<Record<string, string>> = Object.fromEntries(
  words("analyst:Mary architect:Winston dev:James pm:John po:Sarah qa:Quinn sm:Bob ux-expert:Sally")
    .concat("bmad-orchestrator:Orchestrator").map((row) => row.split(":")),
);

export interface Loss {
  readonly before: readonly string[];
  readonly module?: string;
  readonly nearest: readonly string[];
}

const V4_MODULES = "6.0.4: docs/how-to/upgrade-to-v6.md";

function lost(before: string, nearest: string, _source: string, module?: string): Loss {
  return { before: words(before), nearest: nearest === "" ? [] : words(nearest), module };
}

const losses = once((): readonly Loss[] => [
  lost("investigate", "deep-recon", REMOVALS),
  lost("init", "customize", REMOVALS),
  lost("story-ready story-done", "sprint-planning", CHANGELOG),
  lost("daily-standup", "party-mode", "6.0.0-alpha.22: bmm, without tasks"),
  lost(
    "create-excalidraw-dataflow create-excalidraw-diagram create-excalidraw-flowchart",
    "architecture",
    CHANGELOG,
  ),
  lost("create-excalidraw-wireframe", "ux", CHANGELOG),
  lost("frame-expert", "ux-designer", CHANGELOG),
  // The machinery of workflows and templates: a skill says itself how it is done.
  lost("workflow validate-workflow create-doc", "help", "6.2.0: core, without them"),
  lost("execute-checklist", "review", "6.0.0-alpha.7: core/tasks, without it"),
  lost(
    "agent module-builder create-module edit-module module-brief redoc",
    "builder workflow-builder",
    BUILDER,
  ),
  lost("cli-chief doc-keeper release-chief", "", "6.0.0-alpha.7: bmd"),
  lost(
    "brainstorming-coach creative-problem-solver design-thinking-coach innovation-strategist storyteller " +
      "presentation-master design-thinking innovation-strategy problem-solving storytelling",
    "brainstorming",
    "6.12.0: bmad-modules.yaml",
    "cis",
  ),
  lost(
    "game-architect game-designer game-dev game-developer game-scrum-master game-sm game-qa game-solo-dev " +
      "game-analyst game-pm game-po game-ux-expert brainstorm-game create-game-brief game-brief create-gdd gdd " +
      "narrative game-architecture quick-prototype gametest-automate gametest-performance gametest-playtest-plan " +
      "gametest-test-design gametest-framework gametest-test-review game-dev-greenfield game-prototype " +
      "create-game-story game-design-brainstorming correct-course-game validate-game-story " +
      "game-brownfield-create-epic game-brownfield-create-story game-risk-profile game-test-design " +
      "review-game-story",
    "",
    `${V4_MODULES}; 6.12.0: bmad-modules.yaml`,
    "gds",
  ),
  lost("infra-devops-platform review-infrastructure validate-infrastructure", "architect", V4_MODULES),
  lost(
    "beta-reader book-critic character-psychologist cover-designer dialog-specialist editor genre-specialist " +
      "narrative-designer plot-architect world-builder analyze-reader-feedback analyze-story-structure " +
      "assemble-kdp-package brainstorm-premise build-world character-depth-pass create-draft-section " +
      "critical-review develop-character expand-premise expand-synopsis final-polish generate-cover-brief " +
      "generate-cover-prompts generate-scene-list incorporate-feedback outline-scenes provide-feedback " +
      "publish-chapter quick-feedback select-next-arc workshop-dialog book-cover-design-workflow " +
      "novel-greenfield-workflow novel-serial-workflow novel-snowflake-workflow novel-writing " +
      "screenplay-development series-planning short-story-creation",
    "brainstorming",
    V4_MODULES,
  ),
]);

export function lossOf(name: string): Loss | undefined {
  return losses().find(({ before }) => before.includes(name));
}

const presentNames = once((): ReadonlyMap<string, string> =>
  new Map(
    renamings().filter(({ back, isSame = true }) => back && isSame)
      .flatMap(({ now, before }) => before.map((name) => [name, now])),
  )
);

export function presentName(name: string): string {
  return presentNames().get(name) ?? name;
}

interface OtherName {
  readonly name: string;
  readonly isSame: boolean;
  readonly gone?: string | undefined;
}

const allOtherNames = once((): ReadonlyMap<string, readonly OtherName[]> => {
  const all = new Map<string, OtherName[]>();
  for (const { now, before, back, isSame = true, gone } of renamings()) {
    const add = (name: string, others: readonly string[]) =>
      all.getOrInsertComputed(name, () => []).push(...others.map((other) => ({ name: other, isSame, gone })));
    for (const name of before) add(name, back ? [now, ...before.filter((other) => other !== name)] : [now]);
    if (back) add(now, before);
  }
  return all;
});

export function otherNames(name: string): readonly OtherName[] {
  return allOtherNames().get(name) ?? [];
}

export function namesLeadingTo(name: string): readonly string[] {
  const before = renamings().filter(({ now, isSearched = true }) => now === name && isSearched)
    .flatMap((renaming) => renaming.before);
  return [...new Set([...otherNames(name).map((other) => other.name), ...before])];
}
