/** Does each printed line do what it says, wherever the terminal is? */
import assert from "node:assert/strict";
import { runGit } from "../../support/git.ts";
import { runHere } from "../../support/program.ts";
import { withRepository } from "../../support/project_repository.ts";
import { runShell } from "../../support/shell.ts";
import { withTree, writeTree } from "../../support/trees.ts";

const OUT = "_bmad-output/implementation-artifacts";
const PROJECT = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.0\n",
  [`${OUT}/sprint-status.yaml`]:
    "development_status:\n  epic-1: in-progress\n  1-1-login: ready-for-dev\n  1-2-cart: ready-for-dev\n",
  [`${OUT}/1-1-login.md`]: "# Story 1.1: Login\n\nStatus: ready-for-dev\n",
  [`${OUT}/1-2-cart.md`]: "# Story 1.2: Cart\n\nStatus: ready-for-dev\n",
  "src/a.js": "1\n",
};
const PLACES = [
  { below: "", cwd: "" },
  { below: "", cwd: "/src" },
  { below: "", cwd: "/..", project: true },
  { below: "/packages/web", cwd: "" },
  { below: "/packages/web", cwd: "/packages/web" },
  { below: "/packages/web", cwd: "/packages/web/src" },
];

const lineOf = (text: string, label: string) =>
  new RegExp(`^${label}: (.*)$`, "m").exec(text)?.[1] ?? assert.fail(`${label} is missing: ${text}`);

for (const { below, cwd: from, project } of PLACES) {
  Deno.test(`lines run in ${from || "the top"} for ${below || "the top"} [calls:printed]`, () =>
    withTree({ "home/": "" }, async (dir) => {
      const [top, root, cwd] = [`${dir}/m`, `${dir}/m${below}`, `${dir}/m${from}`];
      for (const folder of below === "" ? [root] : [root, `${top}/packages/api`]) {
        await writeTree(folder, PROJECT);
      }
      runGit(top, "init", "--quiet", "--initial-branch=main");
      runGit(top, "add", "--all");
      runGit(top, "commit", "--quiet", "--message", "Begin");
      const name = (story: string) => below !== "" && from === "" ? `packages/web:${story}` : story;
      const env = { HOME: `${dir}/home`, USER: "ann" };
      const run = async (...args: readonly string[]) => {
        const all = project ? [...args, "--project", root] : args;
        const { stdout, stderr } = await runHere(all, { cwd, env });
        return stdout + stderr;
      };
      const shell = async (line: string) => {
        const done = await runShell(line, { cwd, env });
        assert.equal(done.code, 0, `${line}\n${done.stderr}`);
        return done.stdout;
      };
      await run("mark", name("1-1"), "in-progress", "--by", "Ann");
      await writeTree(root, { "src/a.js": "changed words\n", "src/fresh.js": "fresh words\n" });
      const { diff } = JSON.parse(await run("review", name("1-1"), "--json"));
      const shown = [];
      for (const { command } of diff.commands) shown.push(await shell(command));
      assert.match(shown.join(""), /changed words[^]*fresh words/);
      await shell(lineOf(await run("mark", name("1-1"), "review", "--by", "Ann"), "Commit with the story"));
      assert.match(runGit(root, "diff", "--cached", "--name-only"), /sprint-status\.yaml/);
      runGit(top, "add", "--all");
      runGit(top, "commit", "--quiet", "--message", "1-1");
      const wave = (await run("next", "--count", "2")).split("\n\n").find((one) => /\(1-2\)/.test(one))!;
      await shell(lineOf(wave, "Worktree"));
      await shell(lineOf(wave, "Claim there"));
      assert.match(await Deno.readTextFile(`${top}/.git/bmad/claims.json`), /"worktree":\s*"m-1-2-cart"/);
      assert.equal(runGit(`${dir}/m-1-2-cart`, "status", "--short"), "");
    }));
}

const SHOP = {
  "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "out/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-login: review\n  1-2-cart: backlog\n",
  "out/implementation-artifacts/1-1-login.md":
    "# Story 1.1: Login\n\nStatus: review\n\n## Tasks\n\n- [ ] Build it\n",
  "src/a.js": "1\n",
};

Deno.test("all new files are shown, except links and binaries [work:review, calls:printed]", () =>
  withRepository(SHOP, async ({ dir, run, write }) => {
    await run("mark", "1-1", "in-progress", "--by", "Ann");
    const names = Array.from({ length: 50 }, (_, at) => `src/new${at + 10}.js`);
    for (const name of names) write(name, `words of ${name}\n`);
    for (const [name, target] of [["host", "/etc/hostname"], ["folder", "../out"], ["a", "a.js"]]) {
      Deno.symlinkSync(target!, `${dir}/src/${name}`);
    }
    Deno.writeFileSync(`${dir}/src/image.png`, new Uint8Array([137, 80, 0, 1]));
    const { diff } = JSON.parse(await run("review", "1-1", "--json"));
    const lines = diff.commands.map(({ command }: { readonly command: string }) => command)
      .filter((line: string) => line.startsWith("cat "));
    assert.equal(lines.length, 2);
    assert.deepEqual(lines.flatMap((line: string) => line.split(" ").slice(1)), names);
    assert.match(
      await run("review", "1-1"),
      /\(new, not in git, like src\/a, src\/folder, src\/host and src\/image\.png\)/,
    );
  }));

Deno.test("the next step and the review name one source of the diff [work:review, work:next]", () =>
  withRepository(SHOP, async ({ run }) => {
    assert.match(await run("next"), /\(out\/\S+1-1-login\.md\), diff: as named by review 1-1-login/);
  }));

Deno.test("the calls of a review are not refused [work:review, calls:printed]", () =>
  withRepository(SHOP, async ({ run }) => {
    const line = async (text: string, label: string) => await run(...lineOf(text, label).split(" ").slice(1));
    await run("review", "1-1", "--lens", "tests");
    const added = await run("finding", "1-1", "No lock", "--severity", "low", "--file", "src/a.js");
    assert.match(added, /^Settle one: bmad-mcp finding 1-1-login f\w+ --verdict VERDICT --reason WHY$/m);
    const refused = await run("finding", "1-1", "No lock", "--verdict", "reject");
    assert.match(refused, /As in: bmad-mcp finding 1-1 "No lock" --verdict rejected --reason WHY/);
    const settled = await run("finding", "1-1", "No lock", "--verdict", "rejected", "--reason", "One writer");
    assert.match(await line(settled, "Before it is done"), /1 box is not ticked|1 of 1 box/);
    assert.match(await run("review", "1-1"), /^- Before it is done: bmad-mcp check 1-1-login$/m);
  }));

Deno.test("what reconcile leaves is checked, not reconciled again [work:repair, calls:printed]", () =>
  withRepository(SHOP, async ({ run, write }) => {
    const path = "out/implementation-artifacts/1-1-login.md";
    write(path, SHOP[path].replace("Status: review", "Status: done"));
    assert.match(await run("reconcile"), /^Left: /m);
    for (const words of [["board"], ["next"]]) {
      assert.equal(lineOf(await run(...words), "Bring ledger and files in step"), "bmad-mcp check 1-1");
    }
    assert.doesNotMatch(await run("check", "1-1"), /bmad-mcp (?:reconcile|check)/);
  }));
