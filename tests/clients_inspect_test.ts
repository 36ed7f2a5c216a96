/**
 * Is it known what a client's file says of us, and whether that would start?
 */
import assert from "node:assert/strict";
import {
  type Client,
  CLIENTS,
  findClient,
  inspectTarget,
  planClients,
  renderEntry,
} from "../src/clients/mod.ts";
import { inspectText } from "../src/clients/inspect.ts";
import { resolveConfig } from "../src/config/mod.ts";
import { denoHost } from "../src/host.ts";
import { CLIENTS_WITH_FILES } from "./support/client_files.ts";
import { withTree } from "./support/trees.ts";

const LAUNCH = { command: "/usr/bin/bmad-mcp", args: [] };
const own = { name: "bmad", launch: LAUNCH, exists: (path: string) => path === "/usr/bin/bmad-mcp" };
const inspect = (text: string | undefined, client: Client = findClient("cursor")!) =>
  inspectText(text, client, own);
const entry = (value: unknown) => JSON.stringify({ mcpServers: { bmad: value } });

Deno.test("an entry that install has written is ours, there, current and on, in every client's file", async () => {
  for (const client of CLIENTS_WITH_FILES) {
    const text = await renderEntry(client, { ...LAUNCH, args: ["serve", "--pack", "v4"] }, "bmad");
    assert.deepEqual(inspect(text, client), {
      state: "ours",
      runs: { command: "/usr/bin/bmad-mcp", args: ["serve", "--pack", "v4"] },
      isThere: true,
      isCurrent: true,
      isOff: false,
    }, client.id);
  }
});

Deno.test("what is wrong with an entry is told", () => {
  assert.deepEqual(inspect(undefined), { state: "absent" });
  assert.deepEqual(inspect("{}"), { state: "absent" });
  assert.deepEqual(inspect(""), { state: "absent" });
  const old = { command: "/old/bmad-mcp", args: ["serve"] };
  assert.deepEqual(inspect(entry({ ...old, disabled: true })), {
    state: "ours",
    runs: old,
    isThere: false,
    isCurrent: false,
    isOff: true,
  });
  const bare = { command: "bmad-mcp", args: [] };
  assert.deepEqual(inspect(entry(bare)), { state: "ours", runs: bare, isCurrent: false, isOff: false });
  const other = { command: "npx", args: ["other"] };
  assert.deepEqual(inspect(entry(other)), { state: "foreign", runs: other });
  assert.deepEqual(inspect(entry({ url: "https://example.test" })), { state: "foreign", runs: undefined });
  assert.deepEqual(inspect('{\n  "a" 1\n}'), {
    state: "invalid",
    problem: "colon expected",
    at: { line: 2, column: 7 },
  });
});

Deno.test("doctor can tell for every client that is found here whether its entry would start", () =>
  withTree({
    "bin/bmad-mcp": "",
    ".cursor/mcp.json": "CURSOR",
    ".codex/config.toml": '[mcp_servers.bmad]\ncommand = "/gone/bmad-mcp"\n',
    ".gemini/settings.json": "{ broken",
    ".qwen/": "",
    "shop/.vscode/mcp.json": '{ "servers": { "bmad": { "command": "bmad-mcp" } } } // mine',
  }, async (home) => {
    await Deno.writeTextFile(`${home}/.cursor/mcp.json`, entry({ command: `${home}/bin/bmad-mcp` }));
    const host = {
      ...denoHost("/"),
      home,
      os: "linux" as const,
      args: ["doctor"],
      cwd: `${home}/shop`,
      env: () => undefined,
    };
    const config = resolveConfig(host);
    const plan = planClients(config, { ...host, launch: { command: `${home}/bin/bmad-mcp`, args: [] } });
    const found = await Promise.all(plan.targets.map(async (target) => {
      const { state, isThere, isCurrent, problem } = await inspectTarget(target, plan, "bmad");
      return [target.client.id, state, isThere, isCurrent, problem];
    }));
    assert.deepEqual(found, [
      ["codex", "ours", false, false, undefined],
      ["gemini", "invalid", undefined, undefined, "invalid symbol"],
      ["qwen", "absent", undefined, undefined, undefined],
      ["cursor", "ours", true, true, undefined],
      ["vscode", "ours", undefined, false, undefined],
    ]);
    assert.deepEqual(plan.rights.write, []);
    for (const folder of config.rights.read) assert.ok(plan.rights.read.includes(folder), "the content, too");
  }));

Deno.test("every row of the table has what its kind needs", () => {
  for (const { id, user, project, byHand, next, newer, shape } of CLIENTS) {
    assert.match(id, /^[a-z][a-z-]*$/);
    assert.equal(user === undefined && project === undefined, byHand !== undefined, id);
    assert.equal(next === "", byHand !== undefined, id);
    assert.ok(newer === undefined || newer.shape !== shape, id);
    for (const path of project ?? []) assert.match(path, /^[^/~$][^*]*$/, id);
  }
});
