/** What happens to long work? */
import assert from "node:assert/strict";
import { openSqlite } from "../../../src/project/kit/memory/store/sqlite.ts";
import { ERAS, startClient } from "../../support/client.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { memoryOf, TERMS_ONLY } from "../../support/memories.ts";
import { INITIALIZE, type RawMessage, startRaw } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

function largeSkill(files: number): Record<string, string> {
  const tree: Record<string, string> = {
    ".claude/skills/bmad-maze/SKILL.md":
      "---\nname: bmad-maze\ndescription: Many rooms\n---\nEnter ./room-0.md\n",
  };
  for (let i = 0; i < files; i++) {
    const doors = Array.from({ length: 8 }, (_, n) => `./room-${(i + n + 1) % files}.md`);
    tree[`.claude/skills/bmad-maze/room-${i}.md`] = `# Room ${i}\n${doors.join("\n")}\n`;
  }
  return tree;
}

/**
 * Makes the files of the skill a minute old: what is younger than the reading of it is read once more. The system's own
 * note of a change cannot be set and is told in whole seconds, so it has to grow old.
 */
async function age(project: string): Promise<void> {
  const skill = `${project}/.claude/skills/bmad-maze`;
  const then = new Date(Date.now() - 60_000);
  for await (const { name } of Deno.readDir(skill)) await Deno.utime(`${skill}/${name}`, then, then);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}

const CONFLICTS = { operation: "list", query: "conflicts" };

for (const era of ERAS) {
  Deno.test(`a ${era} client that asks for it hears how far a large scan is [client:progress]`, () =>
    withTree(largeSkill(1_200), async (cwd) => {
      await age(cwd);
      await using client = await startClient({ era, cwd, args: ["--pack", "none"] });
      const notices: { progress: number; total: number; message: string }[] = [];
      const answer = await client.callTool("bmad", CONFLICTS, { onprogress: (one) => notices.push(one) });
      assert.equal(answer.content[0]!.text, "No conflicts.");
      const checked = notices.filter(({ message }) => message === "Checking references");
      assert.ok(checked.length >= 3 && checked.length <= 20, JSON.stringify(notices));
      assert.deepEqual(new Set(checked.map(({ total }) => total)), new Set([1_201]));
      const numbers = notices.map(({ progress }) => progress);
      assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));

      // The same work, already done, has nothing to tell; and who does not ask is not told.
      notices.length = 0;
      await client.callTool("bmad", CONFLICTS, { onprogress: (one) => notices.push(one) });
      assert.deepEqual(notices, []);
    }));
}

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

for (const era of ERAS) {
  Deno.test(`a cancelled ${era} request stops unanswered [client:cancellation]`, () =>
    withTree(largeSkill(3_000), async (cwd) => {
      await using raw = await startRaw(["--pack", "none"], { cwd });
      const meta = era === "2025" ? {} : ENVELOPE;
      if (era === "2025") {
        await raw.send(INITIALIZE);
        await raw.send({ method: "notifications/initialized" });
      }
      const call = (id: number, args: Record<string, unknown>, progressToken?: string) =>
        raw.send({
          id,
          method: "tools/call",
          params: { name: "bmad", arguments: args, _meta: { ...meta, progressToken } },
        });
      const told = (token: string) =>
        raw.lines.map((line): RawMessage => JSON.parse(line))
          .filter(({ method, params }) =>
            method === "notifications/progress" && params!["progressToken"] === token
          ).map(({ params }) => params!);

      await call(2, CONFLICTS, "first");
      await raw.sent("notifications/progress");
      await raw.send({ method: "notifications/cancelled", params: { requestId: 2, ...withMeta(era) } });
      await call(3, { operation: "list", query: "skills" });
      assert.match((await raw.next(3)).result.content[0].text, /^1 skill\n- skills\/bmad-maze/);
      const heard = told("first");
      assert.ok(heard.every(({ progress, total }) => Number(progress) < Number(total) * 0.9));

      // Nothing more is heard of it while the same work is done from its beginning.
      await call(4, CONFLICTS, "second");
      assert.equal((await raw.next(4)).result.content[0].text, "No conflicts.");
      assert.deepEqual(told("first"), heard);
      assert.ok(Number(told("second")[0]!["progress"]) <= Number(heard[0]!["progress"]));
      assert.equal(raw.lines.some((line) => JSON.parse(line).id === 2), false);
      assert.equal(raw.stderr(), "");
    }));
}

/** Tools of memory that wait for a server, and the flags that name it. */
const WAITING = [
  ["recall_structured", { query: "jwt" }, (url: string) => ["--qdrant-url", url, "--no-embedder"]],
  [
    "recall_structured",
    { query: "jwt" },
    (url: string) => ["--embeddings-url", url, "--embeddings-model", "m"],
  ],
  [
    "remember_structured",
    { type: "decisions", agent: "dev", text: "JWT expiry must be 15 min" },
    (url: string) => ["--embeddings-url", url, "--embeddings-model", "m"],
  ],
  [
    "get_agent_memory",
    { agent: "dev", query: "How long is a token valid?" },
    (url: string) => ["--embeddings-url", url, "--embeddings-model", "m"],
  ],
] as const;

for (const era of ERAS) {
  Deno.test(`a cancelled ${era} call of memory stops [client:cancellation]`, async (t) => {
    for (const [name, args, flagsFor] of WAITING) {
      await t.step(
        `${name} ${flagsFor("URL").join(" ")}`,
        () =>
          withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
            const asked = Promise.withResolvers<void>(), left = Promise.withResolvers<void>();
            await using server = Deno.serve(
              { port: 0, hostname: "127.0.0.1", onListen: () => {} },
              ({ signal }) => {
                const { promise, resolve } = Promise.withResolvers<Response>();
                signal.addEventListener("abort", () => {
                  left.resolve();
                  resolve(new Response());
                });
                asked.resolve();
                return promise;
              },
            );
            const flags = flagsFor(`http://127.0.0.1:${server.addr.port}`);
            await using raw = await startRaw(flags, { cwd });
            const meta = era === "2025" ? {} : { _meta: ENVELOPE };
            if (era === "2025") {
              await raw.send(INITIALIZE);
              await raw.send({ method: "notifications/initialized" });
            }
            await raw.send({ id: 2, method: "tools/call", params: { name, arguments: args, ...meta } });
            await asked.promise;
            await raw.send({ method: "notifications/cancelled", params: { requestId: 2, ...meta } });
            await left.promise;
            const context = { name: "get_project_context", arguments: {}, ...meta };
            await raw.send({ id: 3, method: "tools/call", params: context });
            assert.match((await raw.next(3)).result.content[0].text, /Herbier/);
            assert.equal(raw.lines.some((line) => JSON.parse(line).id === 2), false);
          }),
      );
    }
  });
}

const longText = (name: string) => `${name}: ${"the harbour opens before the boats return ".repeat(60)}`;

// The work is done beside the protocol: one era stands for both.
Deno.test("while long texts are embedded, a client is answered other requests [memory:worker]", () =>
  withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
    // What has no vector yet is embedded with the next memory: some seconds of work.
    const file = `${cwd}/_bmad/_memory/memory.db`;
    const store = openSqlite({ file, readOnly: false }, TERMS_ONLY);
    const texts = Array.from({ length: 5 }, (_, at) => longText(`Note ${at}`));
    await store.remember(await Promise.all(texts.map((text) => memoryOf({ text }))));
    const isKept = async () => (await store.list({})).length > texts.length;

    await using raw = await startRaw([], { cwd });
    const request = { type: "stories", agent: "pm", text: longText("Story") };
    await raw.send({
      id: "long",
      method: "tools/call",
      params: { name: "remember_structured", arguments: request, _meta: ENVELOPE },
    });
    // From then on only embedding is left to do.
    await until("the memory is kept", isKept);
    // More than there are texts: one that is being embedded holds nobody up either.
    for (let id = 10; id < 50; id++) {
      const params = { name: "get_failure_museum", arguments: {}, _meta: ENVELOPE };
      await raw.send({ id, method: "tools/call", params });
      await raw.next(id);
    }
    assert.match((await raw.next("long")).result.content[0].text, /^Remembered \[stories\]/);
    const order = raw.lines.map((line) => JSON.parse(line).id).filter((id) => id === "long" || id >= 10);
    assert.equal(order.at(-1), "long", order.join(" "));
    store.close();
  }));

function withMeta(era: string): Record<string, unknown> {
  return era === "2025" ? {} : { _meta: ENVELOPE };
}
