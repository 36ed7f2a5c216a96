/** How does the program start and end? */
import assert from "node:assert/strict";
import { BOTH_ERAS, startClient } from "../../support/client.ts";
import { INITIALIZE, type RawProgram, startRaw, startSession } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { listTree, treeTest, withSettledTree, withTree } from "../../support/trees.ts";

const call = (id: number, args: Record<string, unknown>) => ({
  id,
  method: "tools/call",
  params: { name: "bmad", arguments: args },
});

/** Whether every line on stdout is a message, and how many there are. */
function countMessages({ lines }: RawProgram): number {
  for (const line of lines) assert.equal(JSON.parse(line).jsonrpc, "2.0", line);
  return lines.length;
}

Deno.test("without arguments, it serves until its input ends [transport:stdio-default]", async () => {
  await using raw = await startSession();
  assert.equal((await raw.next(1)).result.serverInfo.name, "bmad-mcp");
  await raw.closeStdin();
  assert.deepEqual([(await raw.exit).code, countMessages(raw), raw.stderr()], [0, 1, ""]);
});

Deno.test("a start whose input is empty ends well", async () => {
  await using raw = await startRaw(["serve"]);
  await raw.closeStdin();
  assert.deepEqual([(await raw.exit).code, raw.lines.length, raw.stderr()], [0, 0, ""]);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`a ${signal} ends the program with 0 [transport:exit-on-signal]`, POSIX, async () => {
    await using raw = await startSession();
    await raw.send(call(2, { operation: "list", query: "agents" }));
    await raw.next(2);
    raw.signal(signal);
    assert.deepEqual([(await raw.exit).code, countMessages(raw), raw.stderr()], [0, 2, ""]);
  });
}

Deno.test("requests right before the end of input are answered [transport:exit-on-eof]", async () => {
  await using raw = await startRaw([]);
  const requests = [
    INITIALIZE,
    { method: "notifications/initialized" },
    call(2, { operation: "execute", agent: "analyst" }),
    call(3, { operation: "search", query: "prd" }),
    call(4, { operation: "list", query: "resources" }),
    { id: 5, method: "prompts/get", params: { name: "bmad-dev" } },
    { id: 6, method: "resources/read", params: { uri: "bmad://manifest" } },
    { id: 7, method: "no/such" },
  ];
  const lines = requests.map((request) => JSON.stringify({ jsonrpc: "2.0", ...request }));
  // The last line has no end, as when a pipe is cut; nobody can know whether it is whole.
  await raw.send(`${lines.join("\n")}\n{"jsonrpc":"2.0","id":8,"method":"tools/l`);
  await raw.closeStdin();
  assert.equal((await raw.exit).code, 0);
  assert.equal(countMessages(raw), 7);
  assert.deepEqual(raw.lines.map((line) => JSON.parse(line).id).sort(), [1, 2, 3, 4, 5, 6, 7]);
});

treeTest("a client that has left is not waited for by a full scan [transport:exit-on-eof]", {
  "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.7\nmodules: [bmm]\n",
  "bmad/_cfg/workflow-manifest.csv":
    "name,description,module,path\nplan,Plans,bmm,bmad/bmm/workflows/plan/workflow.yaml\n",
  "bmad/bmm/workflows/plan/workflow.yaml": "name: [",
}, async (cwd) => {
  await using raw = await startRaw(["--pack", "none"], { cwd });
  await raw.send(INITIALIZE);
  await raw.send(call(2, { operation: "list", query: "workflows" }));
  await raw.next(2);
  await raw.closeStdin();
  assert.equal((await raw.exit).code, 0);
  // Only the full scan opens the file of a workflow that a manifest describes.
  assert.equal(raw.stderr(), "");
});

Deno.test("stdout carries only messages, whatever is logged [transport:stdout-pure]", () =>
  withSettledTree({
    "_bmad/_config/skill-manifest.csv":
      "canonicalId,name,description,module,path\nbmad-gone,bmad-gone,Gone,bmm,x\n",
    "_bmad/_config/manifest.yaml": "{",
  }, async (dir) => {
    await using raw = await startRaw(["--bogus", "--log-level", "debug", "--path", "nowhere"], {
      cwd: dir,
    });
    await raw.send(INITIALIZE);
    await raw.send("nonsense\n");
    await raw.send(call(2, { operation: "list", query: "constructor" }));
    await raw.send(call(3, { operation: "execute", agent: "nobody" }));
    await Promise.all([raw.next(1), raw.next(2), raw.next(3)]);
    await raw.closeStdin();
    assert.equal((await raw.exit).code, 0);
    assert.equal(countMessages(raw), 4, raw.lines.join("\n"));
    const log = raw.stderr();
    for (
      const text of [
        "--bogus",
        "manifest.yaml",
        "served in their place",
        "Folder not found",
        "not a JSON-RPC message",
      ]
    ) {
      assert.ok(log.includes(text), text);
    }
    for (const line of log.trimEnd().split("\n").filter((line) => !line.startsWith("    at "))) {
      assert.match(line, /^bmad-mcp (error|warn|info|debug): /);
    }
  }));

Deno.test(
  "two processes answer alike and write nothing [transport:second-process, rights:writes-nothing]",
  () =>
    withTree({
      "home/.bmad/readme.txt": "mine",
      "project/.claude/skills/bmad-one/SKILL.md": "---\nname: bmad-one\ndescription: One\n---\nOne.\n",
      "project/notes.md": "mine",
    }, async (dir) => {
      const before = await listTree(dir);
      const [old, young] = await Promise.all(
        BOTH_ERAS.map((era) => startClient({ era, cwd: `${dir}/project`, env: { HOME: `${dir}/home` } })),
      );
      const questions = [{ operation: "list", query: "sources" }, { operation: "execute", skill: "one" }];
      for (const args of questions) {
        const answers = await Promise.all([old!, young!].map((client) => client.callTool("bmad", args)));
        assert.deepEqual(answers[0]!.content, answers[1]!.content);
      }
      await old!.close();
      assert.equal((await young!.listTools()).length, 1);
      await young!.close();
      assert.deepEqual(await listTree(dir), before);
      assert.deepEqual(before.slice(0, 3), ["home/", "home/.bmad/", "home/.bmad/readme.txt 4"]);
    }),
);
