/** What people with a token, or without one, may try on a server that others use, too. */
import assert from "node:assert/strict";
import { httpPlaces } from "../../../src/base/http_state.ts";
import { isSameName } from "../../../src/base/people.ts";
import { denoHost } from "../../../src/process/host.ts";
import { readTokens, removeTokens } from "../../../src/process/named_tokens.ts";
import { openPageCookie } from "../../../src/serve/http/token.ts";
import { INITIALIZE, modernRequest } from "../../support/http.ts";
import { arrivalOf } from "../../support/http_service.ts";
import { startIssuer } from "../../support/issuer.ts";
import { askService, type Seen, type Team, type TeamOptions, withTeam } from "../../support/team_service.ts";

const projectAt = (folder: string, title: string) => ({
  [`${folder}/_bmad/config.toml`]: '[core]\noutput_folder = "out"\n',
  [`${folder}/out/sprint-status.yaml`]:
    `development_status:\n  epic-1: in-progress\n  1-1-${title}: ready-for-dev\n`,
});
const SHOP = projectAt("shop", "a");
const ANA = { name: "ana", role: "worker" } as const;
const OPTIONS: TeamOptions = { args: ["--toolsets", "work"], projects: ["shop"], first: [ANA] };
const PROXY = ["--toolsets", "work", "--proxy-from", "127.0.0.1", "--roles", "worker=devs,reader=*"];
const PAGE = { accept: "text/html" };
const AUDIENCE = "https://bmad.example.org/mcp";

Deno.test("a token that is revoked while its request arrives changes nothing [team:tokens]", () =>
  withTeam(SHOP, OPTIONS, async ({ service, state, dir }, [ana]) => {
    const args = { operation: "claim", story: "1-1" };
    const [message, headers] = modernRequest("tools/call", { name: "bmad_work", arguments: args });
    const { signal } = new AbortController();
    const arrival = arrivalOf("/mcp", signal, message, { ...headers, authorization: `Bearer ${ana}` });
    const admission = await service.answer(arrival);
    assert.ok("answer" in admission);
    await removeTokens(state, () => true);
    const { response } = await admission.answer(new TextEncoder().encode(JSON.stringify(message)));
    assert.equal(response.status, 401);
    assert.throws(() => Deno.statSync(`${dir}/shop/out/.bmad-work`));
  }));

Deno.test("a stream ends with the token of the issuer that opened it [team:oidc, team:tokens]", async () => {
  await using issuer = await startIssuer();
  let time = Date.now();
  const { after } = denoHost("/");
  const host = {
    now: () => time,
    after: (ms: number, call: () => void) => after(Math.min(ms, 20), call),
  };
  const args = ["--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE, "--roles", "worker=*"];
  await withTeam(SHOP, { ...OPTIONS, args: [...OPTIONS.args, ...args], host }, async ({ service }) => {
    const exp = Math.floor(time / 1_000) + 300;
    const token = await issuer.sign({ sub: "dev", iss: issuer.url, aud: AUDIENCE, exp });
    const ended = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const admission = await service.answer(arrivalOf("/board/events", ended.signal, undefined, headers));
    assert.ok("answer" in admission);
    const { response } = await admission.answer(undefined);
    assert.equal(response.status, 200);
    time += 361_000;
    await assert.rejects(response.text());
    ended.abort();
  });
});

const withBatches = (
  args: readonly string[],
  check: (send: (count: number) => Promise<Seen>, team: Team, ana: string) => Promise<void>,
) =>
  withTeam(SHOP, { ...OPTIONS, args: [...OPTIONS.args, ...args] }, async (team, [ana = ""]) => {
    const session = (await team.ask(ana, "/mcp", INITIALIZE)).headers.get("mcp-session-id")!;
    const send = (count: number) => {
      const pings = Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
      return team.ask(ana, "/mcp", pings, { "mcp-session-id": session });
    };
    await check(send, team, ana);
  });

Deno.test("a batch counts as the requests in it [team:limits]", () =>
  withBatches(["--http-rate", "50"], async (send) => {
    const first = await send(20);
    assert.equal(first.status, 200, first.text);
    assert.equal((await send(40)).status, 429);
    assert.equal((await send(10)).status, 200);
    for (let n = 0; n < 30; n++) await send(0);
    assert.equal((await send(0)).status, 429, "an empty one counts, too");
  }));

Deno.test("a batch has no more requests under way than somebody may have [team:limits]", () =>
  withBatches(["--http-in-flight", "10"], async (send, { ask }, ana) => {
    const { status, text } = await send(11);
    assert.equal(status, 429);
    assert.match(text, /Limit of 10 requests at a time reached \(--http-in-flight\)/);
    assert.equal((await ask(ana, "/about")).status, 200);
  }));

Deno.test("nobody takes all sessions: there is room for others [team:limits]", () => {
  const args = [...OPTIONS.args, "--http-sessions", "8"];
  const first = [ANA, { name: "bo", role: "reader" }] as const;
  return withTeam(SHOP, { ...OPTIONS, args, first }, async ({ ask, service }, [ana, bo]) => {
    const begin = async (token: string | undefined) => await ask(token, "/mcp", INITIALIZE);
    assert.deepEqual([(await begin(ana)).status, (await begin(ana)).status], [200, 200]);
    const { status, text } = await begin(ana);
    assert.equal(status, 429);
    assert.match(text, /Limit of 2 sessions of one person reached \(--http-sessions\)/);
    const begun = await begin(bo);
    assert.equal(begun.status, 200);
    const own = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
    assert.equal((await begin(bo)).status, 200);
    assert.equal((await begin(bo)).status, 429);
    const ended = new AbortController();
    const headers = { ...own, authorization: `Bearer ${bo}` };
    const { request, ...arrival } = arrivalOf("/mcp", ended.signal, undefined, headers);
    const leave = { ...arrival, request: new Request(request as Request, { method: "DELETE" }) };
    const admission = await service.answer(leave);
    assert.ok("answer" in admission);
    assert.equal((await admission.answer(undefined)).response.status, 200);
    assert.equal((await begin(bo)).status, 200, "whoever leaves makes room");
  });
});

Deno.test("what is kept of tokens signs nobody in, and is not among the sessions [team:tokens]", () =>
  withTeam(SHOP, OPTIONS, async ({ ask, state }, [ana]) => {
    await ask(ana, "/mcp", INITIALIZE);
    const [token] = readTokens(state);
    const { sessions } = httpPlaces(state);
    const texts = Array.from(
      Deno.readDirSync(sessions),
      ({ name }) => Deno.readTextFileSync(`${sessions}/${name}`),
    );
    assert.equal(texts.length, 1);
    assert.match(texts[0]!, /"name":"ana"/);
    assert.ok(!texts[0]!.includes(token!.hash));
    const url = new URL("http://localhost/board");
    const forged = await openPageCookie("", () => token!.hash, { now: () => Date.now() })
      .issue(url, token!.id);
    const cookie = forged.split(";")[0]!;
    assert.equal((await ask(undefined, "/board", undefined, { ...PAGE, cookie })).status, 401);
  }));

Deno.test("metrics name others only where both may be [team:limits]", () => {
  const first = [ANA, { name: "bo", role: "worker" }, { name: "lead", role: "owner" }] as const;
  return withTeam(SHOP, { ...OPTIONS, first }, async ({ ask }, [ana, bo, lead]) => {
    await ask(bo, "/board?project=elsewhere", undefined, PAGE);
    const rows = async (token: string | undefined) =>
      (await ask(token, "/metrics")).text.match(/^bmad_mcp_uses_total\{name="bo",project=""/gm)?.length;
    assert.deepEqual([await rows(ana), await rows(bo), await rows(lead)], [undefined, 1, 1]);
  });
});

Deno.test("a project's name means one folder in any order [team:projects]", async () => {
  const tree = { ...projectAt("x/shop", "x"), ...projectAt("y/shop", "y"), ...projectAt("blog", "b") };
  const folders = ["x/shop", "y/shop", "blog"];
  const first = [{ ...ANA, projects: ["x/shop"] }, { ...ANA, name: "bo", projects: ["shop"] }];
  for (const projects of [folders, folders.toReversed()]) {
    await withTeam(tree, { ...OPTIONS, projects, first }, async ({ ask, service }, [ana, bo]) => {
      assert.deepEqual([...service.projects].sort(), ["blog", "x/shop", "y/shop"]);
      const { status, text } = await ask(ana, "/board?project=x%2Fshop", undefined, PAGE);
      assert.deepEqual([status, /1-1-x/.test(text)], [200, true]);
      assert.equal((await ask(ana, "/board?project=y%2Fshop", undefined, PAGE)).status, 404);
      assert.equal((await ask(bo, "/board", undefined, PAGE)).status, 403);
    });
  }
});

Deno.test("people of an issuer get projects by groups [team:access, team:proxy, team:names]", async () => {
  const tree = { ...SHOP, ...projectAt("blog", "b") };
  const access = ["--access", "shop=devs,*=leads"];
  const options = { ...OPTIONS, projects: ["shop", "blog"], args: [...PROXY, ...access] };
  await withTeam(tree, options, async ({ ask }) => {
    const by = (user: string, groups: string, path: string) =>
      ask(undefined, path, undefined, { ...PAGE, "remote-user": user, "remote-groups": groups });
    assert.equal((await by("cy", "devs", "/board?project=shop")).status, 200);
    assert.equal((await by("cy", "devs", "/board?project=blog")).status, 404);
    assert.equal((await by("di", "leads", "/board?project=blog")).status, 200);
    assert.match((await by("ed", "guests", "/board")).text, /You may use no project/);
    const taken = await by("ana", "leads", "/board");
    assert.deepEqual([taken.status, /is that of a token of this server/.test(taken.text)], [403, true]);
  });
  const wrong = { ...options, args: [...PROXY, "--access", "shpo=devs"] };
  await assert.rejects(
    withTeam(tree, wrong, async () => {}),
    /this server has no project "shpo", only shop, blog/,
  );
});

Deno.test("a link elsewhere signs nobody in [transport:http-cookie, board:guarded]", async () => {
  await withTeam(SHOP, OPTIONS, async ({ ask }, [ana]) => {
    const open = (site: string) =>
      ask(undefined, `/board?token=${ana}`, undefined, { ...PAGE, "sec-fetch-site": site });
    for (const site of ["cross-site", "same-site"]) {
      const { status, headers } = await open(site);
      assert.deepEqual([status, headers.get("set-cookie")], [401, null]);
    }
    assert.equal((await open("none")).status, 303);
  });
  await withTeam(SHOP, { ...OPTIONS, args: PROXY }, async ({ ask, another }) => {
    const headersOf = (user: string) => ({ "remote-user": user, "remote-groups": "devs" });
    const page = await ask(undefined, "/board", undefined, { ...PAGE, ...headersOf("cy") });
    const [, proof = ""] = /data-proof="([^"]*)"/.exec(page.text)!;
    const act = { action: "claim", story: "1-1" };
    const own = { "x-bmad-proof": proof, origin: "http://localhost" };
    assert.equal((await ask(undefined, "/board/act", act, { ...own, ...headersOf("di") })).status, 403);
    const replica = another();
    const answer = await askService(replica, "/board/act", act, { ...own, ...headersOf("cy") });
    assert.equal(answer.status, 200, "also at another server on the same folders");
    await replica.close();
  });
});

Deno.test("wrong tokens do not keep others out [team:limits, team:tokens]", () => {
  const args = [...OPTIONS.args, "--http-sessions", "8"];
  const env = { BMAD_TOKEN: "a-token-that-everybody-knows" };
  return withTeam(SHOP, { ...OPTIONS, args, env }, async ({ ask }, [ana]) => {
    for (let n = 0; n < 3; n++) await ask(env.BMAD_TOKEN, "/mcp", INITIALIZE);
    assert.equal((await ask(env.BMAD_TOKEN, "/mcp", INITIALIZE)).status, 429);
    assert.equal((await ask(ana, "/mcp", INITIALIZE)).status, 200);
  }).then(() =>
    withTeam(SHOP, { ...OPTIONS, env }, async ({ ask }, [ana]) => {
      const wrong = `bmad_aaaaaaaa_${"a".repeat(43)}`;
      await Promise.all(Array.from({ length: 30 }, () => ask(wrong, "/about")));
      assert.equal((await ask(env.BMAD_TOKEN, "/about")).status, 429, "which can be guessed");
      assert.equal((await ask(ana, "/about")).status, 200);
    })
  );
});

Deno.test("a name that reads like that of a token is taken, too [team:names, team:proxy]", () => {
  const first = [ANA, { name: "jos\u00e9", role: "worker" }] as const;
  return withTeam(SHOP, { ...OPTIONS, first, args: PROXY }, async ({ ask }) => {
    const statusOf = async (user: string) =>
      (await ask(undefined, "/about", undefined, { "remote-user": user, "remote-groups": "devs" })).status;
    // A header has no letters but these.
    for (const [user, status] of [["Ana", 403], [" ANA ", 403], ["anna", 200]] as const) {
      assert.equal(await statusOf(user), status, user);
    }
    for (const other of ["\uff41na", "Ana"]) assert.ok(isSameName("ana", other), other);
    assert.ok(isSameName("jos\u00e9", "jose\u0301"));
  });
});

const callAs = async (team: Team, token: string | undefined, name: string, args: object) =>
  (await team.call(token!, "shop", "tools/call", { name, arguments: args })).text;

Deno.test("another's memory or task is not replaced or answered [team:names]", () => {
  const first = [ANA, { name: "bea", role: "worker" }, { name: "olga", role: "owner" }] as const;
  const args = ["--toolsets", "all"];
  return withTeam(SHOP, { ...OPTIONS, args, first }, async (team, [ana, bea, olga]) => {
    const begin =
      "What the shop keeps of its customers is little, and of their cards it keeps nothing at all. ";
    const remember = (token: string | undefined, end: string) =>
      callAs(team, token, "remember_structured", {
        type: "decisions",
        agent: "pm",
        text: `${begin}${begin}${end}`,
        tags: ["By:olga", "\uff42y:olga", "\u200bby:olga"],
      });
    assert.match(await remember(bea, "Never."), /Remembered/);
    assert.match(await remember(ana, "Always."), /it takes the role owner, and yours is worker; say it in/);
    assert.match(await remember(bea, "Ever."), /Updated/);
    assert.match(await remember(olga, "Never ever."), /Updated/);
    assert.doesNotMatch(
      await callAs(team, ana, "recall_structured", { query: "cards" }),
      /Always|\WBy:olga|by:ana/,
    );
    const task = { agent: "dev", task: "look", output_key: "a" };
    const [id] = /task-[0-9a-f]{16}/.exec(await callAs(team, ana, "spawn_subagent_task", task))!;
    const answer = (token: string | undefined, action: string) =>
      callAs(team, token, "answer_subagent_task", { task_id: id, action, text: "seen" });
    assert.match(await answer(ana, "claim"), /claimed/);
    assert.match(await answer(bea, "answer"), /ana has claimed it/);
    assert.match(await answer(ana, "answer"), /done/);
  });
});

Deno.test("a pattern that would take long is refused [team:limits]", () =>
  withTeam(SHOP, { ...OPTIONS, args: [] }, async (team, [ana]) => {
    const pattern = `${"*a".repeat(400)}b`;
    const told = await callAs(team, ana, "bmad", { operation: "list", query: "resources", pattern });
    assert.match(told, /it has more than 40 parts/);
  }));
