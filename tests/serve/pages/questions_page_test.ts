/** Does the page of questions show what people have to decide, and have decided? */
import assert from "node:assert/strict";
import { startHttp } from "../../support/http.ts";
import { readPage } from "../../support/pages.ts";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";
import { BMM } from "../../support/bmm_project.ts";

const LIST = `# Open questions

- **Q3** Which <b>provider</b>?
  - Story: 1-1-login
  - To: Ann
  - A: Google
  - Asked: 2026-11-18 by dev
- **Q4** Is it ghp_0123456789abcdefghijABCDEFGHIJ012345?

## Answered

- **Q1** Why?
  - Answer: <i>Because</i>
  - Answered: 2026-11-19 by Eve
`;
const PROJECT = {
  ...BMM,
  "out/impl/sprint-status.yaml": "development_status:\n  1-1-login: in-progress\n",
  "out/impl/open-questions.md": LIST,
};

Deno.test("the page lists questions and answers, escaped and without secrets [work:questions-shown]", () =>
  withTree(PROJECT, async (dir) => {
    const args = ["--project", dir, "--pack", "none"];
    await using program = await startHttp(args);
    const { status, html } = await readPage(program, "/questions");
    assert.equal(status, 200);
    assert.match(html, /<p class="lead">2 open questions<\/p>/);
    assert.match(html, /Which &#60;b&#62;provider&#60;\/b&#62;\?/);
    assert.match(html, /<a href="\/board\?story=1-1-login">1-1-login<\/a>/);
    assert.match(
      html,
      /to Ann[^]*Asked by dev on 2026-11-18[^]*<label><input type="radio"[^>]*> Google<\/label>/,
    );
    assert.match(html, /<h2>Answered<\/h2>[^]*&#60;i&#62;Because&#60;\/i&#62;[^]*by Eve on 2026-11-19/);
    assert.doesNotMatch(html, /ghp_0|<b>|<i>/);
    await using reading = await startHttp([...args, "--read-only"]);
    const { html: read } = await readPage(reading, "/questions");
    assert.match(read, /<ol type="A"><li>Google<\/li><\/ol>/);
    assert.doesNotMatch(read, /<form class="act"/);
    const story = await readPage(program, "/board?story=1-1-login");
    assert.match(story.html, /question 3<[^]*<form class="act" id="question-3"/);
  }));

Deno.test("a list that cannot be read is said to be one, and not to be empty [work:questions-shown]", () =>
  withTree(
    { ...PROJECT, "out/impl/open-questions.md": `${LIST}${"more\n".repeat(300_000)}` },
    async (dir) => {
      await using program = await startHttp(["--project", dir, "--pack", "none"]);
      const { html } = await readPage(program, "/questions");
      assert.match(html, /No question can be read\.[^]*open-questions\.md<\/span> \S/);
      assert.doesNotMatch(html, /Nothing waits/);
      assert.match((await runHere(["answer"], { cwd: dir })).stdout, /^out\/impl\/open-questions\.md: /);
    },
  ));
