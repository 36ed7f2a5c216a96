/** Can a single line stop the server? */
import assert from "node:assert/strict";
import type { Arguments } from "../../support/answers.ts";
import { type RawProgram, startSession } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const call = (args: Arguments) => ["tools/call", { name: "bmad", arguments: args }] as const;
const NAME = "x".repeat(200_000);
const REF = { type: "ref/prompt", name: NAME };

const HUGE: Readonly<Record<string, readonly [method: string, params: Arguments]>> = {
  "name": call({ operation: "execute", agent: "x".repeat(1_000_000) }),
  "command": call({ command: `*${"x-".repeat(50_000)}` }),
  "search": call({ operation: "search", query: "x".repeat(100_000) }),
  "pattern": call({ operation: "list", query: "resources", pattern: "**".repeat(500) }),
  "path": call({ operation: "read", uri: `bmad://${"a/".repeat(100_000)}` }),
  "message": call({ operation: "execute", agent: "analyst", message: "word ".repeat(20_000) }),
  "URI": ["resources/read", { uri: "x".repeat(1_000_000) }],
  "URI of many parts": ["resources/read", { uri: `bmad://bmm/${"x/".repeat(20_000)}` }],
  "URI of a skill": ["skills/get", { uri: `skill://bmm/${NAME}` }],
  "name of a prompt": ["prompts/get", { name: NAME }],
  "name to complete": ["completion/complete", { ref: REF, argument: { name: "message", value: "" } }],
};

for (const [what, [method, params]] of Object.entries(HUGE)) {
  Deno.test(`a huge ${what} is answered soon, within the limit [transport:huge-text]`, async () => {
    await using raw = await startSession();
    await raw.send({ id: 2, method, params });
    await raw.send({ id: 3, method: "tools/list" });
    const answer = await raw.next(2);
    const text = answer.result?.content[0].text ?? JSON.stringify(answer);
    assert.ok(new TextEncoder().encode(text).length <= 16_384, `${text.length}`);
    const parts = Number(/\[part 1 of (\d+)/.exec(text)?.[1] ?? 1);
    assert.ok(parts <= 10, `${parts} parts`);
    assert.equal((await raw.next(3)).result.tools.length, 1);
  });
}

Deno.test("candidates with their calls keep to the limit of a result [tool:result-limit]", () => {
  const agent = "---\nname: helper\ndescription: helps\n---\n# Helper\nBe of help.\n";
  const files = { "_bmad/alpha/agents/helper.md": agent, "_bmad/beta/agents/helper.md": agent };
  return withTree(files, async (dir) => {
    await using raw = await startSession(["--project", dir]);
    const args = { operation: "execute", agent: "helper", prompt: "word ".repeat(10_000) };
    await raw.send({ id: 2, method: "tools/call", params: { name: "bmad", arguments: args } });
    const { text } = (await raw.next(2)).result.content[0];
    assert.match(text, /alpha\/helper/);
    assert.ok(new TextEncoder().encode(text).length <= 16_384, `${text.length}`);
  });
});

const UNASKED = [
  { method: "notifications/cancelled" },
  { method: "notifications/cancelled", params: {} },
  { method: "notifications/cancelled", params: { requestId: { a: 1 } } },
  { method: "notifications/nothing", params: {} },
  { method: "exit" },
  { id: 99, result: {} },
  { id: 99, error: { code: 1, message: "no" } },
];

Deno.test("an unexpected notification or answer is ignored [transport:bad-line]", async () => {
  await using raw = await startSession();
  for (const [at, message] of UNASKED.entries()) {
    await raw.send(message);
    await raw.send({ id: `list-${at}`, method: "tools/list" });
    assert.equal((await raw.next(`list-${at}`)).result.tools.length, 1);
  }
  assert.equal(raw.lines.length, 1 + UNASKED.length);
});

function errorsWithoutId(raw: RawProgram): readonly number[] {
  return raw.lines.map((line) => JSON.parse(line)).filter(({ id }) => id === null).map(({ error }) =>
    error.code
  );
}

Deno.test("a line that is not a message", async (t) => {
  await using raw = await startSession();

  await t.step("a bad line is answered and the next one understood [transport:bad-line]", async () => {
    for (const line of ["{nonsense", "\u0000\u0001", "Content-Length: 12"]) await raw.send(`${line}\n`);
    // Our requests and those of the client are numbered apart: the last one answers none of ours.
    const answer = '{"jsonrpc":"2.0","id":7,"result":null}';
    for (const line of ['"text"', "42", "null", "[]", "{}", answer, "[".repeat(100_000)]) {
      await raw.send(`${line}\n`);
    }
    await raw.send("\n  \r\n");
    await raw.send('{"jsonrpc":"2.0","id":"crlf","method":"tools/list"}\r\n');
    assert.equal((await raw.next("crlf")).result.tools.length, 1);
    assert.deepEqual(errorsWithoutId(raw), [
      ...Array(3).fill(-32700),
      ...Array(6).fill(-32600),
      -32700,
    ]);
  });

  await t.step("an invalid request is answered under its own id", async () => {
    await raw.send({ id: "null", method: "tools/list", params: null });
    await raw.send({ id: "list", method: "tools/list", params: [] });
    for (const id of ["null", "list"]) {
      assert.equal((await raw.next(id)).error?.code, -32600, id);
    }
  });

  await t.step("a line of 11 MB is refused, one of 9 is read [transport:large-message]", async () => {
    const before = errorsWithoutId(raw).length;
    const huge = (id: string, megabytes: number) =>
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"bmad","arguments":` +
      `{"operation":"list","query":"agents","ignored":"${"x".repeat(megabytes << 20)}"}}}\n`;
    await raw.send(huge("eleven", 11));
    await raw.send({ id: "after", method: "tools/list" });
    assert.equal((await raw.next("after")).result.tools.length, 1);
    assert.deepEqual(errorsWithoutId(raw).slice(before), [-32600]);
    assert.ok(raw.lines.some((line) => line.includes("The message is longer than 10485760 bytes")));
    await raw.send(huge("nine", 9));
    assert.match((await raw.next("nine")).result.content[0].text, /^6 agents\n/);
  });

  await t.step("a burst of five hundred requests is answered in full [transport:burst]", async () => {
    const requests = Array.from({ length: 500 }, (_, i) => ({
      jsonrpc: "2.0",
      id: `burst-${i}`,
      method: "tools/call",
      params: { name: "bmad", arguments: { operation: "list", query: "agents", limit: 1 + i % 6 } },
    }));
    await raw.send(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
    await raw.send({ id: "last", method: "tools/list" });
    await Promise.all([raw.next("burst-499"), raw.next("last")]);
    const answers = raw.lines.map((line) => JSON.parse(line)).filter(({ id }) => /^burst-/.test(id));
    assert.equal(new Set(answers.map(({ id }) => id)).size, 500);
    for (const { id, result } of answers) {
      const rows = result.content[0].text.match(/^- /gm).length;
      assert.equal(rows, 1 + Number(id.slice("burst-".length)) % 6);
    }
  });
});
