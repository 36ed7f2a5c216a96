/**
 * Does `validate` find what is wrong with a module, in every generation, and nothing else?
 *
 * Each row plants one fault in a module that is otherwise whole, and names the rule, file and line that must be reported:
 * exactly one fault. The whole modules themselves have none.
 */
import assert from "node:assert/strict";
import { type RuleName, RULES } from "../../../../src/content/library/authoring/fault.ts";
import { validate } from "../../../../src/content/library/authoring/validate.ts";
import { referencesAt } from "../../../../src/content/library/health/closure.ts";
import { openLibrary } from "../../../../src/content/library/mod.ts";
import { openPack } from "../../../../src/content/origins/pack.ts";
import { opening } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";

const contentDir = new URL("../../../../bmad-embedded/content", import.meta.url).pathname;

const PACKS = (["latest", "v4"] as const).map((pack, at) => ({
  origin: { id: `package-${at}`, kind: "package" as const, priority: 9, location: pack },
  use: "named" as const,
  ...openPack(pack, contentDir),
}));

type Files = Readonly<Record<string, TreeFile>>;

const check = (files: Files, within?: string) =>
  withTree(
    files,
    async (dir) => await validate(await openLibrary([opening("cli", 2, dir), ...PACKS]), within),
  );

const HELP_HEAD =
  "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by," +
  "required,output-location,outputs";

/** A module of each generation with as many kinds of files as it can have, and nothing wrong. */
const WHOLE = {
  skills: {
    "module.yaml":
      "code: garden\nname: Garden\nagents:\n  - code: garden-agent-ann\n    name: Ann\n    title: Gardener\n" +
      "level:\n  prompt: How?\n  default: low\n  single-select:\n    - value: low\n      label: Low\n",
    "module-help.csv": `${HELP_HEAD}\nGarden,_meta,,,,,,,,,false,https://example.org,\n` +
      "Garden,garden-dig,Dig,DG,Dig a bed,,,anytime,,,false,,\n" +
      "Garden,garden-sow,Sow,SW,Sow seeds,,,plan,garden-dig,,true,,\n",
    ".claude-plugin/marketplace.json":
      '{ "name": "garden", "plugins": [{ "name": "garden",\n "skills": ["./garden-dig", "./garden-sow"] }] }',
    "garden-agent-ann/SKILL.md":
      "---\nname: garden-agent-ann\ndescription: A gardener\n---\nBe {agent.name}.\n",
    "garden-agent-ann/customize.toml":
      '[agent]\nname = "Ann"\ntitle = "Gardener"\nicon = "🌱"\nprinciples = ["Dig deep"]\npersistent_facts = []\n' +
      '[[agent.menu]]\ncode = "DG"\ndescription = "Dig"\nskill = "garden-dig"\n' +
      '[[agent.menu]]\ncode = "RV"\ndescription = "Review"\nprompt = "Look"\n',
    "garden-dig/SKILL.md":
      "---\nname: garden-dig\ndescription: Digs\n---\nRead ./steps/one.md and {workflow.depth}.\n",
    "garden-dig/steps/one.md": "Then see ../SKILL.md.\n",
    "garden-dig/customize.toml": '[workflow]\ndepth = "deep"\n',
    "garden-sow/SKILL.md": "---\nname: garden-sow\ndescription: Sows\n---\nInvoke skill:bmad-prd first.\n",
    "garden-sow/bmad-skill-manifest.yaml": "type: workflow\n",
  },
  compiled: {
    "module.yaml": "code: garden\nname: Garden\n",
    "agents/ann.agent.yaml":
      "agent:\n  metadata:\n    name: Ann\n    title: Gardener\n    icon: 🌱\n  persona:\n    role: Gardens\n" +
      "    identity: Old\n    communication_style: Slow\n    principles:\n      - Dig deep\n  prompts:\n    - id: look\n      content: Look\n" +
      '  menu:\n    - trigger: dig\n      workflow: "{project-root}/_bmad/garden/workflows/dig/workflow.yaml"\n      description: Dig\n' +
      '    - trigger: look\n      action: "#look"\n      description: Look\n',
    "workflows/dig/workflow.yaml":
      'name: dig\ndescription: Digs\ninstalled_path: "{project-root}/_bmad/garden/workflows/dig"\n' +
      'instructions: "{installed_path}/instructions.md"\n',
    "workflows/dig/instructions.md": "Dig.\n",
    "workflows/sow/workflow.md": "---\nname: sow\ndescription: Sows\n---\nRead ./steps/one.md.\n",
    "workflows/sow/steps/one.md": "---\nnextStepFile: ../workflow.md\n---\n",
    "tasks/rake.xml": '<task id="rake" name="Rake">\n<objective>Rake</objective>\n</task>\n',
    "teams/all.yaml": "bundle:\n  name: All\nagents:\n  - ann\n",
  },
  hand: {
    "_bmad/garden/config.yaml": "user_name: Ann\n",
    "_bmad/garden/agents/ann.md": "---\nname: ann\ndescription: A gardener\n---\n# Ann\n",
    "_bmad/custom/bmad-prd.toml": '[workflow]\npersistent_facts = ["Dig"]\n',
    "_bmad/_config/agents/garden-ann.customize.yaml": "persona:\n  role: Digs\n",
  },
  v4: {
    "config.yaml": "name: bmad-garden\nversion: 1.0.0\n",
    "agents/ann.md":
      "# ann\n\n```yaml\nagent:\n  name: Ann\n  id: ann\n  title: Gardener\n  whenToUse: To dig\npersona:\n  role: Gardener\n" +
      "commands:\n  - help: Help\ndependencies:\n  tasks:\n    - dig.md\n  templates:\n    - bed-tmpl.yaml\n```\n",
    "tasks/dig.md": "# Dig\n",
    "templates/bed-tmpl.yaml":
      "template:\n  id: bed\n  name: Bed\nsections:\n  - id: soil\n    title: Soil\n",
    "workflows/year.yaml":
      "workflow:\n  id: year\n  name: Year\n  sequence:\n    - agent: ann\n      creates: bed.md\n",
    "agent-teams/all.yaml": "bundle:\n  name: All\nagents:\n  - ann\n  - analyst\n",
  },
  v3: {
    "ide-bmad-orchestrator.cfg.md":
      '# Agents\n\n## Title: Gardener\n\n- Name: Ann\n- Persona: "ann.md"\n- Tasks:\n  - [Dig](dig.md)\n',
    "personas/ann.md": "# Ann\n",
    "tasks/dig.md": "# Dig\n",
  },
  records: {
    "skills/bmod-garden/SKILL.md": "---\nname: bmod-garden\ndescription: A record\n---\n",
    "skills/bmod-garden/bmod.toml":
      '[bmod]\ncode = "garden"\nversion = "1.0.0"\nupdate_source = "github:a/b"\nskills = ["garden-ann", "garden-dig"]\n' +
      'config_questions = [{ key = "core.x", prompt = "Which?" }]\n',
    "skills/bmod-garden/help/help.md": "# Garden\n",
    "skills/bmod-garden/roster.toml":
      '[[members]]\ncode = "ann"\nskill = "garden-ann"\nname = "Ann"\ntitle = "Gardener"\n' +
      '[[groups]]\nid = "all"\nname = "All"\nmembers = ["ann"]\n',
    "skills/bmod-garden/retired.toml":
      'removed = ["garden-weed"]\nrenamed = [{ from = "garden-hoe", to = "garden-dig" }]\n',
    "skills/garden-ann/SKILL.md": "---\nname: garden-ann\ndescription: A gardener\n---\n",
    "skills/garden-ann/bmod.toml": '[skill]\nbmod = "bmod-garden"\nsource = "github:a/b"\n',
    "skills/garden-ann/customize.toml": "[agent]\nprinciples = []\n",
    "skills/garden-dig/SKILL.md": "---\nname: garden-dig\ndescription: Digs\n---\n",
    "skills/garden-dig/bmod.toml":
      '[skill]\nbmod = "bmod-garden"\nsource = "github:a/b"\nscripts = ["scripts/dig.py"]\n',
    "skills/garden-dig/scripts/dig.py": "print(1)\n",
  },
  manifests: {
    "skills/garden-dig/SKILL.md": "---\nname: garden-dig\ndescription: Digs\n---\n",
    "skills/garden-dig/module-manifest.toml":
      'module = "garden"\nversion = "1.0.0"\nupdate_source = "github:a/b"\nknowledge = ["bmad-meta/help.md"]\n',
    "skills/garden-dig/bmad-meta/help.md": "# Help\n",
  },
} as const satisfies Readonly<Record<string, Files>>;

type Generation = keyof typeof WHOLE;

/** One planted fault: a text of a file replaced, a file added, or one removed (`to` is undefined). */
interface Plant {
  readonly in: Generation;
  readonly what: string;
  readonly file: string;
  readonly from?: string;
  readonly to?: TreeFile;
  readonly rule: RuleName;
  /** The file of the fault, if it is another one. */
  readonly at?: string;
  readonly line?: number;
}

const plant = (
  generation: Generation,
  what: string,
  rule: RuleName,
  file: string,
  change: Pick<Plant, "from" | "to" | "at" | "line"> = {},
): Plant => ({ in: generation, what, rule, file, ...change });

const long = "word ".repeat(300);

const PLANTS: readonly Plant[] = [
  // Skills
  plant("skills", "front matter that is not YAML", "syntax", "garden-dig/SKILL.md", {
    from: "Digs",
    to: "[",
    line: 3,
  }),
  plant("skills", "front matter that is not closed", "syntax", "garden-dig/SKILL.md", {
    from: "Digs\n---",
    to: "Digs",
  }),
  plant("skills", "a skill without front matter", "front-matter", "garden-sow/SKILL.md", {
    from: "---\nname: garden-sow\ndescription: Sows\n---\n",
    to: "",
    line: 1,
  }),
  plant("skills", "a name that differs from the folder", "name", "garden-sow/SKILL.md", {
    from: "name: garden-sow",
    to: "name: sow",
    line: 2,
  }),
  plant("skills", "a skill without a description", "description", "garden-sow/SKILL.md", {
    from: "description: Sows\n",
    to: "",
    line: 1,
  }),
  plant("skills", "a description that is too long", "description", "garden-sow/SKILL.md", {
    from: "Sows",
    to: long,
    line: 3,
  }),
  plant("skills", "a file that is missing", "reference", "garden-dig/steps/one.md", {
    at: "garden-dig/SKILL.md",
    line: 5,
  }),
  plant("skills", "a skill that is missing", "reference", "garden-sow/SKILL.md", {
    from: "skill:bmad-prd",
    to: "skill:bmad-prod",
    line: 5,
  }),
  plant("skills", "a value that is not declared", "customization", "garden-dig/SKILL.md", {
    from: "{workflow.depth}",
    to: "{workflow.width}",
    line: 5,
  }),
  plant("skills", "customization that is not TOML", "syntax", "garden-agent-ann/customize.toml", {
    from: '"Ann"',
    to: "Ann",
    line: 2,
  }),
  plant("skills", "customization without a known table", "customization", "garden-sow/customize.toml", {
    to: "[settings]\nx = 1\n",
    line: 1,
  }),
  plant("skills", "an agent without a title", "missing-key", "garden-agent-ann/customize.toml", {
    from: 'title = "Gardener"\n',
    to: "",
    line: 1,
  }),
  plant("skills", "principles that are not a list", "wrong-type", "garden-agent-ann/customize.toml", {
    from: '["Dig deep"]',
    to: "7",
    line: 5,
  }),
  plant("skills", "a menu item that starts nothing", "menu", "garden-agent-ann/customize.toml", {
    from: 'prompt = "Look"\n',
    to: "",
  }),
  plant("skills", "a menu item without a code", "menu", "garden-agent-ann/customize.toml", {
    from: 'code = "RV"\n',
    to: "",
    line: 11,
  }),
  plant("skills", "two menu items with one code", "duplicate", "garden-agent-ann/customize.toml", {
    from: '"RV"',
    to: '"DG"',
  }),
  plant("skills", "a menu item for a missing skill", "menu-target", "garden-agent-ann/customize.toml", {
    from: '"garden-dig"',
    to: '"garden-dug"',
    line: 10,
  }),
  plant("skills", "an unknown type of skill", "unknown-key", "garden-sow/bmad-skill-manifest.yaml", {
    from: "workflow",
    to: "wizard",
    line: 1,
  }),
  plant("skills", "a module without a name", "missing-key", "module.yaml", {
    from: "name: Garden\n",
    to: "",
    line: 1,
  }),
  plant("skills", "a roster with somebody who is not there", "not-found", "module.yaml", {
    from: "garden-agent-ann",
    to: "garden-agent-bob",
    line: 4,
  }),
  plant("skills", "a default that is not a choice", "not-found", "module.yaml", {
    from: "default: low",
    to: "default: high",
    line: 7,
  }),
  plant("skills", "a help catalogue without a column", "help-column", "module-help.csv", {
    from: "menu-code,",
    to: "code,",
    line: 1,
  }),
  plant("skills", "a help row about a missing skill", "help-row", "module-help.csv", {
    from: "garden-sow,Sow",
    to: "garden-saw,Sow",
    line: 4,
  }),
  plant("skills", "a help row with too few fields", "help-row", "module-help.csv", {
    from: "garden-dig,Dig,DG,Dig a bed,,,",
    to: "garden-dig,Dig,DG,Dig a bed,",
    line: 3,
  }),
  plant("skills", "a help row after a missing step", "help-row", "module-help.csv", {
    from: "garden-dig,,true",
    to: "garden-dug,,true",
    line: 4,
  }),
  plant("skills", "a menu code twice in the help catalogue", "duplicate", "module-help.csv", {
    from: ",SW,",
    to: ",DG,",
  }),
  plant("skills", "a plugin with a missing skill", "not-found", ".claude-plugin/marketplace.json", {
    from: "./garden-sow",
    to: "./garden-saw",
    line: 2,
  }),
  plant("skills", "a file that is too large", "size", "garden-dig/steps/one.md", {
    from: "Then",
    to: long.repeat(200),
  }),
  plant("skills", "the name of one of BMAD's own skills", "name-taken", "bmad-prd/SKILL.md", {
    to: "---\nname: bmad-prd\ndescription: Ours\n---\n",
  }),
  plant("skills", "a link out of the module", "link", "garden-dig/steps/two.md", {
    to: { link: "/etc/hostname" },
  }),
  // Compiled
  plant("compiled", "an agent that is not YAML", "syntax", "agents/ann.agent.yaml", {
    from: "role: Gardens",
    to: "role: [",
    line: 8,
  }),
  plant("compiled", "an agent without an icon", "missing-key", "agents/ann.agent.yaml", {
    from: "    icon: 🌱\n",
    to: "",
    line: 2,
  }),
  plant("compiled", "an agent without an identity", "missing-key", "agents/ann.agent.yaml", {
    from: "    identity: Old\n",
    to: "",
    line: 6,
  }),
  plant("compiled", "an agent with an unknown key", "unknown-key", "agents/ann.agent.yaml", {
    from: "  prompts:",
    to: "  promts: []\n  prompts:",
    line: 12,
  }),
  plant("compiled", "a menu item for a missing workflow", "menu-target", "agents/ann.agent.yaml", {
    from: "workflows/dig/workflow.yaml",
    to: "workflows/dug/start.yaml",
    line: 17,
  }),
  plant("compiled", "a menu item for a missing prompt", "menu-target", "agents/ann.agent.yaml", {
    from: '"#look"',
    to: '"#lock"',
    line: 20,
  }),
  plant("compiled", "a trigger twice", "duplicate", "agents/ann.agent.yaml", {
    from: "trigger: look",
    to: "trigger: dig",
  }),
  plant("compiled", "a workflow without instructions", "missing-key", "workflows/dig/workflow.yaml", {
    from: "instructions:",
    to: "notes:",
    line: 1,
  }),
  plant("compiled", "instructions that are missing", "reference", "workflows/dig/instructions.md", {
    at: "workflows/dig/workflow.yaml",
    line: 4,
  }),
  plant("compiled", "a step that is missing", "reference", "workflows/sow/steps/one.md", {
    from: "../workflow.md",
    to: "./two.md",
    line: 2,
  }),
  plant("compiled", "a workflow without a description", "missing-key", "workflows/sow/workflow.md", {
    from: "description: Sows\n",
    to: "",
    line: 1,
  }),
  plant("compiled", "a task that is not closed", "syntax", "tasks/rake.xml", {
    from: "</task>",
    to: "",
    line: 1,
  }),
  plant("compiled", "a team with a missing agent", "not-found", "teams/all.yaml", {
    from: "- ann",
    to: "- bob",
    line: 4,
  }),
  // Written by hand
  plant("hand", "an override of a missing skill", "customization", "_bmad/custom/bmad-prod.toml", {
    to: "[workflow]\n",
    line: 1,
  }),
  plant(
    "hand",
    "an override of a value that the skill does not have",
    "customization",
    "_bmad/custom/bmad-prd.toml",
    { from: "persistent_facts", to: "persistant_facts", line: 2 },
  ),
  plant("hand", "an override of another type", "wrong-type", "_bmad/custom/bmad-prd.toml", {
    from: '["Dig"]',
    to: '"Dig"',
    line: 2,
  }),
  plant(
    "hand",
    "customization of a missing agent",
    "customization",
    "_bmad/_config/agents/garden-bob.customize.yaml",
    { to: "persona:\n  role: Digs\n", line: 1 },
  ),
  plant(
    "hand",
    "an unknown key in an agent's customization",
    "unknown-key",
    "_bmad/_config/agents/garden-ann.customize.yaml",
    { from: "persona:", to: "persono:", line: 1 },
  ),
  // v4
  plant("v4", "an agent whose block is not YAML", "syntax", "agents/ann.md", {
    from: "title: Gardener",
    to: "title: [",
    line: 8,
  }),
  plant("v4", "an agent without a block", "syntax", "agents/bob.md", { to: "# bob\n" }),
  plant("v4", "an agent with another id", "name", "agents/ann.md", {
    from: "id: ann",
    to: "id: anna",
    line: 6,
  }),
  plant("v4", "an agent without a purpose", "missing-key", "agents/ann.md", {
    from: "  whenToUse: To dig\n",
    to: "",
    line: 4,
  }),
  plant("v4", "a dependency that is missing", "reference", "tasks/dig.md", { at: "agents/ann.md", line: 15 }),
  plant("v4", "an unknown kind of dependency", "unknown-key", "agents/ann.md", {
    from: "  templates:\n    - bed-tmpl.yaml",
    to: "  tools:\n    - bed-tmpl.yaml",
    line: 16,
  }),
  plant("v4", "a template without an id", "missing-key", "templates/bed-tmpl.yaml", {
    from: "  id: bed\n",
    to: "",
    line: 1,
  }),
  plant("v4", "a workflow with a missing agent", "not-found", "workflows/year.yaml", {
    from: "agent: ann",
    to: "agent: bob",
    line: 5,
  }),
  plant("v4", "a team with a missing agent", "not-found", "agent-teams/all.yaml", {
    from: "- analyst",
    to: "- analist",
    line: 5,
  }),
  plant("v4", "a pack without a version", "missing-key", "config.yaml", {
    from: "version: 1.0.0\n",
    to: "",
    line: 1,
  }),
  // v3
  plant("v3", "an agent without a name", "missing-key", "ide-bmad-orchestrator.cfg.md", {
    from: "- Name: Ann\n",
    to: "",
    line: 3,
  }),
  plant("v3", "a persona that is missing", "reference", "ide-bmad-orchestrator.cfg.md", {
    from: '"ann.md"',
    to: '"bob.md"',
    line: 6,
  }),
  plant("v3", "a task that is missing", "reference", "tasks/dig.md", {
    at: "ide-bmad-orchestrator.cfg.md",
    line: 8,
  }),
  // Records
  plant("records", "a record without a version", "missing-key", "skills/bmod-garden/bmod.toml", {
    from: 'version = "1.0.0"\n',
    to: "",
    line: 1,
  }),
  plant("records", "a record that lists a missing skill", "not-found", "skills/bmod-garden/bmod.toml", {
    from: '"garden-dig"]',
    to: '"garden-dig", "garden-dug"]',
    line: 5,
  }),
  plant("records", "a member of the roster without a skill", "not-found", "skills/bmod-garden/roster.toml", {
    from: '"garden-ann"',
    to: '"garden-anna"',
    line: 3,
  }),
  plant("records", "a group with nobody", "not-found", "skills/bmod-garden/roster.toml", {
    from: 'members = ["ann"]',
    to: 'members = ["bob"]',
    line: 9,
  }),
  plant("records", "a new name that is missing", "not-found", "skills/bmod-garden/retired.toml", {
    from: '"garden-dig"',
    to: '"garden-dug"',
    line: 2,
  }),
  plant("records", "a script that is missing", "reference", "skills/garden-dig/scripts/dig.py", {
    at: "skills/garden-dig/bmod.toml",
    line: 4,
  }),
  plant("records", "a skill of a missing record", "record", "skills/garden-dig/bmod.toml", {
    from: '"bmod-garden"',
    to: '"bmod-orchard"',
  }),
  plant("records", "a question without its key", "missing-key", "skills/bmod-garden/bmod.toml", {
    from: 'key = "core.x", ',
    to: "",
    line: 6,
  }),
  plant(
    "manifests",
    "a manifest without a version",
    "missing-key",
    "skills/garden-dig/module-manifest.toml",
    { from: 'version = "1.0.0"\n', to: "", line: 1 },
  ),
  plant("manifests", "knowledge that is missing", "reference", "skills/garden-dig/bmad-meta/help.md", {
    at: "skills/garden-dig/module-manifest.toml",
    line: 4,
  }),
];

function planted({ in: generation, file, from, to }: Plant): Files {
  const { [file]: before, ...rest }: Files = WHOLE[generation];
  if (from === undefined) return to === undefined ? rest : { ...rest, [file]: to };
  assert.ok(typeof before === "string" && before.includes(from), `${file} has ${from}`);
  return { ...rest, [file]: before.replace(from, () => to as string) };
}

for (const [name, files] of Object.entries(WHOLE)) {
  Deno.test(verifies("authors:validate", `a whole module has no faults: ${name}`), async () => {
    const { faults, items } = await check(files);
    assert.deepEqual(faults, []);
    assert.ok(items > 0);
  });
}

Deno.test(
  verifies("authors:validate", "40 planted faults and more are found, each with its file and line"),
  async (t) => {
    assert.ok(PLANTS.length >= 40);
    for (const plant of PLANTS) {
      await t.step(`${plant.in}: ${plant.what}`, async () => {
        const { faults } = await check(planted(plant));
        const [fault] = faults;
        assert.equal(faults.length, 1, JSON.stringify(faults, null, 1));
        assert.deepEqual([fault!.rule, fault!.path], [plant.rule, plant.at ?? plant.file], fault!.message);
        if (plant.line !== undefined) assert.equal(fault!.line, plant.line, fault!.message);
        assert.equal(fault!.fix, RULES[plant.rule]);
      });
    }
  },
);

Deno.test(verifies("authors:validate-bounded", "a check ends with the last fault that it reports"), () => {
  const uses = "{workflow.gone}\n".repeat(2_000);
  const paths = Array.from({ length: 3_000 }, (_, at) => `- {project-root}/_bmad/x/${at}.md\n`).join("");
  const first = (name: string, text: string) => `---\nname: ${name}\ndescription: Do it.\n---\n\n${text}`;
  const items = Array.from({ length: 3_000 }, (_, at) => `    - trigger: t${at}\n      exec: x/${at}.md\n`);
  const files = {
    "skills/one/SKILL.md": first("one", uses),
    "skills/one/customize.toml": "[workflow]\n",
    "skills/two/SKILL.md": first("two", paths),
    "skills/two/more.md": paths,
  };
  return withTree(files, async (dir) => {
    const source = opening("cli", 2, dir);
    let reads = 0;
    const tree = { ...source.tree, read: (path: string) => (reads += 1, source.tree.read(path)) };
    const { faults } = await validate(await openLibrary([{ ...source, tree }]));
    // A text is read by a few rules, and not once for each of its faults.
    assert.ok(reads < 100, `${reads} reads`);
    assert.equal(faults.filter(({ rule }) => rule === "customization").length, 1);
    assert.equal(faults.length, 1_000);
    const menu = { "agents/a.agent.yaml": `agent:\n  metadata:\n    name: A\n  menu:\n${items.join("")}` };
    await withTree({ "module.yaml": "code: x\nname: X\n", ...menu }, async (dir) => {
      const { faults } = await validate(await openLibrary([opening("cli", 2, dir)]));
      assert.equal(faults.length, 1_000);
    });
    assert.equal(referencesAt("bmad://x/a.md", paths).size, 1_000);
  });
});
