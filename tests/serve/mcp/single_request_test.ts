/** Does a server that is built for a single request answer as one that has everything? */
import assert from "node:assert/strict";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { openApp } from "../../../src/app.ts";
import { denoHost } from "../../../src/process/host.ts";
import { openCapacity, openEndpoint } from "../../../src/serve/mcp/endpoint.ts";
import { buildServer } from "../../../src/serve/mcp/server.ts";
import { resolveConfig } from "../../support/config.ts";
import { modernRequest } from "../../support/http.ts";
import { withTree } from "../../support/trees.ts";

const PROJECT = {
  "bmad/sea/agents/scout.md":
    "---\nname: scout\ndescription: Looks out\n---\n<agent name='Nemo' title='Scout'></agent>\n",
  ".claude/skills/dive/SKILL.md": "---\nname: dive\ndescription: Goes down\n---\nDive.\n",
};

/** Each method, with params to which it gives a result, and others that it refuses. */
const REQUESTS: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ["server/discover", {}],
  ["tools/list", {}],
  ["tools/call", { name: "bmad", arguments: { operation: "list", query: "agents" } }],
  ["tools/call", { name: "bmad", arguments: { operation: "execute", agent: "nobody" } }],
  ["tools/call", { name: "unknown", arguments: {} }],
  ["prompts/list", {}],
  ["prompts/get", { name: "bmad-scout", arguments: {} }],
  ["prompts/get", { name: "unknown", arguments: {} }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "bmad://manifests/agents" }],
  ["resources/read", { uri: "bmad://unknown" }],
  ["resources/directory/read", { uri: "skill://dive" }],
  ["resources/subscribe", { uri: "bmad://manifests/agents" }],
  ["completion/complete", {
    ref: { type: "ref/prompt", name: "bmad-scout" },
    argument: { name: "message", value: "" },
  }],
  ["skills/list", {}],
  ["skills/get", { uri: "skill://dive/SKILL.md" }],
  ["logging/setLevel", { level: "debug" }],
  ["ping", {}],
  ["initialize", { capabilities: {} }],
  ["tools/unknown", {}],
  ["tools", {}],
  ["__proto__/x", {}],
  ["unknown", {}],
];

/** An endpoint, and the SDK's own handler with a whole server for every request. */
async function withEndpoints(
  test: (
    ask: (body: unknown, headers: object) => Promise<readonly [own: Answered, whole: Answered]>,
  ) => Promise<void>,
): Promise<void> {
  await withTree(PROJECT, async (dir) => {
    const host = denoHost(dir);
    const args = ["serve", "--http", "0", "--project", dir, "--pack", "none"];
    const config = resolveConfig({ ...host, home: undefined, args, env: () => undefined });
    const app = openApp(config, host);
    const journal = { bug: (error: unknown) => assert.fail(String(error)), info: () => {} };
    const limits = { capacity: openCapacity(9), requests: 9, idleMs: 1_000 };
    const endpoint = openEndpoint(app, journal, limits, host);
    const whole = createMcpHandler(async () => (await buildServer(app, journal, { id: "" })).mcp, {
      legacy: "reject",
    });
    const { signal } = new AbortController();
    const answered = async (response: Response) => ({
      status: response.status,
      body: JSON.parse(await response.text() || "null"),
    });
    await test(async (parsedBody, headers) => {
      const request = () =>
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          signal,
        });
      return [
        await answered(await endpoint.answer(request(), parsedBody, signal)),
        await answered(await whole.fetch(request(), { parsedBody })),
      ];
    });
    await endpoint.close();
    await whole.close();
    await app.close();
  });
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

Deno.test("a server for a single request answers every method as a whole one does [transport:http]", () =>
  withEndpoints(async (ask) => {
    let results = 0;
    for (const [method, params] of REQUESTS) {
      const [own, whole] = await ask(...modernRequest(method, params));
      assert.deepEqual(own, whole, method);
      if ("result" in (own.body as object)) results++;
    }
    assert.ok(results >= 11, `only ${results} results`);
  }));

Deno.test("who is a 2025 client is seen as the SDK sees it, whatever is sent [transport:http]", () =>
  withEndpoints(async (ask) => {
    const [modern, headers] = modernRequest("tools/list");
    const bodies = [
      modern,
      { ...modern, params: {} },
      { ...modern, params: [] },
      { ...modern, method: 1 },
      { ...modern, method: "initialize", params: { capabilities: {} } },
      { ...modern, id: null },
      { ...modern, id: {} },
      { ...modern, jsonrpc: "1.0" },
      [modern],
      [{ jsonrpc: "2.0", id: 1, method: "ping" }],
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, method: "ping", result: {} },
      {},
      "text",
    ];
    let legacy = 0;
    for (const body of bodies) {
      for (const version of ["2026-07-28", "2025-11-25", " 2026-07-28 ", "2026-07-28, 2025-11-25"]) {
        const sent = { ...headers, "mcp-protocol-version": version };
        const request = new Request("http://localhost/mcp", { method: "POST", headers: sent });
        const isLegacy = await isLegacyRequest(request, body);
        const [own, whole] = await ask(body, sent);
        const what = `${version}: ${JSON.stringify(body)}`;
        if (isLegacy) assert.match(JSON.stringify(own.body), /Mcp-Session-Id/, what);
        else assert.deepEqual(own, whole, what);
        legacy += Number(isLegacy);
      }
    }
    assert.ok(legacy > 5, `only ${legacy} of 2025`);
  }));
