/** Faults of BMAD's own releases, which their users cannot correct. */
import { OFFICIAL_MODULES, packagesOf } from "../../../base/official_modules.ts";

interface KnownFaults {
  /** The end of a file's path, or a part of a folder's that ends with a slash. */
  readonly in: string;
  /** Parts of messages; undefined if every fault of the place is known. */
  readonly about: readonly string[] | undefined;
  readonly because: string;
}

const each = (because: string, rows: Readonly<Record<string, KnownFaults["about"]>>) =>
  Object.entries(rows).map(([place, about]): KnownFaults => ({ in: place, about, because }));

export const UPSTREAM_MODULES: readonly string[] = [
  ...OFFICIAL_MODULES.flatMap(({ code, otherCodes = [] }) => [code, ...otherCodes]),
  "common",
  "bmad-agent",
  "bmad-2d-phaser-game-dev",
  "bmad-2d-unity-game-dev",
  "bmad-creative-writing",
  "bmad-godot-game-dev",
  "bmad-infrastructure-devops",
];

export const UPSTREAM_PACKAGES: readonly string[] = packagesOf(OFFICIAL_MODULES);

export const KNOWN_FAULTS: readonly KnownFaults[] = [
  ...each("an example", {
    "bmad-spec/SKILL.md": ["ux-foo-bar-2026-05-23/DESIGN.md"],
    "atdd-checklist-2-4-guest-checkout.example.md": ["_bmad/config.yaml"],
    "index-docs.md": ["document.md", "another.md"],
    "shard-doc.md": ["section-name-"],
    // How to write agents, workflows and modules, in several releases of the builder.
    "workflows/create-agent/": undefined,
    "workflows/create-module/": undefined,
    "workflows/create-workflow/": undefined,
    "workflows/agent/data/": undefined,
    "workflows-legacy/": undefined,
    "bmb/docs/": undefined,
    "bmb/README.md": undefined,
    "edit-module/README.md": undefined,
    "redoc/README.md": undefined,
    "bmad-agent-builder/references/": [
      "references/reference.md",
      "other-skill/file.md",
      "references/memory-system.md",
      "scripts/foo.py",
      "scripts/build.py",
    ],
    "bmad-agent-builder/assets/SKILL-template.md": ["references/memory-system.md"],
    "bmad-workflow-builder/references/": [
      "references/reference.md",
      "other-skill/file.md",
      "docs/foo.md",
      "planning/prd.md",
      "scripts/foo.py",
      "scripts/build.py",
      "scripts/migrate.py",
      "scripts/validate.py",
    ],
    "core/resources/excalidraw/README.md": undefined,
    "claude-code/injections.yaml": undefined,
    "docs/party-mode.md": ["bmm-pm.customize.yaml"],
    "testarch/trace/instructions.md": ["bmad/output/"],
  }),
  ...each("a link of the document that is to be written", {
    "full-scan-instructions.md": [".md does not exist"],
    "tech-spec/epics-template.md": ["tech-spec.md"],
    "tech-spec/user-story-template.md": ["tech-spec.md"],
  }),
  ...each("of a module that is not in the package", { "teams/default-party.csv": [".md does not exist"] }),
  ...each("the engine means the workflow that it is given", { "core/tasks/workflow.xml": ["workflow.yaml"] }),
  ...each("tests of scripts are not served", { "_config/files-manifest.csv": ["scripts/tests/"] }),
  ...each("upstream names what it does not have", {
    ".claude-plugin/marketplace.json": ["bmad-create-ux-design"],
    "create-story/instructions.xml": ["core/tasks/validate-workflow.xml"],
    "create-story/checklist.md": ["core/tasks/validate-workflow.xml"],
    "steps/": ["core/tasks/bmad-help.md"],
    "steps-c/": ["core/tasks/bmad-help.md"],
    "steps-v/": ["core/tasks/bmad-help.md", "step-e-01-discovery.md"],
    "market-steps/step-01-init.md": ["step-02-customer-insights.md"],
    "create-prd/validation-report-prd-workflow.md": ["step-e-01-assess-workflow.md"],
    "check-implementation-readiness/workflow.md": ["step-01-document-discovery.md"],
    "bmad-edit-prd/steps-e/": ["prd-purpose.md", "step-v-01-discovery.md"],
    "agents/bmad-web-orchestrator.agent.xml": undefined,
    "core/workflows/brainstorming/workflow.yaml": ["checklist.md"],
    "domain-research/workflow.yaml": ["domain-knowledge-base.md"],
    "bmm/README.md": ["troubleshooting.md"],
    "agents/dev.agent.yaml": ["dev-impl.md"],
    "agents/tea.agent.yaml": ["test-resources-for-ai-flat.txt"],
    "docs/test-architecture.md": ["README.md"],
    "test-review/test-review-template.md": ["testarch/knowledge/"],
    "agents/agent-builder.agent.yaml": ["agent-building-expert.md", "kb.csv"],
    "agents/module-builder.agent.yaml": undefined,
    "agents/workflow-builder.agent.yaml": ["workflow-building-master.md", "kb.csv"],
    "bmad-agent-builder/quality-scan-agent-cohesion.md": ["references/dimension-definitions.md"],
    "bmad-agent-builder/references/script-opportunities-reference.md": ["references/script-standards.md"],
    "game-architecture/steps/step-09-complete.md": ["epic-workflow/workflow.yaml"],
    ".bmad-2d-unity-game-dev/": ["core-config.yaml"],
    "agent-teams/unity-2d-game-team.yaml": ["unity-game-"],
    "templates/game-architecture-tmpl.yaml": ["technical-preferences.yaml"],
    "templates/game-prd-tmpl.yaml": ["godot-preferences.yaml"],
    "agents/game-analyst.md": ["agent.id is analyst"],
    "agents/game-pm.md": ["agent.id is pm"],
    "workflows/game-dev-greenfield.yaml": ["game-dev,"],
    "agents/infra-devops-platform.md": ["whenToUse"],
    "working-in-the-brownfield.md": ["flattener.md"],
  }),
];

export function knownReason(path: string, message: string): string | undefined {
  const isIn = (place: string) =>
    place.endsWith("/") ? `/${path}`.includes(`/${place}`) : `/${path}`.endsWith(`/${place}`);
  return KNOWN_FAULTS.find((known) =>
    isIn(known.in) && (known.about?.some((about) => message.includes(about)) ?? true)
  )?.because;
}

export function brokenMessage(reference: string): string {
  const name = reference.replace(/^skill:/, "");
  return `${name === reference ? name : `the skill ${name}`} does not exist`;
}
