/**
 * Does every command that the README and docs/releasing.md show work?
 *
 * Each stands in a table here: it is run in this file, by another test, by `deno task rehearse`, or the table says why
 * it cannot be run. A command that is new in a page fails until it has a row.
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
import { runCli } from "../support/program.ts";
import { verifies } from "../support/requirements.ts";
import { copySources, listSources } from "../support/clean_copy.ts";
import { withTree } from "../support/trees.ts";

const read = (path: string) => Deno.readTextFileSync(`${REPOSITORY}/${path}`);
const shown = (path: string) => commandsIn(read(path)).flatMap(linesOf);

/** `here`, the file that runs it, or why nothing can. */
const README: Readonly<Record<string, string>> = {
  "brew install OWNER/tap/bmad-mcp": "needs a release on GitHub; manifests_test.ts reads the formula",
  "curl --proto '=https' --tlsv1.2 -fsSL https://github.com/OWNER/bmad-mcp/releases/latest/download/install.sh | sh":
    "install_sh_test.ts runs it against a release server",
  "scoop bucket add OWNER https://github.com/OWNER/scoop-bucket; scoop install bmad-mcp":
    "needs Windows; manifests_test.ts reads the manifest",
  "irm https://github.com/OWNER/bmad-mcp/releases/latest/download/install.ps1 | iex":
    "install_ps1_test.ts runs it against a release server",
  "npx -y @OWNER/bmad-mcp install": "npm_test.ts",
  "npx -y deno@2.9.5 task start": "every test that starts the program",
  "npx -y deno@2.9.5 task test": "CI",
  "bmad-mcp install": "clients/program_test.ts, on a terminal",
  "bmad-mcp install claude-code": "here",
  "bmad-mcp list agents": "here",
  "bmad-mcp show analyst": "here",
  "bmad-mcp search who can review my code": "here",
  'bmad-mcp execute pm -m "A PRD for a dog walking app"': "here",
  "bmad-mcp doctor": "here",
};

const RELEASING: Readonly<Record<string, string>> = {
  "npx -y deno@2.9.5 fmt": "here",
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

Deno.test(verifies("packaging:rehearsed", "every command of the two pages has its row"), () => {
  assert.deepEqual(shown("README.md"), Object.keys(README));
  assert.deepEqual(shown("docs/releasing.md"), Object.keys(RELEASING));
});

Deno.test(
  verifies("packaging:rehearsed", "the README's commands for an installed program work"),
  () =>
    withTree({ "home/": "", "work/": "" }, async (dir) => {
      const home = `${dir}/home`;
      for (const line of Object.keys(README).filter((line) => README[line] === "here")) {
        const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
        const { code, stdout, stderr } = await runCli(words.slice(1), {
          env: { HOME: home, USERPROFILE: home },
          cwd: `${dir}/work`,
        });
        // 1 means that doctor has a warning.
        assert.ok(code === 0 || (words[1] === "doctor" && code === 1), `${line}: ${stderr}`);
        assert.ok(stdout.length > 40, line);
      }
    }),
);

const sources = listSources();

Deno.test({
  name: verifies(
    "packaging:rehearsed",
    "docs/releasing.md, followed in a clean copy with an invented account, leads to a release that may be tagged",
  ),
  ignore: sources === undefined || Deno.build.os === "windows",
  fn: () =>
    withTree({ "copy/": "" }, async (dir) => {
      const copy = `${dir}/copy`;
      await copySources(sources!, copy);
      const run = (line: string) => runLine(fillIn(line, `${dir}/release`), copy);
      const [format, check, notes] = Object.keys(RELEASING);
      await assert.rejects(run(check!), /Cannot release v9\.8\.7/);
      assert.deepEqual([...await nameOwner(copy)].sort(), [...OWNED_PAGES].sort());
      await setVersion(copy);
      await assert.rejects(run(`${format} --check`), /Found \d+ not formatted file/, "fmt has nothing to do");
      await run(format!);
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
