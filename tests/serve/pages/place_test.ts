/** Do the pages of a place with several projects lead to each, and show what waits in them? */
import assert from "node:assert/strict";
import { startHttp } from "../../support/http.ts";
import { runGit } from "../../support/git.ts";
import { readPage } from "../../support/pages.ts";
import { withTree } from "../../support/trees.ts";

const OUT = "_bmad-output/implementation-artifacts";

const FILES = {
  "home/": "",
  [`shop/packages/api/${OUT}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-login: done\n  1-2-pay: ready-for-dev\n",
  [`shop/packages/api/${OUT}/1-2-pay.md`]: "# Story 1.2: Pay\n\nStatus: ready-for-dev\n",
  [`shop/packages/api/${OUT}/open-questions.md`]:
    "# Open questions\n\n## Q1 Which currency?\n\n- asked: 2026-01-01 10:00 UTC by Ann\n",
  [`shop/packages/web/${OUT}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-2-shop: review\n",
};

Deno.test("the pages of a place list its projects, and each page is of one or of all [place:pages]", () =>
  withTree(FILES, async (dir) => {
    runGit(`${dir}/shop`, "init", "--quiet");
    await using program = await startHttp([], {
      cwd: `${dir}/shop`,
      env: { HOME: `${dir}/home` },
    });
    const page = (path: string) => readPage(program, path);
    const overview = await page("/");
    assert.match(overview.text, /packages\/api 1 of 2 stories done Start “Pay”/);
    assert.match(overview.text, /packages\/web 0 of 1 story done Review/);
    assert.match(overview.html, /href="\/\?project=packages%2Fapi"[^]*href="\/\?project=packages%2Fweb"/);
    assert.match((await page("/?project=packages/api")).text, /Start “Pay”.*packages\/web 0 of 1 story done/);
    const board = (await page("/board")).html;
    assert.match(board, /<select name="only">.*packages\/api.*packages\/web<\/option><\/select>/);
    for (const name of ["api", "web"]) assert.match(board, new RegExp(`data-project="packages/${name}"`));
    assert.doesNotMatch(board, /data-acts/, "what may not be changed has no handles");
    assert.doesNotMatch((await page("/board?project=packages/api")).html, /<select name="only">/);
    const found = (await page("/?q=pay")).html;
    assert.match(found, /href="\/board\?project=packages%2Fapi[^"]*story=1-2"/);
    for (const path of ["/questions", "/trace", "/documents", "/review", "/?doc=prd.md"]) {
      assert.match((await page(path)).text, /packages\/api 1 of 2 stories done/, path);
    }
  }));
