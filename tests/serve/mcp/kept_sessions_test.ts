/** Does a session of a 2025 client outlive its server, and stay that of the person who began it? */
import assert from "node:assert/strict";
import { type App, openApp } from "../../../src/app.ts";
import type { Person } from "../../../src/base/roles.ts";
import { denoHost } from "../../../src/process/host.ts";
import { openSessionFiles, sweepSessions } from "../../../src/process/session_files.ts";
import { type Endpoint, openCapacity, openEndpoint } from "../../../src/serve/mcp/endpoint.ts";
import { resolveConfig } from "../../support/config.ts";
import { withTree } from "../../support/trees.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const ANA: Person = { name: "ana", role: "worker" };

/** Asks an endpoint as somebody; the text of the answer's body, its status, and the id of the session. */
async function ask(endpoint: Endpoint, body: unknown, session?: string, person = ANA) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const request = new Request("http://localhost/mcp", { method: "POST", headers });
  const { signal } = new AbortController();
  const response = await endpoint.answer(request, body, signal, { person, record: () => {} });
  const text = await response.text();
  return { status: response.status, text, id: response.headers.get("mcp-session-id") ?? undefined };
}

function withServers(test: (next: () => Endpoint, folder: string) => Promise<void>): Promise<void> {
  return withTree({ "kept/": "", "project/_bmad/": "" }, async (dir) => {
    const host = denoHost(dir);
    const args = ["serve", "--http", "0", "--project", `${dir}/project`, "--pack", "none"];
    const config = resolveConfig({ ...host, home: undefined, args, env: () => undefined });
    const journal = { bug: (error: unknown) => assert.fail(String(error)), info: () => {} };
    const limits = { capacity: openCapacity(9), requests: 99, idleMs: 60_000 };
    const opened: { readonly app: App; readonly endpoint: Endpoint }[] = [];
    const folder = `${dir}/kept`;
    await test(() => {
      const app = openApp(config, host);
      const keeper = openSessionFiles(folder, "project", { maxAge: 60_000, now: host.now });
      const endpoint = openEndpoint(app, journal, limits, host, keeper);
      opened.push({ app, endpoint });
      return endpoint;
    }, folder);
    for (const { app, endpoint } of opened) {
      await endpoint.close();
      await app.close();
    }
  });
}

const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

Deno.test("the next server goes on with a session, for its person alone [team:restarts]", () =>
  withServers(async (next) => {
    const first = next();
    const { id } = await ask(first, INITIALIZE);
    assert.ok(id);
    await ask(first, { jsonrpc: "2.0", method: "notifications/initialized" }, id);
    const level = { jsonrpc: "2.0", id: 3, method: "logging/setLevel", params: { level: "debug" } };
    await ask(first, level, id);
    const before = await ask(first, LIST, id);
    await first.close();
    const second = next();
    for (
      const other of [{ name: "bob", role: "worker" }, { name: "ana", role: "owner" }, { role: "worker" }]
    ) {
      assert.equal((await ask(second, LIST, id, other as Person)).status, 404);
    }
    const both = await Promise.all([LIST, { ...LIST, id: 9 }].map((one) => ask(second, one, id)));
    const texts = [before.text, before.text.replace(/"id":2\}/, '"id":9}')];
    assert.deepEqual(both.map(({ status, text }) => [status, text]), texts.map((text) => [200, text]));
    assert.equal(second.sessions(), 1);
    const third = next();
    assert.equal((await ask(third, LIST, id)).status, 200, "another server on the same folder");
    assert.equal((await ask(third, LIST, crypto.randomUUID())).status, 404);
    assert.equal((await ask(third, LIST, "../../etc/passwd")).status, 404);
  }));

Deno.test("a session that has ended, is too old or was tampered with is gone [team:restarts]", () =>
  withServers(async (next, folder) => {
    const first = next();
    const { id } = await ask(first, INITIALIZE);
    const file = `${folder}/${id}.json`;
    const text = Deno.readTextFileSync(file);
    await first.close();
    Deno.utimeSync(file, 0, 0);
    assert.equal((await ask(next(), LIST, id)).status, 404);
    for (
      const broken of ["", "{}", text.replace("initialize", "finalize"), text.replace("worker", "king")]
    ) {
      Deno.writeTextFileSync(file, broken);
      assert.equal((await ask(next(), LIST, id)).status, 404, broken);
    }
    Deno.writeTextFileSync(file, text);
    const last = next();
    assert.equal((await ask(last, LIST, id)).status, 200);
    const { signal } = new AbortController();
    const leave = new Request("http://localhost/mcp", {
      method: "DELETE",
      headers: { "mcp-session-id": id! },
    });
    await last.answer(leave, undefined, signal, { person: ANA, record: () => {} });
    assert.deepEqual([...Deno.readDirSync(folder)], []);
    Deno.writeTextFileSync(file, text);
    Deno.utimeSync(file, 0, 0);
    sweepSessions(folder, { maxAge: 60_000, now: Date.now });
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
