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

interface Exception {
  readonly in: string;
  readonly references: readonly string[];
  readonly because: string;
}

const EXAMPLE = "an example";
const MISTAKE = "upstream refers to a file that it does not have";

/** References by the file that has them, which ends like this. */
type References = Readonly<Record<string, readonly string[]>>;

const rows = (because: string, references: References): readonly Exception[] =>
  Object.entries(references).map(([file, references]) => ({ in: file, references, because }));

const EXCEPTIONS: readonly Exception[] = [
  ...rows(EXAMPLE, {
    "bmad-spec/SKILL.md": ["ux-foo-bar-2026-05-23/DESIGN.md"],
    "bmad-testarch-atdd/resources/atdd-checklist-2-4-guest-checkout.example.md": ["_bmad/config.yaml"],
    "bmad-agent-builder/assets/SKILL-template.md": ["references/memory-system.md"],
    "bmad-agent-builder/references/quality-dimensions.md": ["references/memory-system.md"],
    "bmad-agent-builder/references/template-substitution-rules.md": ["references/memory-system.md"],
    "bmad-agent-builder/references/metadata-reference.md": ["references/reference.md", "other-skill/file.md"],
    "bmad-agent-builder/references/script-opportunities-reference.md": ["scripts/foo.py"],
    "bmad-agent-builder/references/universal-scan-schema.md": ["scripts/build.py"],
    "bmad-workflow-builder/references/complex-workflow-patterns.md": ["docs/foo.md"],
    "bmad-workflow-builder/references/metadata-reference.md": [
      "references/reference.md",
      "other-skill/file.md",
      "planning/prd.md",
    ],
    "bmad-workflow-builder/references/script-opportunities-reference.md": ["scripts/foo.py"],
    "bmad-workflow-builder/references/skill-best-practices.md": ["scripts/migrate.py"],
    "bmad-workflow-builder/references/standard-fields.md": [
      "references/reference.md",
      "scripts/validate.py",
      "planning/prd.md",
    ],
    "bmad-workflow-builder/references/universal-scan-schema.md": ["scripts/build.py"],
    "tasks/index-docs.md": [
      "document.md",
      "another.md",
      "folder-name/document.md",
      "folder-name/another.md",
      "another-folder/document.md",
    ],
    "tasks/shard-doc.md": ["section-name-1.md", "section-name-2.md", "section-name-3.md"],
  }),
  ...rows(MISTAKE, {
    "bmad-agent-builder/quality-scan-agent-cohesion.md": ["references/dimension-definitions.md"],
    "bmad-agent-builder/references/script-opportunities-reference.md": ["references/script-standards.md"],
    // 6.0
    "create-story/instructions.xml": ["core/tasks/validate-workflow.xml"],
    "document-project/workflows/deep-dive.yaml": ["bmb/config.yaml"],
    "document-project/workflows/full-scan.yaml": ["bmb/config.yaml"],
    // v4
    "agent-teams/unity-2d-game-team.yaml": [
      "workflows/unity-game-dev-greenfield.md",
      "workflows/unity-game-prototype.md",
    ],
    "bmad-2d-unity-game-dev/agents/game-developer.md": ["core-config.yaml"],
    "bmad-2d-unity-game-dev/tasks/create-game-story.md": ["core-config.yaml"],
    "bmad-2d-unity-game-dev/tasks/shard-doc.md": ["core-config.yaml"],
    "bmad-2d-unity-game-dev/tasks/validate-game-story.md": ["core-config.yaml"],
    "game-architecture-tmpl.yaml": ["data/technical-preferences.yaml"],
    "game-prd-tmpl.yaml": ["data/godot-preferences.yaml"],
    "working-in-the-brownfield.md": ["flattener.md"],
  }),
  ...rows("a link of the document that is to be written", {
    "document-project/workflows/full-scan-instructions.md": [
      "api-contracts-server.md",
      "project-overview.md",
      "source-tree-analysis.md",
      "deployment-guide.md",
      "contribution-guide.md",
      "integration-architecture.md",
      "architecture-server.md",
    ],
  }),
  ...rows("tests of scripts are not served", {
    "_config/files-manifest.csv": ["scripts/tests/test_resolve_customization.py"],
  }),
  ...rows("a party of agents whose modules were not installed, or lie elsewhere by now", {
    "bmm/teams/default-party.csv": [
      "bmm/agents/tech-writer.md",
      "cis/agents/brainstorming-coach.md",
      "cis/agents/creative-problem-solver.md",
      "cis/agents/design-thinking-coach.md",
      "cis/agents/innovation-strategist.md",
      "cis/agents/presentation-master.md",
      "cis/agents/storyteller.md",
    ],
  }),
  ...rows("the engine means the workflow that it is given", {
    "core/tasks/workflow.xml": ["{installed_path}/workflow.yaml"],
  }),
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
  Deno.test(`${name}: every reference to an existing file opens [closure:opens]`, async () => {
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
