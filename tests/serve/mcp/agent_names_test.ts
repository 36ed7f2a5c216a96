/** Does a persona mean its agent in memory and runs, whoever names it: the library or the project's own files? */
import assert from "node:assert/strict";
import { callBmad, toolOf } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";
import { treeTest } from "../../support/trees.ts";

const FILES = {
  "_bmad/_config/agent-manifest.csv":
    "name,displayName,title,icon,role,module,path\nforge,Vulcan,Smith,,,custom,_bmad/x.md\nsm,Bob,,,,bmm,_bmad/y.md\n",
  "project-context.yaml": "agents:\n  custom_agents:\n    - {name: gardener, displayName: Amalia}\n",
  "_bmad/_memory/shared-context.md":
    "## Team\n\n| Agent | Name |\n|---|---|\n| `sm` | Bob |\n| **architect** | 🏗️ Gaudi |\n| painter | Winston |\n| healer | Dr. Quinn |\n",
  "_bmad/_memory/vulcan-learnings.md": "- Quench in oil\n",
  "_bmad/_memory/agent-learnings/forge.md": "- Hammer while hot\n",
  "_bmad/_memory/agent-learnings/sm.md": "- Stories stay small\n\n## Gaudi\n\n- Arches carry\n",
  "_bmad/_memory/amelia-learnings.md": "- Tests come first\n",
  "_bmad/_memory/agent-learnings/healer.md": "- Rest helps\n",
  "_bmad/_memory/winston-learnings.md": "- Blue is cold\n",
};

/** Names of one agent, and all that it learned. */
const LEARNED: readonly (readonly [names: readonly string[], texts: readonly string[]])[] = [
  [["forge", "Vulcan", "@vulcan", "FORGE"], ["Hammer while hot", "Quench in oil"]],
  [["sm", "Bob"], ["Stories stay small"]],
  [["dev", "Amelia", "bmad-agent-dev"], ["Tests come first"]],
  // The team gave the persona of BMAD's architect to somebody else.
  [["painter", "Winston"], ["Blue is cold"]],
  [["architect", "Gaudi"], ["Arches carry"]],
  [["healer", "Dr. Quinn"], ["Rest helps"]],
];

treeTest("an agent under its names", FILES, async (cwd, t) => {
  await using client = await clientHere({ era: "2026", cwd });
  const agentMemory = toolOf(client, "get_agent_memory"),
    remembered = toolOf(client, "remember_structured"),
    recalled = toolOf(client, "recall_structured"),
    delegate = toolOf(client, "delegate_to_agent"),
    queue = toolOf(client, "spawn_subagent_task");
  await t.step("has one memory in the files [memory:personas]", async () => {
    for (const [names, texts] of LEARNED) {
      for (const agent of names) {
        const answer = await agentMemory.say({ agent, format: "json" });
        const learned = JSON.parse(answer).learnings.map(({ text }: { text: string }) => text);
        assert.deepEqual(learned.toSorted(), texts, agent);
      }
    }
    // Their work is done by others now, whose learnings are not theirs.
    for (const agent of ["po", "quick-flow-solo-dev", "tech-writer"]) {
      await agentMemory.refuses({ agent }, /^No agent with learnings/);
    }
  });
  await t.step("and in what is remembered and recalled [memory:personas]", async () => {
    for (
      const [agent, id] of [["Vulcan", "forge"], ["Bob", "sm"], ["Amelia", "dev"], ["Gaudi", "architect"]]
    ) {
      const memory = { type: "agent-learnings", agent, text: `${agent} likes granite` };
      await remembered.says(memory, new RegExp(`@${id}: `));
      for (const name of [agent, id]) {
        const call = { query: "granite", agent: name, format: "json" };
        const { hits } = JSON.parse(await recalled.say(call));
        assert.deepEqual(hits.map(({ text }: { text: string }) => text), [memory.text], name);
      }
    }
    const query = { query: "hammer oil", agent: "Vulcan", format: "json" };
    const { hits } = JSON.parse(await recalled.say(query));
    assert.equal(hits.length, 2);
  });
  await t.step("and is found for a task [runs:delegation]", async () => {
    for (
      const [name, agent] of [["Bob", "dev"], ["Gaudi", "architect"], ["Amelia", "dev"], [
        "tech-writer",
        "analyst",
      ], ["qa", "tea"]]
    ) {
      const call = { agent_id: name, task: "Think", format: "json" };
      const told = JSON.parse(await delegate.say(call));
      assert.match(told.agent, new RegExp(`\\b${agent}$`), name);
    }
  });
  await t.step("and is the same agent for every tool [runs:delegation-agrees]", async () => {
    for (const name of ["Bob", "Gaudi", "Amelia", "analyst", "qa", "painter", "nobody"]) {
      const told = await callBmad(client, { agent_id: name, task: "Think" }, "delegate_to_agent");
      const started = await callBmad(client, { operation: "execute", agent: name });
      assert.equal(told.isError, started.isError, name);
      if (started.isError) assert.equal(told.text, started.text);
      else {
        assert.match(started.text, /^---\nagent: [\w/-]+\norigin: package\n/, name);
        assert.ok(told.text.includes(started.text.slice(0, 500)), name);
      }
    }
  });
  await t.step("and has no learnings until it has some [memory:no-learnings]", async () => {
    await agentMemory.says(
      { agent: "ux-designer" },
      /^0 learnings of ux-designer, newest first; .*; agents with learnings: .*\bwinston\b/,
    );
    const { total, learnings } = await agentMemory.facts({ agent: "gardener" });
    assert.deepEqual([total, learnings], [0, []]);
    await agentMemory.refuses({ agent: "nobody" }, /^No agent with learnings/);
  });
  await t.step("and gets tasks under its id [runs:queue]", async () => {
    const task = { agent: "Bob", task: "Write the story", output_key: "story", format: "json" };
    assert.equal(JSON.parse(await queue.say(task)).agent, "sm");
  });
});
