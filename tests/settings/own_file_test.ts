/** Do `config set` and `config trust` change one key of the user's settings file, and leave every other byte alone? */
import assert from "node:assert/strict";
import {
  type OwnChange,
  planOwnChange,
  SETTING_KEYS,
  SETTINGS,
  withOwnChange,
} from "../../src/settings/mod.ts";
import { configOf } from "../support/config.ts";
import { assertFailed, runHere } from "../support/program.ts";
import { listTree, treeTest, withTree } from "../support/trees.ts";

const CONTEXT = { home: "/home/ann", os: "linux" } as const;

const plan = (...operands: readonly string[]): OwnChange | undefined =>
  planOwnChange(
    { name: "config", operands, options: {} },
    { cwd: "/shop", contentDir: "/", env: () => undefined, ...CONTEXT },
    { findFolder: () => undefined, look: () => undefined },
  );

const changed = (text: string, ...words: readonly string[]) => withOwnChange(text, plan(...words)!, CONTEXT);

Deno.test("comments and all other lines stay as they are [cli:config-set]", () => {
  const table: readonly (readonly [text: string, words: string, after: string | undefined])[] = [
    ["", "set mode local", 'mode = "local"\n'],
    ["# mine", "set maxFiles 7", "# mine\nmaxFiles = 7\n"],
    ["mode = 'auto' # for now\n", "set mode local", 'mode = "local" # for now\n'],
    ["mode = 'a#b' # for now\n", "set mode local", 'mode = "local" # for now\n'],
    ["readOnly = false\nmaxFiles=5\n", "set --read-only yes", 'readOnly = "yes"\nmaxFiles=5\n'],
    ["readOnly = true\n", "set read-only true", undefined],
    ["\uFEFFmode = 'auto'\r\nmaxFiles = 5\r\n", "set mode user", '\uFEFFmode = "user"\r\nmaxFiles = 5\r\n'],
    [
      'paths = [\n  "/a", # ours\n  # "/old",\n  "/b",\n]\n# end\n',
      "set paths x ~/y",
      '# ours\n# "/old",\npaths = ["/shop/x", "/home/ann/y"]\n# end\n',
    ],
    ["mode = auto\nmaxFiles = 5\n", "set mode local", 'mode = "local"\nmaxFiles = 5\n'],
    ['mode = "auto"\nmode = "user" # twice\n', "set mode local", 'mode = "local"\n# twice\n'],
    ["# a\nmode = 'auto' # b\nmaxFiles = 5", "unset mode", "# a\n# b\nmaxFiles = 5"],
    ["maxFiles = 5\n", "unset mode", undefined],
    ["", "set toolsets bmad,work", 'toolsets = ["bmad,work"]\n'],
    ["", "set gitTtl 12h", 'gitTtl = "12h"\n'],
  ];
  for (const [text, words, after] of table) assert.equal(changed(text, ...words.split(" ")), after, words);
});

Deno.test("what no file can hold is refused, and nothing else [cli:config-set]", () => {
  const refused: readonly (readonly [words: readonly string[], problem: RegExp])[] = [
    [["set"], /Missing SETTING/],
    [["set", "mode"], /Missing VALUE/],
    [["set", "mode", "lcal"], /mode.*expected one of auto, local/],
    [["set", "mode", "auto", "local"], /mode takes one value/],
    [["set", "moed", "auto"], /Unknown setting "moed"\. Did you mean mode/],
    [["set", "allowExec", "true"], /No settings file can set allowExec\. Use --allow-exec/],
    [["unset", "mode", "auto"], /Unexpected argument "auto"/],
    [["trust", ".", ".."], /Unexpected argument "\.\."/],
    [["sett", "mode", "auto"], /Unknown config action "sett"\. Did you mean set/],
  ];
  for (const [words, problem] of refused) {
    assert.throws(() => configOf({ args: ["config", ...words] }), { message: problem });
  }
  assert.throws(() => changed("", "set", "logFile", "/a\u007fb"), /cannot hold this value/);
  assert.throws(
    () => changed('paths = ["/a\nmode = 1\n', "set", "paths", "/b"),
    /cannot read the list of paths/,
  );
  const settable = SETTING_KEYS.filter((key) => SETTINGS[key].files === "user");
  for (const key of settable) assert.doesNotThrow(() => plan("unset", key), key);
  assert.equal(settable.length > 30, true);
});

Deno.test("a change counts at the next start, also in a file with mistakes [cli:config-set]", () =>
  withTree({ "home/.config/bmad-mcp/config.toml": 'mode = "lcal" # mine\nmaxFiles = 7\n' }, async (dir) => {
    const env = { HOME: `${dir}/home`, XDG_CONFIG_HOME: `${dir}/home/.config` };
    const run = (...args: readonly string[]) => runHere(["config", ...args], { cwd: dir, env });
    const file = `${dir}/home/.config/bmad-mcp/config.toml`;
    assert.equal((await run("get", "mode")).code, 2);
    const set = await run("set", "mode", "user");
    assert.deepEqual([set.code, set.stdout, set.stderr], [0, `mode is now user (${file})\n`, ""]);
    assert.equal(await Deno.readTextFile(file), 'mode = "user" # mine\nmaxFiles = 7\n');
    assert.equal((await run("get", "mode")).stdout, "user\n");
  }));

Deno.test("every other line of the file stays as it is [rights:trust-command]", () => {
  const change = (text: string, isTrusted: boolean) =>
    withOwnChange(text, {
      action: isTrusted ? "trust" : "untrust",
      folder: "/p",
      file: "/home/ann/.config/bmad-mcp/config.toml",
    }, CONTEXT);
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

treeTest("a trusted project's file counts [rights:trust-command, rights:only-narrow]", {
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
});
