/** Does every spelling of a path in content mean the right file, wherever it is used? */
import assert from "node:assert/strict";
import type { SourceFile } from "../../../../src/content/library/library.ts";
import { findFile } from "../../../../src/content/library/files/references.ts";
import { listFiles, ownFile } from "../../../../src/content/library/files/files.ts";
import {
  executeEntry,
  type Library,
  listSkills,
  type Opening,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { opening, projectTest, sourceTest, withProject } from "../../../support/library.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

type Row = readonly [holder: string, reference: string, uri: string | undefined];

function assertAll(library: Library, rank: number, rows: readonly Row[]): void {
  for (const [path, reference, uri] of rows) {
    const from: SourceFile = { source: library.sources[rank]!, path };
    assert.equal(findFile(library, reference, from)?.uri, uri, `${path}: ${reference}`);
  }
}

const SKILL = (name: string) => `---\nname: ${name}\ndescription: Does it\n---\n`;

const SKILLS = {
  "module.yaml": "code: fw\nname: Fieldwork\n",
  "skills/bmad-map/SKILL.md": SKILL("bmad-map"),
  "skills/bmad-map/steps/step-01.md": "# One\n",
  "skills/bmad-map/steps/step-02.md": "# Two\n",
  "skills/bmad-map/references/legend.md": "# Legend\n",
  "skills/bmad-check/SKILL.md": SKILL("bmad-check"),
  "skills/bmad-check/steps-v/step-v-01.md": "# Check\n",
  "skills/bmad-check/data/shared.md": "# Check's\n",
  "skills/bmad-walk/SKILL.md": SKILL("bmad-walk"),
  "skills/bmad-walk/data/shared.md": "# Walk's\n",
};

treeTest(
  "a path is looked for beside its file, then above [closure:reference-forms]",
  SKILLS,
  async (dir) => {
    const step = "skills/bmad-map/steps/step-01.md";
    assertAll(await openLibrary([opening("cli", 2, dir)]), 0, [
      [step, "./step-02.md", "bmad://fw/bmad-map/steps/step-02.md"],
      [step, "step-02.md", "bmad://fw/bmad-map/steps/step-02.md"],
      [step, "../references/legend.md", "bmad://fw/bmad-map/references/legend.md"],
      [step, "references/legend.md", "bmad://fw/bmad-map/references/legend.md"],
      [step, "{skill-root}/references/legend.md", "bmad://fw/bmad-map/references/legend.md"],
      [step, "{workflow_path}/steps/step-02.md", "bmad://fw/bmad-map/steps/step-02.md"],
      [step, "file:references/legend.md", "bmad://fw/bmad-map/references/legend.md"],
      // Another item of the module has it.
      [step, "./steps-v/step-v-01.md", "bmad://fw/bmad-check/steps-v/step-v-01.md"],
      // Not a path in the own folder, nor one that two others have.
      [step, "{skill-root}/steps-v/step-v-01.md", undefined],
      [step, "./data/shared.md", undefined],
      // A name alone could be anybody's.
      [step, "step-v-01.md", undefined],
      [step, "./references/none.md", undefined],
      [step, "../../../../etc/passwd", undefined],
    ]);
  },
);

treeTest("a moved item is found by its old path", SKILLS, async (dir) => {
  const path = "skills/bmad-map/SKILL.md";
  assertAll(await openLibrary([opening("cli", 2, dir)]), 0, [
    [path, "{project-root}/_bmad/fw/workflows/map/workflow.xml", "bmad://fw/bmad-map/SKILL.md"],
    [path, "_bmad/core/workflows/check/workflow.md", "bmad://fw/bmad-check/SKILL.md"],
    [path, "_bmad/core/workflows/nobody/workflow.md", undefined],
    ["skills/bmad-map/steps/step-01.md", "./workflow.md", "bmad://fw/bmad-map/SKILL.md"],
    // Inside an item, a name is only a name.
    [path, "old/map/workflow.md", undefined],
  ]);
});

treeTest("v4 texts spell a path in several ways [resources:forms]", {
  ".bmad-core/core-config.yaml": "devStoryLocation: docs/stories\n",
  ".bmad-core/agents/scout.md": "```yaml\nagent: {name: Rex}\n```\n",
  ".bmad-core/tasks/walk.md": "# Walk\n",
  ".bmad-core/templates/map-tmpl.yaml": "template: {id: map}\n",
  ".bmad-core/templates/voyage.yaml": "template: {id: voyage}\n",
  ".bmad-core/workflows/voyage.yaml": "workflow: {id: voyage, name: Voyage}\n",
  ".bmad-sea/config.yaml": "name: sea\nversion: 1.0.0\n",
  ".bmad-sea/agents/diver.md": "```yaml\nagent: {name: Nemo}\n```\n",
  ".bmad-sea/tasks/dive.md": "# Dive\n",
}, async (dir) => {
  const diver = ".bmad-sea/agents/diver.md";
  assertAll(await openLibrary([opening("project", 1, dir)]), 0, [
    [diver, "{root}/tasks/dive.md", "bmad://bmad-sea/tasks/dive.md"],
    [diver, "{root}/tasks/dive", "bmad://bmad-sea/tasks/dive.md"],
    [diver, "tasks/dive.md", "bmad://bmad-sea/tasks/dive.md"],
    // Packs use what the core has.
    [diver, "tasks/walk.md", "bmad://bmad-core/tasks/walk.md"],
    [diver, ".bmad-core/workflows/voyage.md", "bmad://bmad-core/workflows/voyage.yaml"],
    [diver, "expansion-packs/bmad-sea/tasks/dive.md", "bmad://bmad-sea/tasks/dive.md"],
    [".bmad-core/agents/scout.md", "{root}/tasks/walk.md", "bmad://bmad-core/tasks/walk.md"],
    [".bmad-core/agents/scout.md", "{root}/tasks/dive.md", undefined],
    [".bmad-core/agents/scout.md", "map-tmpl.yaml", "bmad://bmad-core/templates/map-tmpl.yaml"],
    [".bmad-core/tasks/walk.md", "scout.md", "bmad://bmad-core/agents/scout.md"],
    // Two have that name.
    [".bmad-core/tasks/walk.md", "voyage.yaml", undefined],
  ]);
});

treeTest("an agent is its source before it is installed, and a configuration that of its module", {
  "src/bmm/module.yaml": "code: bmm\nname: Method\n",
  "src/bmm/agents/scout.agent.yaml":
    "agent:\n  metadata: {name: Rex, title: Scout}\n  persona: {role: Scout}\n  menu: []\n",
  "src/bmm/agents/writer/writer.agent.yaml":
    "agent:\n  metadata: {name: Ivy, title: Writer}\n  persona: {role: Writer}\n  menu: []\n",
  "src/bmm/config.yaml": "user_name: Ada\n",
  "src/bmm/workflows/map/workflow.yaml": "name: map\ndescription: Maps\n",
  "package.json": "{}",
}, async (dir) => {
  const path = "src/bmm/workflows/map/workflow.yaml";
  assertAll(await openLibrary([opening("cli", 2, dir)]), 0, [
    [path, "{project-root}/{bmad_folder}/bmm/agents/scout.md", "bmad://bmm/agents/scout.agent.yaml"],
    [path, "{project-root}/_bmad/bmm/agents/writer.md", "bmad://bmm/agents/writer/writer.agent.yaml"],
    [path, "{project-root}/_bmad/bmm/workflows/map/workflow.md", "bmad://bmm/workflows/map/workflow.yaml"],
    [path, "{config_source}:user_name", "bmad://bmm/config.yaml"],
    [path, "{config_source}", "bmad://bmm/config.yaml"],
  ]);
});

treeTest(
  "a project's file overrides the same path in every spelling [origins:priority-order]",
  SKILLS,
  (team) =>
    withTree(
      { "bmad/fw/bmad-map/references/legend.md": "# Ours\n", "bmad/fw/agents/x.md": "# X\n" },
      async (dir) => {
        const openings: readonly Opening[] = [opening("project", 1, dir), opening("cli", 2, team)];
        const library = await openLibrary(openings);
        const from: SourceFile = {
          source: library.sources[1]!,
          path: "skills/bmad-map/steps/step-01.md",
        };
        for (
          const spelling of [
            "../references/legend.md",
            "references/legend.md",
            "{skill-root}/references/legend.md",
            "{project-root}/_bmad/fw/bmad-map/references/legend.md",
            "bmad://fw/bmad-map/references/legend.md",
          ]
        ) {
          const found = findFile(library, spelling, from);
          assert.deepEqual(
            [found?.uri, found?.source.origin.id],
            ["bmad://fw/bmad-map/references/legend.md", "project"],
            spelling,
          );
        }
        assert.equal(findFile(library, "./step-02.md", from)?.source.origin.id, "cli");
      },
    ),
);

projectTest("a path that names one of several BMAD folders means its file [resources:forms]", {
  "_bmad/x.md": "# Under\n",
  "_bmad/house/workflows/lift/workflow.md": "---\nname: lift\n---\n# Lift\n",
  "_bmad/house/workflows/lift/step.md": "# Under\n",
  "bmad/x.md": "# Plain\n",
  "bmad/house/workflows/lift/workflow.md": "---\nname: lift\n---\n# Lift\n",
  "bmad/house/workflows/lift/step.md": "# Plain\n",
  "bmad/house/data/only.md": "# Only\n",
  ".bmad/x.md": "# Dotted\n",
}, (library, dir) => {
  const fileOf = (reference: string, path?: string) =>
    findFile(library, reference, path === undefined ? undefined : { source: library.sources[0]!, path });
  for (const root of ["_bmad", "bmad", ".bmad"]) {
    for (
      const reference of [`bmad://${root}/x.md`, `{project-root}/${root}/x.md`, `${dir}/${root}/x.md`]
    ) {
      assert.equal(fileOf(reference)?.path, `${root}/x.md`, reference);
    }
  }
  // A folder that lacks the file leaves it to the others.
  assert.equal(fileOf("bmad://_bmad/house/data/only.md")?.path, "bmad/house/data/only.md");
  for (const root of ["_bmad", "bmad"]) {
    const lift = `${root}/house/workflows/lift`;
    assert.equal(fileOf("./step.md", `${lift}/workflow.md`)?.path, `${lift}/step.md`);
  }
  // Each has a URI of its own, and that opens it.
  for (const { uri, path } of listFiles(library)) assert.equal(fileOf(uri)?.path, path, uri);
  assert.deepEqual(
    listFiles(library).map(({ path }) => path).toSorted(),
    [...Deno.readDirSync(dir)].flatMap(({ name }) => filesBelow(dir, name)).toSorted(),
  );
  assert.equal(fileOf("bmad://x.md")?.uri, "bmad://x.md");
});

function filesBelow(dir: string, path: string): readonly string[] {
  return [...Deno.readDirSync(`${dir}/${path}`)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(dir, `${path}/${name}`) : [`${path}/${name}`]
  );
}

const SPELLINGS = ["r\u00e9sum\u00e9", "re\u0301sume\u0301"];

for (const [at, written] of SPELLINGS.entries()) {
  const asked = SPELLINGS[1 - at]!;
  projectTest(`accented names match (${["composed", "not"][at]} on disk) [resources:spelled]`, {
    [`_bmad/${written}.md`]: "# File\n",
    [`_bmad/${written}/data/${written}.md`]: "# Deep\n",
    [`_bmad/${written}/agents/${written}.md`]: "# Agent\n",
    [`_bmad/house/skills/${written}/SKILL.md`]: SKILL("x"),
    [`_bmad/house/skills/${written}/steps/${written}.md`]: "# Step\n",
  }, (library) => {
    const files = [
      [`${asked}.md`, `${written}.md`],
      [`${asked}/data/${asked}.md`, `${written}/data/${written}.md`],
      [`${written}/data/${asked}.md`, `${written}/data/${written}.md`],
      [`${asked}/agents/${asked}.md`, `${written}/agents/${written}.md`],
      [`house/${asked}/steps/${asked}.md`, `house/skills/${written}/steps/${written}.md`],
    ] as const;
    for (const [path, file] of files) {
      const uri = `bmad://${path.split("/").map(encodeURIComponent).join("/")}`;
      for (const reference of [uri, `{project-root}/_bmad/${path}`, `_bmad/${path}`]) {
        assert.equal(findFile(library, reference)?.path, `_bmad/${file}`, reference);
      }
    }
    for (const name of [asked, written]) {
      assert.equal(
        resolveEntry(library, { name, kind: "agent" }).file,
        `_bmad/${written}/agents/${written}.md`,
      );
      assert.equal(resolveEntry(library, { name: `${name}/${name}` }).kind, "agent");
      assert.equal(resolveEntry(library, { name: `house/${name}` }).kind, "skill");
      const skill = resolveEntry(library, { name: `house/${name}` });
      assert.ok(ownFile(library, skill, `steps/${name}.md`), name);
    }
  });
}

// There, both are one file.
Deno.test("names of two spellings are two files", { ignore: Deno.build.os === "darwin" }, async () => {
  await withProject(
    Object.fromEntries(SPELLINGS.map((name) => [`_bmad/data/${name}.md`, `# ${name.length}\n`])),
    (library) => {
      for (const { uri, path } of listFiles(library)) assert.equal(findFile(library, uri)?.path, path);
      assert.equal(new Set(listFiles(library).map(({ uri }) => uri)).size, 2);
    },
  );
});

const AGENT =
  '<agent name="Rex" title="Scout">\nLoad {project-root}/{bmad_folder}/bmm/config.yaml\n</agent>\n';

projectTest("an installation with `{bmad_folder}` in its texts is served with its own folder name", {
  ".bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.10\nmodules: [bmm]\n",
  ".bmad/_cfg/agent-manifest.csv": "name,title,module,path\nscout,Scout,bmm,bmad/bmm/agents/scout.md\n",
  ".bmad/bmm/agents/scout.md": AGENT,
  ".bmad/bmm/workflows/map/workflow.yaml":
    "name: map\ndescription: x\nconfig_source: '{bmad_folder}/bmm/config.yaml'\n",
  ".bmad/bmm/config.yaml": "user_name: Ada\n",
}, async (library) => {
  const scout = resolveEntry(library, { name: "scout" });
  assert.match(
    await executeEntry(library, scout, {}),
    /^Load \{project-root\}\/\.bmad\/bmm\/config\.yaml$/m,
  );
  assert.equal(await executeEntry(library, scout, { raw: true }), AGENT);
  const uri = "bmad://bmm/workflows/map/workflow.yaml";
  assert.match((await readResource(library, uri)).text!, /'\.bmad\/bmm\/config\.yaml'/);
  assert.match((await readResource(library, uri, { raw: true })).text!, /'\{bmad_folder\}\/bmm/);
});

sourceTest("sources get the folder name that an installer would use", {
  "src/bmm/module.yaml": "code: bmm\nname: Method\n",
  "src/bmm/workflows/map/workflow.yaml": "name: map\ndescription: '{bmad_folder}/bmm'\n",
  "package.json": "{}",
}, async (library) => {
  const { text } = await readResource(library, "bmad://bmm/workflows/map/workflow.yaml");
  assert.equal(text, "name: map\ndescription: '_bmad/bmm'\n");
});

sourceTest("sources of v4 get the folder of the core or of their pack", {
  "bmad-core/core-config.yaml": "x: 1\n",
  "bmad-core/agents/scout.md": "```yaml\nagent: {name: Rex}\n# {root}/{type}/{name}\n```\n",
  "bmad-core/tasks/walk.md": "# Walk\n{root}/data/kb.md\n",
  "common/tasks/doc.md": "# Doc\n{root}/templates/x\n",
  "expansion-packs/bmad-sea/config.yaml": "name: bmad-sea\nversion: 1.0.0\n",
  "expansion-packs/bmad-sea/agents/diver.md": "```yaml\nagent: {name: Nemo}\n```\n",
  "expansion-packs/bmad-sea/tasks/dive.md": "# Dive\n{root}/data/sea.md\n",
  "package.json": "{}",
}, async (library) => {
  const lineOf = async (uri: string) => (await readResource(library, uri)).text!.split("\n")[1];
  assert.equal(await lineOf("bmad://bmad-core/tasks/walk.md"), ".bmad-core/data/kb.md");
  assert.equal(await lineOf("bmad://common/tasks/doc.md"), ".bmad-core/templates/x");
  assert.equal(await lineOf("bmad://bmad-sea/tasks/dive.md"), ".bmad-sea/data/sea.md");
  const scout = await executeEntry(library, resolveEntry(library, { name: "scout" }), {});
  assert.match(scout, /^# \.bmad-core\/\{type\}\/\{name\}$/m);
});

projectTest("variables of a workflow that double each other stay short", {
  "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.10\nmodules: [bmm]\n",
  "bmad/bmm/workflows/map/workflow.yaml": "name: map\ndescription: x\nv0: abcdefgh\n" +
    Array.from({ length: 24 }, (_, at) => `v${at + 1}: "{v${at}}{v${at}}"\n`).join(""),
}, async (library) => {
  const text = await executeEntry(library, resolveEntry(library, { name: "map" }), {});
  assert.match(text, /^ {2}v1: abcdefghabcdefgh$/m);
  assert.ok(text.length < 1_000_000, `${text.length} characters`);
});

const SKILL_FILES = (name: string) => `---\nname: ${name}\ndescription: Use it.\n---\nText.\n`;
const FILES = {
  "_bmad/own/skills/bmad-a/SKILL.md": SKILL_FILES("bmad-a"),
  "_bmad/own/skills/bmad-a/scripts/run.py": "print()\n",
  "_bmad/own/skills/bmad-a/scripts/.hidden.py": "print()\n",
  "_bmad/own/skills/bmad-a/.env": "KEY=1\n",
  "_bmad/own/skills/bmad-b/SKILL.md": SKILL_FILES("bmad-b"),
  ...Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`_bmad/own/skills/bmad-b/parts/${at}.md`, "x"]),
  ),
  "_bmad/own/secret.md": "x",
};

projectTest("a skill gives each of its files by its path, and nothing else", FILES, async (library) => {
  const [skill] = await listSkills(library);
  const listed = skill!.files().map(({ path }) => path);
  assert.deepEqual(listed, ["SKILL.md", "scripts/run.py"]);
  for (const path of listed) assert.ok(skill!.read(path), path);
  const others = [
    "scripts",
    "scripts/",
    "",
    ".",
    "../bmad-b/SKILL.md",
    "scripts/../SKILL.md",
    "./SKILL.md",
  ]
    .concat(
      "/SKILL.md",
      "SKILL.md/x",
      "scripts//run.py",
      "scripts/.hidden.py",
      ".env",
      "../../secret.md",
    );
  for (const path of others) assert.equal(skill!.read(path), undefined, path);
});

treeTest("to learn that no skill has a file, no file of theirs is looked at", FILES, async (dir) => {
  const origin = opening("project", 1, dir);
  const asked: string[] = [];
  const stat = (path: string) => (asked.push(path), origin.tree.stat(path));
  const library = await openLibrary([{ ...origin, tree: { ...origin.tree, stat } }]);
  const skills = await listSkills(library);
  asked.length = 0;
  assert.deepEqual(skills.map((skill) => skill.read("scripts/other.py")), [undefined, undefined]);
  assert.deepEqual(asked, []);
});
