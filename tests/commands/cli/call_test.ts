/** Does the shell get the same result from a tool as a client? */
import assert from "node:assert/strict";
import { say } from "../../support/answers.ts";
import { startClient } from "../../support/client.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const CALLS: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
  ["bmad", { operation: "list", query: "agents" }],
  ["bmad", { operation: "execute", agent: "Mary", message: "Size the market", part: 2 }],
  ["execute_workflow", { workflow_name: "prd" }],
  ["get_knowledge", { domain: "testarch" }],
  ["bmm-analyst", { message: "Hello" }],
];

treeTest("a call from the shell has a client's result [cli:json, cli:stdout-results]", {}, async (cwd) => {
  // Answers name only calls of tools that are on, and long ones come in parts: the settings count in both cases.
  const settings = ["--toolsets", "all", "--max-result", "4096"];
  await using client = await startClient({ era: "2026", args: settings, cwd });
  for (const [tool, args] of CALLS) {
    const wanted = await say(client, args, tool);
    const call = ["call", tool, JSON.stringify(args), ...settings];
    const text = await runHere(call, { cwd });
    assert.deepEqual([text.code, text.stderr], [0, ""]);
    assert.equal(text.stdout.trimEnd(), wanted.trimEnd());
    const forms = [[...call, "--json"], ["call", tool, "--json", JSON.stringify(args), ...settings]];
    for (const form of forms) {
      assert.equal(JSON.parse((await runHere(form, { cwd })).stdout).content[0].text, wanted);
    }
  }
});

Deno.test("a call without arguments has an empty object", async () => {
  const [bare, empty] = [await runHere(["call", "list_tasks"]), await runHere(["call", "list_tasks", "{}"])];
  assert.deepEqual([bare.code, bare.stderr], [0, ""]);
  assert.match(bare.stdout, /^\d+ tasks\n- /);
  assert.equal(bare.stdout, empty.stdout);
});

Deno.test("a dash reads the arguments from stdin", async () => {
  const [tool, args] = CALLS[0]!;
  const given = await runHere(["call", tool, JSON.stringify(args)]);
  const piped = await runHere(["call", tool, "-"], { stdin: `${JSON.stringify(args)}\n` });
  assert.deepEqual(piped, given);
  assertFailed(await runHere(["call", tool, "-"], { stdin: "" }), 2, /JSON arguments: /);
});

Deno.test("a failed call says why, by text and exit code [cli:exit-codes, errors:prose]", async () => {
  const call = (...args: string[]) => runHere(["call", ...args]);
  assertFailed(
    await call("execute_workflw"),
    2,
    /tool (named )?"execute_workflw"\. Did you mean execute_workflow\b/,
  );
  assertFailed(
    await call("bmad", '{"operation":"execute","agent":"anlyst"}'),
    1,
    /Did you mean bmm\/bmad-agent/,
  );
  assertFailed(
    await call("bmad", "{operation"),
    2,
    /^bmad-mcp: Invalid JSON arguments: .*\. Example: bmad-mcp call bmad '\{/,
  );
  for (const value of ["[]", "null", '"list"']) {
    assertFailed(await call("bmad", value), 2, /JSON arguments: expected an object/);
  }
  assertFailed(
    await call("bmad", '{"part":"x"}'),
    2,
    /part: expected a whole number from 1 to 10000, got "x"/,
  );
  const beyond = '{"operation":"execute","agent":"pm","part":999}';
  assertFailed(await call("bmad", beyond, "--max-result", "2048"), 2, /part: the answer has \d+ parts/);
  assertFailed(
    await call("bmad", "{}", "--exclude-tools", "bmad"),
    3,
    /call bmad: the setting excludeTools/,
  );
  // A tool that answers with a failure has no exception to take an exit code from.
  const script = '{"operation":"script","command":"python3 memlog.py no-such-action"}';
  const failed = await withTree(
    { "_bmad/bmm/config.yaml": "output_folder: out\n" },
    (cwd) => runHere(["call", "bmad_work", script], { cwd }),
  );
  assert.deepEqual([failed.code, failed.stderr], [1, ""]);
  assert.match(failed.stdout, /unknown command "no-such-action".*\nExit status 2\n$/s);
  assertFailed(await call(), 2, /^bmad-mcp: Missing TOOL\. Usage: bmad-mcp call TOOL \[JSON\]/);
});
