/** Does `new` write what works, in the project's own generation and root, and over nothing? */
import assert from "node:assert/strict";
import { denoHost } from "../../../src/process/host.ts";
import { hasKind } from "../../../src/base/model.ts";
import { executeEntry, openLibrary, validateSource } from "../../../src/content/library/mod.ts";
import { openPack } from "../../../src/content/origins/pack.ts";
import { createItem } from "../../../src/project/authoring/mod.ts";
import type { NewPlan } from "../../../src/settings/plan/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { flatSource } from "../../support/flat.ts";
import { opening } from "../../support/library.ts";
import { listTree, type TreeFile, treeTest } from "../../support/trees.ts";

const contentDir = new URL("../../../bmad-embedded/content", import.meta.url).pathname;

const PACKS = (["latest", "v4"] as const).map((pack, at) => ({
  origin: { id: `package-${at}`, kind: "package" as const, priority: 9, location: pack },
  use: "named" as const,
  ...openPack(pack, contentDir),
}));

function planIn(dir: string, ...args: readonly string[]): NewPlan {
  const host = denoHost(dir);
  const input = { ...host, cwd: dir, home: undefined, args: ["new", ...args], env: () => undefined };
  const { creating, rights } = resolveConfig(input);
  // Everything is written inside what the start may write.
  for (const path of creating!.written) {
    assert.ok(rights.write.some((right) => `${dir}/${path}/`.startsWith(`${right}/`)), path);
  }
  assert.ok(!rights.write.includes(dir), "not the whole project");
  return creating!;
}

const COMPILED = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules: [core]\nides: []\n",
  "_bmad/_config/agent-manifest.csv": "name,displayName,path,module\n",
  "_bmad/_config/workflow-manifest.csv": "name,description,module,path\n",
  "_bmad/_config/task-manifest.csv": "name,displayName,description,module,path,standalone\n",
  "_bmad/_config/tool-manifest.csv": "name,displayName,description,module,path,standalone\n",
};
const ALPHA = Object.fromEntries(
  Object.entries(COMPILED).map(([path, text]) => [path.replace("_bmad/_config", ".bmad/_cfg"), text]),
);
const SKILLS = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules: [core]\nides: [claude-code]\n",
  "_bmad/_config/skill-manifest.csv":
    'canonicalId,name,description,module,path\n"bmad-sail","bmad-sail","Sail","core","_bmad/core/bmad-sail/SKILL.md"\n',
  ".claude/skills/bmad-sail/SKILL.md": "---\nname: bmad-sail\ndescription: Sail\n---\nSail.\n",
};
const V4 = {
  ".bmad-core/core-config.yaml": "slashPrefix: BMad\n",
  ".bmad-core/agents/ann.md":
    "```yaml\nagent:\n  name: Ann\n  id: ann\n  title: Ann\n  whenToUse: To dig\npersona:\n  role: Digs\ncommands:\n  - help: Help\n```\n",
};

type Files = Readonly<Record<string, TreeFile>>;

const PROJECTS: Readonly<
  Record<string, { readonly files: Files; readonly form: NewPlan["form"]; readonly at: string }>
> = {
  "an empty folder": { files: {}, form: "skills", at: "_bmad/garden/" },
  "a root written by hand": { files: { "bmad/x/agents/y.md": "# Y\n" }, form: "skills", at: "bmad/garden/" },
  "installed skills": { files: SKILLS, form: "skills", at: "_bmad/garden/" },
  "a compiled installation": { files: COMPILED, form: "compiled", at: "_bmad/garden/" },
  "an alpha": { files: ALPHA, form: "compiled", at: ".bmad/garden/" },
  "v4": { files: V4, form: "v4", at: ".bmad-garden/" },
  "flat skills with records": {
    files: flatSource("records", ".claude/skills"),
    form: "records",
    at: ".claude/skills/",
  },
  "flat skills with manifests": {
    files: flatSource("manifests", ".agents/skills"),
    form: "manifests",
    at: ".agents/skills/",
  },
};

for (const [name, { files, form, at }] of Object.entries(PROJECTS)) {
  treeTest(
    `what new creates is served, valid and new: ${name} [authors:new]`,
    files,
    async (dir) => {
      const open = () => openLibrary([opening("project", 1, dir), ...PACKS], { project: dir });
      const kinds = form === "compiled" || form === "v4"
        ? ["agent", "workflow"]
        : ["agent", "workflow", "skill"];
      const lines = [
        ["module", "garden"],
        ...kinds.map((kind) => [kind, `my-${kind}`, "--module", "garden"]),
      ];
      const faultsBefore = (await validateSource(await open(), "", {})).faults.map(({ path }) => path);
      for (const line of lines) {
        const before = await listTree(dir);
        const plan = planIn(dir, ...line);
        assert.equal(plan.form, form);
        const { data } = createItem(await open(), plan, Date.now());
        const written = data["files"] as readonly string[];
        assert.ok(written.every((path) => path.startsWith(at)), written.join(" "));
        const changed = data["changed"] as readonly string[];
        const kept = before.filter((row) => !changed.some((path) => row.startsWith(`${path} `)));
        const after = await listTree(dir);
        assert.deepEqual(kept.filter((row) => !after.includes(row)), []);

        const library = await open();
        const served = library.effective.find(({ module, id }) => `${module}/${id}` === data["served"]);
        assert.ok(served, `${data["served"]} is served`);
        assert.equal(served.origin.id, "project");
        if (line[0] !== "module") assert.ok(hasKind(served, line[0] as "agent"), line.join(" "));
        assert.ok((await executeEntry(library, served, {})).length > 100);
        const { faults } = await validateSource(library, "", {});
        assert.deepEqual(faults.filter(({ path }) => !faultsBefore.includes(path)), []);
        assert.throws(() => createItem(library, plan, Date.now()), /it exists|is already a name of/);
        assert.deepEqual(await listTree(dir), after);
      }
    },
  );
}

treeTest("new refuses what cannot work, before anything is written [authors:new]", {
  ...V4,
  "taken/_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\n",
}, async (dir) => {
  const before = await listTree(dir);
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/Unknown kind "agnt"/, "agnt", "x"],
    [/Invalid name "My Agent"/, "agent", "My Agent"],
    [/Invalid name "\.\.\/x"/, "agent", "../x"],
    [/Invalid module "\.\.\/x"/, "agent", "x", "--module", "../x"],
    [/has no skills/, "skill", "x"],
    [/No expansion pack named "\.bmad-garden".*new module garden/, "agent", "x", "--module", "garden"],
    [/--read-only/, "agent", "x", "--read-only"],
  ];
  for (const [message, ...args] of refused) {
    assert.throws(() => planIn(dir, ...args), message, args.join(" "));
  }
  assert.throws(() => planIn(`${dir}/taken`, "module", "bmm"), /"bmm" is a name of BMAD's own/);
  assert.throws(
    () => planIn(`${dir}/taken`, "agent", "x", "--module", "custom"),
    /is a name of BMAD's own/,
  );
  const library = await openLibrary([opening("project", 1, dir), ...PACKS], { project: dir });
  assert.throws(() => createItem(library, planIn(dir, "agent", "ann"), 0), /ann\.md: it exists/);
  assert.throws(
    () => createItem(library, planIn(dir, "agent", "qa"), 0),
    /"qa" is already a name of bmad-core\/qa/,
  );
  assert.deepEqual(await listTree(dir), before);
});

treeTest(
  "a taken name is refused or told [authors:new]",
  SKILLS,
  async (dir) => {
    const library = await openLibrary([opening("project", 1, dir), ...PACKS], { project: dir });
    const create = (...args: readonly string[]) => createItem(library, planIn(dir, ...args), 0).text;
    const before = await listTree(dir);
    for (const name of ["analyst", "bmad-agent-analyst", "bmad-analyst", "sail", "bmad-prd"]) {
      assert.throws(() => create("agent", name), /is already a name of /, name);
    }
    for (const name of ["con", "aux", "com1"]) {
      assert.throws(() => create("agent", name), new RegExp(`Invalid name "${name}"`));
    }
    assert.deepEqual(await listTree(dir), before);
    assert.match(create("agent", "mary"), /\n"mary" also means bmm\/bmad-agent-analyst\./);
    assert.doesNotMatch(create("agent", "gardener"), /also means/);
  },
);
