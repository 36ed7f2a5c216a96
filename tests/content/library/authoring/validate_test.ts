/** Does `validate` find what is wrong with a module, in every generation, and nothing else? */
import assert from "node:assert/strict";
import { type RuleName, RULES } from "../../../../src/content/library/authoring/schema.ts";
import { validateSource } from "../../../../src/content/library/authoring/validate.ts";
import { referencesAt } from "../../../../src/content/library/health/closure.ts";
import { openLibrary } from "../../../../src/content/library/mod.ts";
import { openPack } from "../../../../src/content/origins/pack.ts";
import { type Files, opening } from "../../../support/library.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";

const contentDir = new URL("../../../../bmad-embedded/content", import.meta.url).pathname;

const PACKS = (["latest", "v4"] as const).map((pack, at) => ({
  origin: { id: `package-${at}`, kind: "package" as const, priority: 9, location: pack },
  use: "named" as const,
  ...openPack(pack, contentDir),
}));

const check = (files: Files, within?: string) =>
  withTree(
    files,
    async (dir) => await validateSource(await openLibrary([opening("cli", 2, dir), ...PACKS]), within),
  );

const HELP_HEAD =
  "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by," +
  "required,output-location,outputs";

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
    "skills/garden-sow/SKILL.md": "---\nname: garden-sow\ndescription: Sows\n---\n",
    "skills/garden-sow/module-manifest.toml":
      'module = "garden"\nversion = "1.0.0"\nupdate_source = "github:a/b"\nknowledge = "`bmad-meta/help.md` in the `garden-dig` skill"\n',
  },
} as const satisfies Readonly<Record<string, Files>>;

type Generation = keyof typeof WHOLE;

interface Plant {
  readonly in: Generation;
  readonly what: string;
  readonly file: string;
  readonly from?: string | undefined;
  readonly to?: TreeFile | undefined;
  readonly rule: RuleName;
  readonly at?: string | undefined;
  readonly line?: number | undefined;
}

const long = "word ".repeat(300);

/** Each is: what | rule | file (> the file with the fault) and line | text that is replaced | its replacement; `-` for none. */
const TABLE: Partial<Readonly<Record<Generation, string>>> = {
  skills: String.raw`
    front matter that is not YAML | syntax | garden-dig/SKILL.md:3 | Digs | [
    front matter that is not closed | syntax | garden-dig/SKILL.md | Digs\n--- | Digs
    a skill without front matter | front-matter | garden-sow/SKILL.md:1 | ---\nname: garden-sow\ndescription: Sows\n---\n |
    a name that differs from the folder | name | garden-sow/SKILL.md:2 | name: garden-sow | name: sow
    a skill without a description | description | garden-sow/SKILL.md:1 | description: Sows\n |
    a file that is missing | reference | garden-dig/steps/one.md > garden-dig/SKILL.md:5 | - | -
    a skill that is missing | reference | garden-sow/SKILL.md:5 | skill:bmad-prd | skill:bmad-prod
    a value that is not declared | customization | garden-dig/SKILL.md:5 | {workflow.depth} | {workflow.width}
    customization that is not TOML | syntax | garden-agent-ann/customize.toml:2 | "Ann" | Ann
    customization without a known table | customization | garden-sow/customize.toml:1 | - | [settings]\nx = 1\n
    an agent without a title | missing-key | garden-agent-ann/customize.toml:1 | title = "Gardener"\n |
    principles that are not a list | wrong-type | garden-agent-ann/customize.toml:5 | ["Dig deep"] | 7
    a menu item that starts nothing | menu | garden-agent-ann/customize.toml | prompt = "Look"\n |
    a menu item without a code | menu | garden-agent-ann/customize.toml:12 | code = "RV"\n |
    two menu items with one code | duplicate | garden-agent-ann/customize.toml | "RV" | "DG"
    a menu item for a missing skill | menu-target | garden-agent-ann/customize.toml:10 | "garden-dig" | "garden-dug"
    an unknown type of skill | unknown-key | garden-sow/bmad-skill-manifest.yaml:1 | workflow | wizard
    a module without a name | missing-key | module.yaml:1 | name: Garden\n |
    a roster with somebody who is not there | not-found | module.yaml:4 | garden-agent-ann | garden-agent-bob
    a default that is not a choice | not-found | module.yaml:7 | default: low | default: high
    choices that are not a list | wrong-type | module.yaml:7 | single-select:\n    - value: low\n      label: Low\n | single-select: low\n
    a roster with words that are no name | not-found | module.yaml:4 | garden-agent-ann | garden agent
    a help row with an odd phase | help-row | module-help.csv:3 | ,anytime, | ,Any time,
    a help catalogue without a column | help-column | module-help.csv:1 | menu-code, | code,
    a help row about a missing skill | help-row | module-help.csv:4 | garden-sow,Sow | garden-saw,Sow
    a help row with too few fields | help-row | module-help.csv:3 | garden-dig,Dig,DG,Dig a bed,,, | garden-dig,Dig,DG,Dig a bed,
    a help row after a missing step | help-row | module-help.csv:4 | garden-dig,,true | garden-dug,,true
    a menu code twice in the help catalogue | duplicate | module-help.csv | ,SW, | ,DG,
    a plugin with a missing skill | not-found | .claude-plugin/marketplace.json:2 | ./garden-sow | ./garden-saw
    the name of one of BMAD's own skills | name-taken | bmad-prd/SKILL.md | - | ---\nname: bmad-prd\ndescription: Ours\n---\n
    a description that is too long | description | garden-sow/SKILL.md:3 | Sows | ${long}
    a file that is too large | size | garden-dig/steps/one.md | Then | ${long.repeat(200)}`,
  compiled: String.raw`
    an agent that is not YAML | syntax | agents/ann.agent.yaml:8 | role: Gardens | role: [
    a menu item for a missing workflow | menu-target | agents/ann.agent.yaml:17 | workflows/dig/workflow.yaml | workflows/dug/start.yaml
    a menu item for a missing prompt | menu-target | agents/ann.agent.yaml:20 | "#look" | "#lock"
    a trigger twice | duplicate | agents/ann.agent.yaml | trigger: look | trigger: dig
    a workflow without instructions | missing-key | workflows/dig/workflow.yaml:1 | instructions: | notes:
    instructions that are missing | reference | workflows/dig/instructions.md > workflows/dig/workflow.yaml:4 | - | -
    a step that is missing | reference | workflows/sow/steps/one.md:2 | ../workflow.md | ./two.md
    a workflow without a description | missing-key | workflows/sow/workflow.md:1 | description: Sows\n |
    a task that is not closed | syntax | tasks/rake.xml:1 | </task> |
    a team with a missing agent | not-found | teams/all.yaml:4 | - ann | - bob
    an agent without an icon | missing-key | agents/ann.agent.yaml:2 |     icon: 🌱\n |
    an agent without an identity | missing-key | agents/ann.agent.yaml:6 |     identity: Old\n |
    an agent with an unknown key | unknown-key | agents/ann.agent.yaml:12 |   prompts: |   promts: []\n  prompts:`,
  hand: String.raw`
    an override of a missing skill | customization | _bmad/custom/bmad-prod.toml:1 | - | [workflow]\n
    an override of a value that the skill does not have | customization | _bmad/custom/bmad-prd.toml:2 | persistent_facts | persistant_facts
    an override of another type | wrong-type | _bmad/custom/bmad-prd.toml:2 | ["Dig"] | "Dig"
    customization of a missing agent | customization | _bmad/_config/agents/garden-bob.customize.yaml:1 | - | persona:\n  role: Digs\n
    an unknown key in an agent's customization | unknown-key | _bmad/_config/agents/garden-ann.customize.yaml:1 | persona: | persono:`,
  v4: String.raw`
    an agent whose block is not YAML | syntax | agents/ann.md:8 | title: Gardener | title: [
    an agent without a block | syntax | agents/bob.md | - | # bob\n
    an agent with another id | name | agents/ann.md:6 | id: ann | id: anna
    a dependency that is missing | reference | tasks/dig.md > agents/ann.md:15 | - | -
    a workflow with a missing agent | not-found | workflows/year.yaml:5 | agent: ann | agent: bob
    a team with a missing agent | not-found | agent-teams/all.yaml:5 | - analyst | - analist
    a pack without a version | missing-key | config.yaml:1 | version: 1.0.0\n |
    an agent without a purpose | missing-key | agents/ann.md:4 |   whenToUse: To dig\n |
    an unknown kind of dependency | unknown-key | agents/ann.md:16 | templates: | tools:
    a template without an id | missing-key | templates/bed-tmpl.yaml:1 |   id: bed\n |`,
  v3: String.raw`
    an agent without a name | missing-key | ide-bmad-orchestrator.cfg.md:3 | - Name: Ann\n |
    a persona that is missing | reference | ide-bmad-orchestrator.cfg.md:6 | "ann.md" | "bob.md"
    a task that is missing | reference | tasks/dig.md > ide-bmad-orchestrator.cfg.md:8 | - | -`,
  records: String.raw`
    a record without a version | missing-key | skills/bmod-garden/bmod.toml:1 | version = "1.0.0"\n |
    a record that lists a missing skill | not-found | skills/bmod-garden/bmod.toml:5 | "garden-dig"] | "garden-dig", "garden-dug"]
    a member of the roster without a skill | not-found | skills/bmod-garden/roster.toml:3 | "garden-ann" | "garden-anna"
    a group with nobody | not-found | skills/bmod-garden/roster.toml:9 | members = ["ann"] | members = ["bob"]
    a new name that is missing | not-found | skills/bmod-garden/retired.toml:2 | "garden-dig" | "garden-dug"
    a script that is missing | reference | skills/garden-dig/scripts/dig.py > skills/garden-dig/bmod.toml:4 | - | -
    a skill of a missing record | record | skills/garden-dig/bmod.toml | "bmod-garden" | "bmod-orchard"
    a question without its key | missing-key | skills/bmod-garden/bmod.toml:6 | key = "core.x",  |`,
  manifests: String.raw`
    a manifest without a version | missing-key | skills/garden-dig/module-manifest.toml:1 | version = "1.0.0"\n |
    knowledge that is missing | reference | skills/garden-dig/bmad-meta/help.md > skills/garden-dig/module-manifest.toml:4 | - | -`,
};

const ROW = /^(.*?) \| (.*?) \| (\S+?)(?: > (\S+?))?(?::(\d+))? \| (.*?) \|(?: (.*))?$/;

const PLANTS: readonly Plant[] = [
  ...Object.entries(TABLE).flatMap(([generation, rows]) =>
    rows.trim().split("\n").map((row): Plant => {
      const [, what = "", rule, file = "", at, line, from, to = ""] = ROW.exec(row.trim()) ?? [];
      const text = (cell: string | undefined) => cell === "-" ? undefined : cell?.replaceAll("\\n", "\n");
      return {
        in: generation as Generation,
        what,
        rule: rule as RuleName,
        file,
        at,
        line: line === undefined ? undefined : Number(line),
        from: text(from),
        to: text(to),
      };
    })
  ),
  {
    in: "skills",
    what: "a link out of the module",
    rule: "link",
    file: "garden-dig/steps/two.md",
    to: { link: "/etc/hostname" },
  },
];

function planted({ in: generation, file, from, to }: Plant): Files {
  const { [file]: before, ...rest }: Files = WHOLE[generation];
  if (from === undefined) return to === undefined ? rest : { ...rest, [file]: to };
  assert.ok(typeof before === "string" && before.includes(from), `${file} has ${from}`);
  return { ...rest, [file]: before.replace(from, () => to as string) };
}

for (const [name, files] of Object.entries(WHOLE)) {
  Deno.test(`a whole module has no faults: ${name} [authors:validate]`, async () => {
    const { faults, items } = await check(files);
    assert.deepEqual(faults, []);
    assert.ok(items > 0);
  });
}

Deno.test("40 planted faults are found, each with file and line [authors:validate]", async (t) => {
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
});

Deno.test("a check ends with the last fault that it reports [authors:validate-bounded]", () => {
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
    const { faults } = await validateSource(await openLibrary([{ ...source, tree }]));
    // A text is read by a few rules, and not once for each of its faults.
    assert.ok(reads < 100, `${reads} reads`);
    assert.equal(faults.filter(({ rule }) => rule === "customization").length, 1);
    assert.equal(faults.length, 1_000);
    const menu = { "agents/a.agent.yaml": `agent:\n  metadata:\n    name: A\n  menu:\n${items.join("")}` };
    await withTree({ "module.yaml": "code: x\nname: X\n", ...menu }, async (dir) => {
      const { faults } = await validateSource(await openLibrary([opening("cli", 2, dir)]));
      assert.equal(faults.length, 1_000);
    });
    assert.equal(referencesAt("bmad://x/a.md", paths).size, 1_000);
  });
});
