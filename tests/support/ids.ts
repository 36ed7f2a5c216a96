/**
 * What does each release of BMAD bring?
 *
 * Counted by hand in the packages themselves, so that tests do not ask the program what it should find.
 */
import type { Item } from "../../src/base/model.ts";

const prefixed = (words: string) => words.trim().split(/\s+/).map((word) => `bmad-${word}`);

/** The skills of core 6.12.0. */
export const CORE_SKILLS = prefixed(
  "advanced-elicitation brainstorming customize deep-recon forge-idea help party-mode review",
);

export const BMM_AGENTS = prefixed("agent-analyst agent-architect agent-dev agent-pm agent-ux-designer");

export const BMM_WORKFLOWS = prefixed(
  "architecture create-epics-and-stories prd prfaq product-brief project-context spec sprint-planning ux " +
    "build build-auto code-review correct-course qa-generate-e2e-tests retrospective walkthrough",
);

/** Those of them that only launch a script, which renders their workflow. */
export const LAUNCHERS = prefixed("build build-auto");

/** The skills of core and bmm 6.12.0 that only forward to newer ones. */
export const SHIMS = prefixed(
  "editorial-review editorial-review-prose editorial-review-structure review-adversarial-general " +
    "review-edge-case-hunter review-verification-gap checkpoint-preview create-architecture create-prd create-story " +
    "dev-auto dev-story document-project domain-research edit-prd generate-project-context market-research quick-dev " +
    "sprint-status technical-research validate-prd",
);

/** The skills of tea 1.27.2; the first is an agent. */
export const TEA_SKILLS = prefixed(
  "tea teach-me-testing testarch-atdd testarch-automate testarch-ci testarch-framework testarch-nfr " +
    "testarch-test-design testarch-test-review testarch-trace",
);

export const BMB_SKILLS = prefixed("agent-builder workflow-builder");

/** What the installer of 6.12.0 installs with bmm: 8 of core, 21 of bmm. */
export const INSTALLED = [...CORE_SKILLS, ...BMM_AGENTS, ...BMM_WORKFLOWS];

/** The ids of a module's things by kind, with spaces between; `hidden …` is what is reached by name alone. */
type Shelf = Readonly<Record<string, string>>;

export type Shelves = Readonly<Record<string, Shelf>>;

const LISTED_KINDS = ["agent", "workflow", "task", "tool", "skill", "team"];

/** What was found, in the form of the tables below: sorted, each thing as often as it was found. */
export function shelvesOf(items: readonly Item[], kinds: readonly string[] = LISTED_KINDS): Shelves {
  const shelves: Record<string, Record<string, string[]>> = {};
  for (const item of items.filter(({ kind }) => kinds.includes(kind))) {
    const kind = item.roles.includes("agent") ? "agent" : item.kind;
    const label = item.roles.includes("shim") || item.roles.includes("internal") ? `hidden ${kind}` : kind;
    ((shelves[item.module] ??= {})[label] ??= []).push(item.id);
  }
  return Object.fromEntries(
    Object.entries(shelves).map(([module, shelf]) => [
      module,
      Object.fromEntries(Object.entries(shelf).map(([kind, ids]) => [kind, ids.sort().join(" ")])),
    ]),
  );
}

/** How many things each shelf of each module holds: `bmm agent 9`. */
export function countsOf(shelves: Shelves): readonly string[] {
  return Object.entries(shelves).flatMap(([module, shelf]) =>
    Object.entries(shelf).map(([kind, ids]) => `${module} ${kind} ${ids.split(" ").length}`)
  ).sort();
}

/** Words in order: what a table lists by theme, a listing has sorted. */
function sorted(...words: readonly string[]): string {
  return words.join(" ").trim().split(/\s+/).sort().join(" ");
}

const skills = (words: string) => sorted(...prefixed(words));

export const V4_KINDS = ["agent", "workflow", "task", "team", "template", "checklist", "knowledge"];

const V4_TASKS =
  "advanced-elicitation apply-qa-fixes brownfield-create-epic brownfield-create-story correct-course " +
  "create-brownfield-story create-deep-research-prompt create-next-story document-project " +
  "facilitate-brainstorming-session generate-ai-frontend-prompt index-docs kb-mode-interaction nfr-assess qa-gate " +
  "review-story risk-profile shard-doc test-design trace-requirements validate-next-story";

const COMMON_TASKS = "create-doc execute-checklist";

/** `bmad-core` of 4.44.3 as its source has it. */
const V4_CORE_SOURCE: Shelf = {
  agent: "analyst architect bmad-master bmad-orchestrator dev pm po qa sm ux-expert",
  workflow:
    "brownfield-fullstack brownfield-service brownfield-ui greenfield-fullstack greenfield-service greenfield-ui",
  task: V4_TASKS,
  team: "team-all team-fullstack team-ide-minimal team-no-ui",
  template: "architecture-tmpl brainstorming-output-tmpl brownfield-architecture-tmpl brownfield-prd-tmpl " +
    "competitor-analysis-tmpl front-end-architecture-tmpl front-end-spec-tmpl fullstack-architecture-tmpl " +
    "market-research-tmpl prd-tmpl project-brief-tmpl qa-gate-tmpl story-tmpl",
  checklist:
    "architect-checklist change-checklist pm-checklist po-master-checklist story-dod-checklist story-draft-checklist",
  knowledge:
    "bmad-kb brainstorming-techniques elicitation-methods technical-preferences test-levels-framework " +
    "test-priorities-matrix",
};

/** `.bmad-core` of 4.44.3: the source and what it shares with the packs. */
export const V4_CORE: Shelves = {
  "bmad-core": { ...V4_CORE_SOURCE, task: sorted(V4_TASKS, COMMON_TASKS) },
};

/** The agents of the expansion packs of 4.44.3, installed: 33 with those that they copy from core. */
export const V4_PACK_AGENTS: Readonly<Record<string, string>> = {
  "bmad-2d-phaser-game-dev": "analyst bmad-orchestrator game-designer game-developer game-sm",
  "bmad-2d-unity-game-dev": "analyst bmad-orchestrator game-architect game-designer game-developer game-sm",
  "bmad-creative-writing":
    "beta-reader bmad-orchestrator book-critic character-psychologist cover-designer dialog-specialist editor " +
    "genre-specialist narrative-designer plot-architect world-builder",
  "bmad-godot-game-dev":
    "bmad-orchestrator game-analyst game-architect game-designer game-developer game-pm game-po game-qa game-sm " +
    "game-ux-expert",
  "bmad-infrastructure-devops": "infra-devops-platform",
};

/** The number of things of each kind in the packs, in the order of `V4_KINDS`. */
export const V4_PACK_COUNTS = {
  installed: {
    "bmad-2d-phaser-game-dev": [5, 2, 9, 1, 9, 2, 4],
    "bmad-2d-unity-game-dev": [6, 2, 13, 1, 9, 4, 4],
    "bmad-creative-writing": [11, 8, 26, 1, 8, 27, 3],
    "bmad-godot-game-dev": [10, 2, 21, 1, 12, 6, 5],
    "bmad-infrastructure-devops": [1, 0, 4, 0, 2, 1, 2],
  },
  source: {
    "bmad-2d-phaser-game-dev": [3, 2, 3, 1, 5, 2, 2],
    "bmad-2d-unity-game-dev": [4, 2, 5, 1, 5, 4, 2],
    "bmad-creative-writing": [10, 8, 25, 1, 8, 27, 2],
    "bmad-godot-game-dev": [10, 2, 21, 1, 12, 5, 5],
    "bmad-infrastructure-devops": [1, 0, 2, 0, 2, 1, 1],
  },
} as const;

export const V4_SOURCE: Shelves = { "bmad-core": V4_CORE_SOURCE, common: { task: COMMON_TASKS } };

const CIS_WORKFLOWS = "design-thinking innovation-strategy problem-solving storytelling";

const CIS_AGENTS =
  "brainstorming-coach creative-problem-solver design-thinking-coach innovation-strategist storyteller";

const TESTARCH = "testarch-atdd testarch-automate testarch-ci testarch-framework testarch-nfr " +
  "testarch-test-design testarch-test-review testarch-trace";

const ALPHA_7_BMB: Shelf = {
  agent: "bmad-builder",
  workflow:
    "audit-workflow convert-legacy create-agent create-module create-workflow edit-agent edit-module " +
    "edit-workflow module-brief redoc",
};

const ALPHA_7_CORE: Shelf = {
  agent: "bmad-master",
  workflow: "brainstorming party-mode",
  task: "adv-elicit index-docs validate-workflow workflow",
  tool: "shard-doc",
};

/** The compiled tree that lies in the package of 6.0.0-alpha.7. */
export const ALPHA_7_COMPILED: Shelves = { core: ALPHA_7_CORE, bmb: ALPHA_7_BMB };

export const ALPHA_7: Shelves = {
  core: ALPHA_7_CORE,
  bmb: ALPHA_7_BMB,
  bmm: {
    agent: "analyst architect dev pm sm tea tech-writer ux-designer",
    workflow: sorted(
      "brainstorm-project domain-research product-brief research create-ux-design create-epics-and-stories prd",
      "tech-spec architecture solutioning-gate-check code-review correct-course create-story dev-story",
      "epic-tech-context retrospective sprint-planning story-context story-done story-ready document-project",
      "workflow-init workflow-status",
      TESTARCH,
    ),
    task: "daily-standup",
    team: "team-fullstack",
  },
  cis: { agent: CIS_AGENTS, workflow: CIS_WORKFLOWS, team: "creative-squad" },
  bmgd: {
    agent: "game-architect game-designer game-dev game-scrum-master",
    workflow: sorted(
      "brainstorm-game game-brief gdd narrative game-architecture code-review correct-course create-story dev-story",
      "epic-tech-context retrospective sprint-planning story-context story-done story-ready",
    ),
    team: "team-gamedev",
  },
};

/** The sources of 6.0.0-alpha.22: 25 agents, 69 workflows without the sample that its installer lists too. */
export const ALPHA_22: Shelves = {
  core: {
    agent: "bmad-master",
    workflow: "brainstorming party-mode",
    "hidden workflow": "advanced-elicitation",
    task: "index-docs review-adversarial-general shard-doc validate-workflow workflow",
  },
  bmb: {
    agent: "agent-builder module-builder workflow-builder",
    workflow: "agent create-module create-workflow edit-workflow workflow-compliance-check",
  },
  bmm: {
    agent: "analyst architect dev pm quick-flow-solo-dev sm tea tech-writer ux-designer",
    workflow: sorted(
      "create-product-brief research create-ux-design create-prd check-implementation-readiness create-architecture",
      "create-epics-and-stories code-review correct-course create-story dev-story retrospective sprint-planning",
      "sprint-status create-tech-spec quick-dev document-project create-excalidraw-dataflow",
      "create-excalidraw-diagram create-excalidraw-flowchart create-excalidraw-wireframe generate-project-context",
      "workflow-init workflow-status",
      TESTARCH,
    ),
    team: "team-fullstack",
  },
  cis: {
    agent: sorted(CIS_AGENTS, "presentation-master"),
    workflow: CIS_WORKFLOWS,
    team: "creative-squad",
  },
  bmgd: {
    agent: "game-architect game-designer game-dev game-qa game-scrum-master game-solo-dev",
    workflow: sorted(
      "brainstorm-game create-game-brief game-brief create-gdd gdd narrative game-architecture",
      "generate-project-context code-review correct-course create-story dev-story retrospective sprint-planning",
      "sprint-status create-tech-spec quick-dev quick-prototype gametest-automate gametest-performance",
      "gametest-playtest-plan gametest-test-design gametest-framework gametest-test-review workflow-init",
      "workflow-status",
    ),
    team: "team-gamedev",
  },
};

/** What the tasks of 6.0 are from Beta.5 on. */
const CORE_TASKS =
  "editorial-review-prose editorial-review-structure help index-docs review-adversarial-general shard-doc";

export const BETA_5: Shelves = {
  core: {
    agent: "bmad-master",
    workflow: "brainstorming party-mode",
    "hidden workflow": "advanced-elicitation",
    task: sorted(CORE_TASKS, "workflow"),
  },
  bmm: {
    agent: "analyst architect dev pm quick-flow-solo-dev quinn sm tech-writer ux-designer",
    workflow: sorted(
      "create-product-brief research create-prd create-ux-design check-implementation-readiness create-architecture",
      "create-epics-and-stories code-review correct-course create-story dev-story retrospective sprint-planning",
      "sprint-status quick-dev quick-spec document-project create-excalidraw-dataflow create-excalidraw-diagram",
      "create-excalidraw-flowchart create-excalidraw-wireframe generate-project-context qa-automate",
    ),
    team: "team-fullstack",
  },
};

const BMM_6_0: Shelf = {
  agent: "analyst architect dev pm qa quick-flow-solo-dev sm tech-writer ux-designer",
  workflow: sorted(
    "create-product-brief domain-research market-research technical-research create-prd edit-prd validate-prd",
    "create-ux-design check-implementation-readiness create-architecture create-epics-and-stories code-review",
    "correct-course create-story dev-story retrospective sprint-planning sprint-status quick-dev quick-spec",
    "document-project generate-project-context qa-generate-e2e-tests",
  ),
  team: "team-fullstack",
};

/** 6.0.4, installed and as source: the engine that runs workflows is in no manifest. */
export const V6_0_4: Shelves = {
  core: {
    agent: "bmad-master",
    workflow: "brainstorming party-mode",
    "hidden workflow": "advanced-elicitation",
    task: sorted(CORE_TASKS, "review-edge-case-hunter"),
    "hidden task": "workflow",
  },
  bmm: BMM_6_0,
};

export const V6_1_0: Shelves = {
  core: {
    agent: "bmad-master",
    workflow: "advanced-elicitation",
    skill: skills(`${CORE_TASKS} review-edge-case-hunter brainstorming party-mode`),
  },
  bmm: { ...BMM_6_0, skill: "bmad-quick-dev-new-preview" },
};

/** 6.2.0, installed: all workflows are skills, the agents are not yet. One skill came into the wrong module. */
export const V6_2_0: Shelves = {
  core: {
    skill: skills(
      `${CORE_TASKS} review-edge-case-hunter brainstorming party-mode advanced-elicitation distillator create-prd`,
    ),
  },
  bmm: {
    agent: BMM_6_0["agent"]!,
    skill: skills(
      "create-product-brief product-brief-preview domain-research market-research technical-research " +
        "create-ux-design edit-prd validate-prd check-implementation-readiness create-architecture " +
        "create-epics-and-stories code-review correct-course create-story dev-story retrospective sprint-planning " +
        "sprint-status document-project generate-project-context qa-generate-e2e-tests quick-dev " +
        "quick-dev-new-preview quick-spec",
    ),
    team: "team-fullstack",
  },
};

const AGENTS_6_5 = skills(
  "agent-analyst agent-tech-writer agent-pm agent-ux-designer agent-architect agent-dev",
);

const BMM_6_5 = "document-project prfaq product-brief domain-research market-research technical-research " +
  "check-implementation-readiness create-architecture create-epics-and-stories generate-project-context " +
  "checkpoint-preview code-review correct-course create-story dev-story qa-generate-e2e-tests quick-dev " +
  "retrospective sprint-planning sprint-status";

const CORE_6_5 = `${CORE_TASKS} review-edge-case-hunter brainstorming party-mode advanced-elicitation`;

export const V6_5_0: Shelves = {
  core: { skill: skills(`${CORE_6_5} distillator customize`) },
  bmm: {
    agent: AGENTS_6_5,
    skill: skills(`${BMM_6_5} create-prd create-ux-design edit-prd validate-prd`),
  },
};

export const V6_3_0: Shelves = { ...V6_5_0, core: { skill: skills(`${CORE_6_5} distillator`) } };

/** 6.8.0, installed: three skills say that they are deprecated. */
export const V6_8_0: Shelves = {
  core: { skill: skills(`${CORE_6_5} customize spec`) },
  bmm: {
    agent: AGENTS_6_5,
    skill: skills(`${BMM_6_5} prd ux investigate`),
    "hidden skill": skills("create-prd edit-prd validate-prd"),
  },
};

export const V6_12_0: Shelves = {
  core: { skill: sorted(...CORE_SKILLS) },
  bmm: { agent: sorted(...BMM_AGENTS), skill: sorted(...BMM_WORKFLOWS) },
};

/** 6.12.0 with its shims, as source or when they are asked for: six in core, 15 in bmm. */
export const V6_12_0_SHIMS: Shelves = {
  core: { ...V6_12_0["core"], "hidden skill": sorted(...SHIMS.slice(0, 6)) },
  bmm: { ...V6_12_0["bmm"], "hidden skill": sorted(...SHIMS.slice(6)) },
};

export const TEA: Shelves = { tea: { agent: TEA_SKILLS[0]!, skill: sorted(...TEA_SKILLS.slice(1)) } };
