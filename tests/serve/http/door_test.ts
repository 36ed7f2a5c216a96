/** Does a person without the token find a door, and nothing behind it? */
import assert from "node:assert/strict";
import { systemTimer } from "../../../src/base/work.ts";
import { openTokenCheck } from "../../../src/serve/http/token.ts";
import { startHttp } from "../../support/http.ts";
import { withTree } from "../../support/trees.ts";

const TOKEN = "a-token-of-many-letters";
const PAGE = { accept: "text/html,application/xhtml+xml" };

const PROJECT = {
  "our-secret-shop/_bmad/bmm/agents/dev.md": "---\nname: dev\ndescription: Writes code\n---\n# Dev\n",
};

const withDoor = (check: (url: string) => Promise<void>, more: readonly string[] = []) =>
  withTree(PROJECT, async (dir) => {
    const args = ["--project", `${dir}/our-secret-shop`, "--pack", "none", ...more];
    await using program = await startHttp(args, { env: { BMAD_TOKEN: TOKEN } });
    await check(program.url);
  });

type Fields = Readonly<Record<string, string>>;

const get = async (url: string, headers: Fields = PAGE, init: RequestInit = {}) => {
  const answer = await fetch(url, { ...init, headers, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const enter = (url: string, form: Fields, headers: Fields = {}) => {
  const body = new URLSearchParams(form);
  return get(`${url}/enter`, { ...PAGE, origin: url, ...headers }, { method: "POST", body });
};

Deno.test("without a token, a browser gets a page, a program JSON [transport:http-door]", () =>
  withDoor(async (url) => {
    for (const path of ["/board?story=1-2", "/nothing", "/?token=wrong&list=agents"]) {
      const { status, headers, text } = await get(url + path);
      assert.equal(status, 401, path);
      assert.equal(headers.get("www-authenticate"), 'Bearer realm="bmad-mcp"');
      assert.match(headers.get("content-type")!, /^text\/html/);
      assert.equal(headers.get("cache-control"), "no-store");
      // With none, the form would come from nowhere.
      assert.equal(headers.get("referrer-policy"), "same-origin");
      const fields = text.match(/<input [^>]*>/g)!.filter((field) => !/hidden/.test(field));
      assert.equal(fields.length, 1, path);
      assert.match(fields[0]!, /type="password" id="token" name="token"/);
      assert.doesNotMatch(text, /our-secret-shop|wrong/, "nothing from behind the door");
      const style = new TextEncoder().encode(/<style>([^]*)<\/style>/.exec(text)![1]!);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", style)).toBase64();
      assert.ok(headers.get("content-security-policy")!.includes(digest), "the style may be used");
    }
    const to = (text: string) => /name="to" value="([^"]*)"/.exec(text)?.[1];
    assert.equal(to((await get(`${url}/board?story=1-2`)).text), "/board?story=1-2");
    assert.equal(to((await get(`${url}/?token=wrong&list=agents`)).text), "/?list=agents");
    assert.doesNotMatch((await get(`${url}/`)).text, /role="alert"/, "nothing was wrong yet");
    assert.match((await get(`${url}/?token=wrong`)).text, /That is not the token of this server/);
    const program = await get(`${url}/board`, {});
    assert.equal(program.status, 401);
    assert.match(JSON.parse(program.text).error.message, /^Missing token: send it as Authorization/);
    const lost = await get(`${url}/mcp`);
    assert.equal(lost.status, 401);
    assert.match(lost.text, /<code>\/mcp<\/code> is for programs/);
  }));

Deno.test("a typed token opens the page that was asked for [transport:http-door]", () =>
  withDoor(async (url) => {
    const wrong = await enter(url, { token: "guess", to: "/board?story=1-2" });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.headers.get("set-cookie"), null);
    assert.match(wrong.text, /role="alert"[^>]*>That is not the token[^]*value="\/board\?story=1-2"/);
    assert.doesNotMatch(wrong.text, /guess/);

    const right = await enter(url, { token: ` ${TOKEN}\n`, to: "/?list=agents" });
    assert.deepEqual([right.status, right.headers.get("location")], [303, "/?list=agents"]);
    const cookie = right.headers.get("set-cookie")!.split(";")[0]!;
    assert.ok(!cookie.includes(TOKEN));
    const page = await get(url + "/?list=agents", { ...PAGE, cookie });
    assert.equal(page.status, 200);
    assert.match(page.text, /Writes code/);
    assert.equal((await get(`${url}/enter`)).headers.get("location"), "/", "a reload leads on");

    const elsewhere = [
      ...["//evil.example", "https://evil.example/", "/\\evil.example", "/.//evil.example"],
      ...["/\t/evil.example", "/x/..//evil.example", "javascript:alert(1)", "evil", ""],
    ];
    for (const to of elsewhere) {
      const { headers } = await enter(url, { token: TOKEN, to });
      assert.equal(headers.get("location"), "/", to);
    }
    const { headers } = await enter(url, { token: TOKEN, to: "/board?x=1\r\nset-cookie: a=b" });
    assert.equal(headers.get("location"), "/board?x=1set-cookie%3A+a%3Db");
  }));

Deno.test("only our pages use the door, and guessing is slow [transport:http-door]", () =>
  withDoor(async (url) => {
    const other = { origin: "http://localhost:3000" };
    assert.equal((await enter(url, { token: TOKEN, to: "/" }, other)).status, 403);
    assert.equal((await enter(url, { token: TOKEN, to: "/" }, { origin: "null" })).status, 403);
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, n) => enter(url, { token: `guess ${n}`, to: "/board" })),
    );
    assert.deepEqual(new Set(guesses.map(({ status }) => status)), new Set([401, 429]));
    const slow = guesses.find(({ status }) => status === 429)!;
    assert.match(slow.text, /Too many wrong tokens from your address: wait \d+ s\./);
    assert.match(slow.headers.get("retry-after")!, /^\d+$/);
  }));

Deno.test("the page for clients has the token for ten minutes [transport:http-door]", async () => {
  let now = 1_000_000_000;
  const clock = { now: () => now, after: systemTimer.after };
  const tokens = openTokenCheck({ token: TOKEN, isOpen: false, isRandom: true, secret: "" }, clock);
  const url = new URL("http://127.0.0.1:8080/connect");
  const entered = await tokens.enter(TOKEN, "/connect", { url, peer: "a" });
  assert.ok(entered instanceof Response);
  const headers = new Headers({ cookie: entered.headers.get("set-cookie")!.split(";")[0]! });
  const request = { method: "GET", url: url.href, headers, signal: AbortSignal.any([]) };
  assert.deepEqual(await tokens.access({ request, url }), { isNeeded: true, token: TOKEN });
  now += 599_000;
  assert.deepEqual(await tokens.access({ request, url }), { isNeeded: true, token: TOKEN });
  now += 1_000;
  assert.deepEqual(await tokens.access({ request, url }), { isNeeded: true });
  assert.deepEqual(await tokens.check({ request, url, peer: "a", address: "a", isPage: true }), {
    person: undefined,
    isByCookie: true,
  });
  const open = openTokenCheck({ token: undefined, isOpen: true, isRandom: false, secret: "" }, clock);
  assert.deepEqual(await open.access({ request, url }), { isNeeded: false });
});

Deno.test("snippets have the token, or say where it goes [transport:http-door]", () =>
  withDoor(async (url) => {
    const entered = await enter(url, { token: TOKEN, to: "/connect" });
    const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
    const { text, headers } = await get(`${url}/connect`, { ...PAGE, cookie });
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(text, /<details><summary>[^<]*<\/summary><pre[^>]*>[^<]*Bearer a-token-of-many-letters/);
    assert.match(text, /<button type="button" data-copy="claude mcp add [^"]*a-token-of-many/);
    assert.doesNotMatch(text, /Bearer TOKEN/);
  }));

Deno.test("strangers at the door give way to others [transport:http-door]", () =>
  withDoor(async (url) => {
    const { hostname, port } = new URL(url);
    const post = `POST /enter HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: `;
    const open = async (text: string) => {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      await connection.write(new TextEncoder().encode(text));
      const read = async () => {
        const bytes = new Uint8Array(1_024);
        return new TextDecoder().decode(
          bytes.subarray(0, await connection.read(bytes).catch(() => 0) ?? 0),
        );
      };
      return { read, [Symbol.dispose]: () => connection.close() };
    };
    {
      using large = await open(`${post}16385\r\n\r\n`);
      assert.match(await large.read(), /^HTTP\/1.1 413 /);
      const chunked = post.replace("Content-Length: ", "Transfer-Encoding: chunked");
      using endless = await open(`${chunked}\r\n\r\n`);
      assert.match(await endless.read(), /^HTTP\/1.1 413 /);
    }
    // Each waits for a body, which is how the server says that it was let in.
    const waiting = `${post}100\r\nExpect: 100-continue\r\n\r\n`;
    using first = await open(waiting);
    assert.match(await first.read(), /^HTTP\/1.1 100 /);
    using second = await open(waiting);
    assert.match(await second.read(), /^HTTP\/1.1 100 /);
    const known = await get(`${url}/board`, { ...PAGE, authorization: `Bearer ${TOKEN}` });
    assert.equal(known.status, 200);
  }, ["--http-client-connections", "2"]));
