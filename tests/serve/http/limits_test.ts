/** Does every limit of a server over HTTP hold, and does the refusal name it? */
import assert from "node:assert/strict";
import {
  beginResponse,
  beginSession,
  connectHttp,
  type HttpProgram,
  INITIALIZE,
  modernRequest,
  post,
  refusalOf,
  sendRaw,
  startHttp,
  withServer,
} from "../../support/http.ts";
import { until, within } from "../../support/waiting.ts";
import { withTree } from "../../support/trees.ts";

const ping = (url: string, session: Record<string, string>) =>
  post(url, { jsonrpc: "2.0", id: 2, method: "ping" }, session);

/** A file that is larger than what a connection holds: its response is under way until the client reads it. */
const LARGE = {
  ".claude/skills/bmad-long/SKILL.md": "---\nname: bmad-long\ndescription: Long\n---\n" +
    "All work and no play.\n".repeat(300_000),
};
const [READ_LARGE, READ_HEADERS] = modernRequest("resources/read", {
  uri: "bmad://skills/bmad-long/SKILL.md",
});

const sample = async (program: HttpProgram, line: RegExp) =>
  line.test(await (await fetch(`${program.url}/metrics`)).text());

Deno.test("a large request is refused, whether it tells its length [transport:http-limits]", async () => {
  await using program = await startHttp(["--http-body", "2048"]);
  const url = `${program.url}/mcp`;
  const sentence = "Request body larger than 2048 bytes (--http-body)\n";
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
});

Deno.test("incomplete headers and bodies are refused [transport:http-limits]", async () => {
  await using program = await startHttp(["--http-headers", "1"]);
  const begun = ["POST /mcp HTTP/1.1", "Host: localhost"];
  const [headers, body, wide, noise] = await Promise.all([
    sendRaw(program, begun),
    sendRaw(program, [...begun, "Content-Length: 10", "", "abc"]),
    sendRaw(program, [...begun, `X-Wide: ${"x".repeat(40_000)}`, ""]),
    sendRaw(program, ["HELLO", ""]),
  ]);
  const slow =
    /^HTTP\/1\.1 408 [^]*\r\n\r\nRequest too slow: its headers may take 1 s, .*\(--http-headers\)\n$/;
  assert.match(headers!, slow);
  assert.match(body!, slow);
  assert.match(wide!, /^HTTP\/1\.1 431 [^]*\r\n\r\nHeaders larger than 16 KB\n$/);
  assert.match(noise!, /^HTTP\/1\.1 400 [^]*\r\n\r\nNot an HTTP request\n$/);
});

Deno.test("sessions and their requests are limited [transport:http-limits]", () =>
  withTree({ "one/a.md": "", "two/b.md": "" }, async (dir) => {
    const projects = ["--project", `${dir}/one`, "--project", `${dir}/two`];
    await using program = await startHttp([...projects, "--http-sessions", "2", "--http-requests", "3"]);
    const url = `${program.url}/mcp`;
    const full = [503, "Limit of 2 sessions reached (--http-sessions): try again later"];
    // One that is refused for another reason does not count.
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
      "Limit of 3 requests per session reached (--http-requests): start a new session",
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
  }));

Deno.test("sessions that begin together keep the limit [transport:http-limits]", async () => {
  await using program = await startHttp(["--http-sessions", "3"]);
  const answers = await Promise.all(
    Array.from({ length: 9 }, () => refusalOf(post(`${program.url}/mcp`, INITIALIZE))),
  );
  assert.deepEqual(answers.map(([status]) => status).sort(), [200, 200, 200, ...Array(6).fill(503)]);
});

Deno.test("an unused session ends [transport:http-limits]", async () => {
  await using program = await startHttp(["--http-idle", "1"]);
  const url = `${program.url}/mcp`;
  const session = await beginSession(url);
  // Seen from outside: a request of the session would keep it alive. Soon after, its project is closed, too.
  await until("it has ended", async () => !await sample(program, /^bmad_mcp_sessions\{[^}]*\} [1-9]/m));
  assert.deepEqual(await refusalOf(ping(url, session)), [
    404,
    "Unknown session: start a new one with initialize",
  ]);
});

Deno.test("a client has a limited number of requests under way [transport:http-limits]", () =>
  withTree(LARGE, async (dir) => {
    for (const era of ["2025", "2026"]) {
      await using program = await startHttp(["--project", dir, "--http-in-flight", "2"]);
      const url = `${program.url}/mcp`;
      const headers = era === "2025" ? await beginSession(url) : READ_HEADERS;
      const message = era === "2025"
        ? { ...READ_LARGE, params: { uri: "bmad://skills/bmad-long/SKILL.md" } }
        : READ_LARGE;
      const begun = [];
      for (const id of [1, 2]) begun.push(await beginResponse(program, { ...message, id }, headers));
      const ping = () => refusalOf(fetch(`${program.url}/metrics`));
      const sentence = "Limit of 2 requests at a time reached (--http-in-flight): wait for one of them";
      assert.deepEqual(await ping(), [429, sentence], era);
      assert.equal((await refusalOf(fetch(`${program.url}/health`)))[0], 200, "no limit for /health");
      for (const response of begun) {
        assert.match(response.head, /^HTTP\/1\.1 200 /);
        assert.match(await response.rest(), /no play\.\\n"/);
        response[Symbol.dispose]();
      }
      await until("the two are forgotten", async () => (await ping())[0] === 200);
    }
  }));

Deno.test("a long result comes in parts of the set size [transport:http-limits]", async () => {
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
});

Deno.test("a stop lets requests under way finish, and exits with 0 [transport:http-stop]", () =>
  withServer(LARGE, [], async (program) => {
    const listening = await connectHttp("2026", `${program.url}/mcp`);
    await listening.client.listen({ toolsListChanged: true });
    const session = await connectHttp("2025", `${program.url}/mcp`);
    await session.client.listTools();
    using response = await beginResponse(program, READ_LARGE, READ_HEADERS);
    program.signal("SIGTERM");
    // It has begun to stop once it accepts no more connections.
    await until("it stops", () =>
      fetch(`${program.url}/health`).then(async (answer) => {
        await answer.text();
        return false;
      }, () => true));
    assert.match(response.head, /^HTTP\/1\.1 200 /);
    assert.match(await response.rest(), /no play\.\\n"/);
    assert.equal((await program.exit).code, 0);
    await Promise.all([listening.client.close(), session.client.close()]);
  }));

Deno.test("a stop does not wait for a client that never reads its response [transport:http-stop]", () =>
  withServer(LARGE, [], async (program) => {
    using response = await beginResponse(program, READ_LARGE, READ_HEADERS);
    assert.match(response.head, /^HTTP\/1\.1 200 /);
    program.signal("SIGTERM");
    const { code, ms } = await program.exit;
    assert.equal(code, 0);
    assert.ok(ms > 8_000, `it waited ${ms} ms`);
  }));

Deno.test("the resources of one subscription are limited [transport:http-limits]", () =>
  withServer(LARGE, ["--pack", "none"], async (program, dir) => {
    const url = `${program.url}/mcp`;
    const listen = (resourceSubscriptions: readonly string[]) =>
      post(url, ...modernRequest("subscriptions/listen", { notifications: { resourceSubscriptions } }));
    const many = Array.from({ length: 1_001 }, (_, n) => `bmad://skills/none-${n}`);
    assert.deepEqual(await within(60_000, refusalOf(listen(many))), [
      400,
      "Invalid params for subscriptions/listen: at most 1000 resourceSubscriptions are possible",
    ]);
    const greedy = await listen(many.slice(1));
    assert.equal(greedy.status, 200);
    const uri = "bmad://skills/bmad-long/SKILL.md";
    await (await post(url, ...modernRequest("resources/read", { uri }))).text();
    const modest = await listen([uri]);
    let heard = "";
    const hearing = modest.body!.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({ write: (text) => void (heard += text) }),
    ).catch(() => {});
    await Deno.writeTextFile(
      `${dir}/.claude/skills/bmad-long/SKILL.md`,
      "---\nname: bmad-long\ndescription: Short\n---\n",
    );
    await until("the other client hears of a change", () => heard.includes(`"uri":"${uri}"`), () => heard);
    await greedy.body!.cancel();
    program.signal("SIGTERM");
    await hearing;
  }));
