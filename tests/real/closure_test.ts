/**
 * Can everything be opened that real content tells a reader to open?
 *
 * Every broken reference of each tree must be listed here with the reason: an example, a link of a document to be
 * written, or a mistake of upstream's. What is listed as missing must be missing upstream: no file of the tree, served or
 * not, may have the path of the reference.
 */
import assert from "node:assert/strict";
import { packageFolder } from "../../bmad-embedded/npm_package.ts";
import { type BrokenReference, checkReferences } from "../../src/content/library/health/closure.ts";
import { type Opening, openLibrary } from "../../src/content/library/mod.ts";
import { walkFiles } from "../../src/content/tree/mod.ts";
import { installation, sourceTree } from "../support/installs.ts";
import { embedded, opening } from "../support/library.ts";
import { verifies } from "../support/requirements.ts";

interface Exception {
  readonly in: string;
  readonly references: readonly string[];
  readonly because: string;
}

const EXAMPLE = "an example";
const OUTPUT = "a link of the document that is to be written";
const MISTAKE = "upstream refers to a file that it does not have";

const EXCEPTIONS: readonly Exception[] = [
  // Skills
  { in: "bmad-spec/SKILL.md", references: ["ux-foo-bar-2026-05-23/DESIGN.md"], because: EXAMPLE },
  {
    in: "bmad-testarch-atdd/resources/atdd-checklist-2-4-guest-checkout.example.md",
    references: ["_bmad/config.yaml"],
    because: EXAMPLE,
  },
  // The builder
  ...Object.entries({
    "agent-builder/assets/SKILL-template.md": ["references/memory-system.md"],
    "agent-builder/references/quality-dimensions.md": ["references/memory-system.md"],
    "agent-builder/references/template-substitution-rules.md": ["references/memory-system.md"],
    "agent-builder/references/metadata-reference.md": ["references/reference.md", "other-skill/file.md"],
    "agent-builder/references/script-opportunities-reference.md": ["scripts/foo.py"],
    "agent-builder/references/universal-scan-schema.md": ["scripts/build.py"],
    "workflow-builder/references/complex-workflow-patterns.md": ["docs/foo.md"],
    "workflow-builder/references/metadata-reference.md": [
      "references/reference.md",
      "other-skill/file.md",
      "planning/prd.md",
    ],
    "workflow-builder/references/script-opportunities-reference.md": ["scripts/foo.py"],
    "workflow-builder/references/skill-best-practices.md": ["scripts/migrate.py"],
    "workflow-builder/references/standard-fields.md": [
      "references/reference.md",
      "scripts/validate.py",
      "planning/prd.md",
    ],
    "workflow-builder/references/universal-scan-schema.md": ["scripts/build.py"],
  }).map(([file, references]) => ({ in: `bmad-${file}`, references, because: EXAMPLE })),
  {
    in: "bmad-agent-builder/quality-scan-agent-cohesion.md",
    references: ["references/dimension-definitions.md"],
    because: MISTAKE,
  },
  {
    in: "bmad-agent-builder/references/script-opportunities-reference.md",
    references: ["references/script-standards.md"],
    because: MISTAKE,
  },
  {
    in: "document-project/workflows/full-scan-instructions.md",
    references: [
      "api-contracts-server.md",
      "project-overview.md",
      "source-tree-analysis.md",
      "deployment-guide.md",
      "contribution-guide.md",
      "integration-architecture.md",
      "architecture-server.md",
    ],
    because: OUTPUT,
  },
  {
    in: "_config/files-manifest.csv",
    references: ["scripts/tests/test_resolve_customization.py"],
    because: "tests of scripts are not served",
  },
  // 6.0
  {
    in: "bmm/teams/default-party.csv",
    references: [
      "bmm/agents/tech-writer.md",
      "cis/agents/brainstorming-coach.md",
      "cis/agents/creative-problem-solver.md",
      "cis/agents/design-thinking-coach.md",
      "cis/agents/innovation-strategist.md",
      "cis/agents/presentation-master.md",
      "cis/agents/storyteller.md",
    ],
    because: "a party of agents whose modules were not installed, or lie elsewhere by now",
  },
  { in: "create-story/instructions.xml", references: ["core/tasks/validate-workflow.xml"], because: MISTAKE },
  { in: "document-project/workflows/deep-dive.yaml", references: ["bmb/config.yaml"], because: MISTAKE },
  { in: "document-project/workflows/full-scan.yaml", references: ["bmb/config.yaml"], because: MISTAKE },
  {
    in: "core/tasks/workflow.xml",
    references: ["{installed_path}/workflow.yaml"],
    because: "the engine means the workflow that it is given",
  },
  // v4
  {
    in: "agent-teams/unity-2d-game-team.yaml",
    references: ["workflows/unity-game-dev-greenfield.md", "workflows/unity-game-prototype.md"],
    because: MISTAKE,
  },
  ...[
    "agents/game-developer.md",
    "tasks/create-game-story.md",
    "tasks/shard-doc.md",
    "tasks/validate-game-story.md",
  ]
    .map((file) => ({
      in: `bmad-2d-unity-game-dev/${file}`,
      references: ["core-config.yaml"],
      because: MISTAKE,
    })),
  { in: "game-architecture-tmpl.yaml", references: ["data/technical-preferences.yaml"], because: MISTAKE },
  { in: "game-prd-tmpl.yaml", references: ["data/godot-preferences.yaml"], because: MISTAKE },
  { in: "working-in-the-brownfield.md", references: ["flattener.md"], because: MISTAKE },
  {
    in: "tasks/index-docs.md",
    references: [
      "document.md",
      "another.md",
      "folder-name/document.md",
      "folder-name/another.md",
      "another-folder/document.md",
    ],
    because: EXAMPLE,
  },
  {
    in: "tasks/shard-doc.md",
    references: ["section-name-1.md", "section-name-2.md", "section-name-3.md"],
    because: EXAMPLE,
  },
];

function isException({ in: file, references }: Exception, { uri, reference }: BrokenReference): boolean {
  return uri.endsWith(file) &&
    references.some((known) => reference === known || reference.endsWith(`/${known}`));
}

const installed = async (request: Parameters<typeof installation>[0]) => [
  opening("project", 1, await installation(request)),
];

const TREES: Readonly<Record<string, () => Promise<readonly Opening[]>>> = {
  "6.12.0, installed": () => installed({ version: "6.12.0", tools: "claude-code" }),
  "6.12.0 with the test architect and the builder, embedded": () => Promise.resolve([embedded("latest")]),
  "6.8.0, installed": () => installed({ version: "6.8.0", tools: "claude-code" }),
  "6.5.0, installed": () => installed({ version: "6.5.0", tools: "claude-code" }),
  "6.0.4, installed": () => installed({ version: "6.0.4", tools: "claude-code" }),
  "4.44.3 with all packs, installed": () =>
    installed({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" }),
  "4.44.3, embedded": () => Promise.resolve([embedded("v4")]),
  // Its skills call the core's, so it is never used without it.
  "the test architect 1.27.2, sources over the embedded core": async () => [
    opening("cli", 2, await sourceTree("bmad-method-test-architecture-enterprise@1.27.2")),
    embedded("latest"),
  ],
  "the builder 1.1.0, sources over the embedded core": async () => [
    opening("cli", 2, await packageFolder("bmad-builder", "1.1.0", { locked: true })),
    embedded("latest"),
  ],
};

const used = new Set<Exception>();

for (const [name, open] of Object.entries(TREES)) {
  Deno.test(verifies("closure:opens", `${name}: every reference to an existing file opens`), async () => {
    const trees = await open();
    const { references, broken } = await checkReferences(await openLibrary(trees));
    assert.ok(references > 100, `${references} references were found`);
    const unknown = broken.filter((one) => {
      const known = EXCEPTIONS.find((exception) => isException(exception, one));
      if (known !== undefined) used.add(known);
      return known === undefined;
    });
    assert.deepEqual(unknown.map(({ uri, reference }) => `${uri}: ${reference}`), []);
    const files = trees.flatMap(({ tree }) => [...walkFiles(tree, "", () => false)]);
    for (const { reference } of broken) {
      const tail = reference.replace(/^(\{[\w-]+\}\/|\.{1,2}\/|\.?_?bmad\/)+/, "");
      const there = tail.includes("/") ? files.filter((file) => `/${file}`.endsWith(`/${tail}`)) : [];
      // Scripts have tests, which are there and not served.
      assert.deepEqual(there.filter((file) => !file.includes("/tests/")), [], reference);
    }
  });
}

Deno.test("every exception is used", () => {
  assert.deepEqual(EXCEPTIONS.filter((exception) => !used.has(exception)), []);
});
