/** Can a program read the log of a server, and is no secret in it, whoever sent one? */
import assert from "node:assert/strict";
import { openLog } from "../../../src/commands/cli/log.ts";
import { denoHost } from "../../../src/process/host.ts";
import { resolveConfig } from "../../support/config.ts";
import { INITIALIZE, post, startHttp } from "../../support/http.ts";
import { until } from "../../support/waiting.ts";

const TOKEN = "a-token-that-nobody-may-see";
const WRONG = "a-guess-that-nobody-may-see";

Deno.test("a JSON log has objects without tokens [log:json, log:no-secrets]", async () => {
  const args = ["--log-format", "json", "--log-level", "debug", "--pack", "none"];
  await using server = await startHttp(args, { env: { BMAD_TOKEN: TOKEN } });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const asked = [
    post(`${server.url}/mcp`, INITIALIZE, bearer(TOKEN)),
    post(`${server.url}/mcp`, INITIALIZE, bearer(WRONG)),
    post(`${server.url}/mcp`, { ...INITIALIZE, method: `tools/${TOKEN}` }, { "x-api-key": TOKEN }),
    fetch(`${server.url}/?token=${TOKEN}`, { redirect: "manual", headers: { accept: "text/html" } }),
    fetch(`${server.url}/board?token=${WRONG}`, { redirect: "manual" }),
    fetch(`${server.url}/health`, { headers: { cookie: `bmad-mcp=${TOKEN}` } }),
  ];
  for (const answer of asked) await (await answer).text();
  // What is seen last was written last.
  const lines = () => server.stderr().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const requests = () => lines().filter(({ request }) => request !== undefined);
  await until("every request is logged", () => requests().length === asked.length);
  for (const { time, level, pid, message } of lines()) {
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000, time);
    assert.deepEqual([pid, typeof message], [server.pid, "string"]);
    assert.match(level, /^(?:error|warn|info|debug)$/);
  }
  const first = lines().find(({ request }) => request === "initialize");
  assert.deepEqual([first.outcome, first.status, first.bytes > 0, first.ms >= 0], ["ok", 200, true, true]);
  for (const secret of [TOKEN, WRONG]) assert.ok(!server.stderr().includes(secret), server.stderr());
});

Deno.test("a secret of the settings is hidden wherever a text has it from [log:no-secrets]", () => {
  const secrets = { token: TOKEN, qdrantKey: "k3y-of-qdrant", embeddingsKey: "k3y-of-embeddings" };
  for (const logFormat of ["text", "json"] as const) {
    let written = "";
    const host = { ...denoHost("/"), writeErr: (text: string) => void (written += text) };
    const { settings } = resolveConfig({ ...host, args: [] });
    const log = openLog(host, { ...settings, ...secrets, logFormat }, []);
    const request = `read ${secrets.qdrantKey}`;
    log.write("info", `sent ${TOKEN}\nto http://ann:pass@example.org`, { request });
    log.bug(new Error(`refused ${secrets.embeddingsKey}`));
    for (const secret of [...Object.values(secrets), "ann:pass"]) {
      assert.ok(!written.includes(secret), written);
    }
    const lines = written.trimEnd().split("\n");
    if (logFormat === "text") {
      assert.match(lines[0]!, /^bmad-mcp info: sent \[removed\].to http:\/\/\*\*\*@example/);
    } else {
      assert.equal(lines.length, 2);
      assert.equal(JSON.parse(lines[0]!).request, "read [removed]");
      const { id, message } = JSON.parse(lines[1]!);
      assert.ok(message.startsWith(`[${id}] Error: refused [removed]\n`), message);
    }
  }
});
