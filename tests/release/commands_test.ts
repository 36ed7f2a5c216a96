/**
 * Does every command that docs/releasing.md shows work?
 *
 * Each stands in a table here: it is run in this file, by `deno task rehearse`, or the table says why it cannot be run.
 * A command that is new in the page fails until it has a row. Those of the README are run by docs_test.ts.
 */
import assert from "node:assert/strict";
import { OWNED_PAGES } from "../../.github/release/readiness.ts";
import { REPOSITORY } from "../../.github/release/stage.ts";
import { addChange, commandsIn, fillIn, linesOf, OWNER, runLine } from "../support/rehearsal.ts";
import { copySources, listSources } from "../support/clean_copy.ts";
import { withTree } from "../support/trees.ts";

const read = (path: string) => Deno.readTextFileSync(`${REPOSITORY}/${path}`);

/** `here`, `rehearse`, or why nothing can run it. */
const RELEASING: Readonly<Record<string, string>> = {
  "npx -y deno@2.9.5 task release --repository OWNER/bmad-mcp --version VERSION": "here",
  "git tag -a vVERSION -m vVERSION && git push origin vVERSION": "rehearse, to a repository beside the clone",
  "mcp-publisher login github && mcp-publisher publish": "needs an account",
};

Deno.test("every command of the page has its row [packaging:rehearsed]", () => {
  assert.deepEqual(commandsIn(read("docs/releasing.md")).flatMap(linesOf), Object.keys(RELEASING));
});

const sources = listSources();

Deno.test({
  name:
    "docs/releasing.md, followed in a clean copy with an invented account, leads to a release that may be tagged [packaging:rehearsed]",
  ignore: sources === undefined || Deno.build.os === "windows",
  fn: () =>
    withTree({ "copy/": "" }, async (dir) => {
      const copy = `${dir}/copy`;
      await copySources(sources!, copy);
      const run = (line: string) => runLine(fillIn(line, `${dir}/release`), copy);
      const [prepare] = Object.keys(RELEASING);
      await addChange(copy);
      const text = await run(prepare!);
      assert.match(await Deno.readTextFile(`${copy}/docs/picture.svg`), />bmad-mcp 9\.8\.7, /);
      assert.match(await Deno.readTextFile(`${copy}/CHANGELOG.md`), /^## \[9\.8\.7\] - \d{4}-\d\d-\d\d$/m);
      await run("npx -y deno@2.9.5 fmt --check");
      for (const page of OWNED_PAGES) {
        assert.doesNotMatch(await Deno.readTextFile(`${copy}/${page}`), /OWNER/);
      }
      assert.match(text, new RegExp(`github\\.com/${OWNER}/bmad-mcp/releases/latest/download/install\\.sh`));
      assert.doesNotMatch(text, /OWNER\/bmad-mcp|\]\(docs\//);
      assert.doesNotMatch(text.slice(text.indexOf("### Install")), /brew|npm install/);
      // A second time, nothing changes.
      const before = await Deno.readTextFile(`${copy}/CHANGELOG.md`);
      assert.equal(await run(prepare!), text);
      assert.equal(await Deno.readTextFile(`${copy}/CHANGELOG.md`), before);
    }),
});
