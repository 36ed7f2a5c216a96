/** Can an address make us run or write anything? */
import assert from "node:assert/strict";
import { parseGitLocation } from "../../../src/settings/locations/git.ts";
import { resolveConfig } from "../../support/config.ts";
import { Invalid } from "../../../src/base/invalid.ts";
import { openTestCache } from "../../support/copies.ts";
import { withRepositories } from "../../support/git.ts";
import { runCli } from "../../support/program.ts";
import { listTree } from "../../support/trees.ts";

/** What attackers write where a name should be; each tries to make a file. */
function payloads(mark: string): readonly string[] {
  return [
    `$(touch ${mark})`,
    `$(touch\${IFS}${mark})`,
    `\`touch ${mark}\``,
    `;touch ${mark}`,
    `main;touch\${IFS}${mark};`,
    `|touch ${mark}`,
    `||touch\t${mark}`,
    `&&touch ${mark}`,
    `&touch%20${mark}`,
    `\ntouch ${mark}\n`,
    `x\rtouch ${mark}`,
    `x\0touch ${mark}`,
    `'"; touch ${mark}; '"`,
    `main' --upload-pack='touch ${mark}`,
    `--upload-pack=touch ${mark}`,
    `--upload-pack=touch%20${mark}`,
    `-u./${mark}`,
    `-oProxyCommand=touch ${mark}`,
    `-oProxyCommand=touch%20${mark}`,
    `--exec=touch%20${mark}`,
    `--config=core.sshCommand=touch%20${mark}`,
    `-c core.fsmonitor=touch`,
    `--output=${mark}`,
    `--git-dir=${mark}`,
    `--template=${mark}`,
    `@{-1}`,
    `HEAD@{0}`,
    `:/touch`,
    `../../../../..${mark}`,
    `..%2f..%2f..%2f${mark.slice(1)}`,
    `%2e%2e/%2e%2e/%2e%2e`,
    `....//....//`,
    `/${mark}`,
    `~/${mark}`,
    `\\\\server\\share`,
    `..\\..\\x`,
    `\u202e${mark}`,
    `ma\u200bin`,
    `\uff04(touch ${mark})`,
    `\u2215etc\u2215passwd`,
    `x\u0000.git`,
    `\ud83d\ude80`,
    `ext::sh -c touch% ${mark}`,
    `ext::sh%20-c%20touch%20${mark}`,
    `+refs/heads/*:refs/heads/*`,
    `refs/heads/*`,
    `[a-z]`,
    `%0d%0aHost:%20evil`,
    `%00`,
    `a`.repeat(5_000),
  ];
}

const PARTS: readonly ((payload: string) => string)[] = [
  (payload) => `git+${payload}://localhost:1/t/b`,
  (payload) => `git+${payload}`,
  (payload) => `git+https://${payload}@localhost:1/t/b`,
  (payload) => `git+https://ann:${payload}@localhost:1/t/b`,
  (payload) => `git+https://${payload}/t/b`,
  (payload) => `git+https://localhost:${payload}/t/b`,
  (payload) => `git+https://localhost:1/${payload}`,
  (payload) => `git+https://localhost:1/t/${payload}.git`,
  (payload) => `git+https://localhost:1/t/b#${payload}`,
  (payload) => `git+https://localhost:1/t/b#main:/${payload}`,
  (payload) => `git+ssh://${payload}@localhost:1/t/b`,
  (payload) => `git+ssh://${payload}/t/b`,
  (payload) => `git+ssh://git@localhost:1/${payload}`,
  (payload) => `git+file://${payload}`,
  (payload) => `git+file:///${payload}`,
];

const WHOLE: readonly string[] = [
  "git+ext::sh -c whoami",
  "git+fd::17/x",
  "git+https://localhost:1/t/b#main:/..",
  "git+file:///dev/zero",
  "git+file:///dev/tty",
  "git+file:///dev/random#main",
  "git+file:///proc/self/environ",
  "git+file:///proc/self/root",
  "git+file:///proc/self/fd/0",
  "git+file:///sys/kernel",
  "git+file:///etc/passwd",
  "git+file:////localhost/share",
  "git+ssh://git@localhost:1/t/b#main:/.git/hooks",
  "git+git://localhost:1/t/b",
  "git+http://localhost:1/t/b",
  "git+rsync://localhost:1/t/b",
  "git+ftp://localhost:1/t/b",
  "git+https://localhost:1/t/b#refs/heads/main:refs/heads/evil",
];

Deno.test({
  name:
    "no address, whatever it contains, runs anything or writes outside the cache [git:argument-list, git:url-grammar, git:rights]",
  fn: () =>
    withRepositories(async ({ dir, make }) => {
      const { address: real } = make("team", { "one.md": "first" });
      const mark = `${dir}/ran`;
      await Deno.writeTextFile(`${dir}/canary`, "alive");
      const { fetch, rules } = openTestCache(dir, { timeout: 5_000 });
      const addresses = [
        ...WHOLE,
        ...payloads(mark).flatMap((payload) => [
          ...PARTS.map((part) => part(payload)),
          `${real}#${payload}`,
          `${real}#main:/${payload}`,
          `${real}/${payload}`,
        ]),
      ];
      assert.ok(new Set(addresses).size >= 200, String(addresses.length));
      const before = (await listTree(dir)).join("\n");
      const understood: string[] = [];
      for (const address of addresses) {
        if (parseGitLocation(address) instanceof Invalid) {
          const start = () =>
            resolveConfig({
              args: ["--path", address],
              cwd: dir,
              home: dir,
              os: "linux",
              contentDir: "/opt/content",
              env: () => undefined,
              readSettings: () => undefined,
            });
          assert.throws(start, { message: /^Invalid --path / }, address);
        } else {
          understood.push(address);
          await fetch(address);
        }
      }
      await assert.rejects(Deno.lstat(mark), Deno.errors.NotFound);
      const after = (await listTree(dir)).filter((name) => !name.startsWith("cache/"));
      assert.equal(after.join("\n"), before);
      assert.equal(await Deno.readTextFile(`${dir}/canary`), "alive");
      // Harmless ones that look alike are understood: the test would not notice if everything were refused.
      assert.ok(understood.includes("git+file:///etc/passwd"), understood.join("\n"));
      assert.equal((await fetch(`${real}#main`)).outcome, "fetched");
      const left = [...Deno.readDirSync(rules.cache)].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => !/^\.work$|^[\w.-]+~[0-9a-f]{10}~[0-9a-f]{12}$/.test(name)), []);
    }),
});

Deno.test("addresses that made others run commands are refused [git:argument-list]", () =>
  withRepositories(async ({ dir, make }) => {
    const { address } = make("team", { "one.md": "first" });
    const mark = `${dir}/ran`;
    const evil = `${address}#main;touch\${IFS}${mark}`;
    const home = { "XDG_CONFIG_HOME": `${dir}/config` };
    await Deno.mkdir(`${dir}/config/bmad-mcp`, { recursive: true });
    const runs = [
      await runCli([evil]),
      await runCli(["list", "agents", "--path", evil]),
      await runCli(["cache", "update"], { env: { BMAD_ROOT: evil } }),
    ];
    await Deno.writeTextFile(`${dir}/config/bmad-mcp/config.toml`, `paths = [${JSON.stringify(evil)}]\n`);
    runs.push(await runCli(["list", "agents"], { env: home }));
    for (const { code, stdout, stderr } of runs) {
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^bmad-mcp: Invalid (--path|paths|BMAD_ROOT) .*: #REF must be a branch/);
    }
    await assert.rejects(Deno.lstat(mark), Deno.errors.NotFound);
  }));
