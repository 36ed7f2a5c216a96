/** Does the board in a browser change by itself, and stay usable and harmless meanwhile? */
import assert from "node:assert/strict";
import { withServer } from "../support/http.ts";
import { until } from "../support/waiting.ts";
import { type Screen, startBrowser } from "./chromium.ts";
import { CONTRASTS } from "./measures.ts";

const DESK: Screen = { width: 1_200, height: 900, dark: false };

const VISIBLE_MS = 1_000;

const EVIL = `<img src=x onerror=alert(1)><script>alert(2)</script>`;
const LEDGER = "out/sprint-status.yaml";
const ledger = (status: string) =>
  `development_status:\n  epic-1: in-progress\n  1-1-a: ${status}\n  epic-2: backlog\n  2-1-b: backlog\n`;

const PROJECT = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [LEDGER]: ledger("backlog"),
  "out/1-1-a.md": "# Story 1.1: Sign in\n\nStatus: backlog\n",
};

Deno.test("a change on disk is on the page within a second [work:board-notices, pages:board]", () =>
  withServer(PROJECT, ["--pack", "none"], async (program, dir) => {
    await using browser = await startBrowser();
    const tab = await browser.newTab({ scripts: true });
    const text = () => tab.evaluate("document.body.innerText") as Promise<string>;
    await tab.open(`${program.url}/board`, DESK);
    await until("it follows the board", async () => (await text()).includes("Updates by itself."), text);
    await tab.click("#epics summary");
    await tab.evaluate(`document.querySelector("#story-2-1-b .title").focus()`);
    const times: number[] = [];
    const write = async (path: string, content: string, shown: RegExp) => {
      const since = performance.now();
      await Deno.writeTextFile(`${dir}/${path}`, content);
      await until(`${shown} is shown`, async () => shown.test(await text()), text);
      times.push(Math.round(performance.now() - since));
    };
    await write(LEDGER, ledger("in-progress"), /In progress\s+1\s+1-1\s+⋯\s+Sign in/);
    await write("out/1-1-a.md", `# Story 1.1: ${EVIL}\n\nStatus: done\n`, /onerror[^]*\sdrift\s/);
    const claim = { ledger: LEDGER, story: "1-1-a", by: "Ann", until: "2999-01-01T00:00:00Z" };
    await Deno.mkdir(`${dir}/out/.bmad-work`);
    await write("out/.bmad-work/claims.json", JSON.stringify({ claims: [claim] }), /held by\s+Ann/);
    for (let round = 0; round < 10; round++) {
      const [status, title] = round % 2 === 0 ? ["review", "Review"] : ["in-progress", "In progress"];
      await write(LEDGER, ledger(status!), new RegExp(`${title}\\s+1\\s+1-1`));
    }
    assert.ok(Math.max(...times) <= VISIBLE_MS, `from the disk to the page: ${times} ms`);
    const state = await tab.evaluate(`({
        open: [...document.querySelectorAll("details[open]")].map((fold) => fold.id),
        focus: document.activeElement.closest("li")?.id,
        foreign: document.querySelectorAll("#board img, #board script").length,
        told: document.querySelector("#live").textContent,
      })`);
    const { told, ...kept } = state;
    assert.deepEqual(kept, { open: ["epics"], focus: "story-2-1-b", foreign: 0 });
    assert.match(told, /^Updated at /);
    assert.deepEqual(await tab.evaluate(CONTRASTS), []);
    assert.deepEqual(tab.complaints, []);
  }));

Deno.test("without a script the board is the same page [pages:board]", () =>
  withServer(PROJECT, ["--pack", "none"], async (program) => {
    await using browser = await startBrowser();
    const tab = await browser.newTab();
    await tab.open(`${program.url}/board`, DESK);
    const text: string = await tab.evaluate("document.body.innerText");
    assert.match(text, /Backlog\s+2\s+1-1\s+Sign in/);
    assert.doesNotMatch(text, /by itself/);
    assert.deepEqual(tab.complaints, []);
  }));
