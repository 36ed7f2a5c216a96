/**
 * Can people work on the board in a real browser, with a pointer, with keys alone, on a phone, and two at once?
 *
 * Run by `deno task test:browser`, because a browser takes long.
 */
import assert from "node:assert/strict";
import { DEMO } from "../../docs/demo.ts";
import { withServer } from "../support/http.ts";
import { until } from "../support/waiting.ts";
import { axeSource, CONTRASTS, SERIOUS } from "./measures.ts";
import { hasBrowser, isBrowserRun, type Screen, startBrowser, type Tab } from "./chromium.ts";

const DESK: Screen = { width: 1_200, height: 900, dark: false };

const OUT = "_bmad-output/implementation-artifacts";
const CONFIG = "output_folder: _bmad-output\nplanning_artifacts: _bmad-output/planning-artifacts\n" +
  "implementation_artifacts: _bmad-output/implementation-artifacts\n";
const SHOP = { ...DEMO, "_bmad/bmm/config.yaml": CONFIG };

/** With something for every action. */
const ACTED = {
  ...SHOP,
  [`${OUT}/open-questions.md`]: "- **Q3** Which fee?\n  - Story: 1-3\n  - A: None\n  - B: Half\n",
  [`${OUT}/1-2-book-a-walk.md`]: `${DEMO[`${OUT}/1-2-book-a-walk.md`]}
## Senior Developer Review (AI)

### Review Findings

- [ ] [Review][Patch] [high] A walk is booked twice [src/book.ts:4]
- [ ] [Review][Patch] [low] A typo [src/book.ts:40]
`,
};

function personAt(tab: Tab) {
  const text = (selector: string) =>
    tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`) as Promise<string>;
  const isShown = (selector: string) =>
    tab.evaluate(
      `!!document.querySelector(${JSON.stringify(selector)})?.checkVisibility()`,
    ) as Promise<boolean>;
  const card = (ref: string) => `.story[data-ref="${ref}"]`;
  const column = (state: string) => `.column[data-state="${state}"]`;
  const isIn = (ref: string, state: string) =>
    until(
      `${ref} is in ${state}`,
      () => tab.evaluate(`!!document.querySelector('${column(state)} ${card(ref)}:not([aria-busy])')`),
      () => text("#board"),
    );
  return {
    text,
    isShown,
    card,
    column,
    isIn,
    choose: async (ref: string, words: string) => {
      await tab.click(`${card(ref)} .more`);
      const at = await tab.evaluate(
        `[...document.querySelectorAll("#menu > *")].findIndex((one) => one.innerText === ${
          JSON.stringify(words)
        })`,
      );
      assert.ok(at >= 0, `no “${words}” in ${await text("#menu")}`);
      await tab.click(`#menu > :nth-child(${at + 1})`);
    },
    focus: (ref: string) => tab.evaluate(`document.querySelector('${card(ref)} .title').focus()`),
    shown: (selector: string) => until(`${selector} is shown`, () => isShown(selector)),
    gone: (selector: string) => until(`${selector} is gone`, async () => !await isShown(selector)),
    told: (words: RegExp) =>
      until(`told ${words}`, async () => words.test(await text("#toast")), () => text("#toast")),
  };
}

Deno.test({
  name:
    "cards move by pointer, keys and menu; refusal, force, claim, release, undo, filters, two browsers [board:browser]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withServer(SHOP, ["--pack", "none"], async (program, dir) => {
      await using browser = await startBrowser();
      await using second = await startBrowser();
      const [tab, other] = [await browser.newTab({ scripts: true }), await second.newTab({ scripts: true })];
      const [one, two] = [personAt(tab), personAt(other)];
      const wide: Screen = { width: 1_280, height: 900, dark: false };
      for (const each of [tab, other]) {
        await each.open(`${program.url}/board`, wide);
        await until(
          "it follows the board",
          async () =>
            await each.evaluate(`document.querySelector("#live").innerText`) === "Updates by itself.",
        );
      }
      const ledger = () => Deno.readTextFileSync(`${dir}/${OUT}/sprint-status.yaml`);

      // By pointer; the name is asked for once.
      await tab.drag(one.card("2-1"), one.column("in-progress"));
      await one.shown("#who");
      await tab.click("#who input");
      await tab.type("Ann");
      await tab.press("Enter");
      await one.isIn("2-1", "in-progress");
      await one.told(/^Moved 2-1 to In progress\. Ann holds it until .* 1-3 is in progress, too\.\s+Undo$/);
      assert.match(ledger(), /2-1-\S+ in-progress/);
      // The other browser sees it by itself.
      await two.isIn("2-1", "in-progress");
      await until("who holds it", async () => /Ann/.test(await two.text(two.card("2-1"))));

      await tab.click("#undo");
      await one.isIn("2-1", "ready");
      await two.isIn("2-1", "ready");
      await until("nobody holds it", async () => !/Ann/.test(await two.text(two.card("2-1"))));
      assert.match(ledger(), /2-1-\S+ ready-for-dev/);

      // By keys: arrows go over the board, with Shift they move the card, which keeps the focus.
      await one.focus("2-2");
      await tab.press("ArrowRight");
      assert.equal(await tab.evaluate(`document.activeElement.closest("li").dataset.ref`), "2-1");
      await tab.press("ArrowLeft");
      await tab.press("ArrowDown");
      assert.equal(await tab.evaluate(`document.activeElement.closest("li").dataset.ref`), "2-3");
      await tab.press("Shift+ArrowRight");
      await one.isIn("2-3", "ready");
      await two.isIn("2-3", "ready");
      assert.equal(await tab.evaluate(`document.activeElement.closest("li").dataset.ref`), "2-3");

      // By menu, with keys alone.
      await tab.evaluate(`document.querySelector('${one.card("2-2")} .more').focus()`);
      await tab.press("Enter");
      await one.shown("#menu");
      await tab.press("ArrowDown");
      await tab.press("Escape");
      await one.gone("#menu");
      assert.equal(await tab.evaluate("document.activeElement.className"), "more");
      await tab.press("Enter");
      await tab.press("Enter");
      await one.isIn("2-2", "ready");

      // A refusal has the check's list; the card goes back. Forcing is a second step, with a reason.
      await one.choose("1-3", "Move to Done");
      await one.shown("#refusal");
      assert.match(await one.text("#refusal"), /^Cannot mark 1-3\S* as done/);
      assert.match(await one.text("#refusal-list"), /2 of 3 boxes[^]*Fix: Finish the work/);
      assert.equal(await one.isShown("#refusal-force"), false);
      await tab.press("Escape");
      await one.isIn("1-3", "in-progress");
      await one.choose("1-3", "Move to Done");
      await one.shown("#refusal");
      await tab.click("#refusal-more");
      await tab.click("#refusal-force");
      assert.ok(await one.isShown("#refusal"), "no force without a reason");
      await tab.type("The rest is dropped");
      await tab.click("#refusal-force");
      await one.isIn("1-3", "done");
      await two.isIn("1-3", "done");
      assert.match(
        Deno.readTextFileSync(`${dir}/_bmad-output/.bmad-work/forced.jsonl`),
        /reason given: The rest is dropped/,
      );

      // Claim and release; whoever holds it is asked for by name.
      await one.choose("1-2", "Claim");
      await one.told(/^Ann holds 1-2-book-a-walk until/);
      await until("Ann holds it", async () => /Ann/.test(await two.text(two.card("1-2"))));
      await other.evaluate(`localStorage.setItem("bmad-mcp name", "Bob")`);
      await two.choose("1-2", "Release");
      await two.shown("#refusal");
      assert.match(await two.text("#refusal-why"), /^Ann holds it until/);
      await other.press("Escape");
      await one.choose("1-2", "Release");
      await one.told(/^Ann no longer holds 1-2/);

      // What another has changed since is not undone.
      await one.choose("2-1", "Move to In progress");
      await one.told(/^Moved 2-1/);
      Deno.writeTextFileSync(
        `${dir}/${OUT}/sprint-status.yaml`,
        ledger().replace(/(2-1-\S+) in-progress/, "$1 review"),
      );
      await tab.click("#undo");
      await one.shown("#refusal");
      assert.match(await one.text("#refusal-why"), /^It is review by now: somebody was faster\.$/);
      await tab.press("Escape");
      await one.isIn("2-1", "review");

      // Filters are in the address, and hold while the board changes.
      await tab.click("#filters [name=words]");
      await tab.type("walk map");
      const seen = () =>
        tab.evaluate(`[...document.querySelectorAll(".story:not([hidden])")].map((one) => one.dataset.ref)`);
      assert.deepEqual(await seen(), ["2-1"]);
      assert.match(await one.text(one.column("review")), /^Review\s+1 of 2/);
      await two.choose("2-2", "Move to In progress");
      await one.isIn("2-2", "in-progress");
      assert.deepEqual(await seen(), ["2-1"]);
      assert.equal(
        await tab.evaluate("document.activeElement.name + document.activeElement.value"),
        "wordswalk map",
      );
      assert.equal(await tab.evaluate("location.search"), "?words=walk+map");
      await tab.click("#clear");
      await tab.evaluate(`(() => { const list = document.querySelector("[name=holder]");
        list.value = "=Bob"; list.dispatchEvent(new Event("input", { bubbles: true })); })()`);
      assert.deepEqual(await seen(), ["2-2"]);
      await tab.open(await tab.evaluate("location.href"), wide);
      assert.deepEqual(await seen(), ["2-2"]);
      for (const each of [tab, other]) assert.deepEqual(each.complaints, []);
    }),
});

Deno.test({
  name: "menus and dialogs can be read and used on a phone and a desk, by day and by night [board:browser]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withServer(SHOP, ["--pack", "none"], async (program) => {
      await using browser = await startBrowser();
      const tab = await browser.newTab({ scripts: true });
      const person = personAt(tab);
      const source = await axeSource();
      await tab.open(`${program.url}/board`, DESK);
      await tab.evaluate(`localStorage.setItem("bmad-mcp name", "Ann")`);
      for (const [width, mobile] of [[390, true], [1_280, false]] as const) {
        for (const dark of [false, true]) {
          const where = `${width} ${dark ? "dark" : "light"}`;
          await tab.open(`${program.url}/board`, { width, height: 850, dark, mobile });
          await tab.evaluate(`${source}; true`);
          const examine = async (what: string) => {
            assert.deepEqual(await tab.evaluate(SERIOUS), [], `${where} ${what}`);
            const over = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert.ok(over <= 0, `${where} ${what} is ${over} pixels too wide`);
          };
          await examine("board");
          assert.deepEqual(await tab.evaluate(CONTRASTS), [], where);
          // A list on a phone, columns on a desk.
          const tops = await tab.evaluate(
            `new Set([...document.querySelectorAll(".column")].map((one) => one.getBoundingClientRect().top)).size`,
          );
          assert.equal(tops, mobile ? 5 : 1, where);
          await tab.click(`${person.card("1-3")} .more`);
          await examine("menu");
          await tab.press("Escape");
          await person.choose("1-3", "Move to Done");
          await person.shown("#refusal");
          await examine("refusal");
          await tab.click("#refusal-more");
          await examine("force");
          await tab.press("Escape");
          await person.isIn("1-3", "in-progress");
        }
      }
      assert.deepEqual(tab.complaints, []);
    }),
});

Deno.test({
  name: "a story is worked on from its page, by pointer and by keys, and two see the same [pages:act]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withServer(
      ACTED,
      ["--pack", "none"],
      async (program, dir) => {
        await using browser = await startBrowser();
        await using second = await startBrowser();
        const [tab, other] = [
          await browser.newTab({ scripts: true }),
          await second.newTab({ scripts: true }),
        ];
        const [one, two] = [personAt(tab), personAt(other)];
        const source = await axeSource();
        for (const each of [tab, other]) {
          await each.open(`${program.url}/board?story=1-3`, DESK);
          await until(
            "it follows the board",
            async () =>
              await each.evaluate(`document.querySelector("#live").innerText`) === "Updates by itself.",
          );
        }
        const ledger = () => Deno.readTextFileSync(`${dir}/${OUT}/sprint-status.yaml`);
        const stateIs = (person: typeof one, state: string) =>
          until(`it is ${state}`, () => person.isShown(`#to-${state}[aria-pressed=true]`));

        // By pointer: the name is asked for once, and the rules are those of the board.
        await tab.click("#hold-it");
        await one.shown("#who");
        await tab.click("#who input");
        await tab.type("Ann");
        await tab.press("Enter");
        await one.shown("#refusal");
        assert.match(await one.text("#refusal-why"), /^It waits for the answer to question 3\.$/);
        await tab.press("Escape");

        // The check's answer comes first; the page stays as it is.
        await tab.click("#to-done");
        await one.shown("#refusal");
        assert.match(await one.text("#refusal-list"), /2 of 3 boxes[^]*question 3 is open/);
        await tab.evaluate(`${source}; true`);
        assert.deepEqual(await tab.evaluate(SERIOUS), []);
        await tab.press("Escape");
        await stateIs(one, "in-progress");

        // By keys: what has the focus keeps it while the page is drawn again.
        await tab.evaluate(`document.querySelector("#to-review").focus()`);
        await tab.press("Enter");
        await stateIs(one, "review");
        await stateIs(two, "review");
        assert.equal(await tab.evaluate("document.activeElement.id"), "to-review");
        assert.match(ledger(), /1-3-\S+ review/);
        await tab.click("#undo");
        await stateIs(two, "in-progress");

        // What somebody types stays while another acts.
        await tab.click("#question-3-text");
        await tab.type("A quarter");
        await other.evaluate(`localStorage.setItem("bmad-mcp name", "Bob")`);
        await other.click("#to-review");
        await stateIs(one, "review");
        assert.equal(
          await tab.evaluate("document.activeElement.id + document.activeElement.value"),
          "question-3-textA quarter",
        );
        await tab.press("Enter");
        await one.told(/^Question 3 is answered: A quarter/);
        await until("it no longer waits", async () => !await two.isShown("#question-3"));

        // Claimed, taken back, claimed.
        await tab.click("#hold-it");
        await one.told(/^Ann holds 1-3-cancel-a-booking until [^]*Undo$/);
        await until("the other sees it", async () => /held by Ann/.test(await two.text("#board")));
        await tab.click("#undo");
        await until("nobody holds it", async () => await two.text("#hold-it") === "Claim");
        for (const each of [tab, other]) assert.deepEqual(each.complaints, []);
      },
    ),
});

Deno.test({
  name:
    "work begins in the upper quarter, the header stays in place, and the toast covers no hint [pages:layout]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withServer(SHOP, ["--pack", "none"], async (program) => {
      await using browser = await startBrowser();
      const tab = await browser.newTab({ scripts: true });
      const person = personAt(tab);
      const boxOf = (selector: string) =>
        tab.evaluate(
          `(() => { const { x, y, right, bottom } = document.querySelector(${
            JSON.stringify(selector)
          }).getBoundingClientRect(); return { x, y, right, bottom }; })()`,
        );
      await tab.open(`${program.url}/board`, DESK);
      await tab.evaluate(`localStorage.setItem("bmad-mcp name", "Ann")`);
      for (const [width, height, mobile] of [[1_280, 900, false], [390, 844, true]] as const) {
        const headers = new Set<string>();
        for (const path of ["/board", "/", "/documents", "/board?story=1-3", "/review", "/?q=walk"]) {
          await tab.open(program.url + path, { width, height, dark: false, mobile });
          headers.add(
            JSON.stringify([await boxOf("header"), await boxOf(".brand"), await boxOf("header form")]),
          );
          const end = await tab.evaluate(
            `Math.max(...[...document.querySelectorAll("main *:not(.sr, .told)")].map((one) => one.getBoundingClientRect().right))`,
          );
          assert.ok(end <= width, `${path} is ${end - width} pixels wider than ${width}`);
          if (path === "/board") {
            const [first] = await tab.evaluate(
              `[...document.querySelectorAll(".story")].map((one) => [one.getBoundingClientRect().top, one.dataset.state]).sort(([a], [b]) => a - b)`,
            );
            assert.ok(first[0] <= height / 4, `the first card begins at ${first[0]} of ${height}`);
            if (mobile) assert.equal(first[1], "in-progress");
          }
        }
        assert.equal(headers.size, 1, [...headers].join("\n"));
      }
      await tab.open(`${program.url}/board`, { ...DESK, width: 1_280 });
      await person.choose("2-2", "Move to Ready");
      await person.shown("#toast");
      const [toast, hint, undo] = [await boxOf("#toast"), await boxOf(".keys"), await boxOf("#undo")];
      assert.ok(undo.bottom - undo.y < 48, "one line");
      assert.ok(toast.y >= hint.bottom || toast.x >= hint.right, JSON.stringify({ toast, hint }));
      await tab.press("/");
      assert.equal(await tab.evaluate("document.activeElement.name"), "q");
    }),
});

Deno.test({
  name: "tasks, verdicts and new stories, by pointer and by keys, on a desk and a phone [pages:act]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withServer(
      ACTED,
      ["--pack", "none"],
      async (program, dir) => {
        await using browser = await startBrowser();
        const tab = await browser.newTab({ scripts: true });
        const person = personAt(tab);
        const source = await axeSource();
        const read = (path: string) => Deno.readTextFileSync(`${dir}/${path}`);
        const open = async (path: string, screen = DESK) => {
          await tab.open(`${program.url}${path}`, screen);
          await tab.evaluate(`localStorage.setItem("bmad-mcp name", "Ann"); ${source}; true`);
          assert.deepEqual(await tab.evaluate(SERIOUS), [], path);
        };
        const task = "#task-2-box";
        const isTicked = (is: boolean) =>
          until(`ticked: ${is}`, () => person.isShown(`${task}[aria-checked=${is}]`));
        await open("/board?story=1-3");
        await tab.click(task);
        await isTicked(true);
        assert.match(read(`${OUT}/1-3-cancel-a-booking.md`), /- \[x\] Tell the walker/);
        assert.match(await person.text("main"), /Tasks 2 of 3/);
        await tab.click("#undo");
        await isTicked(false);
        await tab.evaluate(`document.querySelector("${task}").focus()`);
        await tab.press("Enter");
        await isTicked(true);
        assert.equal(await tab.evaluate("document.activeElement.id"), "task-2-box");

        // What is rejected needs a reason; the page says so.
        await open("/review?story=1-2", { width: 390, height: 844, dark: true, mobile: true });
        const form = "form[id^=finding-]";
        await tab.click(`${form} [value=rejected]`);
        await person.shown("#refusal");
        assert.match(await person.text("#refusal"), /Give a reason to reject/);
        await tab.press("Escape");
        await until(
          "the reason has the focus",
          () => tab.evaluate(`document.activeElement.name === "reason"`),
        );
        await tab.click(`${form} input[name=reason]`);
        await tab.type("The caller holds the lock");
        await tab.click(`${form} [value=rejected]`);
        await until(
          "it is settled",
          async () => /Settled[^]*The caller holds the lock/.test(await person.text("main")),
        );
        assert.match(read(`${OUT}/1-2-book-a-walk.md`), /rejected \S+ by Ann: The caller holds the lock/);
        // By keys: the first one is settled, so the other is what the form is about.
        await tab.evaluate(`document.querySelector("${form} input[name=reason]").focus()`);
        await tab.type("Nobody reads it");
        await tab.evaluate(`document.querySelector("${form} [value=deferred]").focus()`);
        await tab.press("Enter");
        await until("both are settled", async () => !await person.isShown(form));

        await open("/board?story=epic-1");
        await tab.click("#new-title");
        await tab.type("Pay by card");
        await tab.press("Enter");
        await until(
          "it is listed",
          async () => /Pay by card\s+1-4\s+Backlog/.test(await person.text("main")),
        );
        const plan = read("_bmad-output/planning-artifacts/epics.md");
        assert.match(plan, /### Story 1\.4: Pay by card\n\n## Epic 2/);
        assert.equal(await tab.evaluate(`document.querySelector("#new-title").value`), "");
      },
    ),
});

interface Action {
  readonly page: string;
  /** Filled or chosen first. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly press: string;
  /** What everybody then sees. */
  readonly shown: string;
  readonly isUndone?: true;
}

const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`;

/** What a page can do, in an order in which each can be done. */
const ACTIONS: Readonly<Record<string, Action>> = {
  status: {
    page: "/board?story=2-1",
    press: "#to-in-progress",
    shown: has("#to-in-progress[aria-pressed=true]"),
    isUndone: true,
  },
  claim: {
    page: "/board?story=2-2",
    press: "#hold-it",
    shown: `/held by Ann/.test(document.querySelector("#board").innerText)`,
    isUndone: true,
  },
  release: {
    page: "/board?story=2-2",
    press: "#hold-it",
    shown: `document.querySelector("#hold-it").innerText === "Claim"`,
    isUndone: true,
  },
  tick: {
    page: "/board?story=1-3",
    press: "#task-2-box",
    shown: has("#task-2-box[aria-checked=true]"),
    isUndone: true,
  },
  answer: {
    page: "/board?story=1-3",
    fields: { "#question-3-0": "" },
    press: "#question-3 button",
    shown: `!(${has("#question-3")})`,
  },
  settle: {
    page: "/review?story=1-2",
    fields: { "form[id^=finding-] input[name=reason]": "The caller holds the lock" },
    press: "form[id^=finding-] [value=rejected]",
    shown: `/rejected[^]*The caller holds the lock/.test(document.querySelector("#board").innerText)`,
  },
  "new story": {
    page: "/board?story=epic-1",
    fields: { "#new-title": "Pay by card" },
    press: "#new-story button",
    shown: `/Pay by card\\s+1-4\\s+Backlog/.test(document.querySelector("#board").innerText)`,
  },
};

Deno.test({
  name: "each action is done and undone by pointer and by keys, and another sees it [pages:act]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: async () => {
    await using browser = await startBrowser();
    await using second = await startBrowser();
    for (const way of ["pointer", "keys"]) {
      await withServer(ACTED, ["--pack", "none"], async (program) => {
        const [tab, other] = [
          await browser.newTab({ scripts: true }),
          await second.newTab({ scripts: true }),
        ];
        const reach = async (selector: string) => {
          for (
            let stops = 0;
            !await tab.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`);
          ) {
            assert.ok(++stops < 60, `${selector} is reached by Tab`);
            await tab.press("Tab");
          }
        };
        const go = way === "keys" ? reach : tab.click;
        const act = async ({ fields = {}, press }: Pick<Action, "fields" | "press">) => {
          for (const [field, text] of Object.entries(fields)) {
            await go(field);
            if (text !== "") await tab.type(text);
            else if (way === "keys") await tab.press("ArrowDown");
          }
          await go(press);
          if (way === "keys") await tab.press("Enter");
        };
        await tab.open(`${program.url}/board`, DESK);
        await tab.evaluate(`localStorage.setItem("bmad-mcp name", "Ann")`);
        for (const [name, action] of Object.entries(ACTIONS)) {
          const seen = async (what: string, is: boolean) => {
            for (const each of [tab, other]) {
              await until(
                `${name} by ${way} is ${what}`,
                async () => await each.evaluate(action.shown) === is,
                () => each.evaluate("document.body.innerText"),
              );
            }
          };
          for (const each of [tab, other]) await each.open(program.url + action.page, DESK);
          await seen("to do", false);
          await act(action);
          await seen("done", true);
          if (!action.isUndone) continue;
          await act({ press: "#undo" });
          await seen("undone", false);
          await act(action);
          await seen("done again", true);
        }
        for (const each of [tab, other]) assert.deepEqual(each.complaints, [], way);
      });
    }
  },
});

Deno.test({
  name: "whoever may only read sees the same pages without handles [pages:act]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withServer(ACTED, ["--pack", "none", "--read-only"], async (program) => {
      await using browser = await startBrowser();
      const tab = await browser.newTab({ scripts: true });
      for (const page of new Set(["/board", ...Object.values(ACTIONS).map(({ page }) => page)])) {
        await tab.open(program.url + page, DESK);
        assert.match(await tab.evaluate(`document.querySelector("#board").innerText`), /walk|booking/i, page);
        const handles =
          ".act, .acts, .more, .keys, dialog, #undo, [draggable=true], #board button:not(#clear)";
        assert.deepEqual(
          await tab.evaluate(`[...document.querySelectorAll("${handles}")].map((one) => one.outerHTML)`),
          [],
          page,
        );
      }
    }),
});
