/** What counts as a reference in a text, and are broken references detected? */
import assert from "node:assert/strict";
import { checkReferences, referencesIn } from "../../../../src/content/library/health/closure.ts";
import { openLibrary } from "../../../../src/content/library/mod.ts";
import { flatSource } from "../../../support/flat.ts";
import { opening, projectTest, sourceTest } from "../../../support/library.ts";
import { treeTest } from "../../../support/trees.ts";

Deno.test("a path to content is a reference, in every spelling [closure:reference-forms]", () => {
  const table: readonly (readonly [text: string, references: readonly string[]])[] = [
    ["Load `{project-root}/_bmad/core/tasks/workflow.xml`.", [
      "{project-root}/_bmad/core/tasks/workflow.xml",
    ]],
    ['instructions: "{installed_path}/instructions.md"', ["{installed_path}/instructions.md"]],
    ["nextStepFile: './step-02.md'", ["./step-02.md"]],
    ["see [the legend](legend.md#colours)", ["legend.md"]],
    ["read references/legend.md.", ["references/legend.md"]],
    ["<critical>part of: ../workflow.md</critical>", ["../workflow.md"]],
    ['exec="skill:bmad-review"', ["skill:bmad-review"]],
    ['[[agent.menu]]\nskill = "bmad-prd"\n', ["skill:bmad-prd"]],
    ['user_name: "{config_source}:user_name"', ["{config_source}"]],
    ["x = 'file:assets/themes.md'", ["assets/themes.md"]],
    [".bmad-core/tasks/create-doc.md", [".bmad-core/tasks/create-doc.md"]],
    ["{root}/data/kb.md", ["{root}/data/kb.md"]],
    // What the project will hold, what is to be filled in, what is elsewhere, and what is a user's own.
    ["{planning_artifacts}/prd.md and docs/prd.md and src/models/user.py", []],
    ["references/{slug}.md, steps/step-*.md, {skill-root}/x-{n}.md, ./{{name}}.md", []],
    ["https://example.org/references/legend.md", []],
    ["{project-root}/_bmad/custom/bmad-prd.toml and _bmad/config.user.toml", []],
    ["Write {project-root}/.bmad-setup.toml", []],
    ["Bare paths (e.g. `references/guide.md`) are relative to the skill.", []],
    // Code is for another project.
    ["```ts\nimport x from '../fixtures/users.json'\n```\n", []],
    ["```yaml\nfile: ./step-03.md\n```\n", ["./step-03.md"]],
  ];
  for (const [text, references] of table) assert.deepEqual(referencesIn(text), references, text);
});

sourceTest("broken references are found [closure:opens, closure:reference-forms]", {
  "module.yaml": "code: fw\n",
  "skills/bmad-map/SKILL.md":
    "---\nname: bmad-map\ndescription: Maps\n---\nreferences/legend.md references/gone.md skill:check skill:gone\n",
  "skills/bmad-map/references/legend.md": "Back to ../SKILL.md, on to ./next.md\n",
  "skills/bmad-check/SKILL.md": "---\nname: bmad-check\ndescription: Checks\n---\n",
}, async (library) => {
  assert.deepEqual(await checkReferences(library), {
    references: 6,
    broken: [
      { reference: "references/gone.md", uri: "bmad://fw/bmad-map/SKILL.md", origin: "cli" },
      { reference: "skill:gone", uri: "bmad://fw/bmad-map/SKILL.md", origin: "cli" },
      { reference: "./next.md", uri: "bmad://fw/bmad-map/references/legend.md", origin: "cli" },
    ],
  });
});

treeTest("a reference to a generated stand-in is not broken", {
  "fw/module.yaml": "code: fw\n",
  "fw/bmad-help/SKILL.md": "---\nname: bmad-help\ndescription: Helps\n---\n" +
    "{project-root}/_bmad/_config/bmad-help.csv _bmad/_config/agent-manifest.csv _bmad/_config/gone.csv\n",
}, async (dir) => {
  const { references, broken } = await checkReferences(await openLibrary([opening("cli", 2, dir)]));
  assert.deepEqual([references, broken.map(({ reference }) => reference)], [3, ["_bmad/_config/gone.csv"]]);
});

sourceTest(
  "where a flat module has its help is said in prose, and is no reference",
  flatSource("manifests", "skills"),
  async (library) => {
    const { broken } = await checkReferences(library);
    assert.deepEqual(broken.filter(({ uri }) => uri.endsWith(".toml")), []);
  },
);

sourceTest("links in a template belong to the document that it becomes", {
  "module.yaml": "code: fw\n",
  "skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Maps\n---\n",
  "skills/bmad-map/map-template.md": "[index](index.md) ./index.md references/gone.md skill:gone\n",
}, async (library) => {
  assert.deepEqual((await checkReferences(library)).broken.map(({ reference }) => reference), [
    "references/gone.md",
    "skill:gone",
  ]);
});

Deno.test("hostile texts are scanned like any other", () => {
  // With patterns that try again from every place, each of these would take minutes.
  const hostile = ["+a/b", "@a/b", "](a.md#", "{a}/", "../", "a/", " ```ts\n", "skill:", "e.g. "];
  for (const piece of hostile) {
    assert.ok(Array.isArray(referencesIn(piece.repeat(400_000 / piece.length))), piece);
  }
});

projectTest("the dependencies of v4 agents and teams are references [closure:reference-forms]", {
  ".bmad-core/core-config.yaml": "x: 1\n",
  ".bmad-core/agents/scout.md":
    "```yaml\nagent: {name: Rex}\ndependencies:\n  tasks:\n    - walk\n    - run.md\n  data:\n    - kb.md\ncommands:\n  - help: x\n```\n",
  ".bmad-core/tasks/walk.md": "# Walk\n",
  ".bmad-core/data/kb.md": "# Know\n",
  ".bmad-core/agent-teams/all.yaml": "bundle: {name: All}\nagents:\n  - scout\nworkflows:\n  - trip.md\n",
  ".bmad-core/workflows/trip.yaml": "workflow: {id: trip, name: Trip}\n",
}, async (library) => {
  assert.deepEqual(await checkReferences(library), {
    references: 4,
    broken: [
      { reference: "{root}/tasks/run.md", uri: "bmad://bmad-core/agents/scout.md", origin: "project" },
    ],
  });
});
