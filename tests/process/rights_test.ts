/** Can the running program read what it was not told to serve, or do more than read? */
import assert from "node:assert/strict";
import { CODE } from "../../.github/release/stage.ts";
import { CLIENT_VARIABLES } from "../../src/commands/clients/mod.ts";
import { ownCode } from "../../src/start.ts";
import { facts, refusal, say } from "../support/answers.ts";
import { startClient } from "../support/client.ts";
import { PROGRAM, programArgs, runCli } from "../support/program.ts";
import { POSIX } from "../support/run.ts";
import { withTree } from "../support/trees.ts";
import { grantedVariables } from "../support/variables.ts";

const REPOSITORY = new URL("../../", import.meta.url);
const MAIN = programArgs().at(-1)!;

Deno.test("the program starts with rights that can be narrowed [tool:execute-runs-nothing]", () => {
  const [command, ...flags] = programArgs().slice(0, -1);
  assert.equal(
    [command, ...flags.map((flag) => flag.split("=")[0])].join(" "),
    "run --quiet --no-prompt --cached-only --allow-read --allow-write --allow-run --allow-net --allow-env --ignore-env",
  );
  assert.deepEqual(flags.slice(3, 6), ["--allow-read=/", "--allow-write=/", "--allow-run=git,bash"]);
  assert.equal(
    grantedVariables().filter((name) => !CLIENT_VARIABLES.includes(name)).join(" "),
    "BMAD_* XDG_* HOME USERPROFILE INIT_CWD USER LOGNAME PATH SYSTEMROOT CI TERM SSH_AUTH_SOCK " +
      "HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy GIT_SSL_CAINFO SSL_CERT_* CLAUDE_PROJECT_DIR " +
      "CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID COPILOT_AGENT_SESSION_ID",
  );
});

/** Grants that cover everything, and the right that must be named for it. */
const BARE: readonly (readonly [right: string, ...grants: string[]])[] = [
  ["read", "-A"],
  ["read", "--allow-env", "--allow-read"],
  ["write", "--allow-env", "--allow-read=/", "--allow-write"],
  ["run", "--allow-env", "--allow-read=/", "--allow-run"],
];

for (const [right, ...grants] of BARE) {
  Deno.test({
    name: `a start with ${grants.join(" ")}, which cannot be narrowed, is refused [rights:self-test]`,
    // The rights of a binary are baked into it.
    ignore: PROGRAM.file === undefined,
    fn: async () => {
      const program = ["run", "--cached-only", ...grants, PROGRAM.file!];
      for (const args of [["list", "agents"], []]) {
        const { code, stdout, stderr } = await runCli(args, { program });
        assert.deepEqual([code, stdout], [3, ""]);
        assert.match(
          stderr,
          new RegExp(
            `^bmad-mcp: Cannot narrow the right to ${right}: ` +
              `(use --allow-${right}=|run deno task .* ${
                ["start", ...args].join(" ")
              } instead).* .*--no-sandbox`,
          ),
        );
        assert.equal(stderr.trimEnd().split("\n").length, 1);
      }
      const { code, stdout, stderr } = await runCli(["--no-sandbox", "list", "agents"], { program });
      assert.deepEqual([code, stdout.split("\n").length], [0, 7]);
      assert.equal(stderr, "bmad-mcp warn: --no-sandbox: the program can read and write the whole disk\n");
    },
  });
}

Deno.test({
  name: "a refused start from a checkout prints the line that starts the same [rights:self-test]",
  ignore: PROGRAM.file !== MAIN,
  fn: async () => {
    const { stderr } = await runCli(["list", "agents"], { program: ["run", "--cached-only", "-A", MAIN] });
    const [, line] = /: run deno (task .* start list agents) instead/.exec(stderr) ?? [stderr, stderr];
    const { code, stdout } = await runCli([], { program: line!.split(" ") });
    assert.deepEqual([code, stdout.split("\n").length], [0, 7], stderr);
  },
});

Deno.test("a folder with a copy of the program stays closed [rights:only-roots]", () => {
  for (const folder of [`/opt/bmad/${CODE}`, `C:\\bmad\\${CODE}`, "/home/ann/bmad-mcp/src"]) {
    assert.deepEqual(ownCode(folder), [folder]);
  }
  for (const folder of ["/home/ann", "/", "C:\\", `/home/ann/my-${CODE}`, `/opt/${CODE}/more`]) {
    assert.deepEqual(ownCode(folder), []);
  }
});

Deno.test("only our code is loaded before the drop [rights:dropped-first]", async () => {
  const args = ["info", "--json", MAIN];
  const info = new Deno.Command(Deno.execPath(), { args, cwd: REPOSITORY, stderr: "null" });
  const { modules } = JSON.parse(new TextDecoder().decode((await info.output()).stdout));
  const loaded = new Set<string>();
  const load = (specifier: string) => {
    if (loaded.has(specifier)) return;
    loaded.add(specifier);
    const found = modules.find((module: { specifier: string }) => module.specifier === specifier);
    for (const { code, isDynamic } of found?.dependencies ?? []) {
      if (code !== undefined && !isDynamic) load(code.specifier);
    }
  };
  const unitOf = (name: string) =>
    name.replace(
      /^src\/(?:(base|process|settings|operations)\/\w+\.ts|(\w+\/\w+)\b.*|(\w+)\.ts)$/,
      "$1$2$3",
    );
  const units = () => {
    const names = [...loaded].map((specifier) => specifier.replace(REPOSITORY.href, ""));
    return [...new Set(names.map((name) => unitOf(name)))].sort();
  };
  load(new URL("main.ts", REPOSITORY).href);
  load(new URL("src/start.ts", REPOSITORY).href);
  const first =
    ("base commands/cli deno.json main.ts operations process serve/handshake settings settings/locations " +
      "settings/plan start").split(" ");
  assert.deepEqual(units(), first);
  const needs = [...loaded].filter((name) => name.includes("/handshake/"));
  assert.equal(needs.length, 1, "the table of needs");
  // Where nobody names a project, the first words with the client come before the drop, too.
  load(new URL("src/serve/handshake/mod.ts", REPOSITORY).href);
  const meeting = [...first, "content/inventory", "content/limits", "content/tree"].sort();
  assert.deepEqual(units(), meeting);
  // And so do the search for the files of clients, and the plan for sources that are added.
  load(new URL("src/commands/clients/mod.ts", REPOSITORY).href);
  load(new URL("src/commands/sources/mod.ts", REPOSITORY).href);
  // Owners can be set through an open file only with the file functions of Node, which the runtime brings.
  assert.deepEqual(
    units(),
    [...meeting, "commands/clients", "commands/limits", "commands/sources", "node:fs"].sort(),
  );
  const opened = [...loaded].filter((specifier) => /src\/content\/inventory\//.test(specifier))
    .map((specifier) => specifier.split("/").at(-1));
  assert.deepEqual(opened.sort(), ["folders.ts", "mod.ts", "roots.ts"]);
});

const DROP = (dir: string) => `
import { dropRights } from ${JSON.stringify(new URL("src/process/rights.ts", REPOSITORY).href)};
const dir = ${JSON.stringify(dir)};
const rights = dropRights({
  read: [dir + "/served", dir + "/later"],
  write: [dir + "/served/own.txt"],
  run: JSON.parse(Deno.args[0]),
  net: false,
}, { sandbox: true });
const attempts = {
  inside: () => Deno.readTextFileSync(dir + "/served/file.txt"),
  later: () => Deno.readTextFileSync(dir + "/later/file.txt"),
  resolvedLink: () => Deno.readTextFileSync(dir + "/secret.txt"),
  neighbour: () => Deno.readTextFileSync(dir + "/served-too/file.txt"),
  parent: () => [...Deno.readDirSync(dir)],
  dots: () => Deno.readTextFileSync(dir + "/served/../secret.txt"),
  system: () => Deno.readTextFileSync("/etc/passwd"),
  stat: () => Deno.statSync(dir + "/secret.txt"),
  lstat: () => Deno.lstatSync(dir + "/secret.txt"),
  realPath: () => Deno.realPathSync(dir + "/secret.txt"),
  open: () => Deno.openSync(dir + "/secret.txt").close(),
  write: () => Deno.writeTextFileSync(dir + "/served/new.txt", ""),
  writeOwn: () => Deno.writeTextFileSync(dir + "/served/own.txt", "mine"),
  writeSystem: () => Deno.writeTextFileSync("/etc/passwd.new", ""),
  remove: () => Deno.removeSync(dir + "/served/file.txt"),
  net: () => Deno.listen({ port: 0 }).close(),
  run: () => new Deno.Command("true").outputSync(),
  git: () => new Deno.Command("git", { args: ["--version"] }).outputSync().success,
  env: () => Deno.env.get("PATH"),
  sys: () => Deno.hostname(),
  regain: () => Deno.permissions.requestSync({ name: "read", path: "/" }).state,
  regainWrite: () => Deno.permissions.requestSync({ name: "write", path: "/" }).state,
  regainRun: () => Deno.permissions.requestSync({ name: "run", command: "git" }).state,
  regainNet: () => Deno.permissions.requestSync({ name: "net" }).state,
  regainAll: () => Deno.permissions.requestSync({ name: "read" }).state,
};
const outcomes = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try { outcomes[name] = attempt(); } catch (error) { outcomes[name] = error.name; }
}
try { await import("file://" + dir + "/secret." + "ts"); outcomes.import = "loaded"; } catch (error) { outcomes.import = error.message; }
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ rights, outcomes })));
`;

Deno.test("only the served folders stay open [rights:only-roots, rights:no-net-no-run]", POSIX, async () => {
  await withTree({
    "served/file.txt": "served",
    "served/link.txt": { link: "../secret.txt" },
    "served-too/file.txt": "not served",
    "secret.txt": "secret",
    "secret.ts": "export {};",
  }, async (dir) => {
    await Deno.writeTextFile(`${dir}/drop.ts`, DROP(dir));
    const grants = ["--allow-read=/", "--allow-write=/", "--allow-run=git", "--allow-net"];
    for (const run of [[], ["git"]]) {
      const program = ["run", "--no-prompt", ...grants, `${dir}/drop.ts`];
      const { code, stdout, stderr } = await runCli([JSON.stringify(run)], { program });
      assert.deepEqual([code, stderr], [0, ""]);
      const { rights, outcomes } = JSON.parse(stdout);
      const read = [`${dir}/served`, `${dir}/later`];
      const write = [`${dir}/served/own.txt`];
      assert.deepEqual(rights, { sandboxed: true, read, write, run, net: false, refused: [] });
      const { inside, later, writeOwn, git, import: imported, ...others } = outcomes;
      assert.deepEqual([inside, later], ["served", "NotFound"]);
      assert.equal(writeOwn, undefined);
      assert.equal(git, run.length === 0 ? "NotCapable" : true);
      assert.equal(
        imported,
        `Requires read access to "${dir}/secret.ts", run again with the --allow-read flag`,
      );
      const regains = Object.entries(others).filter(([name]) => name.startsWith("regain"));
      assert.deepEqual(
        regains.filter(([, state]) => state !== "denied"),
        run.length === 0 ? [] : [["regainRun", "granted"]],
      );
      const attempts = Object.entries(others).filter(([name]) => !name.startsWith("regain"));
      assert.equal(attempts.length, 16);
      assert.deepEqual(attempts.filter(([, outcome]) => outcome !== "NotCapable"), []);
    }
    const program = ["run", "--no-prompt", "--allow-read=/", `${dir}/drop.ts`];
    const { stdout } = await runCli(['["git"]'], { program });
    assert.deepEqual(JSON.parse(stdout).rights.refused, [`write ${dir}/served/own.txt`, "run git"]);
  });
});

/** Drops its rights to those that it is handed, and says what is left for each of some paths. */
const KEEP = `
import { dropRights } from ${JSON.stringify(new URL("src/process/rights.ts", REPOSITORY).href)};
const [read, asked] = JSON.parse(Deno.args[0]);
const rights = dropRights({ read, write: [], run: [], net: false }, { sandbox: true });
const left = asked.filter((path) => Deno.permissions.querySync({ name: "read", path }).state === "granted");
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ read: rights.read, left })));
`;

Deno.test("the runtime holds the plan's names, not links' targets [rights:as-planned]", POSIX, async () => {
  await withTree({
    "keep.ts": KEEP,
    "served/file.txt": "served",
    "link": { link: "secret" },
    "secret/file.txt": "secret",
  }, async (dir) => {
    const asked = ["/", "/etc", "/etc/passwd", dir, `${dir}/secret`, `${dir}/served`, `${dir}/link`];
    const keep = async (grant: string, read: readonly string[]) => {
      const program = ["run", "--no-prompt", `--allow-read=${grant}`, `${dir}/keep.ts`];
      const { code, stdout, stderr } = await runCli([JSON.stringify([read, asked])], { program });
      assert.deepEqual([code, stderr], [0, ""]);
      return JSON.parse(stdout);
    };
    const served = [`${dir}/served`];
    const linked = [...served, `${dir}/link`];
    assert.deepEqual(await keep("/", linked), { read: linked, left: linked });
    // A start with other lists than ours keeps no more than the plan.
    assert.deepEqual(await keep(dir, served), { read: served, left: served });
    assert.deepEqual(await keep(`${dir},/etc`, served), { read: served, left: served });
    // A plan may hold the probe, or everything.
    assert.deepEqual(await keep("/", ["/etc"]), { read: ["/etc"], left: ["/etc", "/etc/passwd"] });
    assert.deepEqual(await keep("/", ["/"]), { read: ["/"], left: asked });
    assert.deepEqual(await keep("/", []), { read: [], left: [] });
  });
});

const SKILL = (id: string) => `---\nname: ${id}\ndescription: About ${id}\n---\nBody of ${id}.\n`;

Deno.test("a project with links that lead out of it", POSIX, (t) =>
  withTree({
    "outside/secret.md": "TOP SECRET",
    "outside/bmad-stolen/SKILL.md": SKILL("bmad-stolen"),
    "project/.claude/skills/bmad-good/SKILL.md": SKILL("bmad-good"),
    "project/.claude/skills/bmad-good/notes.md": { link: "../../../../outside/secret.md" },
    "project/.claude/skills/bmad-good/own.md": { link: "SKILL.md" },
    "project/.claude/skills/bmad-stolen": { link: "../../../outside/bmad-stolen" },
    "project/.agents": { link: "../outside" },
  }, async (dir) => {
    const args = ["--pack", "none"];
    await using client = await startClient({ era: "2026", cwd: `${dir}/project`, args });

    await t.step("what they lead to is neither listed nor opened", async () => {
      const skills = await facts(client, { operation: "list", query: "skills" });
      assert.deepEqual(skills.items.map(({ id }: { id: string }) => id), ["bmad-good"]);
      const files = await facts(client, { operation: "list", query: "resources" });
      // What is no file has no origin.
      const found = files.items.filter(({ origin }: { origin?: string }) => origin !== undefined);
      assert.deepEqual(found.map(({ uri }: { uri: string }) => uri), [
        "bmad://skills/bmad-good/SKILL.md",
        "bmad://skills/bmad-good/own.md",
      ]);
      const outside = "bmad-good/../../../../outside/secret.md";
      for (const path of ["bmad-good/notes.md", "bmad-stolen/SKILL.md", outside]) {
        const text = await refusal(client, { operation: "read", uri: `bmad://skills/${path}` });
        assert.doesNotMatch(text, /SECRET|Body/);
        await assert.rejects(client.readResource(`bmad://skills/${path}`), { code: -32602 });
      }
      await refusal(client, { operation: "execute", skill: "bmad-stolen" });
      assert.equal(
        await say(client, { operation: "read", uri: "bmad://skills/bmad-good/own.md" }),
        SKILL("bmad-good"),
      );
    });

    // What lies inside a skill is looked at when the client has what it came for, at the latest when it goes.
    await client.close();
    for (const path of [".agents", ".claude/skills/bmad-stolen", ".claude/skills/bmad-good/notes.md"]) {
      await t.step(`the log tells of ${path} [rights:symlink-refused]`, () => {
        assert.ok(
          client.stderr().includes(
            `bmad-mcp warn: project: ${path}: skipped: the link points outside the served folder. `,
          ),
          client.stderr(),
        );
      });
    }
  }));

Deno.test("a project's settings open no folder outside [rights:project-file-inside]", POSIX, async () => {
  await withTree({
    "outside/bmad-stolen/SKILL.md": SKILL("bmad-stolen"),
    "project/shared": { link: "../outside" },
    "project/.bmad-mcp.toml": 'paths = ["shared", "own"]\n',
    "project/own/bmad-good/SKILL.md": SKILL("bmad-good"),
  }, async (dir) => {
    const project = `${dir}/project`;
    const { code, stdout } = await runCli(["list", "skills", "--pack", "none"], { cwd: project });
    assert.deepEqual([code, stdout], [0, "skills/bmad-good\tAbout bmad-good\n"]);
    const stolen = await runCli(["show", "bmad-stolen"], { cwd: project });
    assert.deepEqual([stolen.code, stolen.stdout], [1, ""]);
    assert.doesNotMatch(stolen.stderr, /Body|About/);
  });
});

Deno.test("a project's settings file that is a link out of it shows nothing of that", POSIX, async () => {
  await withTree({
    "outside/secrets.env": "TOKEN=hush\n",
    "project/.bmad-mcp.toml": { link: "../outside/secrets.env" },
  }, async (dir) => {
    const { stdout, stderr } = await runCli(["list", "agents"], { cwd: `${dir}/project` });
    assert.doesNotMatch(stdout + stderr, /hush/);
  });
});

Deno.test("folders named by links are served, and nothing beside where they lead", POSIX, () =>
  withTree({
    "real/project/bmad/bmm/agents/scout.md": "# Scout\n\nYou are a scout.\n",
    "real/bmad/agents/guide.md": "# Guide\n\nYou are a guide.\n",
    "links/project": { link: "../real/project" },
    "home/.bmad": { link: "../real/bmad" },
  }, async (dir) => {
    const args = ["list", "agents", "--project", `${dir}/links/project`, "--pack", "none"];
    const { stdout } = await runCli(args, { env: { HOME: `${dir}/home` }, cwd: dir });
    assert.match(stdout, /^bmm\/scout\t/m);
    assert.match(stdout, /^custom\/guide\t/m);
  }));
