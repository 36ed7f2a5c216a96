/** What happens if a name matches several items? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer";
import type { Config } from "../../../src/app.ts";
import type { Asker } from "../../../src/serve/mcp/question.ts";
import { inOrder, rankByModel, rankingPrompt } from "../../../src/serve/mcp/ambiguity.ts";
import { callBmad, headLine, refusal, say } from "../../support/answers.ts";
import { BOTH_ERAS, type ClientFeatures, clientHere } from "../../support/client.ts";
import { INITIALIZE, startRaw } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const skill = (id: string, about: string) =>
  `---\nname: ${id}\ndescription: ${about}\n---\n${"Do it well.\n".repeat(150)}`;

const PROJECT = Object.fromEntries(
  [
    ["red", "plan", "Plans red"],
    ["blue", "plan", "Plans blue"],
    ["green", "plan", "Plans green\n  and grass"],
    ["red", "pick", "Picks red"],
    ["blue", "pick", "Picks blue"],
  ].map(([module, name, about]) => [
    `bmad/${module}/skills/bmad-${name}/SKILL.md`,
    skill(`bmad-${name}`, about!.replace("\n ", "")),
  ]),
);

const PLAN = { operation: "execute", skill: "plan", message: "Grow some grass" };
const call = (module: string) => `bmad {"operation":"execute","skill":"${module}/bmad-plan"}`;
const LINES: Readonly<Record<string, string>> = {
  blue: `- blue/bmad-plan: Plans blue → ${call("blue")}`,
  green: `- green/bmad-plan: Plans green and grass → ${call("green")}`,
  red: `- red/bmad-plan: Plans red → ${call("red")}`,
};
const listed = (...modules: readonly string[]) =>
  `"plan" matches several items. Use one of:\n${modules.map((module) => LINES[module]).join("\n")}`;
const PLAIN = listed("blue", "green", "red");

const text = (text: string) => ({ role: "assistant", model: "test", content: { type: "text", text } });
const choice = (choice: unknown) => ({ action: "accept", content: { choice } });

for (const era of BOTH_ERAS) {
  /** Starts a client with some features, and counts what it is asked. */
  const ask = async (
    features: ClientFeatures,
    test: (client: Awaited<ReturnType<typeof clientHere>>, asked: unknown[]) => Promise<void>,
    args: readonly string[] = [],
  ) => {
    // deno-lint-ignore no-explicit-any
    const asked: any[] = [];
    const counted = Object.fromEntries(
      Object.entries(features).map(([name, answer]) => [name, (params: unknown) => {
        asked.push(params);
        return answer(params);
      }]),
    );
    await withTree(PROJECT, async (cwd) => {
      await using client = await clientHere({
        era,
        cwd,
        args: ["--pack", "none", ...args],
        features: counted,
      });
      await test(client, asked);
      await client.close();
      assert.doesNotMatch(client.stderr(), /error/);
    });
  };

  Deno.test(`a ${era} client that elicits is asked [client:elicitation]`, () =>
    ask({ elicitation: () => choice("green/bmad-plan") }, async (client, asked) => {
      assert.equal(headLine(await say(client, PLAN)), "workflow: green/bmad-plan");
      const [{ message, requestedSchema }] = asked as [Record<string, unknown>];
      assert.equal(asked.length, 1);
      assert.equal(message, 'Which item is "plan"?');
      assert.deepEqual(requestedSchema, {
        type: "object",
        properties: {
          choice: {
            type: "string",
            title: "Choice",
            enum: ["blue/bmad-plan", "green/bmad-plan", "red/bmad-plan"],
            enumNames: [
              "blue/bmad-plan: Plans blue",
              "green/bmad-plan: Plans green and grass",
              "red/bmad-plan: Plans red",
            ],
          },
        },
        required: ["choice"],
      });
      assert.match(await say(client, { operation: "read", skill: "plan" }), /^name: green\/bmad-plan\n/);
      assert.equal(headLine(await say(client, { command: "plan" })), "workflow: green/bmad-plan");
      const prompt = await client.getPrompt("plan", { message: "Grow" });
      assert.match(prompt.messages[0].content.text, /green\/bmad-plan/);
      assert.equal(asked.length, 4);
      // Nobody is asked about what is clear.
      assert.equal(headLine(await say(client, { skill: "red/plan" })), "workflow: red/bmad-plan");
      assert.equal(asked.length, 4);
    }));

  Deno.test(`a ${era} client is asked once for all parts [client:elicitation]`, () =>
    ask({ elicitation: () => choice("red/bmad-plan") }, async (client, asked) => {
      for (const args of [PLAN, { command: "plan" }]) {
        asked.length = 0;
        const first = await say(client, args);
        const [, next] = /\[part 1 of 3; next: bmad (\{.*\})\]$/.exec(first)!;
        assert.match(await say(client, JSON.parse(next!)), /\[part 2 of 3; next: .*\]$/);
        assert.equal(asked.length, 1, next);
      }
    }, ["--max-result", "1024"]));

  Deno.test(`a ${era} client is asked by every tool that takes a name [client:elicitation]`, () =>
    ask({ elicitation: () => choice("red/bmad-plan") }, async (client, asked) => {
      const calls = [
        ["execute_workflow", { workflow_name: "plan" }],
        ["get_workflow_details", { workflow_name: "plan" }],
        // No task has the name, but three things have.
        ["execute_task", { task_name: "plan" }],
        ["bmad-workflow", { workflow: "plan", context: "Grow some grass" }],
      ] as const;
      for (const [tool, args] of calls) {
        const { content, isError } = await client.callTool(tool, args);
        assert.ok(!isError && content[0]!.text.includes("red/bmad-plan"), `${tool}: ${content[0]!.text}`);
      }
      assert.equal(asked.length, calls.length);
    }, ["--toolsets", "all"]));

  const declines: Readonly<Record<string, ClientFeatures>> = {
    "has none of the features": {},
    "declines": { elicitation: () => ({ action: "decline" }) },
    "cancels": { elicitation: () => ({ action: "cancel" }) },
    "chooses what was not offered": { elicitation: () => choice("core/bmad-plan") },
    "chooses nothing": { elicitation: () => ({ action: "accept" }) },
  };
  for (const [name, features] of Object.entries(declines)) {
    Deno.test(`a ${era} client that ${name} gets the candidates as text [client:fallback-text]`, () =>
      ask(features, async (client) => {
        assert.equal(await refusal(client, PLAN), PLAIN);
        assert.equal(await refusal(client, PLAN), PLAIN);
        await assert.rejects(client.getPrompt("plan"), { code: -32602 });
        const [, first] = (await refusal(client, { command: "plan" })).match(/→ bmad (\{.*\})/)!;
        assert.equal(headLine(await say(client, JSON.parse(first!))), "workflow: blue/bmad-plan");
      }));
  }

  Deno.test(`a sampling ${era} client orders the candidates [client:sampling-ranks]`, () =>
    ask({ sampling: () => text("2, 3, 1") }, async (client, asked) => {
      assert.equal(await refusal(client, PLAN), listed("green", "red", "blue"));
      // deno-lint-ignore no-explicit-any
      const [{ messages, maxTokens }] = asked as any;
      const prompt = messages[0].content.text;
      assert.equal(
        prompt,
        "Rank these by how well they fit the request. Reply with their numbers only, best first, like 2,1,3.\n" +
          "Request: plan: Grow some grass\n" +
          "1. blue/bmad-plan: Plans blue\n2. green/bmad-plan: Plans green and grass\n3. red/bmad-plan: Plans red",
      );
      assert.ok(maxTokens <= 200);
      assert.ok(countTokens(prompt) <= 200);
      // At debug the client learns what we made of it.
      await client.setLogLevel("debug");
      await refusal(client, PLAN);
      const { logger, data } = client.logs.at(-1);
      assert.deepEqual([logger, data.for, data.about], ["ask", "sampling", "plan"]);
      assert.equal(data.reply.result.content.text, "2, 3, 1");
      // Even two are put in order where nobody can be asked to choose.
      await refusal(client, { operation: "execute", skill: "pick" });
      assert.equal(asked.length, 3);
    }));

  Deno.test(`a ${era} client's user chooses from what its model put in order [client:sampling-ranks]`, () => {
    const offered: string[][] = [];
    const elicitation = (
      { requestedSchema }: { requestedSchema: { properties: { choice: { enum: string[] } } } },
    ) => {
      offered.push(requestedSchema.properties.choice.enum);
      return choice(offered[0]!.at(-1));
    };
    return ask({ sampling: () => text("3,2,1"), elicitation }, async (client, asked) => {
      assert.equal(headLine(await say(client, PLAN)), "workflow: blue/bmad-plan");
      assert.deepEqual(offered, [["red/bmad-plan", "green/bmad-plan", "blue/bmad-plan"]]);
      assert.equal(asked.length, 2);
      // Of two, the user chooses without any help.
      await callBmad(client, { operation: "execute", skill: "pick" });
      assert.deepEqual(offered.at(-1), ["blue/bmad-pick", "red/bmad-pick"]);
      assert.equal(asked.length, 3);
    });
  });

  Deno.test(`nonsense of a ${era} model changes no order [client:sampling-fallback]`, () => {
    const nonsense = ["I like the second one", "1,2,2", "4,5,6", "0,1,2", "1,2,3,4", ""];
    const replies = [...nonsense];
    return ask({ sampling: () => text(replies.shift()!) }, async (client) => {
      for (const reply of nonsense) assert.equal(await refusal(client, PLAN), PLAIN, reply);
      assert.equal(replies.length, 0);
      await say(client, { operation: "execute", skill: "red/plan" });
      replies.push("no idea");
      assert.equal(await refusal(client, PLAN), listed("red", "blue", "green"));
    });
  });

  Deno.test(
    `failing features of a ${era} client change nothing [client:sampling-fallback, client:fallback-text]`,
    () => {
      const fail = () => Promise.reject(new Error("User rejected it"));
      return ask({ sampling: fail, elicitation: fail }, async (client, asked) => {
        // A client of 2026 gives up a request for which it cannot find out what it has to.
        const failures = era === "2025" ? 0 : 2;
        for (let i = 0; i < failures; i++) {
          await assert.rejects(client.callTool("bmad", PLAN), /User rejected it/);
        }
        assert.equal(await refusal(client, PLAN), PLAIN);
        assert.equal(asked.length, 2);
        assert.equal(await refusal(client, PLAN), PLAIN);
        assert.equal(asked.length, 2);
      });
    },
  );
}

Deno.test("a 2025 client whose model does not answer gets the usual order [client:sampling-fallback]", () =>
  withTree(PROJECT, async (cwd) => {
    const late = Promise.withResolvers<unknown>();
    const features = { sampling: () => late.promise };
    await using client = await clientHere({ era: "2025", cwd, args: ["--pack", "none"], features });
    await say(client, { operation: "list", query: "skills" });
    assert.equal(await refusal(client, PLAN), PLAIN);
    late.resolve(text("3,2,1"));
  }));

treeTest("a cancelled request of 2025 asks nothing [client:cancellation]", PROJECT, async (cwd) => {
  await using raw = await startRaw(["--pack", "none"], { cwd });
  const params = { ...INITIALIZE.params, capabilities: { elicitation: {} } };
  await raw.send({ ...INITIALIZE, params });
  await raw.send({ method: "notifications/initialized" });
  await raw.send({ id: 2, method: "tools/call", params: { name: "bmad", arguments: PLAN } });
  const question = await raw.sent("elicitation/create");
  await raw.send({ method: "notifications/cancelled", params: { requestId: 2 } });
  assert.equal((await raw.sent("notifications/cancelled")).params!["requestId"], question.id);
  await raw.send({ id: 3, method: "ping" });
  await raw.next(3);
  assert.equal(raw.lines.some((line) => JSON.parse(line).id === 2), false);
  assert.equal(raw.stderr(), "");
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { sampling: {}, elicitation: { form: {} } },
};

treeTest("a 2026 client without a reply gets the text [client:fallback-text]", PROJECT, async (cwd) => {
  await using raw = await startRaw(["--pack", "none"], { cwd });
  let id = 0;
  const send = async (more: Record<string, unknown>) => {
    const params = { name: "bmad", arguments: PLAN, _meta: META, ...more };
    await raw.send({ id: ++id, method: "tools/call", params });
    return (await raw.next(id)).result;
  };
  const first = await send({});
  assert.deepEqual([first.resultType, Object.keys(first.inputRequests)], ["input_required", [
    "sampling plan",
  ]]);
  const second = await send({ requestState: first.requestState });
  assert.deepEqual(Object.keys(second.inputRequests), ["elicitation plan"]);
  const third = await send({
    requestState: second.requestState,
    inputResponses: { "elicitation plan": { action: "perhaps", content: 7 } },
  });
  assert.equal(third.content[0].text, PLAIN);
  for (const requestState of ["", "null", "[]", "{", '{"asked":7,"replies":[1]}', "\0"]) {
    const { resultType } = await send({ requestState });
    assert.ok(["input_required", "complete"].includes(resultType), `${requestState} ${resultType}`);
  }
});

Deno.test("a model has two seconds to rank [client:sampling-ranks]", async () => {
  const candidates = ["a", "b", "c"].map((name) => ({ name, description: "" }));
  const limits: number[] = [];
  const asker: Asker = {
    offers: () => true,
    ask: ({ limitMs }) => {
      limits.push(limitMs);
      return Promise.resolve({ kind: "missing" });
    },
  };
  const settings = { noSampling: false } as Config["settings"];
  assert.equal(await rankByModel(asker, settings, { candidates, request: "plan" }), undefined);
  assert.deepEqual(limits, [2_000]);
});

Deno.test("a question for an order has at most 200 tokens [client:sampling-ranks]", () => {
  const names = (count: number, description: string) =>
    Array.from({ length: count }, (_, i) => ({ name: `module-${i}/bmad-plan`, description }));
  const wishes = [
    undefined,
    "Grow",
    "Wachstumsförderungsmaßnahmen ".repeat(40),
    "草を育てる計画".repeat(40),
    "🌱".repeat(200),
  ];
  for (
    const description of [
      "",
      "Plans",
      "Internationalization of ".repeat(20),
      "計画を立てる。".repeat(20),
      "🌱 ".repeat(50),
    ]
  ) {
    for (const count of [2, 3, 5, 8, 12]) {
      for (const wish of wishes) {
        const prompt = rankingPrompt(names(count, description), "plan", wish);
        if (count <= 8) assert.ok(prompt?.includes(`${count}. module-${count - 1}/bmad-plan`));
        assert.ok(countTokens(prompt ?? "") <= 200, prompt);
      }
    }
  }
  assert.equal(rankingPrompt(names(60, "Plans"), "plan", undefined), undefined);
});

Deno.test("an order, or the best, is taken only when it names no candidate twice [client:sampling-ranks]", () => {
  const abc = ["a", "b", "c"].map((name) => ({ name, description: "" }));
  const order = (text: string) => inOrder(abc, text)?.map(({ name }) => name).join("");
  const table: readonly (readonly [text: string, order: string | undefined])[] = [
    ["3,1,2", "cab"],
    [" 3 1 2.\n", "cab"],
    ["1. 2. 3.", "abc"],
    ["2>3>1", "bca"],
    ["3", "cab"],
    ["2,1", "bac"],
    ["The best is 2", "bac"],
    ["The best is 4", undefined],
    ["2 fits better than 1", undefined],
    ["1,1,2", undefined],
    ["1,2,9", undefined],
    ["none", undefined],
    ["The order is 3,1,2", undefined],
    ["3,1,2 because 3 is best", undefined],
  ];
  for (const [text, expected] of table) assert.equal(order(text), expected, text);
});
