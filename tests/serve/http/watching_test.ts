/** Can the operator of an HTTP server see its state in `/health`, `/metrics` and the log? */
import assert from "node:assert/strict";
import { measuresOf, openMetrics, type Outcome, watchOutcome } from "../../../src/serve/http/metrics.ts";
import type { Project } from "../../../src/serve/http/projects.ts";
import {
  beginSession,
  connectHttp,
  type HttpProgram,
  INITIALIZE,
  modernRequest,
  post,
  refusalOf,
  startHttp,
  withOwnToken,
} from "../../support/http.ts";
import { parsePrometheus, type Sample } from "../../support/prometheus.ts";
import { until } from "../../support/waiting.ts";
import { treeTest } from "../../support/trees.ts";

const TOKEN = "a-token-of-many-letters";

/** The value of the only sample with a name and some labels; undefined if there is none. */
function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const fitting = samples.filter((sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  );
  assert.ok(fitting.length <= 1, `${name} ${JSON.stringify(labels)} is not one sample`);
  return fitting[0]?.value;
}

const measure = async (program: HttpProgram, headers: Record<string, string> = {}) =>
  parsePrometheus(await (await fetch(`${program.url}/metrics`, { headers })).text());

const requests = (samples: readonly Sample[], method: string, outcome: string) =>
  valueOf(samples, "bmad_mcp_requests_total", { method, outcome });

Deno.test("health is public, metrics need the token [transport:http-watching]", async () => {
  await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
  const health = await fetch(`${program.url}/health`);
  const { status, name, agents, projects } = await health.json();
  assert.deepEqual([health.status, status, name, projects], [200, "ready", "bmad-mcp", 1]);
  assert.ok(agents > 0);
  assert.equal((await refusalOf(fetch(`${program.url}/metrics`)))[0], 401);
  const samples = await measure(program, { authorization: `Bearer ${TOKEN}` });
  assert.equal(requests(samples, "http /metrics", "refused"), 1);
  assert.ok(valueOf(samples, "bmad_mcp_resident_memory_bytes")! > 10_000_000);
  assert.ok(samples.some(({ name, labels }) => name === "bmad_mcp_info" && labels["version"]));
});

Deno.test("requests are counted and timed [transport:http-watching]", async () => {
  await using program = await startHttp();
  const url = `${program.url}/mcp`;
  const session = await beginSession(url);
  const call = async (id: number, args: Record<string, unknown>) => {
    const params = { name: "bmad", arguments: args };
    const since = performance.now();
    await (await post(url, { jsonrpc: "2.0", id, method: "tools/call", params }, session)).text();
    return (performance.now() - since) / 1_000;
  };
  await call(2, { operation: "list", query: "agents" });
  await call(3, { operation: "read", agent: "nobody-of-that-name" });
  const before = valueOf(await measure(program), "bmad_mcp_request_seconds_sum")!;
  const seconds = await call(4, { operation: "list", query: "conflicts" });
  const [message, headers] = modernRequest("tools/call", {
    name: "bmad",
    arguments: { operation: "list", query: "agents" },
  });
  await (await post(url, message, headers)).text();
  for (const method of ["nonsense", "another/method", 'quote"{}\n\\', "http /x"]) {
    await (await post(url, { jsonrpc: "2.0", id: method, method }, session)).text();
  }
  await (await fetch(`${program.url}/nowhere`)).text();
  await using listening = await connectHttp("2026", url);
  const subscription = await listening.client.listen({ toolsListChanged: true });
  const samples = await measure(program);
  assert.equal(requests(samples, "initialize", "ok"), 1);
  assert.equal(requests(samples, "tools/call", "ok"), 3);
  assert.equal(requests(samples, "tools/call", "refused"), 1, "a failed tool is answered with status 200");
  assert.equal(requests(samples, "other", "refused"), 5);
  assert.equal(requests(samples, "subscriptions/listen", "ok"), 1);
  assert.equal(valueOf(samples, "bmad_mcp_sessions"), 1);
  assert.equal(valueOf(samples, "bmad_mcp_listening_streams"), 1);
  const spent = valueOf(samples, "bmad_mcp_request_seconds_sum")! - before;
  assert.ok(spent > seconds / 2, `${spent} s were counted for a request of ${seconds} s`);
  await subscription.close();
});

function outcomeOf(
  pieces: readonly string[],
  { type = "text/event-stream", ended = new AbortController().signal } = {},
): Outcome {
  const outcomes: Outcome[] = [];
  const response = new Response("", { headers: { "content-type": type } });
  const watch = watchOutcome(response, ended, (outcome) => outcomes.push(outcome));
  for (const piece of pieces) watch(new TextEncoder().encode(piece));
  assert.equal(outcomes.length, ended.aborted ? 1 : 0);
  watch(null);
  assert.equal(outcomes.length, 1);
  return outcomes[0]!;
}

Deno.test("an outcome is recognised in a split response [transport:http-watching]", () => {
  for (const [code, ending] of [[-32603, "failed"], [-32602, "refused"]] as const) {
    const error = { code, message: "No" };
    const text = `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, error })}\n\n`;
    for (let at = 1; at < text.length; at++) {
      const pieces = [text.slice(0, at), text.slice(at)];
      for (const type of ["text/event-stream", "application/json"]) {
        const outcome = outcomeOf(pieces, { type });
        assert.deepEqual(outcome, { ending, bytes: text.length }, pieces.join(" | "));
      }
    }
  }
});

Deno.test("a client that disconnected early is counted as left [transport:http-watching]", () => {
  const gone = AbortSignal.abort();
  assert.deepEqual(outcomeOf(["data: {}"], { ended: gone }), { ending: "left", bytes: 0 });
  const endings: string[] = [];
  watchOutcome(new Response(null, { status: 202 }), gone, ({ ending }) => endings.push(ending));
  assert.deepEqual(endings, ["left"]);
});

const turnedAway = (samples: readonly Sample[]) =>
  Object.fromEntries(
    samples.filter(({ name }) => name === "bmad_mcp_turned_away_total")
      .map(({ labels, value }) => [labels["reason"], value]),
  );

const NOBODY = { token_missing: 0, token_wrong: 0, token_throttled: 0, no_role: 0, connections: 0 };

Deno.test("guesses are counted by reason, and keep no owner out [transport:http-watching, transport:http-own-token]", () =>
  withOwnToken([], async (program, token) => {
    const ask = async (headers: Record<string, string>) =>
      (await refusalOf(fetch(`${program.url}/`, { headers })))[0];
    assert.deepEqual([await ask({}), await ask({})], [401, 401]);
    const guesses: number[] = [];
    for (let n = 0; n < 60; n++) guesses.push(await ask({ "x-api-key": `guess ${n}` }));
    const [wrong, throttled] = [401, 429].map((status) => guesses.filter((one) => one === status).length);
    assert.ok(wrong! >= 20 && throttled! > 0, `${guesses}`);
    assert.deepEqual(turnedAway(await measure(program, { "x-api-key": token })), {
      ...NOBODY,
      token_missing: 2,
      token_wrong: wrong,
      token_throttled: throttled,
    });
  }));

Deno.test("connections that had to make room are counted [transport:http-watching]", async () => {
  await using program = await startHttp(["--http-connections", "2"]);
  const { hostname, port } = new URL(program.url);
  const sockets: Deno.TcpConn[] = [];
  for (let n = 0; n < 6; n++) sockets.push(await Deno.connect({ hostname, port: Number(port) }));
  // The connection that asks needs room, too.
  assert.deepEqual(turnedAway(await measure(program)), { ...NOBODY, connections: 5 });
  sockets.forEach((socket) => socket.close());
});

Deno.test("no client can add rows to the metrics", () => {
  const metrics = openMetrics();
  for (let n = 0; n < 5_000; n++) metrics.note(`tools/x${n}`, "ok", n);
  const samples = parsePrometheus(metrics.render([], () => true));
  assert.equal(samples.filter(({ name }) => name === "bmad_mcp_requests_total").length, 1);
  assert.equal(valueOf(samples, "bmad_mcp_requests_total", { method: "other", outcome: "ok" }), 5_000);
});

treeTest("metrics have the state of each origin and count the reloads [transport:http-watching]", {
  'od"d/.claude/skills/bmad-one/SKILL.md': "---\nname: bmad-one\ndescription: One\n---\n",
  "empty/readme.txt": "nothing",
}, async (dir) => {
  const project = `${dir}/od"d`;
  const env = { BMAD_ROOT: `${dir}/gone` };
  await using program = await startHttp(["--project", project, "--path", `${dir}/empty`], { env });
  const url = `${program.url}/mcp`;
  await (await post(url, INITIALIZE)).text();
  const labels = (origin: string, state: string) => ({ project: 'od"d', origin, state });
  const first = await measure(program);
  for (const [origin, state] of [["project", "ready"], ["cli", "empty"], ["env", "missing"]] as const) {
    assert.equal(valueOf(first, "bmad_mcp_origin_state", labels(origin, state)), 1, `${origin} ${state}`);
  }
  assert.equal(valueOf(first, "bmad_mcp_origin_state", labels("project", "empty")), 0);
  assert.equal(valueOf(first, "bmad_mcp_reloads_total", { outcome: "ok" }), 0);
  assert.equal(valueOf(first, "bmad_mcp_diagnostics", { level: "error" }), 1, "a folder is missing");

  await Deno.mkdir(`${project}/.claude/skills/bmad-two`);
  await Deno.writeTextFile(
    `${project}/.claude/skills/bmad-two/SKILL.md`,
    "---\nname: bmad-two\ndescription: Two\n---\n",
  );
  let later = first;
  await until("the change is read", async () => {
    later = await measure(program);
    return valueOf(later, "bmad_mcp_origin_things", { origin: "project" }) === 2;
  });
  assert.ok(valueOf(later, "bmad_mcp_reloads_total", { outcome: "ok" })! > 0);
  assert.equal(valueOf(later, "bmad_mcp_reloads_total", { outcome: "failed" }), 0);
});

Deno.test("a reload that the metrics themselves bring about is in them", async () => {
  let done = 0;
  const project = {
    name: "one",
    endpoint: { sessions: () => 0, streams: () => 0 },
    app: {
      ask: () => (done++, Promise.resolve([])),
      diagnostics: () => Promise.resolve([]),
      reloads: () => ({ done, failed: 0 }),
    },
  } as unknown as Project;
  const measures = await measuresOf([project], { uptime: 1, memory: 1 });
  const reloads = measures.find(({ name }) => name === "bmad_mcp_reloads_total")!;
  assert.equal(reloads.values[0]![0], 1);
});

Deno.test("at debug, the log has one line for each request over HTTP, too [log:requests]", async () => {
  await using program = await startHttp(["--log-level", "debug"]);
  await using connected = await connectHttp("2025", `${program.url}/mcp`);
  await connected.client.callTool({
    name: "bmad",
    arguments: { operation: "execute", agent: "analyst", message: "a secret plan" },
  });
  await (await fetch(`${program.url}/health`)).text();
  assert.match(program.stderr(), /^bmad-mcp debug: request tools\/call bmad: \d+ ms, ok, \d{3,} bytes$/m);
  assert.match(program.stderr(), /^bmad-mcp debug: request http \/health: \d+ ms, ok, \d+ bytes$/m);
  assert.doesNotMatch(program.stderr(), /secret plan/);
});
