/**
 * Does every limit of a server over HTTP hold, and is who meets it told so?
 *
 * Each limit is set low and then met, in the real process; so is its end, with requests that are under way.
 */
import assert from "node:assert/strict";
import {
  beginSession,
  connectHttp,
  type HttpProgram,
  INITIALIZE,
  modernRequest,
  post,
  refusalOf,
  sendRaw,
  startHttp,
} from "../../support/http.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const ping = (url: string, session: Record<string, string>) =>
  post(url, { jsonrpc: "2.0", id: 2, method: "ping" }, session);

/** Looks at every reference: none of these is answered at once. */
const SLOW = { name: "bmad", arguments: { operation: "list", query: "conflicts" } };

const sample = async (program: HttpProgram, line: RegExp) =>
  line.test(await (await fetch(`${program.url}/metrics`)).text());

Deno.test(
  verifies("transport:http-limits", "a request that is too large is refused, whether it says so or not"),
  async () => {
    await using program = await startHttp(["--http-body", "2048"]);
    const url = `${program.url}/mcp`;
    const sentence = "A request may have at most 2048 bytes (--http-body)\n";
    const large = JSON.stringify({ ...INITIALIZE, padding: "x".repeat(3_000) });
    assert.deepEqual(await refusalOf(post(url, large)), [413, sentence]);
    const streamed = fetch(url, {
      method: "POST",
      body: ReadableStream.from([new TextEncoder().encode(large)]),
    });
    assert.deepEqual(await refusalOf(streamed), [413, sentence]);
    assert.equal(
      (await post(url, INITIALIZE).then((answer) => answer.text().then(() => answer))).status,
      200,
    );
    assert.ok(
      await sample(program, /^bmad_mcp_requests_total\{method="http unread",outcome="refused"\} 2$/m),
    );
  },
);

Deno.test(
  verifies(
    "transport:http-limits",
    "headers and bodies that do not come, and what is no request, are refused",
  ),
  async () => {
    await using program = await startHttp(["--http-headers", "1"]);
    const begun = ["POST /mcp HTTP/1.1", "Host: localhost"];
    const [headers, body, wide, noise] = await Promise.all([
      sendRaw(program, begun),
      sendRaw(program, [...begun, "Content-Length: 10", "", "abc"]),
      sendRaw(program, [...begun, `X-Wide: ${"x".repeat(40_000)}`, ""]),
      sendRaw(program, ["HELLO", ""]),
    ]);
    const slow = /^HTTP\/1\.1 408 [^]*\r\n\r\nThe headers of a request may take 1 s .*\(--http-headers\)\n$/;
    assert.match(headers!, slow);
    assert.match(body!, slow);
    assert.match(wide!, /^HTTP\/1\.1 431 [^]*\r\n\r\nThe headers of a request may have at most 16 KB\n$/);
    assert.match(noise!, /^HTTP\/1\.1 400 [^]*\r\n\r\nThis is no HTTP request\n$/);
  },
);

Deno.test(
  verifies(
    "transport:http-limits",
    "sessions are limited for all projects together, and so are their requests",
  ),
  () =>
    withTree({ "one/a.md": "", "two/b.md": "" }, async (dir) => {
      const projects = ["--project", `${dir}/one`, "--project", `${dir}/two`];
      await using program = await startHttp([...projects, "--http-sessions", "2", "--http-requests", "3"]);
      const url = `${program.url}/mcp`;
      const full = [503, "There are 2 sessions already (--http-sessions): try again later"];
      // One that is refused for another reason takes no place.
      assert.equal((await refusalOf(post(url, INITIALIZE, { accept: "text/plain" })))[0], 406);
      const [one, two] = [await beginSession(url), await beginSession(`${url}?project=two`)];
      assert.deepEqual(await refusalOf(post(url, INITIALIZE)), full);
      const [listen, headers] = modernRequest("subscriptions/listen", {
        notifications: { toolsListChanged: true },
      });
      assert.deepEqual(await refusalOf(post(url, listen, headers)), full);

      for (let n = 0; n < 2; n++) assert.equal((await refusalOf(ping(url, one)))[0], 200);
      assert.deepEqual(await refusalOf(ping(url, one)), [
        429,
        "A session ends after 3 requests (--http-requests): begin a new one",
      ]);
      assert.equal((await refusalOf(ping(url, one)))[0], 404);
      const ended = await fetch(`${url}?project=two`, { method: "DELETE", headers: two });
      await ended.text();
      assert.equal(ended.status, 200);

      const listening = await post(url, listen, headers);
      assert.equal(listening.status, 200);
      await beginSession(url);
      assert.deepEqual(await refusalOf(post(`${url}?project=two`, INITIALIZE)), full);
      await listening.body!.cancel();
    }),
);

Deno.test(
  verifies(
    "transport:http-limits",
    "of sessions that begin at the same time no more are let in than there may be",
  ),
  async () => {
    await using program = await startHttp(["--http-sessions", "3"]);
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => refusalOf(post(`${program.url}/mcp`, INITIALIZE))),
    );
    assert.deepEqual(answers.map(([status]) => status).sort(), [200, 200, 200, ...Array(6).fill(503)]);
  },
);

Deno.test(verifies("transport:http-limits", "a session that nobody uses ends"), async () => {
  await using program = await startHttp(["--http-idle", "1"]);
  const url = `${program.url}/mcp`;
  const session = await beginSession(url);
  // Looking by another request: one of the session would keep it alive.
  for (let n = 0; n < 50 && !await sample(program, /^bmad_mcp_sessions\{[^}]*\} 0$/m); n++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.deepEqual(await refusalOf(ping(url, session)), [
    404,
    "There is no such session: begin a new one with initialize",
  ]);
});

Deno.test(
  verifies(
    "transport:http-limits",
    "a client that has too many requests under way is told to wait, until they are answered to the end",
  ),
  async () => {
    for (const era of ["2025", "2026"]) {
      await using program = await startHttp(["--http-in-flight", "2"]);
      const url = `${program.url}/mcp`;
      const session = era === "2025" ? await beginSession(url) : {};
      const ask = (id: number) => {
        const [message, headers] = era === "2025"
          ? [{ jsonrpc: "2.0", method: "tools/call", params: SLOW }, session]
          : modernRequest("tools/call", SLOW);
        return refusalOf(post(url, { ...message as Record<string, unknown>, id }, headers));
      };
      // An answer that is a stream is begun long before it is whole.
      const slow = [ask(1), ask(2)];
      await new Promise((resolve) => setTimeout(resolve, 100));
      const sentence = "2 requests of yours are being answered (--http-in-flight): wait for one of them";
      assert.deepEqual(await ask(3), [429, sentence], era);
      for (const [status, text] of await Promise.all(slow)) {
        assert.deepEqual([status, /conflicts/.test(text)], [200, true], text);
      }
      assert.equal((await ask(4))[0], 200);
    }
  },
);

Deno.test(
  verifies(
    "transport:http-limits",
    "a long result comes in parts of the size that was set, each with the next call",
  ),
  async () => {
    await using program = await startHttp(["--max-result", "4096"]);
    await using connected = await connectHttp("2026", `${program.url}/mcp`);
    const read = async (part: Record<string, unknown>) => {
      const args = { operation: "read", agent: "analyst", ...part };
      const { content } = await connected.client.callTool({ name: "bmad", arguments: args });
      return content[0].text as string;
    };
    const first = await read({});
    const size = new TextEncoder().encode(first).length;
    assert.ok(size <= 4_096 && size > 2_000, `${size} bytes`);
    assert.match(first, /part 1 of \d+.*"part":\s*2/);
    assert.match(await read({ part: 2 }), /part 2 of \d+/);
  },
);

Deno.test(
  verifies("transport:http-stop", "a stop lets what is being answered be answered, and ends with 0"),
  async () => {
    await using program = await startHttp();
    const listening = await connectHttp("2026", `${program.url}/mcp`);
    await listening.client.listen({ toolsListChanged: true });
    const session = await connectHttp("2025", `${program.url}/mcp`);
    await session.client.listTools();
    let answered = 0;
    const asked = [session, listening, session].map(async ({ client }) => {
      await client.callTool(SLOW);
      answered++;
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(answered, 0);
    program.signal("SIGTERM");
    const answers = await Promise.allSettled(asked);
    assert.deepEqual(answers.filter(({ status }) => status === "rejected"), []);
    assert.equal((await program.exit).code, 0);
    await Promise.all([listening.client.close(), session.client.close()]);
  },
);

Deno.test(
  verifies("transport:http-stop", "a stop does not wait for a client that never takes its answer"),
  () =>
    withTree({
      ".claude/skills/bmad-long/SKILL.md": "---\nname: bmad-long\ndescription: Long\n---\n" +
        "All work and no play.\n".repeat(300_000),
    }, async (dir) => {
      await using program = await startHttp(["--project", dir]);
      const [message, headers] = modernRequest("resources/read", { uri: "bmad://skills/bmad-long/SKILL.md" });
      const body = JSON.stringify(message);
      const { port } = new URL(program.url);
      using socket = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
      const lines = Object.entries({
        host: "localhost",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": String(body.length),
        ...headers,
      }).map(([name, value]) => `${name}: ${value}`);
      const request = ["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n");
      await socket.write(new TextEncoder().encode(request));
      const start = new Uint8Array(1_000);
      await socket.read(start);
      assert.match(new TextDecoder().decode(start), /^HTTP\/1\.1 200 /);
      program.signal("SIGTERM");
      const { code, ms } = await program.exit;
      assert.equal(code, 0);
      assert.ok(ms > 8_000, `it waited ${ms} ms`);
    }),
);
