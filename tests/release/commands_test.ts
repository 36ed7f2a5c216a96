/**
 * Does every command that docs/releasing.md shows work?
 *
 * Each stands in a table here: it is run in this file, by `deno task rehearse`, or the table says why it cannot be run.
 * A command that is new in the page fails until it has a row. Those of the README are run by docs_test.ts.
 */
import assert from "node:assert/strict";
import { OWNED_PAGES } from "../../.github/release/readiness.ts";
import { REPOSITORY } from "../../.github/release/stage.ts";
import {
  commandsIn,
  fillIn,
  linesOf,
  nameOwner,
  OWNER,
  runLine,
  setVersion,
  VERSION,
} from "../support/rehearsal.ts";
import { copySources, listSources } from "../support/clean_copy.ts";
import { withTree } from "../support/trees.ts";

const read = (path: string) => Deno.readTextFileSync(`${REPOSITORY}/${path}`);

/** `here`, `rehearse`, or why nothing can run it. */
const RELEASING: Readonly<Record<string, string>> = {
  "npx -y deno@2.9.5 fmt": "here",
  "npx -y deno@2.9.5 task docs": "here",
  "npx -y deno@2.9.5 run -A .github/release/package.ts check --repository OWNER/bmad-mcp --tag vVERSION":
    "here",
  "npx -y deno@2.9.5 run -A .github/release/package.ts notes --repository OWNER/bmad-mcp": "here",
  "git tag -a vVERSION -m vVERSION && git push origin vVERSION": "rehearse, to a repository beside the clone",
  'deno() { npx -y deno@2.9.5 "$@"; }': "rehearse",
  'for target in {x86_64,aarch64}-{unknown-linux-gnu,apple-darwin,pc-windows-msvc}; do deno run -A .github/release/package.ts archive --repository OWNER/bmad-mcp --target "$target" --program LICENSE --licenses LICENSE --out /tmp/release; done':
    "rehearse",
  "deno task npm --repository OWNER/bmad-mcp --out /tmp/release": "rehearse",
  "deno run -A .github/release/package.ts complete --repository OWNER/bmad-mcp --dir /tmp/release":
    "rehearse",
  "npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved": "rehearse",
  "git ls-remote https://github.com/actions/checkout 'refs/tags/v7*'": "needs GitHub",
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
      const [format, docs, check, notes] = Object.keys(RELEASING);
      // Later, the repository has its account, and in a rehearsal the version too.
      const isFirst = (await Deno.readTextFile(`${copy}/README.md`)).includes("OWNER");
      if (isFirst) await assert.rejects(run(check!), /Cannot release v9\.8\.7/);
      assert.deepEqual([...await nameOwner(copy)].sort(), [...OWNED_PAGES].sort());
      await setVersion(copy);
      if (isFirst) {
        await assert.rejects(run(`${format} --check`), /Found \d+ not formatted file/, "nothing to format");
      }
      await run(format!);
      await run(docs!);
      assert.match(await Deno.readTextFile(`${copy}/docs/picture.svg`), />bmad-mcp 9\.8\.7, /);
      await run(`${format} --check`);
      for (const page of OWNED_PAGES) {
        assert.doesNotMatch(await Deno.readTextFile(`${copy}/${page}`), /OWNER/);
      }
      assert.match(await run(check!), new RegExp(`^version=${VERSION}$`, "m"));
      const text = await run(notes!);
      assert.match(text, new RegExp(`github\\.com/${OWNER}/bmad-mcp/releases/latest/download/install\\.sh`));
      assert.doesNotMatch(text, /OWNER\/bmad-mcp|\]\(docs\//);
      assert.doesNotMatch(text.slice(text.indexOf("### Install")), /brew|npm install/);
    }),
});
