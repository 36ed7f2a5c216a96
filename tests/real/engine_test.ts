/**
 * Does a workflow for BMAD's engine arrive with everything that the installation's own command loads?
 *
 * The command of such a workflow makes its reader load the engine, the configuration and the instructions. Every one of
 * them in real trees must arrive whole and in this order, with nothing in the way that the model would have to resolve.
 */
import assert from "node:assert/strict";
import { executeEntry, type Library, readEntry } from "../../src/content/library/mod.ts";
import type { Entry } from "../../src/base/model.ts";
import { installation, ofThisRun, sourceTree } from "../support/installs.ts";
import { openProject, openSource } from "../support/library.ts";
import { clientHere } from "../support/client.ts";
import { copyTree, treeTest, withTree } from "../support/trees.ts";

const DATE = "2026-11-15";

const engineWorkflows = ({ effective }: Library) =>
  effective.filter(({ file }) => file.endsWith("/workflow.yaml"));

async function checkWorkflow(library: Library, dir: string, entry: Entry): Promise<void> {
  const executed = await executeEntry(library, entry, { date: DATE });
  const yaml = (await Deno.readTextFile(`${dir}/${entry.file}`)).trimEnd();
  const folder = `${dir}/${entry.folder}`;
  const [, named] = /^instructions: "?\{installed_path\}\/([^"\s]+)/m.exec(yaml) ?? [];
  const instructions = named && (await Deno.readTextFile(`${folder}/${named}`)).trimEnd();
  const places = [
    executed.indexOf("Already resolved"),
    executed.indexOf(`date: '${DATE}'`),
    executed.indexOf("=== engine: bmad://core/tasks/workflow.xml ==="),
    executed.indexOf("=== workflow configuration: "),
    executed.indexOf("=== instructions: "),
  ];
  assert.deepEqual(places, places.toSorted((a, b) => a - b), entry.id);
  assert.ok(!places.includes(-1), `${entry.id}: ${places}`);
  const delivered = executed.replaceAll(/(?<=\/)_bmad|bmad(?=\/)/g, "{bmad_folder}");
  const asInstalled = (text: string) => text.replaceAll(/(?<=\/)_bmad|bmad(?=\/)/g, "{bmad_folder}");
  assert.ok(delivered.includes(asInstalled(yaml)), `${entry.id}: the configuration`);
  assert.ok(
    instructions !== undefined && delivered.includes(asInstalled(instructions)),
    `${entry.id}: instructions`,
  );
  // Everything that the configuration takes from the module's configuration is there.
  const block = executed.slice(0, places[2]);
  for (const [, key] of yaml.matchAll(/^\w+: "\{config_source\}:(\w+)"/gm)) {
    if (key !== "output_folder") assert.match(block, new RegExp(`^ {2}${key}: `, "m"), `${entry.id}: ${key}`);
  }
  assert.doesNotMatch(
    block.slice(block.indexOf("variables:")).split("config:")[0]!,
    /\{config_source\}|\{installed_path\}/,
  );
  assert.ok((await readEntry(library, entry)).text.includes("=== instructions: "));
}

Deno.test("a workflow comes with engine and instructions [tool:execute-engine]", async (t) => {
  await t.step("6.0.4", async () => {
    const dir = await installation("6.0.4");
    const library = await openProject(dir);
    const workflows = engineWorkflows(library);
    assert.equal(workflows.length, 9);
    for (const entry of workflows) await checkWorkflow(library, dir, entry);
  });
  for (const [version, count] of [["6.0.0-alpha.7", 62], ["6.0.0-alpha.22", 49]] as const) {
    await t.step(`the sources of ${version}`, async () => {
      const dir = await sourceTree(`bmad-method@${version}`);
      const library = await openSource(dir);
      const workflows = engineWorkflows(library);
      assert.equal(workflows.length, count);
      for (const entry of workflows) {
        const executed = await executeEntry(library, entry, { date: DATE });
        assert.match(executed, /=== engine: bmad:\/\/core\/tasks\/workflow\.xml ===\n<task/, entry.id);
      }
    });
  }
});

treeTest("without the engine, the answer says how to go on", {}, async (dir) => {
  await copyTree(await installation("6.0.4"), dir);
  await Deno.remove(`${dir}/_bmad/core/tasks/workflow.xml`);
  const library = await openProject(dir);
  const entry = engineWorkflows(library).find(({ id }) => id === "dev-story")!;
  const executed = await executeEntry(library, entry, {});
  assert.match(executed, /=== engine: missing ===\nThis installation has no .*: work through the steps/);
  assert.match(executed, /=== instructions: bmad:\/\/\S+instructions\.xml ===/);
});

Deno.test("a missing engine is named by the path that it has in this installation [tool:execute-engine]", async (t) => {
  const roots = [["6.0.4", "_bmad"], ["6.0.0-alpha.7", "bmad"]] as const;
  for (const [version, root] of ofThisRun(roots, ([version]) => version)) {
    await t.step(version, () =>
      withTree({}, async (dir) => {
        await copyTree(await installation(version), dir);
        await Deno.remove(`${dir}/${root}/core/tasks/workflow.xml`);
        const library = await openProject(dir);
        const entry = engineWorkflows(library).find(({ id }) => id === "dev-story")!;
        const executed = await executeEntry(library, entry, {});
        assert.ok(executed.includes(`has no {project-root}/${root}/core/tasks/workflow.xml: `), executed);
      }));
  }
});

Deno.test("an agent's menu code names its workflow's call [names:menu-code]", async () => {
  const dir = await installation("6.0.4");
  const library = await openProject(dir);
  const dev = library.effective.find(({ id, kind }) => id === "dev" && kind === "agent")!;
  const calls = { open: "open URI", start: "bmad {KIND:NAME}" };
  const executed = await executeEntry(library, dev, { item: "DS", calls });
  assert.match(executed, /^menu-item: DS \(bmad \{workflow:"bmm\/dev-story"\}\)$/m);
});

Deno.test("every tool and prompt delivers the same parts", async () => {
  const project = await installation("6.0.4");
  const args = ["--project", project, "--toolsets", "all", "--max-result", "1048576"];
  await using client = await clientHere({ era: "2025", args });
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["bmad", { operation: "execute", workflow: "dev-story" }],
    ["execute_workflow", { workflow_name: "dev-story" }],
    ["get_workflow_details", { workflow_name: "dev-story" }],
    ["bmad-workflow", { workflow: "dev-story" }],
  ];
  const prompt = (await client.getPrompt("bmad-dev-story")).messages[0].content.text;
  const answers = await Promise.all(
    calls.map(async ([tool, args]) => (await client.callTool(tool, args)).content[0]!.text),
  );
  for (const text of [...answers, prompt]) {
    assert.match(text, /=== engine: [^]*=== workflow configuration: [^]*=== instructions: /);
  }
});
