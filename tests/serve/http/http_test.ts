/** Does the program serve many clients over HTTP at once, and only those that are allowed? */
import assert from "node:assert/strict";
import { BOTH_ERAS } from "../../support/client.ts";
import { connectHttp, INITIALIZE, post, refusalOf, sendRaw, startHttp } from "../../support/http.ts";
import { canMakeCertificate, makeCertificate } from "../../support/certificate.ts";
import { PROGRAM, runCli } from "../../support/program.ts";
import { until } from "../../support/waiting.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const TOKEN = "a-token-of-many-letters";

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nBody of ${name}.\n`;

const PROJECTS = {
  "one/.claude/skills/bmad-alpha/SKILL.md": skill("bmad-alpha"),
  "two/.claude/skills/bmad-beta/SKILL.md": skill("bmad-beta"),
  "other/two/.claude/skills/bmad-gamma/SKILL.md": skill("bmad-gamma"),
};

for (const era of BOTH_ERAS) {
  Deno.test(`clients of ${era} work over HTTP, several at once [transport:http]`, async () => {
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
  });

  Deno.test(`a client of ${era} is notified over HTTP of changes on disk [transport:http]`, () =>
    withTree(PROJECTS, async (dir) => {
      await using program = await startHttp(["--project", `${dir}/one`, "--pack", "none"]);
      await using connected = await connectHttp(era, `${program.url}/mcp`);
      const { client } = connected;
      const heard: string[] = [];
      client.fallbackNotificationHandler = ({ method, params }: Json) => {
        heard.push(`${method} ${params?.uri ?? ""}`.trim());
        return Promise.resolve();
      };
      const uri = "bmad://skills/bmad-alpha/SKILL.md";
      // What is read now is what later changes are compared with.
      await client.readResource({ uri });
      const subscription = era === "2025"
        ? await client.subscribeResource({ uri })
        : await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
      await Deno.writeTextFile(
        `${dir}/one/.claude/skills/bmad-alpha/SKILL.md`,
        skill("bmad-alpha") + "More.\n",
      );
      const notice = `notifications/resources/updated ${uri}`;
      await until(notice, () => heard.includes(notice), () => heard);
      if (era === "2026") await subscription.close();
    }));
}

// deno-lint-ignore no-explicit-any
type Json = any;

Deno.test("a project has its own content; an unknown one is named [transport:http-projects]", () =>
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
    const two = `${dir.split("/").at(-1)}/two`;
    assert.deepEqual(await skillsAt(`${url}?project=${two}`), ["bmad-beta"]);
    assert.deepEqual(await skillsAt(url, { "X-BMAD-Project": "other/two" }), ["bmad-gamma"]);
    assert.deepEqual(await refusalOf(post(`${url}?project=three`, INITIALIZE)), [
      404,
      `Unknown project "three". Use one of one, ${two}, other/two`,
    ]);
  }));

Deno.test("a foreign Host or Origin is refused [transport:http-host-origin]", async () => {
  await using program = await startHttp([
    "--allow-origin",
    "https://app.example.org",
    "--allow-host",
    "Team.example.org",
  ]);
  const port = new URL(program.url).port;
  const ask = (host: string, origin?: string, method = "POST") =>
    sendRaw(program, [
      `${method} /mcp HTTP/1.1`,
      `Host: ${host}`,
      ...(origin === undefined ? [] : [`Origin: ${origin}`]),
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      "Connection: close",
    ], method === "POST" ? JSON.stringify(INITIALIZE) : "");
  const foreign = [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1.evil.example",
    "localhost.evil.example",
  ];
  for (const host of foreign) {
    assert.match(await ask(host), /^HTTP\/1.1 403 [^]*Host .* is not allowed: .* --allow-host/, host);
  }
  const own = [`localhost:${port}`, `127.0.0.1:${port}`, "[::1]", "192.168.7.7", "team.example.org"];
  for (const host of own) {
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
});

Deno.test("a header that says who sends a request comes once [team:proxy]", () =>
  withTree({ "state/": "", ...PROJECTS }, async (dir) => {
    const args = ["--project", `${dir}/one`, "--pack", "none"];
    const proxy = ["--proxy-from", "127.0.0.1", "--proxy-user", "from", "--roles", "owner=leads,reader=devs"];
    const env = { XDG_STATE_HOME: `${dir}/state`, BMAD_TOKEN: TOKEN };
    await using program = await startHttp([...args, ...proxy], { env });
    const statusOf = async (...headers: readonly string[]) => {
      const lines = ["GET /about HTTP/1.1", "Host: localhost", "Connection: close", ...headers];
      return Number(/^HTTP\/1\.1 (\d+)/.exec(await sendRaw(program, lines.concat("")))?.[1]);
    };
    const [ana, devs, leads] = ["From: ana", "Remote-Groups: devs", "Remote-Groups: leads"];
    const own = `Authorization: Bearer ${TOKEN}`;
    assert.equal(await statusOf(ana, devs), 200);
    assert.equal(await statusOf(own), 200);
    // Of some headers, Node keeps the first alone: a client's own.
    assert.equal(await statusOf("From: olga", ana, devs), 401);
    assert.equal(await statusOf(ana, "FROM: ana", devs), 401);
    assert.equal(await statusOf("From: olga, ana", devs), 401);
    assert.equal(await statusOf("From: olga, ana", devs, own), 401, "no token makes up for it");
    assert.equal(await statusOf(ana, leads, devs), 401);
    assert.equal(await statusOf(own, own), 401);
    assert.equal(await statusOf(`X-API-Key: ${TOKEN}`, `x-api-key: ${TOKEN}`), 401);
  }));

Deno.test("a token is a bearer, X-API-Key or a password [transport:http-token]", async () => {
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
});

Deno.test("other machines need a token [transport:http-token, transport:http-loopback]", async () => {
  const open = await runCli(["serve", "--http", "0.0.0.0:0"]);
  assert.equal(open.code, 2);
  assert.match(
    open.stderr,
    /^bmad-mcp: .*\b0\.0\.0\.0\b.* set BMAD_TOKEN,? or listen on 127\.0\.0\.1\n$/i,
  );
  await using loopback = await startHttp();
  assert.equal(new URL(loopback.url).hostname, "127.0.0.1");
  await using wide = await startHttp(["--http", "0.0.0.0:0"], { env: { BMAD_TOKEN: TOKEN } });
  assert.match(wide.url, /^http:\/\/0\.0\.0\.0:/);
  const short = await runCli(["serve", "--http", "0"], { env: { BMAD_TOKEN: "short-secret" } });
  assert.equal(short.code, 2);
  assert.match(short.stderr, /at least 16 characters/);
  assert.doesNotMatch(short.stderr, /short-secret/);
});

Deno.test("in every version, a body that is not JSON is refused [transport:http]", async () => {
  await using program = await startHttp();
  for (const version of [undefined, "2025-11-25", "2026-07-28", "x"]) {
    for (const body of ["", "[".repeat(3_000), '{"jsonrpc":', "\0"]) {
      const response = await fetch(`${program.url}/mcp`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(version && { "mcp-protocol-version": version }),
        },
      });
      const { error } = await response.json();
      assert.deepEqual([response.status, error.code], [400, -32700], `${version}: ${body.slice(0, 20)}`);
    }
  }
});

Deno.test("an address that cannot be listened on is refused with the reason", async () => {
  await using program = await startHttp();
  const { port } = new URL(program.url);
  const taken = await runCli(["serve", "--http", port]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /already in use, perhaps by another bmad-mcp: choose another port\n$/);
  for (const address of ["http", "99999", "host:", ":", "-1", "a b:80"]) {
    const { code, stderr } = await runCli(["serve", "--http", address]);
    assert.deepEqual([code, /expected PORT or HOST:PORT/.test(stderr)], [2, true], stderr);
  }
  const alone = await runCli(["serve", "--http", "0", "--tls-cert", "/nowhere/cert.pem"]);
  assert.match(alone.stderr, /--tls-cert requires --tls-key/);
  const missing = await runCli(["serve", "--http", "0", "--tls-cert", "/no/c.pem", "--tls-key", "/no/k.pem"]);
  assert.match(missing.stderr, /Invalid --tls-cert "\/no\/c\.pem": file not found/);
});

treeTest("a project is opened once, when first used [transport:http-projects]", PROJECTS, async (dir) => {
  const projects = ["one", "two"].flatMap((name) => ["--project", `${dir}/${name}`]);
  await using program = await startHttp([...projects, "--pack", "none"]);
  const opened = async () =>
    [...(await (await fetch(`${program.url}/metrics`)).text())
      .matchAll(/^bmad_mcp_sessions\{project="([^"]*)"\} (\d+)$/gm)].map(([, name, count]) =>
        `${name} ${count}`
      );
  assert.deepEqual(await opened(), []);
  const url = `${program.url}/mcp?project=two`;
  await using _one = await connectHttp("2025", url);
  await using _other = await connectHttp("2025", url);
  assert.deepEqual(await opened(), ["two 2"]);
});

Deno.test("off loopback no tool writes, unless the settings allow it [transport:http-rights]", () =>
  withTree({ ...PROJECTS, "one/_bmad-output/.runs/main/r1/state.json": "{}" }, async (dir) => {
    const mayWrite = async (args: readonly string[], told: Readonly<Record<string, string>> = {}) => {
      const env = { BMAD_TOKEN: TOKEN, ...told };
      await using program = await startHttp(["--project", `${dir}/one`, ...args], { env });
      const url = `${program.url.replace("0.0.0.0", "127.0.0.1")}/mcp`;
      await using connected = await connectHttp("2026", url, { headers: { "x-api-key": TOKEN } });
      const { tools } = await connected.client.listTools();
      return tools.some(({ name }: { name: string }) => name === "spawn_subagent_task");
    };
    assert.equal(await mayWrite([]), true, "on loopback");
    assert.equal(await mayWrite(["--http", "0.0.0.0:0"]), false, "for other machines");
    const isTold = { BMAD_READ_ONLY: "false" };
    assert.equal(await mayWrite(["--http", "0.0.0.0:0"], isTold), true, "when told so");
  }));

Deno.test({
  name: "a server over HTTP holds no right to use the network or to write [transport:http-rights]",
  // A binary has nothing that could be run before it.
  ignore: PROGRAM.file === undefined,
  fn: () =>
    withTree({ "probe.ts": PROBE }, async (dir) => {
      const program = [...PROGRAM.args.slice(0, -1), "--preload", `${dir}/probe.ts`, PROGRAM.file!];
      const rightsOf = async (args: readonly string[]) => {
        await using server = await startHttp(args, { program });
        server.signal("SIGUSR2");
        const rights = () => /^rights: (.*)$/m.exec(server.stderr())?.[1];
        await until("the rights are printed", () => rights() !== undefined);
        return rights();
      };
      assert.equal(await rightsOf([]), "net denied, write denied, run denied; connect NotCapable");
      assert.match(await rightsOf(["--no-sandbox"]) ?? "", /^net granted, .*; connect ConnectionRefused$/);
    }),
});

const PROBE = `Deno.addSignalListener("SIGUSR2", async () => {
  const state = (name) => name + " " + Deno.permissions.querySync({ name }).state.replace("prompt", "denied");
  const tried = await Deno.connect({ port: 1 }).then(() => "made", (error) => error.name);
  console.error("rights: " + ["net", "write", "run"].map(state).join(", ") + "; connect " + tried);
});
`;

Deno.test({
  name: "with a certificate both eras connect encrypted, and no client without [transport:http-tls]",
  ignore: !canMakeCertificate(),
  fn: () =>
    withTree({}, async (dir) => {
      const { cert, file, keyFile } = makeCertificate(dir);
      const tls = ["--tls-cert", file, "--tls-key", keyFile];
      await using program = await startHttp(["--http", "localhost:0", ...tls]);
      assert.match(program.url, /^https:/);
      using trusting = Deno.createHttpClient({ caCerts: [cert] });
      const safely: typeof fetch = (input, init) => fetch(input, { ...init, client: trusting });
      for (const era of BOTH_ERAS) {
        await using connected = await connectHttp(era, `${program.url}/mcp`, { fetch: safely });
        assert.equal((await connected.client.listTools()).tools.length, 1);
      }
      await assert.rejects(() => fetch(`${program.url}/health`), "a stranger's certificate");
      await assert.rejects(() => fetch(`${program.url.replace("https", "http")}/health`), "no encryption");

      const other = makeCertificate(await Deno.makeTempDir({ dir })).keyFile;
      const refused = [
        [keyFile, keyFile, /--tls-cert .*expected a PEM certificate/],
        [file, file, /--tls-key .*expected a PEM private key/],
        [file, other, /--tls-key .*does not match the certificate/],
      ] as const;
      for (const [cert, key, complaint] of refused) {
        const { code, stderr } = await runCli(["serve", "--http=0", "--tls-cert", cert, "--tls-key", key]);
        assert.equal(code, 2);
        assert.match(stderr, complaint);
      }
    }),
});
