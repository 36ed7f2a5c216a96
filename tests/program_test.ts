/** Do the tests really start what they say, and leave nothing behind? */
import assert from "node:assert/strict";
import { BOTH_ERAS, startClient } from "./support/client.ts";
import { programArgs, runCli, startRaw } from "./support/program.ts";
import { treeTest, withTree } from "./support/trees.ts";

const CONFIG = decodeURIComponent(new URL("../deno.json", import.meta.url).pathname);

const ECHO = `
const input = await new Response(Deno.stdin.readable).text();
const text = JSON.stringify({ args: Deno.args, cwd: Deno.cwd(), env: Deno.env.toObject(), input });
await Deno.stdout.write(new TextEncoder().encode(text));
await Deno.stderr.write(new TextEncoder().encode("to stderr"));
Deno.exit(Deno.args.includes("--fail") ? 3 : 0);
`;

const SERVER = `
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
serveStdio(() => {
  const server = new McpServer({ name: "tiny", version: "1.2.3" }, { instructions: "Say it." });
  const inputSchema = fromJsonSchema({ type: "object", properties: { text: { type: "string" } } });
  server.registerTool("say", { inputSchema }, ({ text }) => ({ content: [{ type: "text", text }] }));
  server.registerTool("env", { inputSchema }, () => ({
    content: [{ type: "text", text: JSON.stringify([Deno.cwd(), Deno.env.toObject()]) }],
  }));
  server.registerPrompt("greet", {}, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
  }));
  server.registerResource("note", "tiny://note", {}, (uri) => ({ contents: [{ uri: uri.href, text: "noted" }] }));
  return server;
});
`;

const scriptArgs = (file: string) => ["run", "--cached-only", "-A", `--config=${CONFIG}`, file];

treeTest("the program is started with the flags of the start task", {
  "deno.json": JSON.stringify({ tasks: { start: "deno run --no-prompt --allow-read=/ main.ts" } }),
  "described/deno.json": JSON.stringify({
    tasks: { start: { description: "d", command: "deno run main.ts" } },
  }),
  "quoted/deno.json": JSON.stringify({ tasks: { start: "deno run '--allow-env=BMAD_*,HOME' main.ts" } }),
  "pattern/deno.json": JSON.stringify({ tasks: { start: "deno run --allow-env=BMAD_* main.ts" } }),
  "shell/deno.json": JSON.stringify({ tasks: { start: "deno run main.ts && echo done" } }),
  "none/deno.json": "{}",
}, (dir) => {
  const args = (folder: string) => programArgs(new URL(`file://${dir}/${folder}deno.json`));
  assert.deepEqual(args(""), ["run", "--no-prompt", "--allow-read=/", `${dir}/main.ts`]);
  assert.deepEqual(args("described/"), ["run", `${dir}/described/main.ts`]);
  assert.throws(
    () => args("shell/"),
    /must be a single deno command, not "deno run main.ts && echo done"/,
  );
  assert.deepEqual(args("quoted/"), ["run", "--allow-env=BMAD_*,HOME", `${dir}/quoted/main.ts`]);
  assert.throws(() => args("pattern/"), /must be a single deno command/);
  assert.throws(() => args("none/"), /must be a single deno command, not undefined/);
});

Deno.test("a command gets its arguments, input and a clean environment", () =>
  withTree({ "echo.ts": ECHO, "project/": "" }, async (dir) => {
    const program = scriptArgs(`${dir}/echo.ts`);
    const options = { program, cwd: `${dir}/project`, env: { BMAD_MODE: "user" }, stdin: "in\nput" };
    const { code, stdout, stderr } = await runCli(["list", "a b", "--fail"], options);
    assert.equal(code, 3);
    assert.equal(stderr, "to stderr");
    const { args, cwd, env, input } = JSON.parse(stdout);
    assert.deepEqual(args, ["list", "a b", "--fail"]);
    assert.equal(cwd, `${dir}/project`);
    assert.equal(input, "in\nput");
    assert.equal(env.BMAD_MODE, "user");
    assert.equal(env.NO_COLOR, "1");
    assert.notEqual(env.HOME, Deno.env.get("HOME"));
    await assert.rejects(Deno.stat(env.HOME), Deno.errors.NotFound);
    const known =
      /^(PATH|HOME|DENO_DIR|DENO_NO_UPDATE_CHECK|NO_COLOR|SSL_CERT_\w+|DENO_TLS_CA_STORE|SYSTEMROOT|BMAD_MODE)$/;
    assert.deepEqual(Object.keys(env).filter((name) => !known.test(name)), []);
  }));

Deno.test("a command without a folder runs in an empty one and without input has none", () =>
  withTree({ "echo.ts": ECHO }, async (dir) => {
    const { code, stdout } = await runCli([], { program: scriptArgs(`${dir}/echo.ts`) });
    assert.equal(code, 0);
    assert.match(JSON.parse(stdout).cwd, /bmad-mcp-program-[^/]*\/work$/);
    assert.equal(JSON.parse(stdout).input, "");
  }));

for (const era of BOTH_ERAS) {
  treeTest(`a ${era} client sees tools, prompts and resources`, { "server.ts": SERVER }, async (dir) => {
    await using client = await startClient({ era, program: scriptArgs(`${dir}/server.ts`), cwd: dir });
    assert.equal(client.instructions(), "Say it.");
    assert.deepEqual(client.serverInfo(), { name: "tiny", version: "1.2.3" });
    assert.deepEqual((await client.listTools()).map((tool) => tool.name), ["say", "env"]);
    assert.deepEqual((await client.callTool("say", { text: "hi" })).content, [{
      type: "text",
      text: "hi",
    }]);
    assert.deepEqual((await client.listPrompts()).map((prompt) => prompt.name), ["greet"]);
    assert.equal((await client.getPrompt("greet")).messages[0].content.text, "Hello");
    const { items, nextCursor } = await client.listResources();
    assert.deepEqual([items.map((resource) => resource.uri), nextCursor], [["tiny://note"], undefined]);
    assert.deepEqual(await client.listResourceTemplates(), []);
    assert.equal((await client.readResource("tiny://note")).contents[0].text, "noted");
    assert.equal(
      (await client.request("tools/call", { name: "say", arguments: { text: "ho" } })).content[0].text,
      "ho",
    );
    await assert.rejects(client.request("no/such"), { code: -32601 });
  });

  Deno.test(`a ${era} client's server has a home of its own and a clean environment`, () =>
    withTree({ "server.ts": SERVER }, async (dir) => {
      await using client = await startClient({
        era,
        program: scriptArgs(`${dir}/server.ts`),
        env: { BMAD_MODE: "user" },
      });
      const [cwd, env] = JSON.parse((await client.callTool("env")).content[0]!.text);
      assert.match(cwd, /bmad-mcp-program-[^/]*\/work$/);
      assert.match(env.HOME, /bmad-mcp-program-[^/]*\/home$/);
      assert.equal(env.BMAD_MODE, "user");
      const known =
        /^(PATH|HOME|DENO_DIR|DENO_NO_UPDATE_CHECK|NO_COLOR|SSL_CERT_\w+|DENO_TLS_CA_STORE|SYSTEMROOT|BMAD_MODE)$/;
      assert.deepEqual(Object.keys(env).filter((name) => !known.test(name)), []);
      await client.close();
      await assert.rejects(Deno.stat(env.HOME), Deno.errors.NotFound);
    }));

  treeTest(`a ${era} client that cannot connect tells what the program said`, {
    "broken.ts": 'await Deno.stderr.write(new TextEncoder().encode("no content found")); Deno.exit(2);',
  }, async (dir) => {
    await assert.rejects(
      startClient({ era, program: scriptArgs(`${dir}/broken.ts`) }),
      /could not connect[^]*no content found/,
    );
  });
}

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

treeTest("a raw program answers lines and ends when its input ends", { "server.ts": SERVER }, async (dir) => {
  await using raw = await startRaw([], { program: scriptArgs(`${dir}/server.ts`) });
  await raw.send(INITIALIZE);
  assert.equal((await raw.next(1)).result.serverInfo.name, "tiny");
  const second = raw.next("b");
  const third = raw.next("c");
  await raw.send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":"b",');
  await raw.send('"method":"tools/list"}\n');
  await raw.send({ id: "c", method: "no/such" });
  assert.equal((await second).result.tools.length, 2);
  assert.equal((await third).error?.code, -32601);
  assert.equal(raw.lines.length, 3);
  await raw.closeStdin();
  assert.equal((await raw.exit).code, 0);
});

treeTest("a raw program that ends tells those who still wait", { "server.ts": SERVER }, async (dir) => {
  await using raw = await startRaw([], { program: scriptArgs(`${dir}/server.ts`) });
  await raw.send(INITIALIZE);
  await raw.next(1);
  const answer = assert.rejects(raw.next(2), /The program ended before it answered 2/);
  raw.signal("SIGTERM");
  await answer;
  assert.equal((await raw.exit).code, 143);
});

treeTest("a raw program that is left running is ended", { "server.ts": SERVER }, async (dir) => {
  await using raw = await startRaw([], { program: scriptArgs(`${dir}/server.ts`) });
  await raw.send(INITIALIZE);
  await raw.next(1);
});
