/** Can people act on the board, by the same rules as everybody else, and nobody in their name? */
import assert from "node:assert/strict";
import { startHttp, withServer } from "../../support/http.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const LEDGER = "out/sprint-status.yaml";
const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [LEDGER]:
    "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: in-progress\n  1-3-c: backlog\n",
  "out/1-1-a.md": "# Story 1.1: A\n\nStatus: ready-for-dev\n\n## Tasks / Subtasks\n\n- [ ] One\n",
  "out/1-2-b.md": "# Story 1.2: B\n\nStatus: in-progress\n\n## Tasks / Subtasks\n\n- [x] One\n- [ ] Two\n",
  "out/work-log.jsonl": "",
};

type Fields = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

async function openPage(url: string, headers: Headers = {}, path = "/board") {
  const answer = await fetch(url + path, { headers });
  const html = await answer.text();
  const [, acts = "/board/act", proof = ""] = /data-acts="([^"]*)" data-proof="([^"]*)"/.exec(html) ?? [];
  const own = { "content-type": "application/json", origin: url, "x-bmad-proof": proof, ...headers };
  const post = async (body: string, changed: Headers = {}) => {
    const answer = await fetch(url + acts.replaceAll("&#38;", "&"), {
      method: "POST",
      headers: Object.fromEntries(Object.entries({ ...own, ...changed }).filter(([, value]) => value !== "")),
      body,
    });
    return { status: answer.status, ...await answer.json() };
  };
  const act = (fields: Fields, changed?: Headers) => post(JSON.stringify({ by: "Ann", ...fields }), changed);
  return { html, acts, post, act };
}

const twice = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    ["shop", "bank"].flatMap((name) =>
      Object.entries(files).map(([path, text]) => [`${name}/${path}`, text])
    ),
  );

const MOVE = { action: "mark", story: "1-1-a", status: "in-progress" };

Deno.test("an undone move leaves ledger and claims as they were [board:acts]", () => {
  const more = "  epic-2: backlog\n  2-1-d: backlog\n  2-2-e: backlog\n";
  return withServer(
    { ...PROJECT, [LEDGER]: PROJECT[LEDGER] + more },
    ["--pack", "none"],
    async (program, dir) => {
      const { act } = await openPage(program.url);
      const ledger = () => Deno.readTextFileSync(`${dir}/${LEDGER}`);
      const before = ledger();
      const moved = await act({ ...MOVE, story: "2-1-d" });
      assert.match(ledger(), /epic-2: in-progress\n {2}2-1-d: in-progress/);
      assert.match((await act(moved.undo)).text, /\nNote: Ann no longer holds it\n/);
      assert.equal(ledger(), before);
      assert.deepEqual((await act({ action: "claim", story: "2-1-d" })).undo.action, "release");
      // A claim from before stays, and an epic in which others have begun.
      const again = await act({ ...MOVE, story: "2-1-d" });
      await act({ ...MOVE, story: "2-2-e" });
      assert.doesNotMatch((await act(again.undo)).text, /no longer/);
      assert.equal(
        ledger(),
        before.replace("2: backlog", "2: in-progress").replace("2-e: backlog", "2-e: in-progress"),
      );
    },
  );
});

Deno.test("a card is moved, claimed, given back and undone by the rules of the project [board:acts]", () =>
  withServer(PROJECT, ["--pack", "none"], async (program, dir) => {
    const { act, html } = await openPage(program.url);
    const ledger = () => Deno.readTextFileSync(`${dir}/${LEDGER}`);
    assert.match(html, /data-story="1-1-a"[^>]* draggable="true">/);
    assert.match(html, /<input name="name" required maxlength="60"/, "no name that is refused later");

    const moved = await act(MOVE);
    const undo = { story: "1-1-a", action: "mark", status: "ready-for-dev", undoes: "in-progress" };
    assert.deepEqual([moved.status, moved.undo], [200, undo]);
    assert.match(moved.text, /^1-1-a: ready-for-dev → in-progress\n[^]*Ann holds it until/);
    assert.match(ledger(), /1-1-a: in-progress/);

    const back = await act({ ...MOVE, status: "ready" });
    assert.deepEqual([back.status, back.refused], [200, {
      message: "Cannot move 1-1-a from in-progress back to ready-for-dev: nothing goes back",
      objections: [],
      way: "force",
    }]);
    const undone = await act(moved.undo);
    assert.match(undone.text, /^1-1-a: in-progress → ready-for-dev/);
    const again = await act(moved.undo);
    assert.match(again.refused.message, /^Cannot undo 1-1-a: it was undone already/);
    await act({ ...MOVE, status: "review" });
    const late = await act(moved.undo);
    assert.match(late.refused.message, /^Cannot undo 1-1-a: it is review by now: somebody was faster/);

    const before = ledger();
    const review = { action: "mark", story: "1-1-a", status: "ready-for-dev", undoes: "review" };
    for (const forged of [{ ...review, by: "Bob" }, { ...review, status: "backlog" }]) {
      assert.match((await act(forged)).refused.message, /^Cannot undo 1-1-a: only your own last move/);
    }
    assert.equal(ledger(), before, "only who moved it takes it back, and only to where it was");

    const early = await act({ ...MOVE, story: "1-2-b", status: "done" });
    assert.match(early.refused.message, /^Cannot mark 1-2-b as done: the check has \d findings?$/);
    assert.match(early.refused.objections[0].problem, /^Story 1-2 cannot be "done" yet: 1 of 2 boxes/);
    assert.match(early.refused.objections[0].fix, /^Finish the work/);
    assert.equal(early.refused.way, "force");
    assert.match(ledger(), /1-2-b: in-progress/);
    const force = { story: "1-2-b", status: "done", force: true, reason: "shipping today" };
    const forced = await act({ ...MOVE, ...force });
    assert.match(forced.text, /^1-2-b: in-progress → done/);
    const log = Deno.readTextFileSync(`${dir}/out/work-log.jsonl`).trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(
      log.map(({ did, by, story, to }) => [did, by, story, to]),
      [
        ["mark", "Ann", "1-1-a", "in-progress"],
        ["mark", "Ann", "1-1-a", "ready-for-dev"],
        ["mark", "Ann", "1-1-a", "review"],
        ["force", "Ann", "1-2-b", "done"],
      ],
    );
    assert.equal(log.at(-1).reasons.at(-1), "reason given: shipping today");

    const claimed = await act({ action: "claim", story: "1-3-c" });
    assert.match(claimed.text, /^Ann holds 1-3-c until/);
    assert.deepEqual(claimed.undo, { story: "1-3-c", action: "release" });
    const held = await act({ action: "claim", story: "1-3-c", by: "Bob" });
    assert.match(held.refused.message, /^Cannot claim 1-3-c: Ann holds it until/);
    assert.match((await act({ action: "release", story: "1-3-c" })).text, /^Ann no longer holds 1-3-c/);

    const refusals: readonly (readonly [fields: Fields, status: number, message: RegExp])[] = [
      [{ ...MOVE, story: "9-9" }, 200, /^No story named "9-9"/],
      [{ ...MOVE, status: "great" }, 400, /^Unknown status "great"/],
      [{ ...MOVE, story: "" }, 400, /^Missing story/],
      [{ ...MOVE, status: "" }, 400, /^Missing status/],
      [{ ...MOVE, by: "" }, 400, /^Give your name/],
      [{ ...MOVE, by: "x".repeat(300) }, 400, /^Invalid owner/],
      [{ ...MOVE, story: "x".repeat(1_100) }, 400, /^Invalid story: expected at most 1000 characters/],
      [{ ...MOVE, action: "reconcile" }, 400, /^Unknown action "reconcile"/],
      [{ ...MOVE, action: "plan" }, 400, /^Missing epic/],
      [{ ...MOVE, action: "constructor" }, 400, /^Unknown action/],
      [{ story: "1-1" }, 400, /^Missing action/],
      [{ ...MOVE, force: true }, 400, /^Missing reason/],
      [{ action: "answer", number: "one", text: "A" }, 400, /^Invalid number: expected the number/],
    ];
    for (const [fields, status, message] of refusals) {
      const answer = await act(fields);
      assert.equal(answer.status, status, JSON.stringify(fields));
      assert.match(answer.refused.message, message);
    }
  }));

const EPIC = "out/initiative-shop/epic-pay";

Deno.test("what a tracker keeps is confirmed with a reason, without force [board:acts, work:tracker]", () =>
  withServer(
    {
      "_bmad/config.toml": PROJECT["_bmad/config.toml"],
      "_bmad/custom/ticketing-store-config.toml": '[tickets]\nstore = "github"\n',
      "out/initiative-shop/tickets.toml": '[[epic]]\nid = 1\nslug = "epic-pay"\n',
      [`${EPIC}/epic-pay.md`]: "---\ntype: epic\ntitle: Pay\n---\n",
      [`${EPIC}/tickets.toml`]: '[[entry]]\nid = 1\ntype = "story"\ntitle = "Sign in"\n',
      [`${EPIC}/story-sign-in.md`]: "---\nid: 1\ntype: story\ntracker_id: 7\ntracker_status: backlog\n---\n",
    },
    ["--pack", "none"],
    async (program, dir) => {
      const { act, html } = await openPage(program.url);
      const [, story] = /data-story="([^"]*)"/.exec(html) ?? [];
      const move = { action: "mark", story, status: "in-progress" };
      const { refused } = await act(move);
      assert.match(
        refused.message,
        /github keeps its status\. First: gh issue edit 7 --add-label in-progress.*\nThen mark it here, with a reason$/,
      );
      assert.equal(refused.way, "reason");
      const { text, undo } = await act({ ...move, reason: "It is moved there" });
      assert.match(text, /: backlog → in-progress/);
      assert.match((await act(undo)).refused.message, /First: gh issue edit 7 --add-label backlog/);
      assert.match(Deno.readTextFileSync(`${dir}/${EPIC}/story-sign-in.md`), /tracker_status: in-progress/);
      assert.throws(() => Deno.statSync(`${dir}/out/.bmad-work/forced.jsonl`));
    },
  ));

Deno.test("a question is answered once from its page [work:questions-answered]", () =>
  withServer(
    {
      ...PROJECT,
      "out/open-questions.md": "- **Q1** Which provider?\n  - A: Google\n  - B: Apple\n",
    },
    ["--pack", "none"],
    async (program) => {
      const { act, html } = await openPage(program.url, {}, "/questions");
      assert.match(
        html,
        /<form class="act" id="question-1"[^]*<input type="radio" name="text" value="Apple"/,
      );
      const done = await act({ action: "answer", number: "1", text: "Apple" });
      assert.match(done.text, /^Question 1 is answered: Apple/);
      const late = await act({ action: "answer", number: "1", text: "Google", by: "Bob" });
      assert.equal(late.status, 200);
      assert.match(late.refused.message, /^Cannot answer question 1: .*Apple/);
      const after = await openPage(program.url, {}, "/questions");
      assert.match(after.html, /Nothing waits for a decision[^]*Answered[^]*Apple <span[^>]*>by Ann on/);
      assert.doesNotMatch(after.html, /<form class="act"/);
    },
  ));

Deno.test("without a script, forms act, and a refusal is a page with force as a second step [pages:act]", () =>
  withServer(PROJECT, ["--pack", "none"], async (program, dir) => {
    const referer = `${program.url}/board?story=1-2`;
    const send = async (fields: Readonly<Record<string, string>>, headers: Headers = {}) => {
      const html = await (await fetch(referer)).text();
      const [, proof = ""] = /name="proof" value="([^"]*)"/.exec(html) ?? [];
      const answer = await fetch(`${program.url}/board/act`, {
        method: "POST",
        redirect: "manual",
        headers: { origin: program.url, referer, ...headers },
        body: new URLSearchParams({ story: "1-2", by: "Ann", proof, ...fields }),
      });
      return { status: answer.status, to: answer.headers.get("location"), html: await answer.text() };
    };
    const ledger = () => Deno.readTextFileSync(`${dir}/${LEDGER}`);
    const moved = await send({ action: "mark", status: "review" });
    assert.deepEqual([moved.status, moved.to], [303, "/board?story=1-2"]);
    assert.match(ledger(), /1-2-b: review/);
    const done = { action: "mark", status: "done" };
    const refused = await send(done);
    assert.match(
      refused.html,
      /Cannot mark 1-2-b as done[^]*1 of 2 boxes[^]*name="force" value="true"[^]*href="\/board\?story=1-2">Go back/,
    );
    assert.match(ledger(), /1-2-b: review/);
    // The refusal is a page at the address of the form.
    const forced = await send({ ...done, force: "true", reason: "It ships today" }, {
      referer: `${program.url}/board/act`,
    });
    assert.deepEqual([forced.status, forced.to], [303, "/board?story=1-2"]);
    assert.match(ledger(), /1-2-b: done/);
    for (const forged of [{ proof: "x" }, { proof: "" }]) {
      assert.equal((await send({ action: "claim", story: "1-3", ...forged })).status, 403);
    }
    assert.equal(
      (await send({ action: "claim", story: "1-3" }, { origin: "https://evil.example" })).status,
      403,
    );
    const referers = {
      "https://evil.example//x.example": "/",
      "http://[": "/board?story=1-3",
      "data:x": "/",
      "%": "/board/%",
    };
    for (const [broken, to] of Object.entries(referers)) {
      const away = await send({ action: "claim", story: "1-3" }, { referer: broken });
      assert.deepEqual([away.status, away.to], [303, to], broken);
    }
  }));

treeTest("only a page of the server acts, within limits [board:guarded]", twice(PROJECT), async (dir) => {
  const args = ["shop", "bank"].flatMap((name) => ["--project", `${dir}/${name}`]);
  await using program = await startHttp([...args, "--pack", "none", "--token", "t".repeat(40)], {
    ownToken: true,
  });
  const { url } = program;
  const bearer = { authorization: `Bearer ${"t".repeat(40)}` };
  const before = Deno.readTextFileSync(`${dir}/shop/${LEDGER}`);
  const entry = await fetch(`${url}/board?token=${"t".repeat(40)}`, { redirect: "manual" });
  await entry.body?.cancel();
  const cookie = entry.headers.get("set-cookie")!.split(";")[0]!;
  const page = await openPage(url, { cookie });
  const body = JSON.stringify({ ...MOVE, by: "Ann" });
  const answers: readonly (readonly [what: string, changed: Headers, status: number, body?: string])[] = [
    ["no cookie", { cookie: "" }, 401],
    ["another cookie", { cookie: `${cookie}x` }, 401],
    ["no origin", { origin: "" }, 403],
    ["another port of this machine", { origin: "http://127.0.0.1:1" }, 403],
    ["another page of the site", { "sec-fetch-site": "same-site" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["no proof", { "x-bmad-proof": "" }, 403],
    ["a wrong proof", { "x-bmad-proof": "A".repeat(43) }, 403],
    ["no proof at all", { "x-bmad-proof": "no" }, 403],
    ["the proof of another login", { cookie: "", ...bearer }, 403],
    ["a form", { "content-type": "text/plain" }, 415],
    ["bad JSON", {}, 400, "{"],
    ["no object", {}, 400, "[1]"],
    ["too large", {}, 413, JSON.stringify({ ...MOVE, by: "Ann", more: "x".repeat(9_000) })],
  ];
  for (const [what, changed, status, text = body] of answers) {
    const answer = await page.post(text, changed);
    assert.equal(answer.status, status, what);
    assert.ok((answer.refused ?? answer.error).message, what);
  }
  const outdated = await page.post(body, { "x-bmad-proof": "A".repeat(43) });
  assert.equal(outdated.refused.isOutdated, true);
  const got = await fetch(`${url}/board/act`, { headers: { cookie } });
  assert.equal(got.status, 405);
  await got.body?.cancel();
  assert.equal(Deno.readTextFileSync(`${dir}/shop/${LEDGER}`), before);

  const bank = await openPage(url, { cookie }, "/board?project=bank");
  assert.equal(bank.acts, "/board/act?project=bank");
  assert.equal((await bank.act(MOVE)).undo.undoes, "in-progress");
  assert.equal(Deno.readTextFileSync(`${dir}/shop/${LEDGER}`), before);
  const json = { "content-type": "application/json", "x-bmad-proof": proofIn(page.html) };
  const headers = { ...json, cookie, origin: url };
  const unknown = await fetch(`${url}/board/act?project=nobody`, { method: "POST", body, headers });
  assert.deepEqual([unknown.status, (await unknown.json()).refused.message], [404, "Unknown project"]);
  // A proof goes with its login, whatever sends the token.
  assert.equal((await openPage(url, bearer)).html.includes(proofIn(page.html)), false);
  assert.equal((await page.act(MOVE, { "sec-fetch-site": "same-origin" })).undo.undoes, "in-progress");
});

function proofIn(html: string): string {
  return /data-proof="([^"]*)"/.exec(html)![1]!;
}

Deno.test("a read-only server shows no handles, and changes nothing [board:read-only]", () =>
  withTree(PROJECT, async (dir) => {
    const before = Deno.readTextFileSync(`${dir}/${LEDGER}`);
    await using program = await startHttp(["--project", dir, "--pack", "none", "--read-only"]);
    const { html, act } = await openPage(program.url);
    assert.match(html, /data-story="1-1-a"/);
    assert.doesNotMatch(html, /draggable="true"|class="more"|<dialog|data-proof/);
    assert.equal((await act(MOVE)).status, 403);
    assert.equal(Deno.readTextFileSync(`${dir}/${LEDGER}`), before);
  }));
