/** Does a server know the people who use it: by name, with their own limits, as long as they may come in? */
import assert from "node:assert/strict";
import { denoHost } from "../../../src/process/host.ts";
import { removeTokens } from "../../../src/process/named_tokens.ts";
import { openRates } from "../../../src/serve/http/limits.ts";
import { resolveConfig } from "../../support/config.ts";
import { INITIALIZE, modernRequest } from "../../support/http.ts";
import { arrivalOf } from "../../support/http_service.ts";
import { startIssuer } from "../../support/issuer.ts";
import { runHere } from "../../support/program.ts";
import { sendWrongTokens } from "../../soak/wrong_tokens.ts";
import { askService, type Team, withTeam } from "../../support/team_service.ts";
import { until } from "../../support/waiting.ts";

const LEDGER = "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: ready-for-dev\n";
const PROJECT = {
  "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "shop/out/sprint-status.yaml": LEDGER,
  "shop/out/work-log.jsonl": "",
};
const SHOP = { args: ["--toolsets", "work"], projects: ["shop"] };
const WORKER = { name: "ana", role: "worker" } as const;
const SHARED = "a-token-that-everybody-knows";

const claim = (team: Team, token: string, args = {}) =>
  team.call(token, "shop", "tools/call", {
    name: "bmad_work",
    arguments: { operation: "claim", story: "1-1", ...args },
  });

Deno.test("all who ask at once get one board, and whoever holds a story their own view of it [load:one-board]", () =>
  withTeam(PROJECT, { ...SHOP, first: [WORKER, { name: "lead", role: "owner" }] }, async (team, people) => {
    const [ana = "", lead = ""] = people;
    const board = { name: "bmad_work", arguments: { operation: "board" } };
    const boards = async () => {
      const asking = [ana, lead, lead, ana, lead].map((token) =>
        team.call(token, "shop", "tools/call", board)
      );
      return (await Promise.all(asking)).map(({ text }) => /1-1 ready: A ?(\([^)]*\))?/.exec(text)?.[1]);
    };
    assert.deepEqual(new Set(await boards()), new Set([undefined]));
    await claim(team, ana);
    const [mine, others] = ["(held by ana)", "(held by ana in t)"];
    assert.deepEqual(await boards(), [mine, others, others, mine, others]);
    await claim(team, ana, { operation: "release" });
    assert.deepEqual(new Set(await boards()), new Set([undefined]));
  }));

Deno.test("named people write, the shared token reads [team:reachable, team:names, team:record]", () =>
  withTeam(
    PROJECT,
    { ...SHOP, env: { BMAD_TOKEN: SHARED }, first: [WORKER, { name: "lead", role: "owner" }] },
    async (team, [ana = "", lead = ""]) => {
      assert.match((await claim(team, SHARED)).text, /it takes the role worker, and yours is reader/);
      assert.match((await claim(team, ana, { by: "lead" })).text, /ana holds 1-1-a/);
      assert.match((await claim(team, lead)).text, /ana in t holds it until/);
      const journal = Deno.readTextFileSync(`${team.dir}/shop/out/work-log.jsonl`);
      assert.match(journal, /"by":"ana"/);
      const { items } = JSON.parse((await team.ask(lead, "/record")).text);
      assert.equal(items.length, 1);
      const { at: _, request, ...deed } = items[0];
      assert.match(request, /^[0-9a-f-]{36}$/);
      assert.deepEqual(deed, {
        name: "ana",
        role: "worker",
        address: "127.0.0.1",
        project: "shop",
        deed: "claim 1-1 by=lead",
      });
      const page = await team.ask(lead, "/record", undefined, { accept: "text/html" });
      assert.match(page.text, /<strong>claim 1-1 by=lead<\/strong>[^]*ana, worker, from 127\.0\.0\.1/);
      const refused = await team.ask(ana, "/record", undefined, { accept: "text/html" });
      assert.match(refused.text, /Cannot open \/record: it takes the role owner, and yours is worker\./);
      const metrics = (await team.ask(lead, "/metrics")).text;
      assert.match(metrics, /^bmad_mcp_uses_total\{name="ana",project="shop",outcome="ok"\} 1$/m);
      assert.match(metrics, /^bmad_mcp_uses_total\{name="lead",project="shop",outcome="refused"\} 1$/m);
      for (const secret of [ana, lead, SHARED]) assert.ok(!metrics.includes(secret));
    },
  ));

Deno.test("a refusal offers only what whoever asks may do [team:matrix]", () => {
  const names = ["ana", "bo", "lead"] as const;
  const first = names.map((name) => ({ name, role: name === "lead" ? "owner" : "worker" } as const));
  const story = "Status: in-progress\n\n## Tasks\n\n- [ ] One\n";
  const tree = { ...PROJECT, "shop/out/1-2-b.md": `# Story 1.2: B\n\n${story}` };
  return withTeam(tree, { ...SHOP, first }, async (team, [ana = "", bo = "", lead = ""]) => {
    const asked = async (token: string, args: object) =>
      (await team.call(token, "shop", "tools/call", { name: "bmad_work", arguments: args })).text;
    await claim(team, ana);
    const finding = { operation: "finding", story: "1-2", text: "It leaks", file: "a.ts:1", severity: "low" };
    await asked(ana, finding);
    for (
      const [words, args] of [
        [/ana(?: in \w+)? holds it until/, { operation: "claim", story: "1-1" }],
        [/ana(?: in \w+)? holds it until/, { operation: "release", story: "1-1" }],
        [/ana(?: in \w+)? holds it until/, { operation: "mark", story: "1-1", status: "in-progress" }],
        [/the check has \d+ finding/, { operation: "mark", story: "1-2", status: "done" }],
        [/nothing goes back/, { operation: "mark", story: "1-2", status: "backlog" }],
        [/is known since pass 1/, finding],
      ] as const
    ) {
      const [worker, owner] = [await asked(bo, args), await asked(lead, args)];
      const what = JSON.stringify(args);
      assert.match(worker, words, what);
      assert.match(owner, words, what);
      assert.doesNotMatch(worker, /force|say so|\bby\b.*NAME/, what);
      assert.match(owner, /\\"force\\":true/, what);
      assert.doesNotMatch(owner, /if that is you|\bby\b.*NAME/, "a known name is nobody else's");
    }
  });
});

Deno.test("a reachable server without names is read-only [team:reachable]", async () => {
  const settings = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const host = denoHost("/nowhere");
    const all = ["serve", "--http", "0.0.0.0:0", ...args];
    return resolveConfig({ ...host, home: "/nowhere", args: all, env: (name) => env[name] }).settings;
  };
  assert.equal(settings([], { BMAD_TOKEN: SHARED }).readOnly, true);
  const proxy = ["--proxy-from", "10.0.0.7", "--roles", "reader=*"];
  assert.equal(settings(proxy).readOnly, false);
  const faults: readonly (readonly [RegExp, readonly string[]])[] = [
    [/A token is required/, []],
    [/requires --oidc-audience/, ["--oidc-issuer", "https://login.example.org", "--roles", "reader=*"]],
    [/requires --roles/, ["--proxy-from", "10.0.0.7"]],
    [/expected an https URL/, ["--oidc-issuer", "http://login.example.org"]],
    [/expected rules such as/, ["--roles", "boss=leads"]],
    [/expected addresses or networks/, ["--proxy-from", "everywhere"]],
  ];
  for (const [problem, args] of faults) assert.throws(() => settings(args), problem, args.join(" "));
  await withTeam(PROJECT, { ...SHOP, env: { BMAD_TOKEN: SHARED } }, async (team) => {
    // Nobody had a name when it was started.
    const ana = await team.add(WORKER);
    assert.match((await claim(team, ana)).text, /this server is read-only/);
  });
});

Deno.test("a running server knows new and revoked tokens at once [team:tokens]", () => {
  const { after } = denoHost("/");
  const soon = { after: (ms: number, call: () => void) => after(Math.min(ms, 20), call) };
  return withTeam(PROJECT, { ...SHOP, host: soon, first: [WORKER] }, async (team) => {
    assert.equal((await team.ask("bmad_aaaaaaaa_" + "a".repeat(43), "/board")).status, 401);
    const bo = await team.add({ name: "bo", role: "reader" });
    assert.equal((await team.ask(bo, "/board")).status, 200);
    const entered = await team.ask(bo, `/?token=${bo}`);
    const headers = { cookie: entered.headers.get("set-cookie")!.split(";")[0]! };
    assert.equal((await team.ask(undefined, "/board", undefined, headers)).status, 200);
    const ended = new AbortController();
    const arrival = arrivalOf("/board/events", ended.signal, undefined, headers);
    const admission = await team.service.answer(arrival);
    assert.ok("answer" in admission);
    const { response } = await admission.answer(undefined);
    await removeTokens(team.state, ({ name }) => name === "bo");
    assert.equal((await team.ask(bo, "/board")).status, 401);
    assert.equal((await team.ask(undefined, "/board", undefined, headers)).status, 401, "nor by the cookie");
    await assert.rejects(response.text());
    ended.abort();
  });
});

Deno.test("each name has so many requests per minute, whoever else asks [team:limits]", async () => {
  let time = 0;
  const rates = openRates(60, { now: () => time });
  for (let n = 0; n < 60; n++) assert.equal(rates.take("ana"), 0);
  assert.equal(rates.take("ana"), 1_000);
  assert.equal(rates.take("bo"), 0);
  time = 1_000;
  assert.deepEqual([rates.take("ana"), rates.take("ana")], [0, 1_000]);
  time = 3_600_000;
  for (let n = 0; n < 60; n++) assert.equal(rates.take("ana"), 0);
  assert.ok(rates.take("ana") > 0, "what was not used is not saved up");
  time = 1_000;
  assert.equal(rates.take("ana"), 0, "a clock that is set back holds nobody up");
  const args = [...SHOP.args, "--http-rate", "2"];
  const first = [WORKER, WORKER, { name: "bo", role: "reader" }] as const;
  await withTeam(PROJECT, { ...SHOP, args, first }, async ({ ask }, [ana, same, bo]) => {
    assert.deepEqual([(await ask(ana, "/about")).status, (await ask(same, "/about")).status], [200, 200]);
    const { status, headers, text } = await ask(ana, "/about");
    assert.deepEqual([status, headers.get("retry-after")], [429, "30"]);
    assert.match(text, /Limit of 2 requests per minute reached \(--http-rate\)/);
    assert.equal((await ask(bo, "/about")).status, 200);
  });
});

const AUDIENCE = "https://bmad.example.org/mcp";

Deno.test("a refused client finds the issuer [team:discovery, team:oidc]", async () => {
  await using issuer = await startIssuer();
  const args = ["--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE, "--roles", "worker=devs"];
  await withTeam(PROJECT, { ...SHOP, args: [...SHOP.args, ...args] }, async (team) => {
    const refused = await team.ask(undefined, "/mcp", INITIALIZE);
    assert.equal(refused.status, 401);
    const challenge = refused.headers.get("www-authenticate")!;
    const [, address] = /resource_metadata="([^"]+)"/.exec(challenge)!;
    assert.equal(new URL(address!).origin, new URL(AUDIENCE).origin);
    const metadata = JSON.parse((await team.ask(undefined, new URL(address!).pathname)).text);
    assert.deepEqual(metadata, {
      resource: AUDIENCE,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
      resource_name: "bmad-mcp",
    });
    const dev = await issuer.token({ preferred_username: "dev@example.org", groups: ["devs"] }, AUDIENCE);
    assert.match((await claim(team, dev)).text, /dev@example\.org holds 1-1-a/);
    const guest = await issuer.token({ groups: ["guests"] }, AUDIENCE);
    const { status, text } = await claim(team, guest);
    assert.deepEqual([status, /no role on this server/.test(text)], [403, true]);
    const door = await team.ask(undefined, `/?token=${dev}`, undefined, { accept: "text/html" });
    assert.equal(door.status, 403, "such a token opens no browser");
    assert.ok(!door.text.includes(dev));
  });
});

Deno.test("a proxy signs people in from its address, and nobody else does [team:proxy]", async () => {
  const args = [...SHOP.args, "--proxy-from", "127.0.0.1", "--roles", "worker=devs"];
  const headers = { "remote-user": "ana", "remote-groups": "devs" };
  await withTeam(PROJECT, { ...SHOP, args }, async (team) => {
    const page = await team.ask(undefined, "/board", undefined, { ...headers, accept: "text/html" });
    assert.match(page.text, /data-name="ana"/);
    const [, proof = ""] = /data-proof="([^"]*)"/.exec(page.text)!;
    const act = { action: "mark", story: "1-1", status: "in-progress" };
    const own = { ...headers, "x-bmad-proof": proof, origin: "http://localhost" };
    const { undo } = JSON.parse((await team.ask(undefined, "/board/act", act, own)).text);
    const undone = await team.ask(undefined, "/board/act", { ...act, ...undo }, own);
    assert.match(undone.text, /in-progress → ready-for-dev/, "who moved it takes it back");
  });
  const elsewhere = [...SHOP.args, "--proxy-from", "10.0.0.7", "--roles", "worker=devs"];
  await withTeam(PROJECT, { ...SHOP, args: elsewhere }, async ({ ask }) => {
    assert.equal((await ask(undefined, "/board", undefined, headers)).status, 401);
  });
});

Deno.test("another server continues a session for its owner alone [team:restarts]", () =>
  withTeam(PROJECT, { ...SHOP, first: [WORKER, { ...WORKER, name: "bo" }] }, async (team, [ana, bo]) => {
    const begun = await team.ask(ana, "/mcp", INITIALIZE);
    const session = begun.headers.get("mcp-session-id")!;
    await team.service.close();
    const next = team.another();
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const say = (token: string | undefined) =>
      askService(next, "/mcp", list, { authorization: `Bearer ${token}`, "mcp-session-id": session });
    assert.equal((await say(bo)).status, 404);
    const told = await say(ana);
    assert.deepEqual([told.status, /bmad_work/.test(told.text)], [200, true]);
    await next.close();
  }));

Deno.test("idle projects are closed, and open again [team:projects]", async () => {
  let time = 1_000_000_000_000;
  const timers = new Map<() => void, number>();
  const host = {
    now: () => time,
    after: (ms: number, call: () => void) => {
      timers.set(call, time + ms);
      return () => void timers.delete(call);
    },
  };
  const pass = (ms: number) => {
    time += ms;
    for (const [call, due] of [...timers]) if (due <= time && timers.delete(call)) call();
  };
  const tree = { ...PROJECT, "blog/_bmad/config.toml": '[core]\noutput_folder = "out"\n' };
  const args = [...SHOP.args, "--http-idle", "60"];
  const options = { args, projects: ["shop", "blog"], host, first: [WORKER] };
  await withTeam(tree, options, async ({ ask }, [ana]) => {
    const open = async () => {
      const { text } = await ask(ana, "/metrics");
      return [...text.matchAll(/^bmad_mcp_sessions\{project="(\w+)"\}/gm)].map(([, name]) => name);
    };
    assert.equal((await ask(ana, "/about")).status, 200);
    assert.equal((await ask(ana, "/about?project=blog")).status, 200);
    assert.deepEqual(await open(), ["shop", "blog"]);
    pass(40_000);
    assert.equal((await ask(ana, "/about?project=blog")).status, 200);
    pass(40_000);
    assert.deepEqual(await open(), ["blog"]);
    pass(60_000);
    pass(60_000);
    assert.deepEqual(await open(), []);
    assert.equal((await ask(ana, "/about")).status, 200);
    assert.deepEqual(await open(), ["shop"]);
  });
});

Deno.test("wrong tokens of every kind have one answer, which tells nothing [team:oidc]", async () => {
  const { answers, medians } = await sendWrongTokens(2);
  assert.equal(Object.keys(medians).length, 12);
  assert.equal(answers.size, 1, [...answers].join("\n"));
  assert.match([...answers][0]!, /^401 .*"message":"Invalid token"/);
});

Deno.test("the claims of a revoked token end, and clients of one are told apart [place:seats-end, place:seats]", () =>
  withTeam(
    PROJECT,
    { ...SHOP, first: [WORKER, { name: "bob", role: "worker" }, WORKER] },
    async (team, [ana = "", bob = "", laptop = ""]) => {
      const by = (client: string, token: string) => {
        const [message, headers] = modernRequest("tools/call", {
          name: "bmad_work",
          arguments: { operation: "claim", story: "1-1" },
        });
        const params = { ...message["params"] as object } as Record<string, Record<string, unknown>>;
        params["_meta"]!["io.modelcontextprotocol/clientInfo"] = { name: client, version: "0" };
        return team.ask(token, "/mcp", { ...message, params }, headers);
      };
      assert.match((await by("zed", ana)).text, /ana holds 1-1-a/);
      assert.match((await by("zed", ana)).text, /ana holds 1-1-a/);
      assert.match((await by("cursor", ana)).text, /you hold it in zed until/);
      assert.match((await by("zed", laptop)).text, /you hold it in zed until/);
      // A worker may take what is their own.
      assert.match((await claim(team, ana, { force: true })).text, /ana holds 1-1-a .*taken from ana in zed/);
      assert.match((await by("zed", bob)).text, /ana in t holds it until/);
      assert.match((await claim(team, bob, { force: true })).text, /it takes the role owner/);
      await removeTokens(team.state, ({ name }) => name === "ana");
      assert.match((await by("zed", bob)).text, /bob holds 1-1-a/);
      // Others see it although nobody asks the server.
      await removeTokens(team.state, ({ name }) => name === "bob");
      const board = async () =>
        (await runHere(["board", "--pack", "none"], { cwd: `${team.dir}/shop` })).stdout;
      assert.match(await board(), /1-1/);
      await until("bob's claim ends", async () => !/bob/.test(await board()));
    },
  ));

Deno.test("each session of a 2025 client is a seat until it ends [place:seats, place:seats-end]", () =>
  withTeam(PROJECT, { ...SHOP, first: [WORKER] }, async (team, [ana]) => {
    const begin = async () => {
      const { headers } = await team.ask(ana, "/mcp", INITIALIZE);
      return { "mcp-session-id": headers.get("mcp-session-id")! };
    };
    const claimIn = async (session: Readonly<Record<string, string>>) => {
      const params = { name: "bmad_work", arguments: { operation: "claim", story: "1-1" } };
      return (await team.ask(ana, "/mcp", { jsonrpc: "2.0", id: 2, method: "tools/call", params }, session))
        .text;
    };
    const [one, two] = [await begin(), await begin()];
    assert.match(await claimIn(one), /ana holds 1-1-a/);
    assert.match(await claimIn(two), /you hold it in t until/);
    const authorization = `Bearer ${ana}`;
    const gone = await askService(team.service, "/mcp", undefined, { authorization, ...one }, "DELETE");
    assert.equal(gone.status, 200);
    assert.match(await claimIn(two), /ana holds 1-1-a/);
  }));
