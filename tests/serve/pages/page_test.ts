/** Do the pages at `/` show what the command line shows, with every value escaped? */
import assert from "node:assert/strict";
import { DEMO } from "../../../docs/demo.ts";
import { type HttpProgram, startHttp, withServer } from "../../support/http.ts";
import { checkTexts, type Page, readPage, textOf } from "../../support/pages.ts";
import { runCli } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const CONFIG = "output_folder: _bmad-output\nplanning_artifacts: _bmad-output/planning-artifacts\n" +
  "implementation_artifacts: _bmad-output/implementation-artifacts\n";

const PAWPATH: Parameters<typeof withTree>[0] = {
  ...DEMO,
  "_bmad/bmm/config.yaml": CONFIG,
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    "bmad-agent-analyst,bmad-agent-analyst,Looks,bmm,_bmad/bmm/bmad-agent-analyst/SKILL.md\n",
  ".claude/skills/bmad-agent-analyst/SKILL.md":
    "---\nname: bmad-agent-analyst\ndescription: Looks into it\n---\nAct.\n",
  ".claude/skills/bmad-agent-analyst/customize.toml":
    '[agent]\nname = "Mary"\ntitle = "Business Analyst"\nicon = "📊"\nprinciples = []\n' +
    '[[agent.menu]]\ncode = "BP"\ndescription = "Brainstorm"\nskill = "bmad-ideas"\n' +
    '[[agent.menu]]\ncode = "MR"\ndescription = "Market"\nprompt = "Ask <b>all</b>"\n',
  "_bmad-output/planning-artifacts/evil.md": "---\ntitle: <script>alert(1)</script>\n---\n# <b>x</b>\n",
  "_bmad-output/planning-artifacts/keys.md": "# Keys\n\npassword: hunter2hunter2\n",
  "_bmad-output/planning-artifacts/out.md": { link: "../../../secret.md" },
};

const agent = (description: string) =>
  `---\nname: scout\ndescription: ${JSON.stringify(description)}\n---\n# Scout\n`;

const TREE = {
  "one/_bmad/sea/agents/scout.md": agent("Ours, & <b>bold</b>"),
  "team/_bmad/sea/agents/scout.md": agent("The team's"),
  "two/.claude/skills/bmad-beta/SKILL.md": "---\nname: bmad-beta\ndescription: About beta\n---\n",
};

const withProgram = (check: (program: HttpProgram, args: readonly string[], dir: string) => Promise<void>) =>
  withTree(TREE, async (dir) => {
    const args = ["--project", `${dir}/one`, "--path", `${dir}/team`, "--pack", "none"];
    await using program = await startHttp([...args, "--project", `${dir}/two`]);
    await check(program, args, dir);
  });

Deno.test("an item's page has its facts, sources and text [transport:http-page]", () =>
  withProgram(async (program, args) => {
    const { html, status, text } = await readPage(program, "/?show=scout");
    assert.equal(status, 200);
    assert.match(
      text,
      /project used priority 1 .*priority 1 comes before 2 .*\/one › _bmad\/sea\/agents\/scout\.md/,
    );
    assert.match(text, /cli overridden priority 2 priority 2 comes after 1; 1 file differs/);
    assert.match(text, /Text of its file .*# Scout/);
    const { stdout } = await runCli(["show", "scout", ...args]);
    const facts = stdout.trim().split("\n").map((line) => line.split("\t"));
    assert.ok(facts.length > 5);
    for (const [label, value] of facts) {
      const shown = label === "origin" || label === "overrides" ? "project" : value!;
      assert.ok(text.includes(shown), `${label}: ${value}`);
    }
    assert.match(html, /href="\/\?uri=bmad%3A%2F%2Fsea%2Fagents%2Fscout\.md"/);
    assert.doesNotMatch(html, /<b>bold/);
    await checkTexts(program, { "/?show=sea/scout&origin=cli": /The team's/ });
  }));

Deno.test("the library has counts, About has sources [transport:http-page]", () =>
  withProgram(async (program, _, dir) => {
    const library = (await readPage(program, "/?page=library")).text;
    assert.match(library, /Library What is served to clients\. .* 1 Agents/);
    assert.match(library, /In several sources sea\/scout project wins over cli: priority 1 before 2/);
    const { html, headers, text } = await readPage(program, "/?page=about");
    assert.match(text, /About this server bmad-mcp \d/);
    assert.match(text, /Settings project .*\(--project\) .*Defaults \d+ /);
    assert.ok(text.includes(`project ready priority 1 1 item, files ${dir}/one`), text);
    assert.match(text, /user missing priority 4/);
    const policy = headers.get("content-security-policy")!;
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/=]+';/);
    const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
    assert.ok(policy.includes(`'sha256-${digest.toBase64()}'`), "the policy allows exactly this style");
    assert.deepEqual(html.match(/<script[^>]*>/g), ['<script type="module" src="/pages.js">']);
    assert.doesNotMatch(html, /https?:|\/\/\w/);
  }));

Deno.test("lists, files, searches and issues have pages [transport:http-page]", () =>
  withProgram(async (program) => {
    const file = "/?uri=bmad://sea/agents/scout.md";
    await checkTexts(program, {
      "/?list=agents":
        /Agents 1 scout, Scout Ours, & <b>bold<\/b> sea\/scout project overrides cli Say Talk to scout about/,
      "/?list=resources": /sea\/ 2 files/,
      "/?list=resources&under=sea/agents/": /Files \/ sea \/ agents .*scout\.md/,
      "/?list=resources&find=AGENTS+scout": /bmad:\/\/sea\/agents\/scout\.md/,
      [file]: /text\/markdown project .*Scout/,
      [`${file}&raw=1`]: /text\/markdown project .*# Scout/,
      "/?q=scout": /Agents, workflows and more 1 Scout sea\/scout/,
      "/?list=conflicts":
        /Conflicts 1 1 item in several sources: 1 of them differs, 0 are identical copies\. sea\/scout 1 file differs: project \S+ and cli \S+; project wins over cli/,
      "/?list=doctor": /Issues 0 From a full scan .* No issues found\. Broken references 0/,
      "/?list=agents&project=two": /Agents 1 scout, Scout The team's sea\/scout cli/,
    });
    const byHeader = await readPage(program, "/?list=skills", { "x-bmad-project": "two" });
    assert.match(byHeader.text, /bmad-beta/);
    await checkTexts(program, {
      "/?show=scoutt": /No agent, workflow or skill named “scoutt”\. Did you mean sea\/scout/,
      "/?uri=bmad://sea/agents/none.md": /No resource named/,
      "/?uri=bmad://../../etc/passwd": /Not found/,
      "/?list=riddles": /Unknown list "riddles"/,
      "/?project=<i>": /Unknown project “<i>”/,
    }, 404);
  }));

Deno.test("opening an item's page is one use of it, and opening a list is none [ranking:memory]", () =>
  withTree({ ...TREE, "state/keep": "" }, async (dir) => {
    const args = ["--project", `${dir}/one`, "--pack", "none", "--remember-usage"];
    await using program = await startHttp(args, { env: { XDG_STATE_HOME: `${dir}/state` } });
    await checkTexts(program, { "/?list=agents": /scout/, "/?show=scout": /Text of its file .*# Scout/ });
    assert.match(
      await Deno.readTextFile(`${dir}/state/bmad-mcp/usage/uses.json`),
      /"uses":\{"sea\/scout":\[1,\d+\]\}/,
    );
  }));

const MANY_AGENTS = Object.fromEntries(
  Array.from({ length: 230 }, (_, at) => `a${at}`)
    .map((name) => [`bmad/sea/agents/${name}.md`, `---\nname: ${name}\ndescription: A\n---\n`]),
);

Deno.test("a long list comes in pages that link to each other", () =>
  withServer(MANY_AGENTS, ["--pack", "none"], async (program) => {
    const seen = new Set<string>();
    let path: string | undefined = "/?list=agents";
    for (let pages = 0; path !== undefined; pages++) {
      assert.ok(pages < 3, path);
      const { html }: Page = await readPage(program, path);
      for (const [, name] of html.matchAll(/show=sea%2F(a\d+)"/g)) seen.add(name!);
      path = /<a href="([^"]*)">Next/.exec(html)?.[1]?.replaceAll("&#38;", "&");
    }
    assert.equal(seen.size, 230);
  }));

const PLANS = "_bmad-output/planning-artifacts";
const BESIDE_A_SECRET = {
  ...Object.fromEntries(Object.entries(PAWPATH).map(([path, file]) => [`shop/${path}`, file])),
  "secret.md": "# Secret\n",
};
const doc = (path: string) => `/?doc=${encodeURIComponent(path)}`;

Deno.test("documents have pages, and nothing outside of them has [pages:documents]", () =>
  withTree(BESIDE_A_SECRET, async (dir) => {
    await using program = await startHttp(["--project", `${dir}/shop`, "--pack", "none"]);
    // The overview shows the latest documents.
    const soon = new Date(Date.now() + 1_000);
    await Deno.utime(`${dir}/shop/${PLANS}/prd.md`, soon, soon);
    const page = (path: string) => readPage(program, path);
    await checkTexts(program, {
      "/": /What now\? .*Progress .*Documents .*Pawpath requirements approved /,
      "/documents": /Requirements Pawpath requirements approved [\d-]+ \S+prd\.md .*Epics .*Stories /,
      [`${doc(`${PLANS}/prd.md`)}&raw=1`]: /## Goals/,
    });
    assert.doesNotMatch((await page("/documents")).html, /<script>|<b>x|Secret/);
    const prd = await page(doc(`${PLANS}/prd.md`));
    assert.match(
      prd.html,
      /<summary>Contents<\/summary>.*href="#line-\d+">Goals<[^]*<h3 id="line-\d+">Goals/,
    );
    assert.match(
      prd.text,
      /Documents \/ Requirements Pawpath requirements Status approved Changed [\d-]{10} File \S+prd\.md 629 bytes/,
    );
    assert.match(prd.text, /All documents Pawpath UX →/);
    const story = await page(doc("_bmad-output/implementation-artifacts/1-2-book-a-walk.md"));
    assert.match(story.html, /<dt>Stories<\/dt><dd><p><a href="\/board\?story=1-2">1-2 Book a walk/);
    assert.match(story.text, /← .* All documents .* →/);
    assert.doesNotMatch((await page(doc(`${PLANS}/keys.md`))).text, /hunter2/);
    for (const path of ["_bmad/bmm/config.yaml", "../secret.md", `${PLANS}/out.md`]) {
      const { status, text } = await page(doc(path));
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /Secret|output_folder/);
    }
    const connect = await page("/connect");
    assert.ok(connect.text.includes(`"url": "${program.url}/mcp"`), connect.text);
    const entry = await runCli(["install", "--print", "--project", `${dir}/shop`]);
    assert.ok(connect.text.includes(entry.stdout.replaceAll(/\s+/g, " ").trim()), entry.stdout);
  }));

treeTest("memories have a list by types and words, and a page each [pages:memory]", PAWPATH, async (dir) => {
  const env = { XDG_STATE_HOME: `${dir}/state` };
  const remember = (type: string, text: string) =>
    runCli(["memory", "remember", "--type", type, text, "--project", dir], { env });
  await remember("decisions", "Positions are kept for a day, <b>no longer</b>");
  await remember("failures", "The map was blank");
  await using program = await startHttp(["--project", dir, "--pack", "none", "--toolsets", "all"], { env });
  await checkTexts(program, {
    "/": /Decisions and memories The map was blank Failure · user/,
    "/memory":
      /Memory 2 .* All 2 Decisions 1 Failures 1 The map was blank Failure · user · \S+ Positions are kept for a day, <b>no longer<\/b> Decision/,
    "/memory?type=decisions": /Memory 1 (?!.*map was blank)/,
    "/memory?find=MAP+blanks": /with “MAP blanks”.* The map was blank/,
    "/memory?find=invoice+totals": /No memory has all of these words/,
  });
  await checkTexts(program, { "/memory?id=none": /Not found/ }, 404);
  const { html } = await readPage(program, "/memory");
  assert.equal(new Set(html.match(/ id="[^"]+"/g)).size, html.match(/ id="/g)!.length);
  const decisions = await readPage(program, "/memory?type=decisions");
  const [, one] = /href="(\/memory\?[^"]*id=[^"]*)"/.exec(decisions.html)!;
  const { text } = await readPage(program, one!.replaceAll("&#38;", "&"));
  assert.match(text, /Memory \/ Decisions Decision Positions are kept for a day, <b>no longer/);
  assert.match(text, /When [\d-]+ [\d:]+ From user in \S+ Id \S+ All memories/);
});

Deno.test("an unknown path has a page for people, a sentence for programs [pages:missing]", () =>
  withServer(PAWPATH, ["--pack", "none"], async (program) => {
    const { status, headers, html, text } = await readPage(program, "/borad", { accept: "text/html,*/*" });
    assert.deepEqual([status, headers.get("content-type")], [404, "text/html; charset=utf-8"]);
    assert.match(text, /Not found Nothing at \/borad\..* Overview · Board · Documents .*Connect/);
    assert.match(html, /<input type="search" name="q" placeholder="Stories, documents/);
    await checkTexts(program, { "/borad": /"Nothing at \/borad: the MCP endpoint is \/mcp/ }, 404);
  }));

const SPRINT = {
  "_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  1-2-b: review\n  1-3-c: <b>odd</b>\n",
  "_bmad-output/implementation-artifacts/1-2-b.md":
    "---\nstatus: in-progress\nowner: Ann\n---\n# Story 1.2: Pay <i>now</i>\n\n## Tasks\n- [x] a\n- [ ] b\n",
};

Deno.test("the board shows states, owners, boxes and drift [pages:board]", () =>
  withServer(SPRINT, [], async (program) => {
    const { status, html, text } = await readPage(program, "/board");
    assert.equal(status, 200);
    assert.match(text, /Board 1 of 3 stories are done\. 1 blocked 1 review 1 done/);
    assert.match(text, /In progress 1 1-3 ⋯ C <b>odd<\/b>/);
    assert.match(text, /Review 1 1-2 ⋯ Pay <i>now<\/i> drift .*1\/2 boxes ticked Ann /);
    assert.match(
      text,
      /Problems \d+ drift story 1-2: it says "in-progress", but .* \S+:2 .*bmad-mcp reconcile/,
    );
    assert.doesNotMatch(html, /<b>odd|<i>now/);
    const [, cards = ""] = /class="lanes"([^]*)class="fold/.exec(html) ?? [];
    assert.doesNotMatch(cards, /_bmad-output/);
    const [, address = ""] = /<a class="title" href="([^"]+)" draggable="false">Pay/.exec(html) ?? [];
    await checkTexts(program, {
      [address.replaceAll("&amp;", "&")]: /Pay <i>now<\/i> 1-2 Review/,
      "/": /What now\? Review “Pay <i>now<\/i>” .* 1 of 3 stories are done\. .*Open the board/,
    });
  }));

Deno.test("pages highlight one of five links; old addresses work [pages:navigation]", () =>
  withServer(SPRINT, [], async (program) => {
    const current = async (path: string) => {
      const { status, html } = await readPage(program, path);
      assert.equal(status, 200, path);
      const [, tabs = ""] = /<nav class="tabs"[^>]*>([^]*?)<\/nav>/.exec(html) ?? [];
      assert.equal(textOf(tabs).trim().replaceAll(/ +/g, " "), "Overview Board Documents Library Connect");
      return [...tabs.matchAll(/aria-current="\w+">(\w+)</g)].map(([, word]) => word).join();
    };
    const pages = {
      Overview: ["/"],
      Board: ["/board", "/board?story=1-2", "/board?story=epic%201", "/trace", "/review?story=1-2"],
      Documents: ["/documents", "/?doc=_bmad-output/implementation-artifacts/1-2-b.md", "/?page=documents"],
      Library: ["/library", "/about", "/?list=agents", "/?list=templates", "/?list=doctor"],
      Connect: ["/connect", "/api"],
    };
    for (const [section, paths] of Object.entries(pages)) {
      for (const path of paths) assert.equal(await current(path), section, path);
    }
    assert.equal(await current("/?show=bmad-agent-pm"), "Library");
    assert.equal(await current("/?q=prd"), "", "what a search finds is of all of them");
  }));

Deno.test("without a project, the first page leads to the library and to Connect [pages:home]", async () => {
  await using program = await startHttp([], { cwd: "/" });
  const { html, status, text } = await readPage(program, "/");
  assert.equal(status, 200);
  assert.match(text, /No project .*--project\. Library .* Connect /);
  assert.match(html, /href="\/library"[^]*href="\/connect"/);
  assert.doesNotMatch(html, /href="\/board"/);
});

Deno.test("an agent's page has its persona, menu and text [pages:people]", () =>
  withServer(PAWPATH, [], async (program) => {
    const { html, text } = await readPage(program, "/?show=bmad-agent-analyst");
    assert.match(text, /🐕 Mary, Business Analyst bmm\/bmad-agent-analyst .*customized/u);
    assert.match(text, /Say in your client Talk to Mary about this project\. Copy/);
    assert.match(text, /Principles Dogs come first\. customized/);
    assert.match(html, /<details class="card text"><summary>Text of its file<\/summary>/);
    assert.match(text, /Menu Code What it does BP Brainstorm bmad-ideas MR Market Prompt Ask <b>all<\/b>/);
    assert.match(html, /<a href="\/\?show=bmad-ideas"><span class="path">bmad-ideas</);
    assert.match(html, /<details><summary class="quiet">Prompt<\/summary>/);
    const people = await readPage(program, "/?list=agents");
    assert.match(people.html, /<span aria-hidden="true">🐕<\/span> <a [^>]*>Mary, Business Analyst<\/a>/u);
    assert.match(
      people.text,
      /bmm\/bmad-agent-analyst project customized Say Talk to Mary about this project\./,
    );
    const script = await fetch(`${program.url}/pages.js`);
    assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.match(await script.text(), /data-copy/);
  }));
