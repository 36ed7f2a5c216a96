/** What does the command line print, where, and with which exit code? */
import assert from "node:assert/strict";
import manifest from "../../../deno.json" with { type: "json" };
import { COMMAND_NAMES } from "../../../src/operations/mod.ts";
import { SETTING_KEYS } from "../../../src/settings/mod.ts";
import { assertFailed, cleanEnv, PROGRAM, runCli, runHere } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

async function printed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return stdout;
}

// deno-lint-ignore no-explicit-any
const json = async (args: readonly string[]): Promise<any> => JSON.parse(await printed([...args, "--json"]));

Deno.test("a list in a pipe is plain lines with tabs [cli:plain-when-piped]", async () => {
  const lines = (await printed(["list", "agents"])).split("\n");
  assert.equal(lines.length, 7);
  assert.match(
    lines[0]!,
    /^bmm\/bmad-agent-analyst\tMary, Business Analyst: Business analyst for market research/,
  );
  for (const line of lines.slice(0, -1)) assert.equal(line.split("\t").length, 2);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(lines.join("\n"), /\x1b/);
});

Deno.test("lists, items and searches print as JSON [cli:json, cli:browse]", async () => {
  const { items, total } = await json(["list", "agents"]);
  assert.deepEqual([items.length, total], [6, 6]);
  const { name, module, displayName, title, role, description, toolName, origin } = items[0];
  assert.deepEqual([name, module, displayName, title, toolName, origin], [
    "analyst",
    "bmm",
    "Mary",
    "Business Analyst",
    "bmm-analyst",
    "package",
  ]);
  assert.match(role, /^Help the user ideate/);
  assert.match(description, /^Business analyst/);

  const shown = await json(["show", "bmm/prd"]);
  assert.deepEqual([shown.id, shown.files.length, shown.uri], [
    "bmad-prd",
    8,
    "bmad://bmm/bmad-prd/SKILL.md",
  ]);
  const found = await json(["search", "test", "strategy", "--module", "tea"]);
  assert.equal(found.items[0].id, "bmad-testarch-test-design");
  const executed = await json(["execute", "Mary", "-m", "Hello"]);
  assert.equal(executed.name, "bmm/bmad-agent-analyst");
  assert.match(executed.text, /^---\nagent: bmm\/bmad-agent-analyst\nuser-prompt: "Hello"\n---\n/);
});

Deno.test("an item, a search and an execution are printed as text", async () => {
  assert.match(
    await printed(["show", "analyst"]),
    /^name\tbmm\/bmad-agent-analyst\nwho\t📊 Mary, Business Analyst\nkind\tskill, agent\n/,
  );
  assert.match(await printed(["show", "analyst", "--raw"]), /^---\nname: bmad-agent-analyst\n/);
  assert.match(await printed(["search", "retrosp"]), /^bmm\/bmad-retrospective\t/);
  assert.match(
    await printed(["execute", "prd", "--message=A shop"]),
    /^---\nworkflow: bmm\/bmad-prd\nuser-prompt: "A shop"\n---\n/,
  );
  assert.equal(
    await printed(["list", "workflows", "--category", "solutioning", "--module", "tea"]).then(countLines),
    3,
  );
});

const countLines = (text: string) => text.trimEnd().split("\n").length;

Deno.test("a folder that a variable names, or the entry of a client, is only missed", async () => {
  const env = { BMAD_ROOT: "/nowhere/bmad" };
  const { code, stderr } = await runCli(["list", "agents"], { env });
  assert.deepEqual([code, stderr.split("\n").length], [0, 2], stderr);
  assert.match(stderr, /Folder not found: \S*\/nowhere\/bmad\. Everything else is served/);
  const served = await runCli(["serve", "--project", "/nowhere/bmad"]);
  assert.match(
    served.stderr,
    /error: project: Folder not found: \S+\. Create the folder, or remove it from the settings/,
  );
});

Deno.test("a list that is cut or empty says so on stderr, and succeeds", async () => {
  const cut = await runCli(["list", "agents", "--limit", "1"]);
  assert.deepEqual([cut.code, countLines(cut.stdout), cut.stderr], [0, 1, "1 of 6 shown.\n"]);
  const none = await runCli(["search", "zzzzqq"]);
  assert.deepEqual([none.code, none.stdout], [0, ""]);
  assert.match(none.stderr, /^No results for "zzzzqq"\. Try fewer or other words\.\n$/);
  const nowhere = await runCli(["list", "agents", "--module", "nope", "--origin", "package"]);
  assert.equal(nowhere.stderr, 'bmad-mcp: Unknown module "nope". Use one of bmm, core, tea, bmb\n');
});

const FAILURES: readonly (readonly [line: string, code: number, said: RegExp])[] = [
  ["show anlyst", 1, /"anlyst"\. Did you mean bmm\/bmad-agent-analyst\?\n/],
  ["execute nobody-at-all", 1, /No agent, workflow or skill named "nobody-at-all"/],
  ["show bmad://bmm/none.md", 1, /No resource named "bmad:/],
  ["show b b", 2, /^bmad-mcp: Unexpected argument "b"\. Usage: bmad-mcp show NAME/],
  ["list agentz", 2, /^bmad-mcp: Unknown list "agentz"\. Did you mean agents\?\n$/],
  ["list constructor", 2, /^bmad-mcp: Unknown list "constructor"\. Use one of agents, workflows,/],
  ["list agents --limit 0", 2, /--limit: expected a whole number above 0, not "0"/],
  ["list agents --mode=wrong", 2, /^bmad-mcp: Invalid --mode "wrong": /],
  ...["bmad:/x", "\tbmad://x", "http://x/y.md", "bmad://", "bmad://%zz"].map((uri) =>
    [`show ${uri}`, 2, /^bmad-mcp: Invalid URI ".*": expected .*, as in bmad:\/\//] as const
  ),
];

Deno.test(
  "a command that fails says why on stderr, and its exit code says what kind of failure [cli:exit-codes, cli:stdout-results, errors:prose, errors:invalid-uri]",
  async () => {
    for (const [line, code, said] of FAILURES) assertFailed(await runHere(line.split(" ")), code, said);
    if (PROGRAM.file === undefined) return;
    const program = ["run", "--cached-only", "-A", PROGRAM.file];
    assertFailed(await runCli(["list", "agents"], { program }), 3, /Cannot narrow the right to read/);
  },
);

treeTest("the settings are printed with their sources [cli:config, cli:config-precedence]", {
  "project/.bmad-mcp.toml": 'pack = "v4"\nmode = "user"\nmaxResult = 2048\n',
  "settings/bmad-mcp/config.toml": 'logLevel = "warn"\npack = "latest"\n',
}, async (dir) => {
  const options = {
    cwd: `${dir}/project`,
    env: { BMAD_MODE: "strict", BMAD_MAX_RESULT: "4096", XDG_CONFIG_HOME: `${dir}/settings` },
  };
  const { code, stdout, stderr } = await runCli(["config", "--json", "--mode", "local"], options);
  assert.deepEqual([code, stderr], [0, ""]);
  const file = `${dir}/project/.bmad-mcp.toml`;
  const userFile = `${dir}/settings/bmad-mcp/config.toml`;
  const { settings, ...rest } = JSON.parse(stdout);
  assert.deepEqual(rest, {
    project: `${dir}/project`,
    files: [{ path: file, found: true }, { path: userFile, found: true }],
    ignored: [],
  });
  assert.deepEqual(Object.keys(settings), [...SETTING_KEYS]);
  const told = Object.entries(settings).filter(([, row]) => (row as { from: string }).from !== "default");
  assert.deepEqual(Object.fromEntries(told), {
    mode: { value: "local", from: "--mode" },
    pack: { value: "v4", from: `${file}:1` },
    maxResult: { value: 4096, from: "BMAD_MAX_RESULT" },
    logLevel: { value: "warn", from: `${userFile}:1` },
  });
  assert.deepEqual(settings.project, { value: null, from: "default" });
  assert.deepEqual(settings.toolsets, { value: ["bmad", "work"], from: "default" });
  const plain = await runCli(["config"], options);
  assert.equal(plain.code, 0);
  assert.match(plain.stdout, /^mode\tstrict \(BMAD_MODE\)$/m);
  assert.equal(plain.stderr, `read: ${file}\nread: ${userFile}\n`);
});

Deno.test("the version and the help are printed, for each command too [cli:help-and-version]", async () => {
  const { commit, ...facts } = await json(["version"]);
  const runtime = `deno ${Deno.version.deno}`;
  assert.deepEqual(facts, {
    name: "bmad-mcp",
    version: manifest.version,
    runtime,
    target: Deno.build.target,
    json: 1,
  });
  // Only a built program knows its commit.
  const isBuilt = PROGRAM.file?.endsWith(".ts") !== true;
  assert.equal(commit !== null, isBuilt);
  const build = isBuilt ? `commit ${commit.slice(0, 12)}, ${runtime}` : runtime;
  for (const args of [["version"], ["--version"], ["-v"], ["list", "-V"]]) {
    assert.equal(await printed(args), `bmad-mcp ${manifest.version} (${build})\n`);
  }
  assert.match(await printed(["licenses"]), isBuilt ? /Apache License/ : /task bundle.* gathers them all/);
  assert.equal(await printed(["--help"]), await printed(["help"]));
  assert.equal(await printed(["list", "--help"]), await printed(["help", "list"]));
  for (const command of COMMAND_NAMES) {
    const lines = (await runHere(["help", command])).stdout.split("\n");
    const told = lines.slice(0, lines.indexOf("Examples:"));
    assert.deepEqual(told.filter((line) => line.length > 100), [], command);
    const isSet = !["completions", "help", "licenses", "upgrade", "version"].includes(command);
    assert.equal(told.some((line) => line.startsWith("Settings such as --project DIR")), isSet, command);
  }
  assert.match(await printed(["help", "execute"]), /-m, --message TEXT/);
});

const SCRIPT = "/usr/bin/script";

Deno.test({
  name: "a start on a terminal says on stderr what to do [cli:no-arguments-terminal]",
  ignore: Deno.build.os !== "linux" || !exists(SCRIPT),
  fn: () =>
    withTree({
      "home/": "",
      "project/.claude/skills/bmad-one/SKILL.md": "---\nname: bmad-one\ndescription: One\n---\nOne.\n",
    }, async (dir) => {
      const quoted = [PROGRAM.command, ...PROGRAM.args].map((word) => `'${word}'`).join(" ");
      const { code, stdout } = await new Deno.Command(SCRIPT, {
        args: ["-qec", `${quoted} 2>'${dir}/stderr'`, "/dev/null"],
        cwd: `${dir}/project`,
        env: { ...cleanEnv(`${dir}/home`), SHELL: "/bin/sh", TERM: "xterm" },
        clearEnv: true,
        stdin: "null",
      }).output();
      assert.equal(code, 0);
      assert.doesNotMatch(new TextDecoder().decode(stdout), /BMAD|bmad|jsonrpc/);
      const welcome = await Deno.readTextFile(`${dir}/stderr`);
      const start =
        `bmad-mcp ${manifest.version} is serving MCP on stdin and stdout: 6 agents, 36 workflows (bmb, bmm, core, skills, tea).\n`;
      assert.equal(welcome.slice(0, start.length), start);
      assert.match(welcome, new RegExp(`^  project +1 item  ${dir}/project `, "m"));
      assert.match(
        welcome,
        /^ {2}package +62 items {2}latest {2}\(bmm 6\.12\.0, core 6\.12\.0, tea 1\.27\.2, bmb 1\.1\.0\)$/m,
      );
      const snippet = JSON.parse(/^\{\n[^]*?\n\}$/m.exec(welcome)![0]);
      const { command, args } = snippet.mcpServers.bmad;
      if (PROGRAM.file === undefined) assert.deepEqual([command, args], [PROGRAM.command, ["serve"]]);
      else {
        const task = ["task", "--quiet", "--config", args[3], "start", "serve"];
        assert.deepEqual([command, args], [Deno.execPath(), task]);
      }
    }),
});

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
