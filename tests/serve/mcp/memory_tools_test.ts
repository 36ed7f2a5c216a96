/** Do clients of both eras get a project's memory through the tools, and are these offered only if it has one? */
import assert from "node:assert/strict";
import { toolOf } from "../../support/answers.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { runHere } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const OFFERED =
  ("bmad bmad_work get_project_context get_agent_memory get_failure_museum remember_structured recall_structured " +
    "search_codebase get_workflow_status list_sessions " +
    "spawn_subagent_task run_completion_contract create_delivery_contract delegate_to_agent " +
    "update_run answer_subagent_task").split(" ");

for (const era of ERAS) {
  for (const names of KIT_NAMES) {
    treeTest(`a ${era} client in a project with ${names.base}`, kitFiles(names), async (cwd, t) => {
      await using client = await clientHere({ era, cwd });
      const projectContext = toolOf(client, "get_project_context"),
        agentMemory = toolOf(client, "get_agent_memory"),
        museum = toolOf(client, "get_failure_museum");

      await t.step("is offered the tools unasked [toolsets:self-activation]", async () => {
        assert.deepEqual((await client.listTools()).map(({ name }) => name), OFFERED);
        assert.match(client.instructions()!, /`get_project_context` describes this project/);
      });

      await t.step("gets the context, without secrets [memory:project-context]", async () => {
        const all = await projectContext.say({});
        assert.match(all, /^From project-context\.yaml, _\w+\/_memory\/shared-context\.md/);
        assert.match(all, /- name: Herbier\n/);
        assert.doesNotMatch(all, /ne-pas-montrer|9f8Zk2LmQ7tRw4Xv/);
        assert.match(all, /JWT_SECRET=\[removed\]/);
        const stack = await projectContext.facts({ section: "stack" });
        assert.deepEqual(stack.stack.settings, { infrastructure: { host: "serveur-1" } });
        await projectContext.refuses({ section: "x" }, /Use one of all, stack/);
      });

      await t.step("gets what agents learned, under any of their names [memory:agent-memory]", async () => {
        for (const agent of ["dev", "DEV", "Amelia", "bmad-agent-dev"]) {
          await agentMemory.says({ agent, last_n: "1" }, /^4 learnings of dev, newest first; 1 shown/);
        }
        const found = await agentMemory.say({ agent: "dev", query: "expiration du jeton" });
        assert.match(
          found,
          /^1 of 4 learnings .*\n- \[2026-03-02\] Le jeton d'accès expire après 15 minutes$/,
        );
        await agentMemory.refuses({ agent: "nobody" }, /Agents with learnings: dev$/);
        await agentMemory.refuses({ agent: "dev", last_n: 0 }, /whole number from 1/);
        await agentMemory.refuses({}, /`agent` is missing/);
      });

      await t.step("gets what went wrong [memory:failure-museum]", async () => {
        const text = await museum.say({ category: "CC-FAIL" });
        assert.match(text, /^1 failure in category CC-FAIL.*\n\n## 2026-02-12 · dev · critical/);
        const { failures } = await museum.facts({ top_n: 2 });
        assert.deepEqual(failures.map(({ date }: { date: string }) => date), ["2026-03-01", "2026-02-12"]);
      });
    });
  }
}

Deno.test("without memory or runs, tools are as usual [toolsets:self-activation]", () =>
  withTree({ "_bmad/bmm/agents/x.md": "x", "_bmad-output/planning-artifacts/prd.md": "" }, async (cwd) => {
    await using client = await clientHere({ era: "2026", cwd });
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ["bmad", "bmad_work"]);
    assert.doesNotMatch(client.instructions()!, /get_project_context|get_workflow_status/);
    const { stdout } = await runHere(["config"], { cwd });
    assert.match(stdout, /^toolsets\tbmad, ?work \(default\)$/m);
    await Deno.mkdir(`${cwd}/_bmad/_memory`);
    await Deno.writeTextFile(`${cwd}/_bmad/_memory/shared-context.md`, "# Notes\n");
    const { stdout: after } = await runHere(["config"], { cwd });
    assert.match(after, /^toolsets\tbmad, memory, runs, work \(default, and .*\/shared-context\.md\)$/m);
  }));

Deno.test("the memory of no project cannot be read", async () => {
  await withTree({}, async (cwd) => {
    const { code, stderr } = await runHere(["call", "get_project_context", "--mode", "user"], { cwd });
    assert.equal(code, 3);
    assert.equal(
      stderr,
      "bmad-mcp: Cannot open the project's memory and runs: mode user serves no project. See --mode\n",
    );
    const { stdout } = await runHere(["call", "get_project_context"], { cwd });
    assert.match(stdout, /^No project-memory files found/);
  });
});
