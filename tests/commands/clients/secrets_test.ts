/** Can `install` or `doctor` leak a password or token into a client's file or onto the screen? */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { assertFailed, runHere } from "../../support/program.ts";
import { withoutNeighbours } from "../../../src/commands/clients/entries.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";

const PASSWORD = "pass-0123456789abcdef";
const ADDRESS = `git+https://ann:${PASSWORD}@example.org/team/bmad.git`;

const run = (home: string, ...args: string[]) =>
  runHere(args, { env: { HOME: home, USERPROFILE: home }, cwd: home });

treeTest("install writes no password into a file [git:credentials]", { ".cursor/": "" }, async (home) => {
  const before = await listTree(home);
  for (const more of [[], ["--print"], ["--dry-run"], ["--json"], ["--project", "."]]) {
    const refused = await run(home, "install", "cursor", "--path", ADDRESS, ...more);
    const said = /Invalid --path: it contains a password or token.* as paths = /;
    if (more[0] !== "--json") assertFailed(refused, 2, said);
    else assert.match(JSON.parse(refused.stderr).error.message, said);
    assert.ok(!(refused.stdout + refused.stderr).includes(PASSWORD), more.join(" "));
  }
  assertFailed(
    await run(home, "install", "cursor", "--token", PASSWORD),
    2,
    /--token: .*stdin and stdout/,
  );
  const operand = await run(home, "install", "cursor", ADDRESS);
  assertFailed(operand, 2, /Unknown client "git\+https:\/\/\*\*\*@example\.org/);
  assert.deepEqual(await listTree(home), before);

  // After following the advice, an entry without the password serves the repository.
  const [, file] = /Set it in (.+?) as/.exec(
    (await run(home, "install", "cursor", "--path", ADDRESS)).stderr,
  )!;
  await Deno.mkdir(dirname(file!), { recursive: true });
  await Deno.writeTextFile(file!, `paths = ["${ADDRESS}"]\n`);
  assert.equal((await run(home, "install", "cursor")).code, 0);
  const { args } = JSON.parse(await Deno.readTextFile(`${home}/.cursor/mcp.json`)).mcpServers.bmad;
  const { stdout } = await run(home, "sources", "--offline", ...args.slice(args.indexOf("serve") + 1));
  assert.match(stdout, /git\+https:\/\/example\.org\/team\/bmad\.git/);
});

Deno.test("doctor and install do not show the password in an entry", () => {
  const SECRETS = [
    ADDRESS,
    `--token=${PASSWORD}`,
    "--qdrant-url",
    `https://ann:${PASSWORD}@q.example`,
    `--embeddings-url=https://e.example/v1?key=${PASSWORD}`,
  ];
  const entry = (command: string) =>
    JSON.stringify({ mcpServers: { bmad: { command, args: ["serve", ...SECRETS] } } });
  const files = { ".cursor/mcp.json": entry("/gone/bmad-mcp"), ".kiro/settings/mcp.json": entry("other") };
  return withTree(files, async (home) => {
    for (
      const words of [["doctor"], ["doctor", "--json"], ["install", "kiro"], ["install", "kiro", "--json"]]
    ) {
      const { stdout, stderr } = await run(home, ...words);
      assert.match(stdout + stderr, /(?:bmad-mcp|other)[^*]* serve |"serve",/, words.join(" "));
      assert.match(stdout + stderr, /\*\*\*@example\.org/, words.join(" "));
      assert.ok(!(stdout + stderr).includes(PASSWORD), words.join(" "));
    }
  });
});

Deno.test("uninstall from an invalid file does not suggest adding the entry", () =>
  withTree({ ".cursor/mcp.json": "{,}" }, async (home) => {
    const { code, stderr } = await run(home, "uninstall", "cursor");
    assert.equal(code, 3);
    assert.match(stderr, /mcp\.json:1:2: .* Remove "bmad" by hand/);
    assert.doesNotMatch(stderr, /--print/);
  }));

/** Files with a neighbour of ours, whose secrets all contain the same word. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  "JSON": JSON.stringify({ mcpServers: { other: { command: "x", env: { MODE: "hunter2" } } } }, null, 2),
  "JSON on one line": JSON.stringify({ mcpServers: { other: { headers: { "X-Me": "hunter2" } } } }),
  "an argument": '{ "args": ["--api-key=hunter2", "https://ann:hunter2@example.org/"] }',
  "a key": '{\n  "api_key": "hunter2"\n}',
  "TOML":
    '[mcp_servers.other]\ncommand = "x"\n[mcp_servers.other.env]\nMODE = "hunter2"\nB = \'hunter2\'\n[a]\n',
  "a table in TOML": 'env = { MODE = "hunter2", B = "hunter2" }\n',
  "YAML": "envs:\n  API_TOKEN: hunter2\n",
};

for (const [form, text] of Object.entries(NEIGHBOURS)) {
  Deno.test(`a preview hides the secrets of other entries: ${form} [cli:install-preview]`, async () => {
    const { before: masked = "" } = await withoutNeighbours({ outcome: "same", before: text });
    assert.ok(!masked.includes("hunter2"), masked);
    assert.equal(masked.split("\n").length, text.split("\n").length);
  });
}

Deno.test("a dry run says that it is one and shows no secret of others [cli:install-preview]", () => {
  const file =
    `{\n  "mcpServers": {\n    "other": { "command": "x", "env": { "MODE": "${PASSWORD}" } }\n  }\n}\n`;
  return withTree({ ".cursor/mcp.json": file }, async (home) => {
    const shown = await run(home, "install", "cursor", "--dry-run");
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /^\+ +"bmad": \{$/m);
    assert.match(shown.stdout, /"command": "x"/);
    assert.match(shown.stderr, /nothing was changed/);
    const json = await run(home, "install", "cursor", "--json");
    for (const text of [shown.stdout, json.stdout]) assert.ok(!text.includes(PASSWORD), text);
    assert.match(await Deno.readTextFile(`${home}/.cursor/mcp.json`), new RegExp(PASSWORD));
  });
});
