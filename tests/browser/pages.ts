/**
 * Are the pages right in a real browser: on a phone and on a wide screen, by day and by night, without a script?
 *
 * Run by `deno task test:browser`, which leaves pictures to look at. Every page that a link leads to is opened, over
 * content whose names try to be more than text.
 */
import assert from "node:assert/strict";
import { DEMO } from "../../docs/demo.ts";
import { startHttp, withOwnToken, withServer } from "../support/http.ts";
import { withTree } from "../support/trees.ts";
import { until } from "../support/waiting.ts";
import { axeSource, CONTRASTS, SERIOUS } from "./measures.ts";
import { type Screen, SCREENS, startBrowser, type Tab } from "./chromium.ts";

const DESK = SCREENS["desk-light"]!;

const QUESTIONS = "_bmad-output/implementation-artifacts/open-questions.md";

const PICTURES = Deno.env.get("PICTURES") ?? await Deno.makeTempDir({ prefix: "bmad-mcp-pictures-" });

await Deno.mkdir(PICTURES, { recursive: true });

const EVIL = [
  `<img src=x onerror=alert(1)>`,
  `"><script>alert(2)</script>`,
  `javascript:alert(3)`,
  `' onmouseover='alert(4)`,
  `\u202egnp.exe`,
  `</pre></style><h1>Taken</h1>`,
  `&lt;b&gt;`,
];

const skill = (id: string, text: string) =>
  `---\nname: ${id}\ndescription: ${JSON.stringify(text)}\n---\n# ${text}\n\nSee \`references/${
    text.slice(0, 5)
  }.md\`.\n`;

const HOSTILE = {
  ...Object.fromEntries(
    EVIL.map((text, at) => [`evil <b>"x"/.claude/skills/bmad-e${at}/SKILL.md`, skill(`bmad-e${at}`, text)]),
  ),
  [`evil <b>"x"/.claude/skills/bmad-e0/references/<u>'"&.md`]: EVIL.join("\n"),
  [`evil <b>"x"/_bmad/bmm/agents/evil.md`]: `---\nname: "<svg onload=alert(5)>"\ndescription: "${
    "wide".repeat(80)
  }"\n---\n# Evil\n`,
  [`extra/_bmad/bmm/agents/evil.md`]: `---\nname: evil\ndescription: Another\n---\n# Other\n`,
  [`evil <b>"x"/_bmad/bmm/agents/broken.md`]: "---\nname: [\n---\n",
  "other/.claude/skills/bmad-beta/SKILL.md": skill("bmad-beta", "Second project"),
};

async function examine(tab: Tab, base: string, where: string): Promise<void> {
  assert.deepEqual(tab.complaints, [], where);
  assert.deepEqual(
    tab.requests.filter((url) => !url.startsWith(base) && !url.startsWith("data:")),
    [],
    where,
  );
  const { over, foreign, links, wide } = await tab.evaluate(`({
    over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    wide: [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
      .map((e) => e.tagName + " " + e.textContent.slice(0, 40)).slice(0, 3),
    foreign: [...document.querySelectorAll("script, img, svg:not(.bar), iframe, object, u, b > b, h1 ~ h1, [onerror], [onload], [onmouseover], [style]")]
      .map((e) => e.outerHTML),
    links: [...document.querySelectorAll("a")].map((a) => a.getAttribute("href")),
  })`);
  const own = [
    '<script src="/board.js" defer=""></script>',
    '<script type="module" src="/pages.js"></script>',
  ];
  const strange = foreign.filter((html: string) => !own.includes(html));
  assert.ok(over <= 0, `${where} is ${over} pixels too wide: ${wide.join("; ")}`);
  assert.deepEqual(strange, [], where);
  assert.deepEqual(links.filter((link: string) => !/^(?:\/(?!\/)[\w/.]*(?:\?|$)|#)/.test(link)), [], where);
  const faint = await tab.evaluate(CONTRASTS);
  assert.deepEqual(faint, [], `${where}: text that can hardly be read`);
}

Deno.test("hostile content stays text on every page, on every screen [transport:http-page]", () =>
  withTree(HOSTILE, async (dir) => {
    const args = ["--project", `${dir}/evil <b>"x"`, "--project", `${dir}/other`, "--path", `${dir}/extra`];
    await using program = await startHttp([...args, "--pack", "none"]);
    await using browser = await startBrowser();
    for (const [name, screen] of Object.entries(SCREENS)) {
      const tab = await browser.newTab();
      const seen = new Set([
        "/",
        "/?list=nothing",
        "/?show=nobody",
        "/?uri=bmad://no/where",
        `/?q=${encodeURIComponent(EVIL[1]!)}`,
      ]);
      for (const path of seen) {
        // A page that is not there is answered as such, which the browser calls an error.
        const before = tab.complaints.length;
        await tab.open(program.url + path, screen);
        const isMissing = /nothing|nobody|where/.test(path);
        if (isMissing) (tab.complaints as string[]).splice(before, 1);
        await examine(tab, program.url, `${name} ${path}`);
        const links: readonly string[] = await tab.evaluate(
          `[...document.querySelectorAll("a")].map((a) => a.getAttribute("href"))`,
        );
        const pages = links.filter((link) => !/^(?:#|\/api\/)/.test(link));
        for (const link of pages) if (seen.size < 80) seen.add(link);
      }
      assert.ok(seen.size > 40, `only ${seen.size} pages were found`);
      const text: string = await openText(tab, program.url + "/?list=skills", screen);
      for (const evil of EVIL) assert.ok(text.includes(evil.replace("\u202e", "\ufffd")), evil);
    }
  }));

async function openText(tab: Tab, url: string, screen: Screen): Promise<string> {
  await tab.open(url, screen);
  return await tab.evaluate("document.body.innerText");
}

Deno.test("embedded content can be read without a script [transport:http-page]", () =>
  withTree({
    "shop/_bmad/bmm/agents/architect.md":
      "---\nname: architect\ndescription: Our own architect\n---\n# Ours\n",
    "shop/.claude/skills/bmad-ours/SKILL.md": skill("bmad-ours", "What we do here"),
    "team/_bmad/bmm/agents/architect.md": "---\nname: architect\ndescription: The team's\n---\n# Team\n",
    "second/.claude/skills/bmad-beta/SKILL.md": skill("bmad-beta", "Second project"),
  }, async (dir) => {
    const args = ["--project", `${dir}/shop`, "--project", `${dir}/second`, "--path", `${dir}/team`];
    await using program = await startHttp(args);
    await using browser = await startBrowser();
    const tab = await browser.newTab();
    const heading = () => tab.evaluate(`document.querySelector("h1").innerText`);

    await tab.open(`${program.url}/`, DESK);
    await tab.click("header input[type=search]");
    await tab.type("brainstorm");
    await tab.click("header button", { leads: true });
    assert.match(await heading(), /^“brainstorm” \d+$/);
    await tab.click('main a[href*="show="]', { leads: true });
    assert.match(await heading(), /brainstorm/i);
    await tab.click('dl a[href*="uri="]', { leads: true });
    assert.match(await tab.evaluate("location.search"), /uri=bmad/);
    assert.ok((await tab.evaluate(`document.querySelector("pre").innerText`)).length > 100);
    await tab.click(".crumbs a:last-child", { leads: true });
    assert.match(await heading(), /^Files \d+$/);
    await tab.click("main input[type=search]");
    await tab.type("skill");
    await tab.click("main button", { leads: true });
    assert.match(await tab.evaluate("location.search"), /find=skill/);

    await tab.open(`${program.url}/?show=bmm/architect`, DESK);
    const chain: string = await tab.evaluate(`document.querySelector(".chain").innerText`);
    assert.match(
      chain,
      /project\s+used\s+priority 1[^]*cli\s+overridden\s+priority 2[^]*priority 2 comes after 1; 1 file differs/,
    );
    await tab.click(".chain a", { leads: true });
    await tab.click("details.text summary");
    assert.match(await tab.evaluate(`document.querySelector("pre").innerText`), /The team's/);

    await tab.click(".projects a:last-child", { leads: true });
    assert.equal(await heading(), "second");
    await tab.click('.tabs a[href^="/library"]', { leads: true });
    await tab.click('.within a[href*="list=skills"]', { leads: true });
    assert.match(await tab.evaluate("document.body.innerText"), /bmad-beta/);

    const pages = {
      overview: "/",
      library: "/library",
      about: "/about",
      api: "/api",
      connect: "/connect",
      list: "/?list=workflows",
      agent: "/?show=bmad-agent-pm",
      chain: "/?show=bmm/architect",
      search: "/?q=architecture",
      files: "/?list=resources&under=bmm/",
      file: "/?uri=bmad://bmm/bmad-agent-pm/customize.toml",
      conflicts: "/?list=conflicts",
      diagnostics: "/?list=doctor",
    };
    for (const [name, path] of Object.entries(pages)) {
      for (const [kind, screen] of Object.entries(SCREENS)) {
        await tab.open(program.url + path, screen);
        await examine(tab, program.url, `${name} ${kind}`);
        await Deno.writeFile(`${PICTURES}/${name}-${kind}.png`, await tab.screenshot());
      }
    }
    await Deno.stdout.write(new TextEncoder().encode(`Pictures to look at: ${PICTURES}\n`));
  }));

Deno.test("an address with the token leads to a cookie [transport:http-cookie]", () =>
  withOwnToken([], async (program, token) => {
    await using browser = await startBrowser();
    const tab = await browser.newTab();
    await tab.open(`${program.url}/?token=${token}`, DESK);
    assert.equal(await tab.evaluate("location.href"), `${program.url}/`);
    const [cookie, ...others] = await tab.cookies();
    assert.deepEqual(others, []);
    assert.equal(cookie?.name, `bmad-mcp-${new URL(program.url).port}`);
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
    await tab.click('.tabs a[href="/library"]', { leads: true });
    await tab.click('.within a[href*="list=skills"]', { leads: true });
    assert.equal(await tab.evaluate("location.href"), `${program.url}/?list=skills`);
    assert.match(await tab.evaluate(`document.querySelector("h1").innerText`), /skills/i);
    await examine(tab, program.url, "with a cookie");

    const fresh = await browser.newTab();
    await fresh.open(`${program.url}/?list=agents`, DESK);
    assert.match(await fresh.evaluate(`document.querySelector("h1").innerText`), /agents/i);
    // The token was in the very first request, and is nowhere that stays.
    const kept = [
      ...await tab.history(),
      ...tab.requests.slice(1),
      ...fresh.requests,
      cookie.value,
      await tab.evaluate("document.referrer + document.documentElement.outerHTML"),
    ];
    assert.deepEqual(kept.filter((text) => text.includes(token)), []);
  }));

Deno.test("a person types the token and gets to the page [transport:http-door]", () =>
  withOwnToken([], async (program, token) => {
    await using browser = await startBrowser();
    const source = await axeSource();
    // The browser calls the status of the page itself an error, and nothing else.
    const complaintsOf = ({ complaints }: Tab) => complaints.filter((one) => !/status of 401/.test(one));
    for (const [name, screen] of Object.entries(SCREENS)) {
      const tab = await browser.newTab({ scripts: true });
      await tab.open(`${program.url}/?list=agents&token=wrong`, screen);
      assert.deepEqual(await tab.evaluate(`${source}; true`).then(() => tab.evaluate(SERIOUS)), [], name);
      assert.deepEqual(await tab.evaluate(CONTRASTS), [], name);
      await Deno.writeFile(`${PICTURES}/door-${name}.png`, await tab.screenshot());
      assert.deepEqual(complaintsOf(tab), [], name);
    }
    const tab = await browser.newTab();
    await tab.open(`${program.url}/?list=agents`, DESK);
    const heading = () => tab.evaluate(`document.querySelector("h1").innerText`);
    assert.equal(await heading(), "Enter the token");
    await tab.click("#token");
    await tab.type("wrong");
    await tab.click("main button", { leads: true });
    assert.equal(await heading(), "Enter the token");
    assert.match(await tab.evaluate(`document.querySelector("[role=alert]").innerText`), /not the token/);
    await tab.click("#token");
    await tab.type(token);
    await tab.click("main button", { leads: true });
    assert.equal(await tab.evaluate("location.href"), `${program.url}/?list=agents`);
    assert.match(await heading(), /agents/i);
    assert.deepEqual(complaintsOf(tab), []);
    await tab.open(`${program.url}/connect`, DESK);
    assert.ok((await tab.evaluate(`document.querySelector("details pre").textContent`)).includes(token));
    assert.ok(!(await tab.evaluate("document.body.innerText")).includes(token), "closed at first");
  }));

Deno.test("a button copies a sentence and says so; without a script it is hidden [pages:copy]", () =>
  withServer(DEMO, [], async (program) => {
    await using browser = await startBrowser();
    const tab = await browser.newTab({ scripts: true });
    const button = "button[data-copy]";
    for (const path of ["/", "/board?story=1-3", "/?list=agents", "/?show=bmad-agent-pm"]) {
      await tab.open(program.url + path, DESK);
      assert.equal(await tab.evaluate(`document.querySelector("${button}").checkVisibility()`), true, path);
      await tab.click(button);
      await until(
        "it says that it copied",
        async () =>
          await tab.evaluate(`document.querySelector("[role=status].told").textContent`) === "Copied.",
        () => tab.evaluate("document.body.innerText"),
      );
      assert.match(await tab.evaluate(`document.querySelector("${button}").innerText`), /^Copied$/);
      await examine(tab, program.url, path);
    }
    await tab.open(`${program.url}/`, DESK);
    await tab.evaluate(
      "navigator.clipboard.writeText = (text) => { copied = text; return Promise.resolve(); }; true",
    );
    await tab.click(button);
    assert.match(await tab.evaluate("copied"), /^\w+ story 1-\d with \w+ \(bmad-[\w-]+\)$/);
    // It stays when the page is drawn again.
    await tab.open(`${program.url}/board?story=1-3`, DESK);
    await tab.evaluate(`localStorage.setItem("bmad-mcp name", "Ann")`);
    await tab.click("#task-2-box");
    await until("ticked", () => tab.evaluate(`!!document.querySelector("#task-2-box[aria-checked=true]")`));
    assert.equal(await tab.evaluate(`document.querySelector("${button}").checkVisibility()`), true);
    const still = await browser.newTab();
    await still.open(`${program.url}/`, DESK);
    assert.equal(await still.evaluate(`document.querySelector("${button}").offsetWidth`), 0);
  }));

Deno.test("a person answers a question on its page [work:questions-answered]", () =>
  withTree({
    ...DEMO,
    "_bmad/bmm/config.yaml": "output_folder: _bmad-output\n",
    [QUESTIONS]: "- **Q1** Which provider?\n  - A: Google\n  - B: Apple\n- **Q2** How long?\n- **Q3** Why?\n",
  }, async (dir) => {
    const file = () => Deno.readTextFileSync(`${dir}/${QUESTIONS}`);
    await using program = await startHttp(["--project", dir]);
    await using browser = await startBrowser();
    const tab = await browser.newTab({ scripts: true });
    const form = (number: number) => `#question-${number}`;
    const text = (selector: string): Promise<string> =>
      tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
    const isGone = (number: number) =>
      until(
        `question ${number} is answered`,
        () =>
          tab.evaluate(
            `document.readyState === "complete" && document.querySelector('${form(number)}') === null`,
          ),
        () => text("main"),
      );
    await tab.open(`${program.url}/questions`, DESK);
    assert.match(await text("main"), /\s3 open questions/);
    assert.doesNotMatch(await text("main"), /Answered|Your name/);

    await tab.click(`${form(1)} label:nth-of-type(2) input`);
    await tab.click(`${form(1)} button`);
    // The name is asked for once.
    await until("who acts", () => tab.evaluate(`document.querySelector("#who").open`));
    await tab.type("Ann");
    await tab.press("Enter");
    await isGone(1);
    assert.match(await text("main"), /2 open questions[^]*Answered\s+Which provider\?[^]*Apple\s+by Ann/);
    assert.match(file(), /Answer: Apple/);
    await tab.click(`${form(2)} [name=text]`);
    await tab.type("A day");
    await tab.press("Enter");
    await isGone(2);
    assert.match(await text("main"), /Answered[^]*How long\?[^]*A day\s+by Ann/);

    // Somebody was faster: the page shows it by itself.
    const before = file();
    Deno.writeTextFileSync(`${dir}/${QUESTIONS}`, before.replace("Why?\n", "Why?\n  - Answer: So\n"));
    assert.notEqual(file(), before);
    await isGone(3);
    await examine(tab, program.url, "questions");

    // Without a script, the form is sent as it is.
    const still = await browser.newTab();
    Deno.writeTextFileSync(`${dir}/${QUESTIONS}`, "- **Q4** Which?\n  - A: One\n  - B: Two\n");
    await still.open(`${program.url}/questions`, DESK);
    await still.click(`${form(4)} label:nth-of-type(2) input`);
    await still.click(`${form(4)} [name=by]`);
    await still.type("Bob");
    await still.click(`${form(4)} button`, { leads: true });
    assert.match(
      await still.evaluate(`document.querySelector("main").innerText`),
      /Answered\s+Which\?[^]*Two\s+by Bob/,
    );
  }));
