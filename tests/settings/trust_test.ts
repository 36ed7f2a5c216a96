/**
 * Does `config trust` change what it should, and nothing else?
 */
import assert from "node:assert/strict";
import { withOwnChange } from "../../src/settings/mod.ts";
import { assertFailed, runHere } from "../support/program.ts";
import { verifies } from "../support/requirements.ts";
import { listTree, withTree } from "../support/trees.ts";

const FILE = "/home/ann/.config/bmad-mcp/config.toml";
const CONTEXT = { home: "/home/ann", os: "linux" } as const;

Deno.test(verifies("rights:trust-command", "every other line of the file stays as it is"), () => {
  const change = (text: string, isTrusted: boolean) =>
    withOwnChange(text, { action: isTrusted ? "trust" : "untrust", folder: "/p", file: FILE }, CONTEXT);
  const table:
    readonly (readonly [text: string, trusted: string | undefined, untrusted: string | undefined])[] = [
      ["", 'trusted = ["/p"]\n', undefined],
      ["# mine\nmaxFiles = 7", '# mine\nmaxFiles = 7\ntrusted = ["/p"]\n', undefined],
      ['trusted = "/p"\n', undefined, "trusted = []\n"],
      ['trusted = ["/q", "/p/"]\n', undefined, 'trusted = ["/q"]\n'],
      [
        'mode = "auto"\ntrusted = [\n  "/q", # theirs\n  "~/r",\n]\n# end\n',
        'mode = "auto"\n# theirs\ntrusted = ["/q", "~/r", "/p"]\n# end\n',
        undefined,
      ],
    ];
  for (const [text, trusted, untrusted] of table) {
    assert.deepEqual([change(text, true), change(text, false)], [trusted, untrusted], text);
  }
});

Deno.test(
  verifies(
    ["rights:trust-command", "rights:only-narrow"],
    "a trusted project's file counts, until it is untrusted",
  ),
  () =>
    withTree({
      "home/": "",
      "home/shop/.bmad-mcp.toml": "maxFiles = 60000\n",
      "home/shop/sub/": "",
      "home/link": { link: "shop" },
    }, async (root) => {
      const run = (...args: string[]) =>
        runHere(args, {
          cwd: `${root}/home/shop`,
          env: { HOME: `${root}/home`, XDG_CONFIG_HOME: `${root}/own` },
        });
      const maxFiles = async () => JSON.parse((await run("config", "--json")).stdout).settings.maxFiles.value;
      const file = `${root}/own/bmad-mcp/config.toml`, shop = `${root}/home/shop`;

      assert.equal(await maxFiles(), 50_000);
      assert.equal((await run("config", "trust", "../link")).stdout, `${shop} is now trusted (${file})\n`);
      assert.equal(await maxFiles(), 60_000);
      assert.equal(await Deno.readTextFile(file), `trusted = ["${shop}"]\n`);
      if (Deno.build.os !== "windows") assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
      assert.equal((await run("config", "trust", ".")).stdout, `${shop} is already trusted (${file})\n`);
      assert.equal((await run("config", "untrust", ".")).stdout, `${shop} is now not trusted (${file})\n`);
      assert.equal(await maxFiles(), 50_000);
      assert.deepEqual((await listTree(`${root}/own`)).map((path) => path.split(" ")[0]), [
        "bmad-mcp/",
        "bmad-mcp/config.toml",
      ]);

      assertFailed(await run("config", "trust", "gone"), 1, /No folder named "gone"/);
      assertFailed(await run("config", "trust", ".."), 2, /Too wide/);
      assertFailed(await run("config", "trust"), 2, /Missing DIR/);
      assertFailed(await run("config", "trsut", "."), 2, /Unknown config action "trsut"/);
    }),
);
