/** Is a command line understood as a shell would, without one, and is everything else refused? */
import assert from "node:assert/strict";
import { commandOf, parseCommandLine } from "../../../src/project/scripts/mod.ts";
import { runScript } from "../../../src/project/scripts/mod.ts";
import { skillAt, worldOf } from "../../support/scripts.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const MEMLOG = ["append", "--text", "x"];

Deno.test("a command line names a script and its arguments, however it is started", () => {
  const starts = [
    "memlog.py",
    "uv run {project-root}/_bmad/scripts/memlog.py",
    'uv run --no-cache "{project-root}/_bmad/scripts/memlog.py"',
    "uv run --with ruamel.yaml --quiet scripts/memlog.py",
    "uv run python3 -B scripts/memlog.py",
    "/usr/bin/python3.12 -X utf8 /home/me/app/_bmad/scripts/memlog.py",
    "py -3 C:\\work\\_bmad\\scripts\\memlog.py",
    "UV_CACHE_DIR=/tmp/uv PYTHONUTF8=1 uv run scripts/memlog.py",
    "bmad-mcp script memlog.py",
    "bmad-mcp script uv run scripts/memlog.py",
  ];
  for (const start of starts) {
    const { script, args } = parseCommandLine(`${start} append --text x`);
    assert.deepEqual([script, args], ["memlog.py", MEMLOG], start);
  }
});

Deno.test("quotes, escapes and continued lines are those of a shell", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "'a b' \"c d\" e\\ f": ["a b", "c d", "e f"],
    "--text='it is'\\''nt'": ["--text=it is'nt"],
    '"say \\"hi\\" for \\$5 \\n"': ['say "hi" for $5 \\n'],
    "a \\\n  b": ["a", "b"],
    "'' \"\"": ["", ""],
    "'; rm -rf / | $(x) `y` > z'": ["; rm -rf / | $(x) `y` > z"],
    '"a; b | c & d > e `f` $(g)"': ["a; b | c & d > e `f` $(g)"],
    "'two\nlines'": ["two\nlines"],
    "C:\\work\\out 5$ a\\;b": ["C:\\work\\out", "5$", "a;b"],
    "  spaced \t out  ": ["spaced", "out"],
  };
  for (const [line, args] of Object.entries(cases)) {
    assert.deepEqual(parseCommandLine(`x.py ${line}`).args, args, line);
  }
});

const HOSTILE: readonly string[] = [
  "memlog.py append; rm -rf .",
  "memlog.py append | sh",
  "memlog.py append && sh",
  "memlog.py append > /etc/passwd",
  "memlog.py append < /etc/passwd",
  "memlog.py append --text $(id)",
  "memlog.py append --text ${HOME}",
  "memlog.py append --text $HOME",
  "memlog.py append --text `id`",
  "memlog.py append --workspace ~/x",
  "memlog.py append\nrm x",
  "(memlog.py append)",
  "memlog.py append 'open",
  'memlog.py append "open',
  "memlog.py append --text 'a\0b'",
  "memlog.py append --text '\x1b[2J'",
  "python3 -c 'import os' memlog.py append",
  "python3 -m http.server",
  "uv run --env-file x memlog.py append",
  "uv",
  "",
];

Deno.test("what only a shell understands is refused [work:command-line]", () => {
  for (const line of HOSTILE) {
    assert.throws(() => parseCommandLine(line), /Invalid script: the command line [^.]+\. \w/, line);
  }
  const long = `memlog.py append --text '${"x".repeat(10 << 20)}'`;
  assert.throws(() => parseCommandLine(long), /has 10485786 characters\. Use at most 100000$/);
  assert.throws(() => commandOf(["memlog.py", "append", "--text", "x".repeat(10 << 20)]), /Use at most/);
});

Deno.test("a script that is not native is named with its file and command", () =>
  withTree(
    { "_bmad/scripts/own.py": "print(1)\n", "_bmad/method/scripts/setup_check.py": "" },
    async (root) => {
      const skill = {
        name: "my-skill",
        location: "/else/my-skill",
        read: (path: string) => path === "scripts/mine.py" ? "" : undefined,
      };
      const world = worldOf(root, { skills: [skill] });
      const refusal = async (line: string) => {
        const error = await runScript(parseCommandLine(line), world).then(() => undefined, (error) => error);
        return String(error?.message);
      };
      assert.equal(
        await refusal("uv run {project-root}/_bmad/scripts/own.py --text 'a b'"),
        `No native script named "own.py". Run it with your own shell: uv run ${root}/_bmad/scripts/own.py --text "a b"`,
      );
      assert.match(await refusal("mine.py"), /shell: uv run \/else\/my-skill\/scripts\/mine\.py$/);
      assert.match(await refusal("setup_check.py"), /later BMAD generation and is not native\. Run it/);
      assert.match(
        await refusal("tickets.py --project-root . mirror out"),
        /^No native script named "tickets\.py mirror"\. It belongs to a later BMAD generation .*Known scripts/,
      );
      assert.match(await refusal("memlok.py append"), /Did you mean memlog\.py\?/);
    },
  ));

Deno.test("setup.py is answered with the command to run [work:setup-command]", () =>
  withTree({ "skills/bmad/scripts/setup.py": "print('{}')\n" }, async (root) => {
    const setup = `${root}/skills/bmad/scripts/setup.py`;
    const world = worldOf(root, { skills: [skillAt(`${root}/skills/bmad`)] });
    for (const call of ["setup.py", "skills/bmad/scripts/setup.py", `uv run ${setup}`]) {
      await assert.rejects(
        () => runScript(parseCommandLine(`${call} --status --project-root .`), world),
        {
          message: 'No native script named "setup.py". It belongs to a later BMAD generation and is not ' +
            `native. Run it with your own shell: uv run ${setup} --status --project-root .`,
        },
      );
    }
    await assert.rejects(
      () => runScript(commandOf(["setup.py", "--status"]), worldOf(root)),
      /"setup\.py".* is not native\. Known scripts: memlog\.py, /,
    );
  }));

treeTest("a line break is accepted where a script takes a text", {}, async (root) => {
  const run = (line: string) => runScript(parseCommandLine(line), worldOf(root));
  assert.equal((await run("memlog.py init --workspace {project-root}/out/w")).status, 0);
  assert.equal((await run("memlog append --workspace out/w --text 'one\ntwo'")).status, 0);
  assert.match(await Deno.readTextFile(`${root}/out/w/.memlog.md`), /\n- one two\n$/);
});

treeTest("names of the configuration are filled in [work:command-line]", {}, async (root) => {
  const config = () => ({
    core: { output_folder: "{project-root}/out", user_name: "Ada" },
    modules: { bmm: { planning_artifacts: "{output_folder}/plans" } },
  });
  const none = () => ({});
  const resolvers = {
    config,
    party: () => ({ active: none, named: none, menu: none, personas: none }),
    layers: () => [],
    knowledge: none,
    roster: none,
    rendered: () => undefined,
  };
  const world = worldOf(root, { resolvers: () => Promise.resolve(resolvers) });
  const run = (line: string) => runScript(parseCommandLine(line), world);
  const made = await run("memlog.py init --workspace {planning_artifacts}/idea --field by={user_name}");
  assert.equal(made.status, 0, made.stderr);
  await run("memlog.py append --workspace={planning_artifacts}/idea --text 'for {user_name}'");
  const text = await Deno.readTextFile(`${root}/out/plans/idea/.memlog.md`);
  assert.match(text, /^---\nby: Ada\n[^]*\n- for \{user_name\}\n$/);
  await assert.rejects(run("memlog.py init --workspace {doc_workspace}"), /not filled in/);
});

treeTest("a date is written as the script wants it [work:command-line]", {
  "out/sprint-status.yaml": "last_updated: 01-01-2026 10:00\ndevelopment_status:\n  epic-1: backlog\n",
}, async (root) => {
  const world = worldOf(root, {});
  const run = (line: string) => runScript(parseCommandLine(line), world);
  const { stdout } = await run(
    'sprint_status.py update --file out/sprint-status.yaml --epic 1 --date "{date}"',
  );
  assert.match(JSON.parse(stdout).last_updated, /^\d\d-\d\d-\d{4} \d\d:\d\d$/);
  const slug = await run("recon_kit.py slug T --type x --date {date} --pattern {date}");
  assert.match(slug.stdout, /"\d{4}-\d\d-\d\d"/);
});

treeTest("both dates that an activation names are accepted by every script [calls:dates]", {
  "out/sprint-status.yaml": "last_updated: 01-01-2026 10:00\ndevelopment_status:\n  epic-1: backlog\n",
  "out/epics.md": "## Epic 1: A\n",
}, async (root) => {
  const world = { ...worldOf(root, {}), clock: { now: () => new Date(2026, 10, 18, 9, 5).getTime() } };
  const run = async (line: string) => {
    const { status, stdout } = await runScript(parseCommandLine(line), world);
    assert.equal(status, 0, `${line}\n${stdout}`);
    return JSON.parse(stdout);
  };
  const file = "out/sprint-status.yaml";
  const retro = async (date: string) =>
    (await run(`sprint_status.py update --file ${file} --epic 1 --date "${date}"`)).last_updated;
  assert.equal(await retro("2026-11-18"), "11-18-2026 09:05");
  assert.equal(await retro("2026-11-02"), "11-02-2026 00:00");
  for (const date of ["2026-11-18", "11-18-2026 09:05"]) {
    await retro(date);
    const generate = "sprint_plan.py generate --epic-file out/epics.md --stories-dir out --project X";
    await run(`${generate} --status-file ${file} --date "${date}"`);
    const { warnings } = await run(`sprint_plan.py status --status-file ${file} --date "${date}"`);
    assert.deepEqual(warnings, []);
    await run(`recon_kit.py slug T --type x --date "${date}"`);
  }
});

treeTest("names of a known skill's customization are filled in [work:command-line]", {
  ".claude/skills/pick/customize.toml":
    '[workflow]\nmethods = "{skill-root}/m.csv"\npattern = "{research_type}-{date}"\napi_key = "sk-1"\nlist = ["a"]\n',
  ".claude/skills/pick/m.csv": "category\na\n",
  ".claude/skills/pick/scripts/pick_methods.py": "",
  "_bmad/custom/pick.toml": '[workflow]\nextra = "out"\n',
  "out/m.csv": "category\nb\n",
}, async (root) => {
  const skill = skillAt(`${root}/.claude/skills/pick`);
  const world = worldOf(root, { skills: [skill] });
  const run = (line: string, named?: string) => runScript(parseCommandLine(line), world, named);
  const script = "{skill-root}/scripts/pick_methods.py";
  assert.equal((await run(`${script} --file {workflow.methods} categories`)).stdout, "a\t1\n");
  assert.equal((await run("pick_methods.py --file {workflow.extra}/m.csv categories")).stdout, "b\t1\n");
  for (const name of ["workflow.none", "workflow.api_key", "workflow.list", "agent.methods"]) {
    await assert.rejects(run(`pick_methods.py --file {${name}} categories`), /not filled in/, name);
  }
  // A script of no skill needs to be told which one is meant.
  const slug = "recon_kit.py slug T --type x --date 2026-01-02 --pattern";
  assert.match((await run(`${slug} "{workflow.pattern}"`, "pick")).stdout, /"x-2026-01-02"/);
  assert.match((await run(`${slug} "{research_type}-{date}"`)).stdout, /"x-2026-01-02"/);
  const custom = "resolve_customization.py --skill {skill-root} --key workflow.extra";
  assert.deepEqual(JSON.parse((await run(custom, "pick")).stdout), { "workflow.extra": "out" });
  await assert.rejects(run(custom), /\{skill-root\} is not filled in/);
  await assert.rejects(run(custom, "nobody"), /No skill named "nobody"/);
});
