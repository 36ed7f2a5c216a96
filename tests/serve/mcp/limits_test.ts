/**
 * Are huge, invalid and late requests answered within limits?
 */
import assert from "node:assert/strict";
import { type RawMessage, startSession } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";
import { within } from "../../support/waiting.ts";

/** What one request is answered with, within ten seconds. */
async function ask(
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<RawMessage | undefined> {
  await using raw = await startSession();
  await raw.send({ id: 2, method: "prompts/list" });
  await raw.next(2);
  await raw.send({ id: 3, method, params });
  const answer = await within(10_000, raw.next(3));
  if (answer === undefined) raw.signal("SIGKILL");
  return answer;
}

const REF = { type: "ref/prompt", name: "x".repeat(200_000) };
const HUGE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "resources/read": { uri: `bmad://bmm/${"x/".repeat(20_000)}` },
  "skills/get": { uri: `skill://bmm/${"x".repeat(200_000)}` },
  "prompts/get": { name: "x".repeat(200_000) },
  "completion/complete": { ref: REF, argument: { name: "message", value: "" } },
};
for (const [method, params] of Object.entries(HUGE)) {
  Deno.test(verifies("transport:huge-text", `a huge text in ${method} is answered soon`), async () => {
    assert.ok(await ask(method, params) !== undefined, "there was no answer within ten seconds");
  });
}

Deno.test(verifies("transport:huge-text", "an answer does not repeat a huge URI"), async () => {
  const answer = await ask("resources/read", { uri: "x".repeat(1_000_000) });
  assert.ok(JSON.stringify(answer).length <= 16_384, `${JSON.stringify(answer).length}`);
});

Deno.test(
  verifies("tool:result-limit", "candidates with their calls keep to the limit of a result"),
  async () => {
    const agent = (module: string) =>
      `---\nname: helper\ndescription: helps ${module}\n---\n# Helper\nBe of help.\n`;
    await withTree({
      "_bmad/alpha/agents/helper.md": agent("alpha"),
      "_bmad/beta/agents/helper.md": agent("beta"),
    }, async (dir) => {
      await using raw = await startSession(["--project", dir]);
      const args = { operation: "execute", agent: "helper", prompt: "word ".repeat(10_000) };
      await raw.send({ id: 2, method: "tools/call", params: { name: "bmad", arguments: args } });
      const { text } = (await raw.next(2)).result.content[0];
      assert.match(text, /alpha\/helper/);
      assert.ok(new TextEncoder().encode(text).length <= 16_384, `${text.length}`);
    });
  },
);

const WRONG: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ["tools/list", { cursor: 7 }],
  ["tools/call", {}],
  ["tools/call", { name: "bmad", arguments: "agents" }],
  ["completion/complete", { ref: { type: "ref/prompt" }, argument: { name: "message", value: "" } }],
];
for (const [method, params] of WRONG) {
  Deno.test(
    verifies(
      "errors:prose",
      `${method} with ${JSON.stringify(params)} is refused in one sentence as invalid params`,
    ),
    async () => {
      const error = (await ask(method, params))?.error;
      assert.equal(error?.code, -32602);
      assert.doesNotMatch(error.message, /"(expected|code|path)"/);
    },
  );
}

Deno.test(
  verifies("transport:bad-line", "an invalid answer from the client is not taken for a request"),
  async () => {
    await using raw = await startSession();
    // The ids of our requests and of the client's are numbered apart.
    await raw.send({ id: 7, result: null });
    await raw.send({ id: 8, method: "ping" });
    await raw.next(8);
    assert.ok(!raw.lines.some((line) => JSON.parse(line).id === 7), raw.lines.join("\n"));
  },
);

Deno.test(
  verifies("transport:exit-on-eof", "requests before the end of input are all answered"),
  async () => {
    await using raw = await startSession();
    // Digests of all skills may take longer than the server waits: here they are computed before.
    await raw.send({ id: 2, method: "skills/list" });
    await raw.next(2);
    const methods = ["skills/list", "resources/list", "prompts/list", "tools/list"];
    for (const [at, method] of methods.entries()) await raw.send({ id: at + 3, method });
    await raw.closeStdin();
    await raw.exit;
    const answered = raw.lines.map((line) => JSON.parse(line).id).filter((id) => id !== undefined).sort();
    assert.deepEqual(answered, [1, 2, 3, 4, 5, 6]);
  },
);
