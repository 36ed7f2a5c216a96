/**
 * Can everybody use the pages? By axe-core, in a real browser, on a phone and on a wide screen, by day and by night.
 *
 * Run by `deno task test:browser`, because a browser takes long.
 */
import assert from "node:assert/strict";
import { DEMO } from "../../docs/demo.ts";
import { startHttp } from "../support/http.ts";
import { withTree } from "../support/trees.ts";
import { axeSource, SERIOUS } from "./measures.ts";
import { hasBrowser, isBrowserRun, SCREENS, startBrowser } from "./chromium.ts";

Deno.test({
  name:
    "axe-core finds nothing serious on any page of a project, on four screens, by day and by night [pages:accessible]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withTree({
      ...Object.fromEntries(Object.entries(DEMO).map(([path, text]) => [`shop/${path}`, text])),
      "shop/.claude/skills/bmad-ours/SKILL.md":
        "---\nname: bmad-ours\ndescription: What we do here\n---\n# Ours\n",
      "shop/_bmad-output/implementation-artifacts/open-questions.md":
        "- **Q3** Which provider?\n  - To: Ann\n  - A: Google\n\n## Answered\n\n- **Q1** Why?\n  - Answer: So\n",
      "shop/_bmad/bmm/agents/architect.md":
        "---\nname: architect\ndescription: Our own architect\n---\n# Ours\n",
    }, async (dir) => {
      await using program = await startHttp(["--project", `${dir}/shop`]);
      await using browser = await startBrowser();
      const tab = await browser.newTab({ scripts: true });
      const source = await axeSource();
      const pages = [
        ..."/ /questions /trace /library /about /api /connect /nothing /?show=bmm/architect".split(" "),
        ...["/board", "/board?story=1-2", "/board?story=1-3", "/board?story=2-3", "/board?story=epic-1"],
        ...["/review", "/review?story=1-2", "/documents", "/?doc=_bmad-output/planning-artifacts/prd.md"],
        ...["agents", "workflows", "resources", "conflicts", "doctor"].map((list) => `/?list=${list}`),
        ...["/?q=walk", "/?q=architect"],
      ];
      for (const path of pages) {
        for (const [kind, screen] of Object.entries(SCREENS)) {
          await tab.open(program.url + path, screen);
          const over = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
          assert.ok(over <= 0, `${path} ${kind} is ${over} pixels too wide`);
          await tab.evaluate(`${source}; true`);
          assert.deepEqual(await tab.evaluate(SERIOUS), [], `${path} ${kind}`);
        }
      }
      // By keyboard, the first stop skips the header.
      await tab.open(`${program.url}/`, SCREENS["desk-light"]!);
      assert.equal(await tab.evaluate(`document.querySelector("a").getAttribute("href")`), "#main");
    }),
});
