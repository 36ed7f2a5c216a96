/** Does the board page follow the board, within the limits of the server and its own policy? */
import assert from "node:assert/strict";
import type { App, Board } from "../../../src/app.ts";
import { systemTimer } from "../../../src/base/work.ts";
import { openBoardStreams, versionOf } from "../../../src/serve/pages/board.ts";
import { startHttp, withServer } from "../../support/http.ts";
import { runHere } from "../../support/program.ts";
import { treeTest } from "../../support/trees.ts";
import { within } from "../../support/waiting.ts";

const LEDGER = "out/sprint-status.yaml";
const ledger = (status: string) => `development_status:\n  epic-1: in-progress\n  1-1-a: ${status}\n`;
const PROJECT = { "_bmad/config.toml": '[core]\noutput_folder = "out"\n', [LEDGER]: ledger("backlog") };

function versionsOf(response: Response): () => Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  return async () => {
    for (;;) {
      const [whole, version] = /event: board\ndata: ([\w.]+)\n\n/.exec(said) ?? [];
      if (version !== undefined) {
        said = said.slice(said.indexOf(whole!) + whole!.length);
        return version;
      }
      const { value, done } = await reader.read();
      if (done) return "end";
      said += value;
    }
  };
}

Deno.test("a stream has the board's version [work:board-notices, pages:board]", () =>
  withServer(PROJECT, ["--pack", "none"], async (program, dir) => {
    const page = async () => {
      const answer = await fetch(`${program.url}/board`);
      const html = await answer.text();
      const [, version] = /data-version="(\w+)" data-events="\/board\/events"/.exec(html) ?? [];
      return { version, html, policy: answer.headers.get("content-security-policy")! };
    };
    const first = await page();
    assert.match(
      first.policy,
      /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-/,
    );
    assert.deepEqual(first.html.match(/<script.*/g), [
      '<script type="module" src="/pages.js"></script>',
      '<script src="/board.js" defer></script>',
    ]);
    const script = await fetch(`${program.url}/board.js`);
    assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.match(await script.text(), /^\/\/ @ts-check\n/);
    const other = await fetch(`${program.url}/`);
    await other.body?.cancel();
    assert.match(other.headers.get("content-security-policy")!, /; script-src 'self'; style-src /);
    const stream = await fetch(`${program.url}/board/events`);
    assert.equal(stream.headers.get("content-type"), "text/event-stream");
    const next = versionsOf(stream);
    assert.equal(await next(), first.version);
    await Deno.writeTextFile(`${dir}/${LEDGER}`, ledger("in-progress"));
    const changed = await next();
    assert.notEqual(changed, first.version);
    assert.equal((await page()).version, changed);
    const unknown = await fetch(`${program.url}/board/events?project=nobody`);
    assert.equal(unknown.status, 404);
    await unknown.body?.cancel();
    // A server that stops does not wait for the browser.
    program.signal("SIGTERM");
    assert.equal(await within(60_000, next()), "end");
  }));

treeTest("several projects have one board, with all claims [team:boards]", {
  ...Object.fromEntries(
    ["shop", "bank"].flatMap((name) =>
      Object.entries(PROJECT).map(([path, text]) => [`${name}/${path}`, text])
    ),
  ),
  "bank/out/work-log.jsonl": [
    { at: "2026-08-01T10:00:00Z", did: "mark", to: "ready-for-dev", from: "backlog" },
    { at: "2026-08-01T12:00:00Z", did: "mark", to: "in-progress", from: "ready-for-dev" },
  ].map((one) => `${JSON.stringify({ ledger: LEDGER, story: "1-1-a", by: "Ann", ...one })}\n`).join(""),
}, async (dir) => {
  for (const by of ["Ann", "Bob"]) {
    const cwd = `${dir}/${by === "Ann" ? "shop" : "bank"}`;
    assert.equal((await runHere(["claim", "1-1", "--by", by], { cwd })).code, 0);
  }
  await using program = await startHttp([
    ...["shop", "bank"].flatMap((name) => ["--project", `${dir}/${name}`]),
    "--pack=none",
  ]);
  const page = async (path: string) => await (await fetch(`${program.url}${path}`)).text();
  const all = await page("/board?all");
  const [, shop, bank] = /id="project-shop">([^]*)id="project-bank">([^]*)<\/main>/.exec(all) ?? [];
  assert.match(all, /<h1 class="sr">All boards<\/h1>[^]*0 of 2 stories are done/);
  assert.match(shop!, /href="\/board">shop<[^]*held by <\/span>Ann/);
  assert.match(bank!, /href="\/board\?project=bank">bank<[^]*held by <\/span>Bob/);
  assert.equal(all.match(/ id="story-1-1-a"/g)?.length, 1);
  assert.match(bank!, /data-acts="\/board\/act\?project=bank"[^]* id="bank-story-1-1-a"/);
  assert.match(await page("/board"), /href="\/board\?all=">The boards of all projects</);
  const [, version] = /data-version="([\w.]+)" data-events="\/board\/events\?all"/.exec(all) ?? [];
  const next = versionsOf(await fetch(`${program.url}/board/events?all`));
  assert.equal(await next(), version);
  await Deno.writeTextFile(`${dir}/bank/${LEDGER}`, ledger("in-progress"));
  assert.notEqual(await next(), version);
  const story = await page("/board?project=bank&story=1-1");
  assert.match(story, /<h1>A <span class="key">1-1<\/span><\/h1>[^]*Held by<\/dt><dd>Bob until \d{4}-/);
  assert.match(story, /Time in states<\/dt><dd>ready 2 hours, in-progress/);
  assert.match(
    story,
    /Ann: backlog → ready-for-dev <span class="quiet">2026-08-01 10:00 UTC</,
  );
  const none = await fetch(`${program.url}/board?story=9-9`);
  assert.equal(none.status, 404);
  await none.body?.cancel();
  program.signal("SIGTERM");
  assert.equal(await within(60_000, next()), "end");
});

Deno.test("streams of boards are limited, and end [work:board-notices]", async () => {
  let watching = 0;
  const board = { epics: [] } as unknown as Board;
  const watch = (changed: (state: { readonly board: Board }) => void) => {
    watching++;
    changed({ board });
    return Promise.resolve(() => void watching--);
  };
  const app = { project: { work: () => Promise.resolve({ watch }) } } as unknown as App;
  const streams = openBoardStreams({ inAll: 3, perClient: 2 }, { now: Date.now, ...systemTimer });
  const open = (ended = new AbortController().signal, peer = "a") => streams.open([app], { peer, ended });
  const [one, two] = [new AbortController(), new AbortController()];
  const first = await open(one.signal);
  assert.equal(await versionsOf(first)(), versionOf(board));
  await open(two.signal);
  const third = await open();
  assert.deepEqual([third.status, watching, third.headers.get("retry-after")], [429, 2, "1"]);
  assert.match(await third.text(), /Limit of 2 open boards of one client reached \(--http-in-flight\)/);
  const other = new AbortController();
  assert.equal((await open(other.signal, "b")).status, 200);
  const fourth = await open(undefined, "c");
  assert.deepEqual([fourth.status, watching], [503, 3]);
  assert.match(await fourth.text(), /Limit of 3 open boards reached \(--http-sessions\)/);
  other.abort();
  one.abort();
  assert.equal(watching, 1);
  const again = await open();
  assert.deepEqual([again.status, watching], [200, 2]);
  const next = versionsOf(again);
  await next();
  streams.close();
  assert.deepEqual([watching, await next()], [0, "end"]);
  const broken = { project: { work: () => Promise.reject(new Error("no")) } } as unknown as App;
  for (let tries = 0; tries < 3; tries++) {
    await assert.rejects(
      streams.open([broken], { peer: "a", ended: new AbortController().signal }),
      /no/,
    );
  }
});

Deno.test("a board is put into words once, however many streams it is for [work:board-notices]", async () => {
  let written = 0;
  const boardOf = (word: string) => ({ toJSON: () => (written++, { word }) }) as unknown as Board;
  const told: ((state: { readonly board: Board }) => void)[] = [];
  const [before, after] = [boardOf("before"), boardOf("after")];
  const watch = (changed: (typeof told)[number]) => {
    told.push(changed);
    changed({ board: before });
    return Promise.resolve(() => {});
  };
  const app = { project: { work: () => Promise.resolve({ watch }) } } as unknown as App;
  const streams = openBoardStreams({ inAll: 50, perClient: 50 }, { now: Date.now, ...systemTimer });
  const ended = new AbortController().signal;
  for (let count = 0; count < 50; count++) await streams.open([app], { peer: "a", ended });
  assert.equal(written, 1);
  told.forEach((changed) => changed({ board: after }));
  assert.equal(written, 2);
  streams.close();
});
