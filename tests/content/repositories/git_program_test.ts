/** Is the right git run, without the user's configuration and without a prompt? */
import assert from "node:assert/strict";
import { cacheTest, problemOf, textOf, withCache } from "../../support/copies.ts";
import { runGit } from "../../support/git.ts";
import { commitTree, writeObject, writeTree } from "../../support/git_objects.ts";
import { writeProgram } from "../../support/programs.ts";

Deno.test("without git the reason is reported, and the next start tries again [git:no-git]", () =>
  withCache(async ({ team, fetch, rules }) => {
    const without = { rules: { ...rules, environment: { PATH: "/nowhere" } } };
    const update = await fetch(team.address, without);
    assert.equal(
      problemOf(update),
      "git was not found: install git, or use a clone of the repository",
    );
    assert.equal(textOf(await fetch(team.address)), "first");
  }));

Deno.test("a git too old to ignore the user's configuration is not used [git:no-git]", () =>
  withCache(async ({ team, fetch, rules, repositories: { dir } }) => {
    await Deno.mkdir(`${dir}/bin`);
    writeProgram(`${dir}/bin/git`, "#!/bin/sh\necho git version 2.30.2\n");
    const update = await fetch(team.address, { rules: { ...rules, environment: { PATH: `${dir}/bin` } } });
    assert.equal(problemOf(update), "git 2.32 or newer is required, but this is git version 2.30.2");
  }));

Deno.test({
  name:
    "a repository over ssh is fetched with the user's own ssh, which must not prompt [origins:git-arguments, git:no-surprises]",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withCache(async ({ team, fetch, rules, repositories: { dir } }) => {
      // An ssh that writes down how it is called, and stays on this machine.
      await Deno.mkdir(`${dir}/bin`);
      const script =
        `#!/bin/sh\nprintf '%s\\n' "$*" >> ${dir}/calls\nfor last; do :; done\nexec sh -c "$last"\n`;
      writeProgram(`${dir}/bin/ssh`, script);
      const environment = { ...rules.environment, PATH: `${dir}/bin:${rules.environment["PATH"]}` };
      const address = `git+ssh://git@example.org:2222${team.folder}#main`;
      const update = await fetch(address, { rules: { ...rules, environment } });
      assert.deepEqual([update.outcome, textOf(update)], ["fetched", "first"]);
      for (const call of (await Deno.readTextFile(`${dir}/calls`)).trim().split("\n")) {
        assert.match(
          call,
          /^-o BatchMode=yes -o ClearAllForwardings=yes -o ConnectTimeout=\d+ .*-p 2222 git@example\.org git-upload-pack '/,
        );
      }
    }),
});

Deno.test("a repository's configuration around the cache is ignored [git:no-surprises]", () =>
  withCache(async ({ team, fetch, repositories: { dir } }) => {
    runGit(dir, "init", "--quiet");
    runGit(dir, "config", "url.file:///nowhere/.insteadOf", "file:///");
    assert.equal(textOf(await fetch(team.address)), "first");
  }));

cacheTest("attributes change no file [git:no-surprises, git:bombs]", async ({ team, fetch }) => {
  const text = "one $Id$\ntwo\n";
  const attributes = "one.md text eol=crlf\ntwo.md ident\nzed.md working-tree-encoding=UTF-32\n";
  const files = { ".gitattributes": attributes, "one.md": text, "two.md": text, "zed.md": text };
  const write = (content: string) => writeObject(team.folder, "blob", new TextEncoder().encode(content));
  const entries = Object.entries(files).map(([name, content]) => ["file", name, write(content)] as const);
  commitTree(team, writeTree(team.folder, entries));
  const update = await fetch(team.address);
  for (const [file, content] of Object.entries(files)) assert.equal(textOf(update, file), content, file);
});
