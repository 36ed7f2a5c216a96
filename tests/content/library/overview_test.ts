/** What does a start know about the content, and what is left to the first request? */
import assert from "node:assert/strict";
import { openLibrary, overviewOf, surveyOrigins, visibleEntries } from "../../../src/content/library/mod.ts";
import { hasKind } from "../../../src/base/model.ts";
import { installation as installedProject } from "../../support/installs.ts";
import { fixture, opening } from "../../support/library.ts";
import { treeTest, withTree } from "../../support/trees.ts";

/** A compiled installation of two modules whose manifests are as long as wanted; each description has 100 letters. */
function installation(things: number): Record<string, string> {
  const files: Record<string, string> = { "bmad/_cfg/manifest.yaml": "modules: [one, two]\n" };
  const rows = { agent: ["name,title,module,path"], workflow: ["name,description,module,path"] };
  for (let i = 0; i < things; i++) {
    const module = i % 2 === 0 ? "one" : "two";
    const [agent, flow] = [`bmad/${module}/agents/a${i}.md`, `bmad/${module}/workflows/w${i}/workflow.yaml`];
    files[agent] = `<agent name="A${i}" title="T"></agent>\n`;
    files[flow] = `name: w${i}\ndescription: d\n`;
    // Installers wrote rows twice.
    for (let n = 0; n < 2; n++) {
      rows.agent.push(`a${i},${"t".repeat(100)},${module},${agent}`);
      rows.workflow.push(`w${i},${"d".repeat(100)},${module},${flow}`);
    }
  }
  files["bmad/_cfg/agent-manifest.csv"] = rows.agent.join("\n");
  files["bmad/_cfg/workflow-manifest.csv"] = rows.workflow.join("\n");
  return files;
}

const numbersOf = ({ agents, workflows, modules }: ReturnType<typeof overviewOf>) => ({
  agents,
  workflows,
  modules,
});

Deno.test("an overview counts what lists show", async () => {
  const surveyed = await surveyOrigins([
    opening("project", 1, fixture("shop")),
    opening("cli", 2, fixture("team")),
  ]);
  const shown = visibleEntries((await openLibrary(surveyed)).effective);
  assert.deepEqual(overviewOf(surveyed).isEstimate, false);
  assert.deepEqual(numbersOf(overviewOf(surveyed)), {
    agents: shown.filter((entry) => hasKind(entry, "agent")).length,
    workflows: shown.filter((entry) => hasKind(entry, "workflow")).length,
    modules: [...new Set(shown.map((entry) => entry.module))].sort(),
  });
});

Deno.test("a large installation is counted by its manifests first, and read when more is needed", () =>
  withTree(installation(250), async (dir) => {
    // A file that is gone shows the difference: only a full inventory looks for it.
    await Deno.remove(`${dir}/bmad/one/agents/a0.md`);
    const surveyed = await surveyOrigins([opening("project", 1, dir)]);
    assert.deepEqual(surveyed.map(({ inventory }) => inventory), [undefined]);
    const overview = overviewOf(surveyed);
    assert.deepEqual(overview.isEstimate, true);
    assert.deepEqual(numbersOf(overview), { agents: 250, workflows: 250, modules: ["one", "two"] });
    assert.deepEqual(overview.origins.map(({ things }) => things), [500]);
    const { effective, diagnostics } = await openLibrary(surveyed);
    assert.deepEqual(effective.length, 499);
    assert.deepEqual(diagnostics.map(({ code }) => code), ["no-file-found"]);
  }));

Deno.test("an installation of skills is counted by its manifest [start:counts]", async (t) => {
  for (const version of ["6.12.0", "6.5.0"] as const) {
    await t.step(version, async () => {
      const project = await installedProject({ version, tools: "claude-code" });
      const surveyed = await surveyOrigins([opening("project", 1, project)]);
      const overview = overviewOf(surveyed);
      assert.deepEqual([overview.isUnread, overview.isEstimate], [true, false]);
      const shown = visibleEntries((await openLibrary(surveyed)).effective);
      assert.deepEqual(numbersOf(overview), {
        agents: shown.filter((entry) => hasKind(entry, "agent")).length,
        workflows: shown.filter((entry) => hasKind(entry, "workflow")).length,
        modules: [...new Set(shown.map((entry) => entry.module))].sort(),
      });
      assert.ok(overview.agents > 4 && overview.workflows > 20);
    });
  }
});

Deno.test("a skill manifest that cannot be read, or tells no agents apart, is not counted by", async () => {
  const manifest =
    "canonicalId,name,description,module,path\nsea-map,Map,Draws,sea,_bmad/sea/sea-map/SKILL.md\n";
  const roster = '[agents.sea-scout]\nname = "Nemo"\n';
  const skill = { "_bmad/sea/sea-map/SKILL.md": "---\nname: sea-map\ndescription: Draws\n---\nDraw.\n" };
  const estimateOf = (files: Record<string, string>) =>
    withTree(
      { ...skill, ...files },
      async (dir) => (await surveyOrigins([opening("project", 1, dir)]))[0]!.estimate,
    );
  const path = "_bmad/_config/skill-manifest.csv";
  assert.deepEqual(await estimateOf({ [path]: manifest, "_bmad/config.toml": roster }), {
    agents: 0,
    workflows: 1,
    items: 1,
    modules: ["sea"],
    isSmall: true,
  });
  assert.equal(await estimateOf({ [path]: manifest }), undefined);
  assert.equal(await estimateOf({ [path]: "", "_bmad/config.toml": roster }), undefined);
});

treeTest("a compiled installation of ordinary size is read at once", installation(20), async (dir) => {
  const [surveyed] = await surveyOrigins([opening("project", 1, dir)]);
  assert.deepEqual(surveyed!.estimate, undefined);
  assert.deepEqual(surveyed!.inventory!.items.length, 40);
});
