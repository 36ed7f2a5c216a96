/** Does a server on loopback serve its user alone, without anything to set up? */
import assert from "node:assert/strict";
import { liesIn } from "../../../src/base/paths.ts";
import { readUserToken } from "../../../src/process/user_token.ts";
import { openPageCookie } from "../../../src/serve/http/token.ts";
import { denoHost } from "../../../src/process/host.ts";
import { resolveConfig } from "../../support/config.ts";
import { INITIALIZE, post, refusalOf, startHttp, withOwnToken } from "../../support/http.ts";
import { runCli } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { renderAccess, renderProjects } from "../../../src/commands/cli/serve_http.ts";
import { until } from "../../support/waiting.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { withTree } from "../../support/trees.ts";

const get = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(url, { headers, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

Deno.test("on loopback only the user's own token is let in [transport:http-own-token]", () =>
  withOwnToken(["--log-level", "debug"], async (program, token) => {
    const ask = async (headers: Readonly<Record<string, string>>) =>
      (await refusalOf(post(`${program.url}/mcp`, INITIALIZE, headers)))[0];
    assert.equal(await ask({}), 401);
    assert.equal(await ask({ authorization: `Bearer ${token}x` }), 401);
    assert.equal(await ask({ authorization: `Bearer ${token}` }), 200);
    assert.equal((await get(`${program.url}/?token=${token}`)).status, 303);
    for (const path of ["/", "/metrics"]) assert.equal((await get(program.url + path)).status, 401, path);
    assert.equal((await get(`${program.url}/health`)).status, 200);
    assert.ok(!program.stderr().includes(token), "the token is in the log");
  }));

Deno.test("the first server creates the token, and the next one uses it [transport:http-own-token]", () =>
  withTree({ "state/": "" }, async (dir) => {
    const env = { XDG_STATE_HOME: `${dir}/state` };
    for (let n = 0; n < 2; n++) {
      await using program = await startHttp([], { env, ownToken: true });
      const file = `${dir}/state/bmad-mcp/http/token`;
      const token = await Deno.readTextFile(file);
      await until("the log names the file", () => program.stderr().includes(`: the token in ${file}\n`));
      assert.equal((await get(`${program.url}/`, { "x-api-key": token.trim() })).status, 200);
    }
  }));

Deno.test("the log says which token is wanted, never the token [transport:http-own-token]", () => {
  const config = (args: readonly string[], token?: string) =>
    resolveConfig({
      ...denoHost("."),
      args: ["serve", "--http", "8080", ...args],
      env: (name) => name === "BMAD_TOKEN" ? token : undefined,
    });
  const place = { ...denoHost("."), home: "/home/ann", env: () => undefined };
  assert.equal(renderAccess(config(["--no-token"]), place), "none");
  assert.equal(renderAccess(config([], "a-secret-of-mine"), place), "the token of BMAD_TOKEN");
});

Deno.test("the token in an address becomes a cookie for pages [transport:http-cookie]", () =>
  withOwnToken([], async (program, token) => {
    const { port } = new URL(program.url);
    const first = await get(`${program.url}/?list=agents&token=${token}&from=1`);
    assert.deepEqual([first.status, first.headers.get("location")], [303, "/?list=agents&from=1"]);
    assert.equal(first.headers.get("referrer-policy"), "no-referrer");
    assert.equal(first.headers.get("cache-control"), "no-store");
    const [pair = "", ...attributes] = first.headers.get("set-cookie")!.split("; ");
    assert.deepEqual(attributes, ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Strict"]);
    assert.match(pair, new RegExp(`^bmad-mcp-${port}=\\d+\\.[\\w-]{43}$`));
    assert.ok(!pair.includes(token));

    const page = await get(`${program.url}/?list=agents`, { cookie: `other=1; ${pair}` });
    assert.equal(page.status, 200);
    assert.equal(page.headers.get("referrer-policy"), "same-origin");
    assert.ok(!page.text.includes(token) && !page.text.includes("token="));
    for (const path of ["/metrics", "/mcp"]) {
      assert.equal((await get(program.url + path, { cookie: pair })).status, 401, path);
    }
    const origin = { origin: program.url, cookie: pair };
    assert.equal((await refusalOf(post(`${program.url}/mcp`, INITIALIZE, origin)))[0], 401);
    const changed = pair.replace(/.$/, (end) => end === "A" ? "E" : "A");
    for (const wrong of [`${pair}x`, changed, pair.split(".")[0]!]) {
      assert.equal((await get(`${program.url}/`, { cookie: wrong })).status, 401, wrong);
    }
    assert.equal((await get(`${program.url}/?token=wrong`)).status, 401);
    assert.equal((await get(`${program.url}/metrics?token=${token}`)).status, 401, "only for pages");
  }));

Deno.test("a cookie ends, and is tied to its token [transport:http-cookie]", async () => {
  let now = 1_000_000_000;
  const clock = { now: () => now };
  const [plain, safe] = [new URL("http://127.0.0.1:8080/"), new URL("https://localhost/")];
  const cookie = openPageCookie("a secret", () => "a-token-of-many-letters", clock);
  const issued = await cookie.issue(plain, "");
  const headers = new Headers({ cookie: issued.split(";")[0]! });
  assert.equal(await cookie.idIn(headers, plain), "");
  const another = new URL("http://127.0.0.1:8081/");
  assert.equal(await cookie.idIn(headers, another), undefined, "of another port");
  assert.equal(
    await openPageCookie("a secret", () => "another-token-of-letters", clock).idIn(headers, plain),
    undefined,
  );
  now += 43_199_000;
  assert.equal(await cookie.idIn(headers, plain), "");
  now += 1_000;
  assert.equal(await cookie.idIn(headers, plain), undefined, "after 12 hours");
  assert.match(await cookie.issue(safe, ""), /^bmad-mcp-443=.*; Secure$/);
  assert.doesNotMatch(issued, /Secure/);
});

Deno.test("a terminal shows which project it is, and how to name one [transport:http-projects]", () => {
  const host = denoHost(".");
  const place = { os: "linux", home: "/home/ann", env: () => undefined } as const;
  const shown = (cwd: string, more: readonly string[] = []) => {
    const args = ["serve", "--http", "8080", ...more];
    return renderProjects(resolveConfig({ ...host, ...place, cwd, args }), "8080");
  };
  const [one, two] = ["src", "docs"].map((name) => new URL(`../../../${name}`, import.meta.url).pathname);
  assert.equal(shown("/home/ann", ["--project", one!]), `Project: ${one}`);
  assert.equal(shown("/home/ann", ["--project", one!, "--project", two!]), `Projects: ${one}, ${two}`);
  assert.match(
    shown("/home/ann"),
    /^Project: none \(the working folder .+\)\nName one: bmad-mcp serve --http 8080 --project DIR$/,
  );
  const checkout = new URL("../../..", import.meta.url).pathname.replace(/\/$/, "");
  assert.match(shown(checkout), /^Project: none \(the working folder holds bmad-mcp itself\)\nName one: /);
});

Deno.test({
  name:
    "a terminal shows the address of the pages with the token, and how to connect [transport:http-own-token]",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withTree({ "state/": "" }, async (dir) => {
      const env = { XDG_STATE_HOME: `${dir}/state` };
      const token = readUserToken(`${dir}/state/bmad-mcp`);
      const typed = { after: "Ctrl-C stops", keys: "\\003" };
      const own = await runOnTerminal("bmad-mcp serve --http 0", { env, typed, columns: 200 });
      // Three lines, the address last, and what the Ctrl-C looks like.
      assert.match(
        own.text,
        new RegExp(
          `^bmad-mcp .* Project: .*\\n.*install --http \\d+\\. .*\\nOpen: http://127\\.0\\.0\\.1:\\d+/\\?token=${token}\\n\\^C$`,
        ),
      );
      const given = await runOnTerminal("bmad-mcp serve --http 0", {
        env: { ...env, BMAD_TOKEN: "a-token-of-many-letters" },
        typed,
        columns: 200,
      });
      assert.match(given.text, /^Open: http:\/\/127\.0\.0\.1:\d+\/$/m);
      assert.ok(!given.text.includes("a-token-of-many-letters") && !given.text.includes(token));
    }),
});

Deno.test("--no-token works on loopback alone [transport:http-own-token]", async () => {
  await using open = await startHttp(["--no-token"]);
  assert.equal((await refusalOf(post(`${open.url}/mcp`, INITIALIZE)))[0], 200);
  const refused = [
    ["0.0.0.0:0", undefined, /--no-token is only for this machine\. Listen on 127\.0\.0\.1/],
    ["0", "a-token-of-many-letters", /--no-token cannot be used together with a token/],
  ] as const;
  for (const [address, token, problem] of refused) {
    const env = { ...(token !== undefined && { BMAD_TOKEN: token }) };
    const { code, stderr } = await runCli(["serve", "--http", address, "--no-token"], { env });
    assert.deepEqual([code, problem.test(stderr)], [2, true], stderr);
  }
});

Deno.test("a token others can read stops the start, unquoted [transport:http-own-token]", POSIX, async () => {
  await withTree({ "state/": "" }, async (dir) => {
    const token = readUserToken(`${dir}/state/bmad-mcp`);
    await Deno.chmod(`${dir}/state/bmad-mcp/http/token`, 0o644);
    const env = { XDG_STATE_HOME: `${dir}/state` };
    const { code, stderr } = await runCli(["serve", "--http", "0"], { env });
    assert.equal(code, 2);
    assert.match(stderr, /is open to other users\. Delete it to get a new one, or set BMAD_TOKEN/);
    assert.ok(!stderr.includes(token));
  });
});

Deno.test("once the server runs, it has no right to read the token [transport:http-own-token]", () => {
  const place = { os: "linux", home: "/home/ann", cwd: "/home/ann/shop", env: () => undefined } as const;
  const { rights } = resolveConfig({ ...denoHost("/opt"), ...place, args: ["serve", "--http", "0"] });
  const token = "/home/ann/.local/state/bmad-mcp/http/token";
  assert.deepEqual(rights.read.filter((path) => liesIn(token, path)), []);
  assert.ok(
    rights.read.some((path) => path.startsWith("/home/ann/.local/state/bmad-mcp/")),
    `${rights.read}`,
  );
});
