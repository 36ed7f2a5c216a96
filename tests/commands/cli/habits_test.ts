/**
 * Does the program forgive? Lines that people type out of habit, or mistype, do what is meant or fail with one line that
 * helps; none of them starts a server that was not asked for.
 */
import assert from "node:assert/strict";
import { denoHost } from "../../../src/process/host.ts";
import { COMMAND_NAMES } from "../../../src/operations/mod.ts";
import { habits } from "../../../src/settings/habits.ts";
import { withoutTyped } from "../../../src/commands/cli/serve.ts";
import { resolveConfig } from "../../support/config.ts";
import { assertFailed, runCli, runHere } from "../../support/program.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { withTree } from "../../support/trees.ts";

const SPRINT = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const PROJECT = {
  [SPRINT]: "development_status:\n  epic-2: in-progress\n  2-2-book-a-walk: ready-for-dev\n",
  "_bmad-output/planning-artifacts/epics.md": "## Epic 2: Walks\n\n### Story 2.2: Book a walk\n",
};

const MEANT: readonly (readonly [typed: string, ours: string])[] = [
  ["board -y", "board --yes"],
  ["ls", "list"],
  ["ls agents", "list agents"],
  ["agents", "list agents"],
  ["Agents --json", "list agents --json"],
  ["agents list", "list agents"],
  ["list all", "list"],
  ["list stories", "board"],
  ["bmad-mcp board", "board"],
  ["BOARD", "board"],
  ["status", "board"],
  ["kanban --json", "board --json"],
  ["story 2-2", "board 2-2"],
  ["2-2", "board 2-2"],
  ["show 2-2", "board 2-2"],
  ["show epic-2", "board epic-2"],
  ["show api:v2:1-9", "board api:v2:1-9"],
  ["show spec-order/2", "board spec-order/2"],
  ["todo", "next"],
  ["next story", "next"],
  ["what is next", "next"],
  ["done 2-2", "mark 2-2 done"],
  ["done 2-2-book-a-walk --by Ann", "mark 2-2-book-a-walk done --by Ann"],
  ["start 2-2", "mark 2-2 in-progress"],
  ["run mary", "execute mary"],
  ["talk to mary -m Hello", "execute mary -m Hello"],
  ["chat mary", "execute mary"],
  ["chat with mary Hello", "execute mary --message=Hello"],
  ["create story", "execute create-story"],
  ["create story 2-3", "execute create-story --message=2-3"],
  ["task list", "board"],
  ["find test plan", "search test plan"],
  ["cat analyst", "show analyst"],
  ["remember this", "memory remember this"],
  ["get toolsets", "config get toolsets"],
  ["install all", "install --all"],
  ["install all --dry-run", "install --all --dry-run"],
  ["-p . board", "--project . board"],
  ["board -p .", "board --project ."],
  ["help me", "help"],
  ["help commands", "help all"],
  ["--Help", "--help"],
  ["-help", "--help"],
  ["-?", "--help"],
  ["/?", "help"],
  ["run --help", "execute --help"],
  ["test", "doctor"],
  ["-v", "--version"],
];

const SERVED: readonly (readonly [typed: string, ours: string])[] = [
  ["serve --port 8080", "serve --http 8080"],
  ["--port 8080", "serve --http 8080"],
  ["serve --http --port 9090", "serve --http 9090"],
  ["serve --http", "serve --http 8080"],
  ["serve --http --read-only", "serve --http 8080 --read-only"],
  ["serve -p .", "serve --project ."],
  ["web", "serve --http 8080"],
  ["ui -p .", "serve --http 8080 --project ."],
  ["open", "serve --http 8080"],
  ["dashboard", "serve --http 8080"],
  ["server", "serve"],
];

/** Lines that mean nothing, or too much, and what is said. */
const TOLD: readonly (readonly [typed: string, said: RegExp])[] = [
  ["done", /^bmad-mcp: Which story\? .*bmad-mcp mark STORY done/],
  ["start", /bmad-mcp next\. .*bmad-mcp serve$/],
  ["init", /bmad-mcp install\./],
  ["quit", /Ctrl-C stops a server/],
  ["rm team-bmad", /bmad-mcp remove SOURCE/],
  ["bord", /Unknown command or folder "bord"\. Did you mean board\?/],
  ["lsit agents", /Did you mean list\?/],
  ["agnets", /Did you mean list agents\?/],
  ["instal cursor", /Did you mean install\?/],
  ["dcotor --help", /Did you mean doctor\?/],
  ["hello", /Unknown command or folder "hello"\. Commands: bmad-mcp --help\. Agents: bmad-mcp list agents/],
  ["board --epics 1", /Unknown flag --epics\. Did you mean --epic\?/],
  ["list agents --toolset all", /Did you mean --toolsets\?/],
  ["config get colour", /Unknown setting "colour"\. Settings: bmad-mcp config$/],
  ["help fly", /Unknown command "fly"\. Commands: bmad-mcp --help/],
  ["config get toolset", /Unknown setting "toolset"\. Did you mean toolsets\?/],
  ["show", /Missing NAME\. .*bmad-mcp list agents/],
  ["ask which db should we use", /Unexpected argument "should"\. .*Put several words in quotes$/],
  ["mark", /Missing STORY\. .*bmad-mcp board/],
  ["mark 2-2", /Missing status\. .*bmad-mcp mark 2-2 in-progress/],
  ["evidence 2-2 ls", /Missing result\. .*bmad-mcp evidence 2-2 ls --after passed$/],
  ["ask 2-2", /Missing question\. .* about 2-2\?$/],
  ["memory", /Missing ACTION\. .*bmad-mcp help memory/],
  ["new", /Missing agent, workflow, skill or module\. .*bmad-mcp new agent gardener/],
  ["search", /Missing WORDS\. .*bmad-mcp search test architecture/],
  ["export analyst", /Missing --to\. Use --to zip\|web-bundle\|skill/],
  [
    "ask mary",
    /"mary" is an agent\. To talk to it: bmad-mcp execute mary\. To ask people: bmad-mcp ask QUESTION$/,
  ],
  ["ask Mary Why?", /"Mary" is an agent\. To talk to it: bmad-mcp execute Mary -m "Why\?"/],
  ["x".repeat(3_000), /^bmad-mcp: Unknown command or folder "x{59}…"\. Commands/],
  ["board --project /nowhere", /Folder not found: \S*\/nowhere$/],
  ["list agents --path /nowhere", /Folder not found: \S*\/nowhere$/],
  ["serve --http 8080 --project /nowhere", /Folder not found: \S*\/nowhere$/],
];

function settled(line: string) {
  const { invocation, settings } = resolveConfig({ ...denoHost("."), args: line.split(" ") });
  return { invocation, settings };
}

Deno.test("a habitual line does what ours does [cli:habits]", () => {
  assert.ok(MEANT.length + SERVED.length + TOLD.length > 60);
  for (const [typed, ours] of MEANT) {
    assert.deepEqual(settled(typed), settled(ours), typed);
    assert.notEqual(settled(typed).invocation.name, "serve", typed);
  }
  for (const [typed, ours] of SERVED) {
    assert.deepEqual(settled(typed), settled(ours), typed);
    assert.equal(settled(typed).invocation.name, "serve", typed);
  }
});

Deno.test("a line that means nothing is answered with one line that helps [cli:habits]", () =>
  withTree(PROJECT, async (cwd) => {
    for (const [typed, said] of TOLD) {
      const result = await runHere(typed.split(" "), { cwd });
      assertFailed(result, 2, /./);
      assert.match(result.stderr.trimEnd(), said, typed);
    }
  }));

Deno.test("habits run: a story is marked, an epic shown, an agent executed [cli:habits]", () =>
  withTree(PROJECT, async (cwd) => {
    const run = (line: string) => runHere(line.split(" "), { cwd });
    assert.match((await run("start 2-2")).stdout, /2-2-book-a-walk/);
    assert.match(await Deno.readTextFile(`${cwd}/${SPRINT}`), /2-2-book-a-walk: in-progress/);
    assert.match((await run("list --all")).stdout, /^agents\tbmad-mcp list agents\n/);
    assert.match((await run("board --epic 2")).stdout, /^epic\tEpic 2: Walks/);
    for (const name of ["mary", "Mary", "analyst"]) {
      const { code, stdout } = await run(`${name} Size the market`);
      assert.equal(code, 0);
      assert.match(stdout, /^---\nagent: bmm\/bmad-agent-analyst\nuser-prompt: "Size the market"\n/);
    }
    // The agent is not served here, and another command is not near enough.
    const unknown = await run("Mary --pack none");
    assert.doesNotMatch(unknown.stderr, /mark/);
    assertFailed(unknown, 2, /Unknown command or folder "Mary"/);
  }));

Deno.test("no habit hides a command, and each means one", () => {
  for (const [key, habit] of Object.entries(habits())) {
    assert.ok(!COMMAND_NAMES.includes(key as typeof COMMAND_NAMES[number]), key);
    const [word = ""] = typeof habit === "string" ? habit.split(" ") : [];
    assert.ok(
      word === "" || word === "…" || COMMAND_NAMES.includes(word as typeof COMMAND_NAMES[number]),
      key,
    );
    const named = typeof habit === "string" ? [] : [...habit.say.matchAll(/bmad-mcp ([a-z]+)/g)];
    for (const [, name] of named) assert.ok(COMMAND_NAMES.some((known) => known === name), `${key}: ${name}`);
  }
});

Deno.test("the entry of a client starts without a folder that has gone, and ignores unknown flags", async () => {
  for (const args of [["/nowhere"], ["serve", "--project", "/nowhere"], ["--fancy"]]) {
    const { code, stderr } = await runCli(args);
    assert.deepEqual([code, /Serving/.test(stderr)], [0, true], stderr);
  }
  const terminal = { stdin: true, stdout: true, stderr: true };
  for (const args of [["/nowhere"], ["serve", "--project", "/nowhere"], ["--fancy"], ["--web"]]) {
    assert.throws(
      () => resolveConfig({ ...denoHost("."), args, terminal }),
      /Folder not found|Unknown flag/,
      args.join(" "),
    );
  }
});

Deno.test("a command typed at the server is answered, and messages pass [cli:habits]", async () => {
  const chunks = ["list agents\n", '{"id":1,\n', "\nquit\n", '{"id":', '2}\n$ bmad-mcp board\n{"id":3}\n'];
  const said: string[] = [];
  let isCancelled = false;
  const source = withoutTyped({
    read: () => {
      const chunk = chunks.shift();
      return Promise.resolve(chunk === undefined ? null : new TextEncoder().encode(chunk));
    },
    cancel: () => void (isCancelled = true),
  }, (line) => said.push(line));
  let passed = "";
  for (let bytes; (bytes = await source.read()) !== null;) passed += new TextDecoder().decode(bytes);
  source.cancel();
  assert.deepEqual([passed, isCancelled], ['{"id":1,\n{"id":2}\n{"id":3}\n', true]);
  const prompt = "This is a server for MCP clients, not a prompt. Press Ctrl-C, then run: bmad-mcp";
  assert.deepEqual(said, [`${prompt} list agents`, "Ctrl-C stops the server.", `${prompt} board`]);
});

Deno.test("with -y nothing is asked on a terminal [cli:habits]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree({ ".cursor/": "" }, async (home) => {
    const { code, text } = await runOnTerminal("bmad-mcp install -y", { cwd: home, env: { HOME: home } });
    assert.equal(code, 2);
    assert.match(text, /Found here: cursor\. Run:\s+bmad-mcp install cursor/);
  });
});

Deno.test("Ctrl-C on a terminal is exit code 130 [cli:interrupted]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree(PROJECT, async (cwd) => {
    const rows: readonly (readonly [line: string, after: string])[] = [
      ["bmad-mcp", "press Ctrl-C"],
      ["bmad-mcp serve --http 0", "Ctrl-C stops"],
      ["bmad-mcp board --watch", "Ctrl-C stops"],
      ["echo begun; bmad-mcp script -", "begun"],
    ];
    for (const [line, after] of rows) {
      const typed = { after, keys: "\\003" };
      const { code, text } = await runOnTerminal(line, { cwd, typed });
      assert.equal(code, 130, `${line}: ${text}`);
    }
  });
});
