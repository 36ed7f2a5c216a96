/** Is a task done by the client's model as the named agent, or handed back to the caller if that is impossible? */
import assert from "node:assert/strict";
import { toolOf } from "../../support/answers.ts";
import { BOTH_ERAS, type ClientFeatures, clientHere } from "../../support/client.ts";
import { INITIALIZE, startRaw } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const PERSONA = `---
name: gardener
description: Grows things
---
<agent name="Basile" title="Gardener">
${Array.from({ length: 200 }, (_, at) => `<rule n="${at}">Water rule ${at}</rule>`).join("\n")}
<persona><role>Gardener</role></persona>
</agent>
`;
const PROJECT = {
  "bmad/bmm/agents/gardener.md": PERSONA,
  "bmad/red/agents/picker.md": '<agent name="Rita"><persona><role>Red</role></persona></agent>',
  "bmad/blue/agents/picker.md": '<agent name="Bruno"><persona><role>Blue</role></persona></agent>',
};
const CALL = { agent_id: "gardener", task: "Plant a tree", context: "The soil is dry" };
const SETS = ["--pack", "none", "--toolsets", "runs"];

// deno-lint-ignore no-explicit-any
type Asked = any;

const text = (text: string, more = {}) => ({
  role: "assistant",
  model: "oak-1",
  content: { type: "text", text },
  ...more,
});

for (const era of BOTH_ERAS) {
  const ask = (
    features: ClientFeatures,
    test: (delegate: ReturnType<typeof toolOf>, asked: Asked[]) => Promise<void>,
    args: readonly string[] = [],
    files: Readonly<Record<string, string>> = PROJECT,
  ) =>
    withTree(files, async (cwd) => {
      const asked: Asked[] = [];
      const sampling = features.sampling;
      const counted = sampling === undefined ? features : {
        ...features,
        sampling: (params: Asked) => {
          asked.push(params);
          return sampling(params);
        },
      };
      await using client = await clientHere({ era, cwd, args: [...SETS, ...args], features: counted });
      await test(toolOf(client, "delegate_to_agent"), asked);
    });

  Deno.test(`a ${era} client's model gets persona, task and limit [runs:delegation]`, () =>
    ask({ sampling: () => text("Dig a hole.") }, async (delegate, asked) => {
      await delegate.says(
        { ...CALL, max_tokens: 300 },
        "---\nagent: bmm/gardener\nanswered by: oak-1, the client's model\n---\n\nDig a hole.",
      );
      const [{ systemPrompt, messages, maxTokens, system }] = asked;
      assert.equal(asked.length, 1);
      assert.ok(systemPrompt.includes(PERSONA));
      assert.match(systemPrompt, /You are asked as this agent for one task, and have one reply\./);
      assert.deepEqual(messages, [{
        role: "user",
        content: { type: "text", text: "Plant a tree\n\nContext:\nThe soil is dry" },
      }]);
      assert.deepEqual([maxTokens, system], [300, undefined]);
      await delegate.say({ agent_id: "Basile", task: "Plant" });
      assert.deepEqual([asked[1].maxTokens, asked[1].messages[0].content.text], [2048, "Plant"]);
      const facts = await delegate.facts(CALL);
      assert.deepEqual(facts, {
        agent: "bmm/gardener",
        delegated: true,
        text: "Dig a hole.",
        model: "oak-1",
      });
    }));

  Deno.test(`a ${era} client is told that another agent does the work [runs:delegation-agrees]`, async () => {
    for (const sampling of [() => text("Done."), undefined]) {
      await ask(
        sampling === undefined ? {} : { sampling },
        async (delegate) => {
          const answer = await delegate.say({ agent_id: "sm", task: "Plan" });
          assert.match(
            answer,
            sampling === undefined
              ? /\nTask for bmm\/bmad-agent-dev \("sm" no longer exists; bmm\/bmad-agent-dev does its work\):\nPlan\n/
              : /^---\nagent: bmm\/bmad-agent-dev\nnote: "sm" no longer exists; .*\nanswered by: oak-1/,
          );
          assert.equal((await delegate.facts({ agent_id: "sm", task: "Plan" })).notes.length, 1);
          assert.doesNotMatch(await delegate.say({ agent_id: "dev", task: "Plan" }), /no longer exists/);
        },
        ["--pack", "latest"],
        {},
      );
    }
  });

  Deno.test(`a ${era} client is told when its model was cut off [runs:delegation]`, () =>
    ask(
      { sampling: () => text("Dig.\n".repeat(1_000), { stopReason: "maxTokens" }) },
      async (delegate, asked) => {
        const first = await delegate.say(CALL);
        const [, next] = /\[part 1 of 2; next: delegate_to_agent (\{.*\})\]$/.exec(first)!;
        const second = await delegate.say(JSON.parse(next!));
        assert.match(second, /\n\n\[cut at max_tokens 2048\]\n+\[part 2 of 2\]$/);
        assert.equal((first + second).match(/Dig\./g)?.length, 1_000);
        assert.equal(asked.length, 1);
      },
      ["--max-result", "4096"],
    ));

  Deno.test(`a ${era} client without sampling gets the persona and the task [runs:delegation]`, () =>
    ask({}, async (delegate) => {
      const answer = await delegate.say(CALL);
      assert.match(
        answer,
        /^Nothing was delegated: the client's model cannot be asked \(no sampling\)\. Do the task yourself/,
      );
      assert.match(
        answer,
        /\n\nTask for bmm\/gardener:\nPlant a tree\n\nContext:\nThe soil is dry\n\n---\nagent: bmm\/gardener\n---\n/,
      );
      assert.ok(answer.includes(PERSONA));
      const facts = await delegate.facts(CALL);
      assert.deepEqual([facts.agent, facts.delegated, facts.prompt], ["bmm/gardener", false, answer]);
    }));

  Deno.test(`a ${era} client is told an origin that is not the obvious one [runs:delegation-agrees]`, () =>
    ask({ sampling: () => text("Done.") }, async (delegate) => {
      const answer = await delegate.say(CALL);
      assert.match(answer, /^---\nagent: bmm\/gardener\norigin: project\nanswered by: oak-1/);
      const facts = await delegate.facts(CALL);
      assert.equal(facts.origin, "project");
    }, ["--pack", "latest"]));

  Deno.test(`a ${era} client gets suggestions for an unknown agent, and the name of a missing argument`, () =>
    ask({ sampling: () => text("no") }, async (delegate, asked) => {
      await delegate.refuses(
        { agent_id: "gardner", task: "x" },
        /No agent named "gardner"\. Did you mean bmm\/gardener\?/,
      );
      await delegate.refuses({ agent_id: "gardener" }, /`task` is missing/);
      await delegate.refuses({ task: "x" }, /`agent_id` is missing/);
      await delegate.refuses({ ...CALL, max_tokens: 0 }, /whole number from 1/);
      await delegate.refuses({ ...CALL, task: "x".repeat(200_001) }, /expected at most 200000 characters/);
      // The only question was for an order of two, which is not worth it where nobody can choose.
      const doubt = await delegate.refusal({ agent_id: "picker", task: "Pick" });
      assert.match(
        doubt,
        /- blue\/picker: .* → delegate_to_agent \{"agent_id":"blue\/picker","task":"Pick"\}/,
      );
      assert.equal(asked.filter(({ systemPrompt }) => systemPrompt !== undefined).length, 0);
    }));

  Deno.test(`a ${era} client's user chooses the agent [runs:delegation]`, () =>
    ask({
      elicitation: () => ({ action: "accept", content: { choice: "red/picker" } }),
      sampling: ({ systemPrompt }: Asked) => text(/Rita/.test(systemPrompt) ? "red" : "blue"),
    }, async (delegate, asked) => {
      await delegate.says(
        { agent_id: "picker", task: "Pick" },
        /^---\nagent: red\/picker\n.*\n---\n\nred$/,
      );
      assert.equal(asked.length, 1);
    }));
}

treeTest("a 2025 client whose model fails gets the persona [runs:delegation]", PROJECT, async (cwd) => {
  let asked = 0;
  const sampling = () => {
    asked++;
    throw new Error("User rejected sampling request");
  };
  await using client = await clientHere({ era: "2025", cwd, args: SETS, features: { sampling } });
  const delegate = toolOf(client, "delegate_to_agent");
  await delegate.says(CALL, /^Nothing was delegated: the client's model did not answer\./);
  await delegate.says(CALL, /^Nothing was delegated: the client's model cannot be asked/);
  assert.equal(asked, 1);
});

treeTest("a 2025 client that was too slow to rank names may still have an agent's task done", {
  ...PROJECT,
  "bmad/green/agents/picker.md": '<agent name="Gerd"><persona><role>Green</role></persona></agent>',
}, async (cwd) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sampling = async ({ systemPrompt }: Asked) => {
    if (systemPrompt === undefined) await promise;
    return text("done");
  };
  await using client = await clientHere({ era: "2025", cwd, args: SETS, features: { sampling } });
  const delegate = toolOf(client, "delegate_to_agent");
  await delegate.refuses({ agent_id: "picker", task: "Pick" }, /Use one of/);
  await delegate.says(CALL, /\n\ndone$/);
  resolve();
});

treeTest("where no model replies with a text, the caller gets the task", PROJECT, async (cwd, t) => {
  const image = {
    role: "assistant",
    model: "m",
    content: { type: "image", data: "", mimeType: "image/png" },
  };
  const cases: Readonly<Record<string, readonly [ClientFeatures["sampling"], readonly string[], RegExp]>> = {
    "with --no-sampling": [() => assert.fail("It was asked"), ["--no-sampling"], /model cannot/],
    "an image": [() => image, [], /model did not answer/],
  };
  for (const [name, [sampling, args, reason]] of Object.entries(cases)) {
    await t.step(name, async () => {
      const features = { sampling: sampling! };
      await using client = await clientHere({ era: "2025", cwd, args: [...SETS, ...args], features });
      const delegate = toolOf(client, "delegate_to_agent");
      await delegate.says(CALL, /^Nothing was delegated: the client's /);
      await delegate.says(CALL, reason);
    });
  }
});

treeTest("a cancelled delegation does not wait for the model", PROJECT, async (cwd) => {
  await using program = await startRaw(SETS, { cwd });
  const params = { ...(INITIALIZE as Asked).params, capabilities: { sampling: {} } };
  await program.send({ ...INITIALIZE, params });
  await program.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await program.send({
    jsonrpc: "2.0",
    id: "call",
    method: "tools/call",
    params: { name: "delegate_to_agent", arguments: CALL },
  });
  await program.sent("sampling/createMessage");
  await program.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "call" } });
  await program.sent("notifications/cancelled");
  await program.closeStdin();
  const { code } = await program.exit;
  assert.equal(code, 0);
  assert.doesNotMatch(program.stderr(), /error/);
});
