/** Does the doctor find every problem, and do its fixes work? */
import assert from "node:assert/strict";
import type { ByteSink, ByteSource } from "../../../src/process/pipes.ts";
import { runGit } from "../../support/git.ts";
import { installation, type InstallVersion, runInstaller } from "../../support/installs.ts";
import { diagnose, type Plant, removeLine, runAsPrinted, runOurs, testPlant } from "../../support/plants.ts";
import { assertFailed, PROGRAM, programArgs, runCli } from "../../support/program.ts";
import { giveToSomebody, HAS_SOMEBODY, runAsSomebody } from "../../support/somebody.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { copyTree, listTree, treeTest, withTree } from "../../support/trees.ts";

const skill = (name: string, more = "") => `---\nname: ${name}\ndescription: A thing\n${more}---\nDo it.\n`;

async function makeRepository(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/agents`, { recursive: true });
  await Deno.writeTextFile(`${folder}/agents/medic.md`, "---\nname: medic\ndescription: Heals\n---\nHeal.\n");
  runGit(folder, "init", "--quiet");
  runGit(folder, "add", ".");
  runGit(folder, "commit", "--quiet", "-m", "One agent");
}

const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;
const SKILLS = "shop/.claude/skills";
const GOOD = { [`${SKILLS}/bmad-good/SKILL.md`]: skill("bmad-good") };

const OURS = PROGRAM.file === undefined ? "\\S+" : "\\S+ task --quiet --config \\S+ start";

async function reinstall(version: InstallVersion, args: string, dir: string): Promise<void> {
  await Deno.mkdir(`${dir}/home`);
  const { code, said } = await runInstaller(version, args.split(" "), {
    directory: `${dir}/shop`,
    home: `${dir}/home`,
  });
  assert.equal(code, 0, said);
}

const LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";

const PLANTS: readonly Plant[] = [
  {
    name: "a ledger that is not YAML",
    files: {
      "shop/_bmad/bmm/agents/medic.md": "---\nname: medic\ndescription: Heals\n---\nHeal.\n",
      "shop/_bmad/bmm/config.yaml": "implementation_artifacts: _bmad-output/implementation-artifacts\n",
      [`shop/${LEDGER}`]: "development_status:\n  1-1-a: review\n\t1-2-b: done\n",
    },
    code: "bad-ledger",
    level: "look",
    message: /^line 3: the YAML cannot be parsed: /,
    fix: /^Correct line (?<line>3) of _bmad-output\/implementation-artifacts\/sprint-status\.yaml$/,
    follow: ({ line }, dir) => removeLine(`${dir}/shop/${LEDGER}`, line!),
  },
  {
    name: "a project's settings file that is not TOML",
    files: { "shop/.bmad-mcp.toml": 'mode = "auto"\nmode: local\n' },
    code: "invalid-file",
    level: "look",
    message: /^Ignored \S+\.bmad-mcp\.toml:2:1: expected key = "value"$/,
    fix: /^Correct or remove line (?<line>2) of (?<file>\S+\.bmad-mcp\.toml)$/,
  },
  {
    name: "a user's settings file that is not TOML",
    files: { "settings/bmad-mcp/config.toml": 'mode = "auto"\nmode: local\n' },
    code: "invalid-file",
    level: "broken",
    message: /^Cannot read \S+config\.toml:2:1: expected key = "value"$/,
    fix: /^Correct or remove line (?<line>2) of (?<file>\S+config\.toml)$/,
  },
  {
    name: "an invalid value in the user's settings file",
    files: { "settings/bmad-mcp/config.toml": '# mine\nmode = "lokal"\n' },
    code: "invalid-config",
    level: "broken",
    message: /^Invalid mode "lokal" in \S+config\.toml:2: expected one of auto, local, user, strict$/,
    fix:
      /^Change or remove line (?<line>2) of (?<file>\S+config\.toml): expected one of auto, local, user, strict$/,
  },
  {
    name: "an invalid variable",
    call: () => ({ env: { BMAD_MAX_RESULT: "5" } }),
    code: "invalid-config",
    level: "broken",
    message: /^Invalid BMAD_MAX_RESULT "5": expected a whole number/,
    fix: /^Unset BMAD_MAX_RESULT, or give it another value: expected a whole number/,
  },
  {
    name: "an unknown tool",
    call: () => ({ args: ["--tools", "flying"] }),
    code: "invalid-config",
    level: "broken",
    message: /^Invalid --tools "flying": expected one of bmad/,
    fix: /^Remove --tools, or give it another value: expected one of bmad/,
  },
  {
    name: "a missing source",
    files: { "settings/bmad-mcp/config.toml": 'paths = ["../../nowhere"]\n' },
    code: "no-folder",
    level: "broken",
    message: /^Folder not found: \S+\/nowhere$/,
    fix: /^Create the folder, or remove it from (?<file>\S+config\.toml):(?<line>1)$/,
  },
  {
    name: "a source without content",
    files: { "notes/a.md": "Hello\n" },
    call: (dir) => ({ env: { BMAD_ROOT: `${dir}/notes` } }),
    code: "no-content",
    level: "look",
    message: /^No BMAD content found in \S+\/notes$/,
    fix: /^Name a project, a BMAD root or a module, or remove the folder from BMAD_ROOT$/,
  },
  {
    name: "a missing project",
    call: (dir) => ({ args: ["--project", `${dir}/gone`] }),
    code: "no-folder",
    level: "broken",
    message: /^Project folder \S+\/gone not found$/,
    fix: /^Create the folder, or name another one with --project$/,
    follow: async (_, dir) => {
      await Deno.mkdir(`${dir}/gone`);
      await copyTree(`${dir}/shop`, `${dir}/gone`);
    },
  },
  {
    name: "a link out of a root",
    files: {
      "secret.md": "Hidden\n",
      [`${SKILLS}/bmad-good/notes.md`]: { link: "../../../../secret.md" },
    },
    ignore: Deno.build.os === "windows",
    code: "link-refused",
    level: "look",
    message: /^skipped: the link points outside the served folder$/,
    fix: /^Replace the link with a copy of its target, or remove it: (?<command>rm \S+notes\.md)$/,
  },
  {
    name: "a folder that cannot be read",
    files: { [`${SKILLS}/bmad-good/locked up/a.md`]: "Hello\n" },
    prepare: async (dir) => {
      await giveToSomebody(dir);
      await Deno.chmod(`${dir}/${SKILLS}/bmad-good/locked up`, 0o000);
    },
    ignore: !HAS_SOMEBODY,
    run: runAsSomebody,
    code: "unreadable",
    level: "look",
    message: /^skipped: this user may not read it$/,
    fix: /^Make it readable: (?<command>chmod -R u\+rX "\S+locked up")$/,
  },
  {
    name: "a SKILL.md whose front matter is broken",
    files: { "shop/bmad/bmm/skills/bmad-bad/SKILL.md": "---\nname: [bmad-bad\n---\nDo it.\n" },
    code: "bad-file",
    level: "look",
    message: /^the front matter cannot be parsed: .* \(2:\d+\)$/,
    fix: /^Correct (?<file>\S+bmad-bad\/SKILL\.md), or delete it$/,
    follow: ({ file }) => Deno.writeTextFile(file!, skill("bmad-bad")),
  },
  {
    name: "a customization that is not TOML",
    files: {
      "shop/bmad/bmm/skills/bmad-poet/SKILL.md": skill("bmad-poet"),
      "shop/bmad/bmm/skills/bmad-poet/customize.toml": "[agent]\nname = Rhea\n",
    },
    code: "bad-file",
    level: "look",
    message: /TOML/,
    fix: /^Correct (?<file>\S+customize\.toml), or delete it$/,
    follow: ({ file }) => Deno.writeTextFile(file!, '[agent]\nname = "Rhea"\n'),
  },
  {
    name: "a client that starts a missing program",
    files: {
      "home/.cursor/mcp.json":
        '{ "mcpServers": { "bmad": { "command": "/old/place/bmad-mcp", "args": ["serve"] } } }\n',
    },
    code: "client-program",
    level: "broken",
    message: /^Cursor: \S+mcp\.json starts \/old\/place\/bmad-mcp, which does not exist$/,
    fix: new RegExp(`^Update it: ${OURS} (?<args>install cursor)$`),
  },
  {
    name: "a hook that runs a missing program",
    files: {
      "home/.claude/settings.json": JSON.stringify({
        hooks: {
          SessionStart: [{
            hooks: [{ type: "command", command: '"/old place/bmad-mcp" prime --hook', timeout: 10 }],
          }],
        },
      }),
    },
    code: "client-hook",
    level: "broken",
    message: /^Claude Code: the hook in \S+settings\.json runs \/old place\/bmad-mcp, which does not exist$/,
    fix: new RegExp(`^Update it: ${OURS} (?<args>install claude-code --hooks)$`),
  },
  {
    name: "a hook of the project that runs another copy of the program",
    files: { "home/": "", "bin/bmad-mcp": "#!/bin/sh\n", "shop/.codex/hooks.json": "{}\n" },
    prepare: (dir) => {
      const hook = { type: "command", command: `${dir}/bin/bmad-mcp prime --hook`, timeout: 10 };
      const file = { hooks: { SessionStart: [{ hooks: [hook] }] } };
      return Deno.writeTextFile(`${dir}/shop/.codex/hooks.json`, JSON.stringify(file));
    },
    code: "client-hook",
    level: "look",
    message:
      /^Codex: the hook in \S+hooks\.json runs another copy of this program: \S+\/bin\/bmad-mcp prime --hook$/,
    fix: new RegExp(`^Update it: ${OURS} (?<args>install codex --project \\S+/shop --hooks)$`),
  },
  {
    name: "a client whose entry obeys the folder it starts in",
    files: { "home/.cursor/mcp.json": "{}\n" },
    prepare: (dir) => {
      const args = ["-y", "deno@2.9.0", "task", "--config", `${dir}/src/deno.json`, "start", "serve"];
      const entry = { mcpServers: { bmad: { command: "npx", args } } };
      return Deno.writeTextFile(`${dir}/home/.cursor/mcp.json`, JSON.stringify(entry));
    },
    code: "client-exposed",
    level: "broken",
    message:
      /^Cursor: the entry in \S+mcp\.json lets a project run its own program in place of this one: npx obeys /,
    fix: new RegExp(`^Replace it: ${OURS} (?<args>install cursor)$`),
  },
  {
    name: "a client of the project that starts another copy of the program",
    files: { "home/": "", "bin/bmad-mcp": "#!/bin/sh\n", "shop/.mcp.json": "{}\n" },
    prepare: (dir) => {
      const entry = { mcpServers: { bmad: { command: `${dir}/bin/bmad-mcp`, args: ["serve"] } } };
      return Deno.writeTextFile(`${dir}/shop/.mcp.json`, JSON.stringify(entry));
    },
    code: "client-other",
    level: "look",
    message: /^Claude Code: \S+\.mcp\.json starts another copy of this program: \S+\/bin\/bmad-mcp serve$/,
    fix: new RegExp(`^Update it: ${OURS} (?<args>install claude-code --project \\S+/shop)$`),
  },
  {
    name: "a client whose entry of our name runs something else",
    files: { "home/.codex/config.toml": '[mcp_servers.bmad]\ncommand = "fly"\nargs = ["away"]\n' },
    code: "client-foreign",
    level: "look",
    message: /^Codex: the entry "bmad" in \S+config\.toml runs fly away, not this program$/,
    fix: new RegExp(`^Replace it: ${OURS} (?<args>install codex --force)$`),
  },
  {
    name: "an old entry in the second of a client's two files",
    files: {
      "home/.config/opencode/opencode.jsonc": "{}\n",
      "home/.config/opencode/opencode.json":
        '{ "mcp": { "bmad": { "type": "local", "command": ["/old/place/bmad-mcp", "serve"] } } }\n',
    },
    call: (dir) => ({ env: { HOME: `${dir}/home`, XDG_CONFIG_HOME: `${dir}/home/.config` } }),
    code: "client-program",
    level: "broken",
    message: /^opencode: \S+opencode\.json starts \/old\/place\/bmad-mcp, which does not exist$/,
    fix: new RegExp(`^Update it: ${OURS} (?<first>uninstall opencode) && ${OURS} (?<then>install opencode)$`),
    follow: async ({ first, then }, dir, call) => {
      await runOurs(first!, call);
      await runOurs(then!, call);
      const text = await Deno.readTextFile(`${dir}/home/.config/opencode/opencode.jsonc`);
      assert.match(text, /"bmad"/);
    },
  },
  {
    name: "a client's file that root has taken",
    ignore: !IS_ROOT,
    files: {
      "home/.cursor/mcp.json":
        '{ "mcpServers": { "bmad": { "command": "/old/place/bmad-mcp", "args": ["serve"] } } }\n',
    },
    prepare: async (dir) => {
      await Deno.chown(`${dir}/home`, 65_534, 65_534);
      await Deno.chown(`${dir}/home/.cursor`, 65_534, 65_534);
    },
    code: "client-program",
    level: "broken",
    message: /^Cursor: /,
    fix: new RegExp(
      `^Update it: sudo chown "\\$\\(id -u\\):\\$\\(id -g\\)" (?<file>\\S+/mcp\\.json) && ${OURS} (?<args>install cursor)$`,
    ),
    follow: async ({ file, args }, _, call) => {
      await Deno.chown(file!, 65_534, 65_534);
      await runOurs(args!, call);
    },
  },
  {
    name: "a program that does not know the user's home",
    files: { "home/": "" },
    call: () => ({ env: { HOME: "" } }),
    code: "no-home",
    level: "look",
    message: /^HOME is not set, so your settings and clients are not found$/,
    fix: /^Set it, also in the entry of a client that starts the server: export (?<command>HOME=.*)$/,
    ignore: Deno.build.os === "windows",
    follow: async ({ command }, dir, call) => {
      // What the command finds is the real home, which tests leave alone.
      await runAsPrinted(`${command} && test -d "$HOME"`);
      return { ...call, env: { HOME: `${dir}/home` } };
    },
  },
  {
    name: "a client's file that cannot be parsed",
    files: { "home/.cursor/mcp.json": '{\n  "mcpServers": nothing\n}\n' },
    code: "client-file",
    level: "look",
    message: /^Cursor: cannot read \S+mcp\.json:2:\d+: /,
    fix: /^Correct (?<file>\S+mcp\.json):2:\d+$/,
    follow: ({ file }) => Deno.writeTextFile(file!, '{ "mcpServers": {} }\n'),
  },
  {
    name: "a repository that was never fetched",
    files: { "home/": "" },
    prepare: (dir) => makeRepository(`${dir}/team.git`),
    call: (dir) => ({ args: ["--path", `git+file://${dir}/team.git`] }),
    code: "not-fetched",
    level: "look",
    message: /^git\+file:\S+team\.git has not been fetched yet$/,
    fix: /^Fetch it: bmad-mcp (?<args>cache update --path \S+)$/,
    follow: ({ args }, _, { env }) => runOurs(args!, { args: [], env }),
  },
  {
    name: "a repository that does not exist",
    files: { "home/": "" },
    prepare: async (dir) => {
      const address = `git+file://${dir}/team.git`;
      const { code } = await runCli(["cache", "update", "--path", address], { env: { HOME: `${dir}/home` } });
      assert.equal(code, 3);
    },
    call: (dir) => ({ args: ["--path", `git+file://${dir}/team.git`] }),
    code: "origin-unavailable",
    level: "broken",
    message: /^Cannot open git\+file:\S+team\.git: /,
    fix:
      /^Correct its address or your access to it, and fetch it again: bmad-mcp (?<args>cache update); or remove it/,
    follow: async ({ args }, dir, call) => {
      await makeRepository(`${dir}/team.git`);
      await runOurs(args!, call);
    },
  },
  {
    name: "a repository that has gone since it was fetched",
    files: { "home/": "" },
    prepare: async (dir) => {
      const update = ["cache", "update", "--path", `git+file://${dir}/team.git`];
      const env = { HOME: `${dir}/home` };
      await makeRepository(`${dir}/team.git`);
      assert.equal((await runCli(update, { env })).code, 0);
      await Deno.rename(`${dir}/team.git`, `${dir}/gone.git`);
      assert.equal((await runCli(update, { env })).code, 3);
    },
    call: (dir) => ({ args: ["--path", `git+file://${dir}/team.git`] }),
    code: "old-copy",
    level: "look",
    message: /^Cannot fetch git\+file:\S+team\.git, serving the copy from .*: /,
    fix:
      /^Correct its address or your access to it, and fetch it again: bmad-mcp (?<args>cache update); or remove it/,
    follow: async ({ args }, dir, call) => {
      await Deno.rename(`${dir}/gone.git`, `${dir}/team.git`);
      await runOurs(args!, call);
    },
  },
  {
    name: "a program without its sandbox",
    call: () => ({ args: ["--no-sandbox"] }),
    code: "no-sandbox",
    level: "look",
    message: /^The program can read and write the whole disk$/,
    fix: /^Remove --no-sandbox$/,
  },
];

/** An early installer asks; its questions are answered as the fix says. */
const EARLY = (["6.0.0-alpha.7", "6.0.0-alpha.22", "6.0.0-Beta.5"] as const).flatMap((version): Plant[] => {
  const root = version === "6.0.0-alpha.7" ? "bmad" : "_bmad";
  const manifests = `${root}/${root === "bmad" ? "_cfg" : "_config"}`;
  const line = String.raw`cd (?<folder>\S+/shop) && npx -y bmad-method@${RegExp.escape(version)} install$`;
  const install = async (dir: string, folder: string) => {
    assert.equal(await Deno.realPath(folder), await Deno.realPath(`${dir}/shop`));
    await reinstall(version, [folder, "bmm", "claude-code"].join(" "), dir);
  };
  const prepare = async (dir: string) => await copyTree(await installation(version), `${dir}/shop`);
  return [
    {
      name: `an installation of ${version} without one of its agents`,
      prepare: async (dir) => {
        await prepare(dir);
        await Deno.remove(`${dir}/shop/${root}/bmm/agents/sm.md`);
      },
      code: "no-file-found",
      level: "look",
      message: /^1 of \d+ rows in the manifests is missing \(bmm\/sm\)$/,
      fix: new RegExp(`^Install it again, and choose "Quick Update": ${line}`),
      follow: async ({ folder }, dir) => {
        await install(dir, folder!);
        assert.ok(Deno.statSync(`${dir}/shop/${root}/bmm/agents/sm.md`).isFile);
      },
    },
    {
      name: `an installation of ${version} whose manifest.yaml cannot be parsed`,
      prepare: async (dir) => {
        await prepare(dir);
        await Deno.writeTextFile(`${dir}/shop/${manifests}/manifest.yaml`, "installation: [\n");
      },
      code: "broken-manifest",
      level: "look",
      message: /^the YAML cannot be parsed: /,
      fix: new RegExp(
        `^Let the installer write it again, and choose "Quick Update": (?<command>mkdir -p .*) && ${line}`,
      ),
      ignore: Deno.build.os === "windows",
      follow: async ({ command, folder }, dir) => {
        await runAsPrinted(command!);
        await install(dir, folder!);
      },
    },
  ];
});

/** Problems of a project that has nothing else. */
const BARE_PLANTS: readonly Plant[] = [
  ...EARLY,
  {
    name: "two items with the same name",
    files: {
      "shop/_bmad/bmm/agents/scribe.md": "---\nname: scribe\ndescription: One\n---\nWrite.\n",
      "shop/bmad/bmm/agents/scribe.md": "---\nname: scribe\ndescription: Other\n---\nWrite more.\n",
    },
    code: "duplicate-id",
    level: "look",
    message: /^is served only as a file: \S+scribe\.md already has the name bmm\/scribe$/,
    fix: /^Rename one of them, or delete (?<file>\S+scribe\.md)$/,
    follow: ({ file }) => Deno.remove(file!),
  },
  {
    name: "an installation of 6.5 without the bodies of its skills",
    prepare: async (dir) => {
      await copyTree(await installation({ version: "6.5.0", tools: "claude-code" }), `${dir}/shop`);
      await Deno.remove(`${dir}/shop/.claude`, { recursive: true });
    },
    code: "no-file-found",
    level: "look",
    message: /^42 of 42 skills in the manifest are missing \(/,
    fix:
      /^Install its skills again: npx -y bmad-method@6\.5\.0 (?<args>install --directory \S+ --modules bmm --tools claude-code --yes)$/,
    follow: ({ args }, dir) => reinstall("6.5.0", args!, dir),
  },
  {
    name: "an installation of 6.12 without its manifests",
    prepare: async (dir) => {
      await copyTree(await installation({ version: "6.12.0", tools: "claude-code" }), `${dir}/shop`);
      await Deno.remove(`${dir}/shop/_bmad/_config`, { recursive: true });
    },
    code: "broken-manifest",
    level: "look",
    message: /^the folder of the installation's manifests is missing$/,
    fix:
      /^Let the installer write it again: npx -y bmad-method@6\.12\.0 (?<args>install --directory \S+ --modules bmm --tools claude-code --action update --yes)$/,
    follow: ({ args }, dir) => reinstall("6.12.0", args!, dir),
  },
  {
    name: "an installation of 6.0 whose manifest.yaml cannot be parsed",
    prepare: async (dir) => {
      await copyTree(await installation({ version: "6.0.4", tools: "claude-code" }), `${dir}/shop`);
      await Deno.writeTextFile(`${dir}/shop/_bmad/_config/manifest.yaml`, "installation: [\n");
    },
    code: "broken-manifest",
    level: "look",
    message: /^the YAML cannot be parsed: /,
    fix:
      /^Let the installer write it again: (?<command>mkdir -p .*) && npx -y bmad-method@6\.0\.4 (?<args>install .* --action update --yes)$/,
    ignore: Deno.build.os === "windows",
    follow: async ({ command, args }, dir) => {
      await runAsPrinted(command!);
      await reinstall("6.0.4", args!, dir);
    },
  },
  {
    name: "the BMAD folder of an installation in place of its project",
    prepare: async (dir) => {
      await copyTree(await installation({ version: "6.5.0", tools: "claude-code" }), `${dir}/team`);
      await Deno.mkdir(`${dir}/shop`);
    },
    call: (dir) => ({ args: ["--path", `${dir}/team/_bmad`] }),
    code: "no-file-found",
    level: "look",
    message: /^42 of 42 skills in the manifest are missing \(/,
    fix: /^Serve the project folder instead: (?<folder>\S+\/team)$/,
    follow: ({ folder }, _, call) => Promise.resolve({ ...call, args: ["--path", folder!] }),
  },
  {
    name: "nothing to serve",
    files: { "shop/readme.md": "Hello\n" },
    code: "nothing-served",
    level: "broken",
    message: /^No BMAD content to serve$/,
    fix:
      /^Name a folder with BMAD content \(--path DIR\), or use the embedded content \((?<flags>--mode auto --pack latest)\)$/,
    follow: ({ flags }, _, call) => Promise.resolve({ ...call, args: flags!.split(" ") }),
  },
];

PLANTS.forEach((plant) => testPlant({ ...plant, files: { ...GOOD, ...plant.files } }));
BARE_PLANTS.forEach(testPlant);

treeTest("the worst problems come first, each with one line for its fix [cli:doctor]", {
  ...GOOD,
  "settings/bmad-mcp/config.toml": "mode\n",
  "shop/bmad/bmm/skills/bmad-bad/SKILL.md": "---\nname: [\n---\n",
}, async (dir) => {
  const { code, stdout, stderr } = await runCli(["doctor", "--path", "nowhere"], {
    cwd: `${dir}/shop`,
    env: { XDG_CONFIG_HOME: `${dir}/settings` },
  });
  assert.deepEqual([code, stderr], [2, ""]);
  const [summary, problems, ...sections] = stdout.trimEnd().split("\n\n");
  assert.equal(summary, "2 errors, 1 warning");
  const starts = problems!.split("\n").map((line) => /^(\S \w+| {4}Fix): /.exec(line)?.[1]);
  assert.deepEqual(starts, ["✗ environment", "    Fix", "✗ cli", "    Fix", "! project", "    Fix"]);
  assert.deepEqual(sections.map((text) => text.split("\n")[0]), [
    "Environment",
    "Binary",
    "Content",
    "Project",
    "Memory",
    "Clients",
  ]);
});

Deno.test("a healthy program talks to clients of both eras and may run nothing [cli:doctor]", async () => {
  const { code, stdout, stderr } = await runCli(["doctor", "--json"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const { verdict, binary, content, environment } = JSON.parse(stdout);
  assert.equal(verdict, "good");
  assert.deepEqual(
    binary.probes.map(({ era, revision, tools }: Record<string, unknown>) => [era, revision, tools]),
    [["2025", "2025-11-25", 1], ["2026", "2026-07-28", 1]],
  );
  for (const { ms, problem } of binary.probes) {
    assert.equal(problem, undefined);
    assert.deepEqual(Object.keys(ms), ["open", "list", "call"]);
  }
  assert.deepEqual([binary.rights.write, binary.rights.run, binary.rights.refused], [[], [], []]);
  assert.deepEqual(binary.embedded.damaged, []);
  assert.ok(binary.embedded.files > 500);
  const { id, priority, things, agents, generations } = content.origins.at(-1);
  assert.deepEqual([id, priority, things, agents, generations], ["package", 9, 62, 6, ["skills"]]);
  assert.deepEqual(environment.settings.mode, { value: "auto", from: "default" });
});

Deno.test("of many problems alike, five are told [cli:doctor-short]", () => {
  const bad = Array.from(
    { length: 30 },
    (_, at) => [`shop/bmad/bmm/skills/bmad-x${at}/SKILL.md`, "---\nname: [\n---\n"],
  );
  return withTree({ ...GOOD, ...Object.fromEntries(bad) }, async (dir) => {
    const { stdout } = await runCli(["doctor"], { cwd: `${dir}/shop` });
    const told = stdout.split("\n").filter((line) => /bmad-x\d/.test(line) && line.startsWith("! "));
    assert.equal(told.length, 5);
    assert.match(stdout, /^! 25 more like this: bmad-mcp doctor --json$/m);
    assert.match(stdout, /^30 warnings$/m);
  });
});

Deno.test("the doctor reports a server with wrong answers", async () => {
  const { probeEra } = await import("../../../src/serve/mcp/probe.ts");
  const answers = (line: string) => ({
    serve: (_: unknown, input: ByteSource, output: ByteSink) => {
      const answer = async () => {
        while (await input.read() !== null) await output(new TextEncoder().encode(line));
      };
      answer().catch(() => {});
      return { close: () => Promise.resolve() };
    },
  });
  const app = {} as Parameters<typeof probeEra>[0];
  const refusing = answers('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"No such method"}}\n');
  assert.match(
    (await probeEra(app, "2026", refusing.serve)).problem!,
    /^server\/discover returned an error: No such method$/,
  );
  const old = answers('{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2030-01-01"]}}\n');
  assert.match(
    (await probeEra(app, "2026", old.serve)).problem!,
    /^no protocol version in common$/,
  );
});

Deno.test("damaged files of the embedded content are named", async () => {
  const { checkPack } = await import("../../../src/content/origins/mod.ts");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("Hello\n")))
    .toHex();
  await withTree({
    "latest.files.json": JSON.stringify({
      "bmm/a": { "x.md": [hash, 6], "y.md": ["00", 1] },
      "": { "z.md": ["11", 2] },
    }),
    [`blobs/${hash}`]: "Hello\n",
    "blobs/11": "No\n",
  }, async (dir) => {
    assert.deepEqual(await checkPack("latest", dir), { files: 3, damaged: ["bmm/a/y.md", "z.md"] });
  });
});

Deno.test("a terminal gets a coloured report and no progress", { ignore: !HAS_TERMINAL }, async () => {
  const { code, text } = await runOnTerminal("bmad-mcp doctor 2>/dev/null");
  assert.equal(code, 0);
  assert.ok(text.startsWith("\x1b[1mNo problems found\x1b[22m\n\n\x1b[1mEnvironment\x1b[22m\n"), text);
  assert.ok(text.includes("\x1b[32m✓\x1b[39m client 2026 "), text);
});

Deno.test("a lock that a killed process left behind causes no problem [git:lock]", () =>
  withTree({ ...GOOD, "home/": "" }, async (dir) => {
    await makeRepository(`${dir}/team.git`);
    const call = { args: ["--path", `git+file://${dir}/team.git`], env: { HOME: `${dir}/home` } };
    await runOurs("cache update", call);
    const locks = (await listTree(`${dir}/home`)).filter((path) => /lock/.test(path));
    assert.ok(locks.length > 0, "the lock file stays after the process");
    assert.deepEqual((await diagnose(dir, call)).problems, []);
    await runOurs("cache update", call);
  }));

Deno.test("a doctor with wrong arguments or too many rights is refused like any other command", async () => {
  assertFailed(
    await runCli(["doctor", "now"]),
    2,
    /^bmad-mcp: Unexpected argument "now"\. Usage: bmad-mcp doctor/,
  );
  const program = ["run", "--cached-only", "-A", programArgs().at(-1)!];
  assertFailed(await runCli(["doctor"], { program }), 3, /Cannot narrow the right to read/);
});
