/**
 * Is the program over HTTP there for many clients at once, and for nobody who should not be?
 *
 * Asked of the real process by the official clients of both eras, by plain requests, and by a raw socket.
 */
import assert from "node:assert/strict";
import { ERAS } from "./support/client.ts";
import { connectHttp, type HttpProgram, startHttp } from "./support/http.ts";
import { runCli } from "./support/program.ts";
import { verifies } from "./support/requirements.ts";
import { withTree } from "./support/trees.ts";

const TOKEN = "a-token-of-many-letters";

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nBody of ${name}.\n`;

const PROJECTS = {
  "one/.claude/skills/bmad-alpha/SKILL.md": skill("bmad-alpha"),
  "two/.claude/skills/bmad-beta/SKILL.md": skill("bmad-beta"),
  "other/two/.claude/skills/bmad-gamma/SKILL.md": skill("bmad-gamma"),
};

const post = (url: string, message: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: "POST",
    body: typeof message === "string" ? message : JSON.stringify(message),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } },
};

/** The status of an answer and the sentence that goes with it. */
async function refusalOf(response: Promise<Response>): Promise<readonly [number, string]> {
  const { status, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  }));
  try {
    return [status, JSON.parse(rest.text).error.message];
  } catch {
    return [status, rest.text];
  }
}

for (const era of ERAS) {
  Deno.test(
    verifies("transport:http", `clients of ${era} list, read, execute and search over HTTP, several at once`),
    async () => {
      await using program = await startHttp();
      const clients = await Promise.all([1, 2, 3].map(() => connectHttp(era, `${program.url}/mcp`)));
      await Promise.all(clients.map(async ({ client }) => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map(({ name }: { name: string }) => name), ["bmad"]);
        const say = async (args: Record<string, unknown>) =>
          (await client.callTool({ name: "bmad", arguments: args })).content[0].text as string;
        assert.match(await say({ operation: "list", query: "agents" }), /bmm\/bmad-agent-analyst/);
        assert.match(await say({ operation: "execute", agent: "analyst" }), /^agent: /m);
        assert.match(await say({ operation: "search", query: "brainstorm" }), /brainstorming/);
        const { contents } = await client.readResource({ uri: "bmad://manifests/agents" });
        assert.match(contents[0].text, /^name,/);
      }));
      for (const client of clients) await client[Symbol.asyncDispose]();
    },
  );

  Deno.test(
    verifies("transport:http", `a client of ${era} hears over HTTP what changed on disk`),
    () =>
      withTree(PROJECTS, async (dir) => {
        await using program = await startHttp(["--project", `${dir}/one`, "--pack", "none"]);
        await using connected = await connectHttp(era, `${program.url}/mcp`);
        const { client } = connected;
        const heard: string[] = [];
        const told = Promise.withResolvers<void>();
        client.fallbackNotificationHandler = ({ method, params }: Json) => {
          heard.push(`${method} ${params?.uri ?? ""}`.trim());
          if (heard.some((line) => line.startsWith("notifications/resources/updated"))) told.resolve();
          return Promise.resolve();
        };
        const uri = "bmad://skills/bmad-alpha/SKILL.md";
        await client.listTools();
        const subscription = era === "2025"
          ? await client.subscribeResource({ uri })
          : await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        await Deno.writeTextFile(
          `${dir}/one/.claude/skills/bmad-alpha/SKILL.md`,
          skill("bmad-alpha") + "More.\n",
        );
        const patience = setTimeout(() => told.reject(new Error(`heard only ${heard.join(", ")}`)), 8_000);
        await told.promise;
        clearTimeout(patience);
        assert.ok(heard.includes(`notifications/resources/updated ${uri}`), heard.join(", "));
        if (era === "2026") await subscription.close();
      }),
  );
}

// deno-lint-ignore no-explicit-any
type Json = any;

Deno.test(
  verifies(
    "transport:http",
    "each project has its own content, chosen by name; an unknown name lists the others",
  ),
  () =>
    withTree(PROJECTS, async (dir) => {
      const projects = ["one", "two", "other/two"].flatMap((name) => ["--project", `${dir}/${name}`]);
      await using program = await startHttp([...projects, "--pack", "none"]);
      const skillsAt = async (url: string, headers = {}) => {
        await using connected = await connectHttp("2026", url, { headers });
        const answer = await connected.client.callTool({
          name: "bmad",
          arguments: { operation: "list", query: "skills", format: "json" },
        });
        return JSON.parse(answer.content[0].text).items.map(({ id }: { id: string }) => id);
      };
      const url = `${program.url}/mcp`;
      assert.deepEqual(await skillsAt(url), ["bmad-alpha"]);
      assert.deepEqual(await skillsAt(`${url}?project=two`), ["bmad-beta"]);
      assert.deepEqual(await skillsAt(url, { "X-BMAD-Project": "two-2" }), ["bmad-gamma"]);
      assert.deepEqual(await refusalOf(post(`${url}?project=three`, INITIALIZE)), [
        404,
        'There is no project "three": there is one, two, two-2',
      ]);
    }),
);

Deno.test(
  verifies(
    "transport:http-watching",
    "health is open to everybody, metrics count requests by method and outcome",
  ),
  async () => {
    await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
    const health = await fetch(`${program.url}/health`);
    const { status, name, agents, projects } = await health.json();
    assert.deepEqual([health.status, status, name, projects], [200, "ready", "bmad-mcp", 1]);
    assert.ok(agents > 0);
    const headers = { authorization: `Bearer ${TOKEN}` };
    await (await post(`${program.url}/mcp`, INITIALIZE, headers)).text();
    await (await post(`${program.url}/mcp`, INITIALIZE)).text();
    assert.equal((await refusalOf(fetch(`${program.url}/metrics`)))[0], 401);
    const metrics = await (await fetch(`${program.url}/metrics`, { headers })).text();
    const value = (line: string) =>
      Number(metrics.split("\n").find((each) => each.startsWith(`${line} `))?.split(" ").at(-1));
    assert.equal(value('bmad_mcp_requests_total{method="initialize",outcome="ok"}'), 1);
    assert.equal(value('bmad_mcp_requests_total{method="initialize",outcome="refused"}'), 1);
    assert.equal(value("bmad_mcp_request_seconds_count"), 4);
    assert.ok(value('bmad_mcp_request_seconds_bucket{le="+Inf"}') === 4);
    assert.ok(value("bmad_mcp_resident_memory_bytes") > 10_000_000);
    assert.equal(value(`bmad_mcp_sessions{project="${/project="([^"]+)"/.exec(metrics)![1]}"}`), 1);
    assert.ok(metrics.includes('origin="package"'));
    for (const line of metrics.trimEnd().split("\n")) {
      assert.match(line, /^(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{(?:[a-z]+="[^"]*",?)+\})? [\d.e+-]+)$/);
    }
  },
);

Deno.test(
  verifies(
    "transport:http-host-origin",
    "a request with a foreign Host or Origin is refused, and the way to allow it named",
  ),
  async () => {
    await using program = await startHttp([
      "--allow-origin",
      "https://app.example.org",
      "--allow-host",
      "Team.example.org",
    ]);
    const port = new URL(program.url).port;
    const ask = (host: string, origin?: string, method = "POST") =>
      raw(program, [
        `${method} /mcp HTTP/1.1`,
        `Host: ${host}`,
        ...(origin === undefined ? [] : [`Origin: ${origin}`]),
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "Connection: close",
      ], method === "POST" ? JSON.stringify(INITIALIZE) : "");
    for (
      const host of [
        "evil.example",
        `evil.example:${port}`,
        "127.0.0.1.evil.example",
        "localhost.evil.example",
      ]
    ) {
      assert.match(await ask(host), /^HTTP\/1.1 403 [^]*Requests to the host .* --allow-host/, host);
    }
    for (
      const host of [`localhost:${port}`, `127.0.0.1:${port}`, "[::1]", "192.168.7.7", "team.example.org"]
    ) {
      assert.match(await ask(host), /^HTTP\/1.1 200 /, host);
    }
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "file://"]) {
      assert.match(await ask("localhost", origin), /^HTTP\/1.1 403 [^]*--allow-origin/, origin);
    }
    for (const origin of ["http://localhost:3000", "https://app.example.org", "http://192.168.7.7"]) {
      assert.match(await ask("192.168.7.7", origin), /^HTTP\/1.1 200 /, origin);
    }
    const preflight = await ask("localhost", "https://app.example.org", "OPTIONS");
    assert.match(preflight, /^HTTP\/1.1 204 [^]*access-control-allow-origin: https:\/\/app\.example\.org/i);
    assert.doesNotMatch(await ask("localhost", "http://localhost:3000"), /access-control-allow-origin/i);
  },
);

Deno.test(
  verifies(
    "transport:http-token",
    "a token is taken as bearer, as X-API-Key and as a browser's password, and nothing else is",
  ),
  async () => {
    await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
    const statusOf = async (headers: Record<string, string>, path = "/mcp") => {
      const answer = path === "/mcp"
        ? await post(`${program.url}${path}`, INITIALIZE, headers)
        : await fetch(`${program.url}${path}`, { headers });
      await answer.text();
      return answer.status;
    };
    const basic = (password: string): Record<string, string> => ({
      authorization: `Basic ${btoa(`ann:${password}`)}`,
    });
    const right: Record<string, string>[] = [
      { authorization: `Bearer ${TOKEN}` },
      { "x-api-key": TOKEN },
      basic(TOKEN),
    ];
    for (const headers of right) {
      assert.deepEqual([await statusOf(headers), await statusOf(headers, "/")], [200, 200]);
    }
    const wrong: Record<string, string>[] = [
      {},
      { authorization: TOKEN },
      { authorization: `Bearer ${TOKEN}x` },
      { "x-api-key": "" },
      basic("x"),
    ];
    for (const headers of wrong) {
      for (const path of ["/mcp", "/", "/metrics"]) {
        assert.equal(await statusOf(headers, path), 401, JSON.stringify(headers));
      }
    }
    const config = await runCli(["config"], { env: { BMAD_TOKEN: TOKEN } });
    assert.match(config.stdout, /^token\s+\(set\)/m);
    assert.doesNotMatch(program.stderr() + config.stdout + config.stderr, new RegExp(TOKEN));
  },
);

Deno.test(
  verifies(
    ["transport:http-token", "transport:http-loopback"],
    "other machines can connect only where a token is set",
  ),
  async () => {
    const open = await runCli(["serve", "--http", "0.0.0.0:0"]);
    assert.equal(open.code, 2);
    assert.match(
      open.stderr,
      /^bmad-mcp: Cannot use setting token .*set BMAD_TOKEN, or listen on 127\.0\.0\.1\n$/,
    );
    await using loopback = await startHttp();
    assert.equal(new URL(loopback.url).hostname, "127.0.0.1");
    await using wide = await startHttp(["--http", "0.0.0.0:0"], { env: { BMAD_TOKEN: TOKEN } });
    assert.match(wide.url, /^http:\/\/0\.0\.0\.0:/);
    const short = await runCli(["serve", "--http", "0"], { env: { BMAD_TOKEN: "short-secret" } });
    assert.equal(short.code, 2);
    assert.match(short.stderr, /at least 16 characters/);
    assert.doesNotMatch(short.stderr, /short-secret/);
  },
);

Deno.test("an address that cannot be listened on is told as such", async () => {
  await using program = await startHttp();
  const { port } = new URL(program.url);
  const taken = await runCli(["serve", "--http", port]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /another program listens there: choose another port\n$/);
  for (const address of ["http", "99999", "host:", ":", "-1", "a b:80"]) {
    const { code, stderr } = await runCli(["serve", "--http", address]);
    assert.deepEqual([code, /it must be a port, or a host and a port/.test(stderr)], [2, true], stderr);
  }
  const alone = await runCli(["serve", "--http", "0", "--tls-cert", "/nowhere/cert.pem"]);
  assert.match(alone.stderr, /a certificate needs its key/);
  const missing = await runCli(["serve", "--http", "0", "--tls-cert", "/no/c.pem", "--tls-key", "/no/k.pem"]);
  assert.match(missing.stderr, /tlsCert = "\/no\/c\.pem" .*there is no such file/);
});

Deno.test(
  verifies("transport:http-limits", "a limit that is exceeded is answered with its status and a sentence"),
  async () => {
    await using program = await startHttp([
      ...["--http-body", "2048", "--http-sessions", "2", "--http-requests", "3", "--http-headers", "1"],
    ]);
    const url = `${program.url}/mcp`;
    const large = await refusalOf(post(url, { ...INITIALIZE, padding: "x".repeat(3_000) }));
    assert.deepEqual(large, [413, "A request may have at most 2048 bytes\n"]);

    const begin = async () => {
      const answer = await post(url, INITIALIZE);
      await answer.text();
      return answer.headers.get("mcp-session-id")!;
    };
    const [one, two] = [await begin(), await begin()];
    assert.deepEqual(await refusalOf(post(url, INITIALIZE)), [
      503,
      "There are 2 sessions already (--http-sessions): try again later",
    ]);
    const ping = (session: string) =>
      post(url, { jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": session });
    for (let n = 0; n < 2; n++) assert.equal((await refusalOf(ping(one)))[0], 200);
    assert.deepEqual(await refusalOf(ping(one)), [
      429,
      "A session ends after 3 requests (--http-requests): begin a new one",
    ]);
    assert.equal((await refusalOf(ping(one)))[0], 404);
    const ended = await fetch(url, { method: "DELETE", headers: { "mcp-session-id": two } });
    await ended.text();
    assert.equal(ended.status, 200);
    await begin();

    assert.match(await raw(program, ["POST /mcp HTTP/1.1", "Host: localhost"], undefined), /^HTTP\/1.1 408 /);
    assert.deepEqual(await refusalOf(fetch(`${program.url}/nowhere`)), [
      404,
      "There is nothing at /nowhere: MCP is at /mcp",
    ]);
    const put = await fetch(url, { method: "PUT" });
    await put.text();
    assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, POST, DELETE"]);
  },
);

Deno.test(verifies("transport:http-limits", "a session that nobody uses ends"), async () => {
  await using program = await startHttp(["--http-idle", "1"]);
  const url = `${program.url}/mcp`;
  const begun = await post(url, INITIALIZE);
  await begun.text();
  const headers = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
  for (let n = 0; n < 50; n++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Looking by another request: one of the session would keep it alive.
    const health = await (await fetch(`${program.url}/metrics`)).text();
    if (/^bmad_mcp_sessions\{[^}]*\} 0$/m.test(health)) break;
  }
  assert.deepEqual(await refusalOf(post(url, { jsonrpc: "2.0", id: 2, method: "ping" }, headers)), [
    404,
    "There is no such session: begin a new one with initialize",
  ]);
});

Deno.test("a stop lets what is being answered be answered, and ends with 0", async () => {
  await using program = await startHttp();
  const listening = await connectHttp("2026", `${program.url}/mcp`);
  await listening.client.listen({ toolsListChanged: true });
  const session = await connectHttp("2025", `${program.url}/mcp`);
  await session.client.listTools();
  // A look at every reference takes a while: none of these is answered when the signal comes.
  let answered = 0;
  const asked = [1, 2, 3].map(async () => {
    await session.client.callTool({ name: "bmad", arguments: { operation: "list", query: "conflicts" } });
    answered++;
  });
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.equal(answered, 0);
  program.signal("SIGTERM");
  const answers = await Promise.allSettled(asked);
  assert.deepEqual(answers.filter(({ status }) => status === "rejected"), []);
  const exit = await program.exit;
  assert.equal(exit.code, 0);
  await Promise.all([listening.client.close(), session.client.close()]);
});

Deno.test({
  name: "a server over HTTP holds no right to use the network or to write",
  fn: async () => {
    await using program = await startHttp(["--log-level", "debug"]);
    assert.match(program.stderr(), /can read only /);
    const { code, stdout } = await runCli(["config", "--json"], { env: { BMAD_HTTP: "0" } });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).settings.http.value, "127.0.0.1:0");
  },
});

/** What comes back over a bare socket. Without a body the request is left unfinished. */
async function raw(
  program: HttpProgram,
  lines: readonly string[],
  body: string | undefined,
): Promise<string> {
  const { port } = new URL(program.url);
  using socket = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`, "", body];
  await socket.write(
    new TextEncoder().encode([...lines, ...length].join("\r\n") + (body === undefined ? "\r\n" : "")),
  );
  let text = "";
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(65_536);
  for (let n = await socket.read(chunk); n !== null; n = await socket.read(chunk)) {
    text += decoder.decode(chunk.subarray(0, n), { stream: true });
  }
  return text;
}
