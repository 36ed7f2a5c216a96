/** Does the real program, with its rights dropped, add itself to every client's file and remove itself again? */
import assert from "node:assert/strict";
import { type Client, CLIENTS, findClient } from "../../../src/commands/clients/mod.ts";
import { targetsOf } from "../../../src/commands/clients/target.ts";
import { denoHost } from "../../../src/process/host.ts";
import { CLIENTS_WITH_FILES, samplesFor } from "../../support/client_files.ts";
import { assertFailed, runCli, runHere } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { listTree, readTree, treeTest, withTree } from "../../support/trees.ts";

const host = { ...denoHost("."), env: () => undefined };

/** The client's file in a home; undefined if it has none on this system. */
const fileOf = (client: Client, home: string) =>
  targetsOf(client, undefined, { ...host, home }, true)[0]?.path;

const run = (home: string, ...args: string[]) =>
  runHere(args, { env: { HOME: home, USERPROFILE: home, PATH: `${home}/bin` }, cwd: home });

const here = CLIENTS_WITH_FILES.filter((client) => fileOf(client, "/home/ann") !== undefined);
const ids = here.map(({ id }) => id);

/** Realistic files of each client, and some that differ in their bytes only. */
for (const at of [0, 1, -7, -6, -5, -3, -1]) {
  Deno.test(
    `install and uninstall work for all clients: ${
      samplesFor(findClient("codex")!).at(at)!.what
    } [cli:install]`,
    () =>
      withTree({}, async (home) => {
        for (const client of here) {
          const file = fileOf(client, home)!;
          await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
          await Deno.writeTextFile(file, samplesFor(client).at(at)!.text);
        }
        const before = await readTree(home);
        const installed = await run(home, "install", ...ids);
        assert.deepEqual([installed.code, installed.stdout.trim().split("\n").length], [0, ids.length]);
        assert.match(installed.stdout, /^Codex: added to .*config\.toml$/m);
        const changed = await readTree(home);
        for (const client of here) {
          assert.match(changed[fileOf(client, home)!.slice(home.length + 1)]!, /bmad/, client.id);
        }

        const again = await run(home, "install", ...ids);
        assert.equal(again.code, 0);
        assert.deepEqual(again.stdout.match(/: already in /g)?.length, ids.length);
        assert.equal(again.stderr, "");
        assert.deepEqual(await readTree(home), changed);

        const { code, stderr } = await run(home, "uninstall", ...ids);
        assert.deepEqual([code, stderr], [0, ""]);
        assert.deepEqual(await readTree(home), before);
      }),
  );
}

Deno.test("in an empty home files and folders are created, and removed afterwards [cli:install]", () =>
  withTree({}, async (home) => {
    const installed = await run(home, "install", ...ids, "--json");
    assert.deepEqual([installed.code, installed.stderr], [0, ""]);
    const { items: clients } = JSON.parse(installed.stdout);
    assert.deepEqual(clients.map(({ client }: { client: string }) => client), ids);
    assert.ok(clients.every(({ outcome }: { outcome: string }) => outcome === "added"));
    assert.equal(clients[0].found, false, "the client is not installed");
    assert.equal(
      Object.keys(await readTree(home)).filter((path) => /bmad-mcp-(new|backup)$/.test(path)).length,
      0,
    );
    assert.equal((await run(home, "uninstall", ...ids)).code, 0);
    assert.deepEqual(await listTree(home), []);
  }));

Deno.test("--project and --user choose the file [cli:install-scopes]", () =>
  withTree({ "home/": "", "shop/.git/": "", "shop/docs/": "" }, async (dir) => {
    const [home, shop] = [`${dir}/home`, `${dir}/shop`];
    const install = async (...args: string[]) => {
      const { stdout, code, stderr } = await runCli(["install", ...args, "--json"], {
        env: { HOME: home, USERPROFILE: home },
        cwd: shop,
      });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout).items.map((
        { path, scope }: { path: string; scope: string },
      ) => [scope, path]);
    };
    const read = async (path: string) => JSON.parse(await Deno.readTextFile(path));
    const told = await runCli(["install", "cursor", "--project", "."], { env: { HOME: home }, cwd: shop });
    assert.match(told.stderr, /^ {2}This file names \S+ on this machine\. To share it, put bmad-mcp on /m);

    assert.deepEqual(await install("vscode", "zed", "claude-code", "--project", "."), [
      ["project", `${shop}/.vscode/mcp.json`],
      ["project", `${shop}/.zed/settings.json`],
      ["project", `${shop}/.mcp.json`],
    ]);
    const args = async (path: string, key: string) => {
      const entry = (await read(path))[key].bmad;
      return entry.args.slice(entry.args.indexOf("serve"));
    };
    assert.deepEqual(await args(`${shop}/.vscode/mcp.json`, "servers"), [
      "serve",
      "--project",
      "${workspaceFolder}",
    ]);
    assert.deepEqual(await args(`${shop}/.zed/settings.json`, "context_servers"), ["serve"]);
    assert.deepEqual(await args(`${shop}/.mcp.json`, "mcpServers"), ["serve"]);

    // A client without project files, or with --user, is bound to the project.
    const files = await install("claude-desktop", "cursor", "--project", ".", "--user");
    assert.deepEqual(files.map(([scope]: string[]) => scope), ["user", "user"]);
    assert.deepEqual(await install("claude-desktop", "--project", "."), [files[0]]);
    for (const [, path] of files) {
      assert.deepEqual(await args(path, "mcpServers"), ["serve", "--project", shop]);
    }
    await install("cursor", "--toolsets", "all", "--path", "docs", "--read-only", "--pack", "v4");
    assert.deepEqual(await args(`${home}/.cursor/mcp.json`, "mcpServers"), [
      ...["serve", "--path", `${shop}/docs`, "--pack", "v4", "--toolsets", "all", "--read-only"],
    ]);
  }));

Deno.test("install says where else to set what only the shell has", () =>
  withTree({ ".cursor/": "", "content/": "" }, async (home) => {
    const env = {
      HOME: home,
      USERPROFILE: home,
      BMAD_TOKEN: "0123456789abcdef",
      BMAD_HTTP: "8080",
      BMAD_QDRANT_API_KEY: "secret-key",
      BMAD_ALLOW_EXEC: "1",
      BMAD_ROOT: `${home}/content`,
    };
    const { stderr } = await runCli(["install", "cursor"], { env, cwd: home });
    const told = [...stderr.matchAll(/^Not in the entry: (\w+), .*? pass on\. (.+)\.$/gm)];
    const file = String.raw`\S+config\.toml`;
    const wanted: Readonly<Record<string, string>> = {
      BMAD_ROOT: `Add --path to install, or set paths in ${file}`,
      BMAD_ALLOW_EXEC: "Add --allow-exec to install",
      BMAD_QDRANT_API_KEY: `Set qdrantKey in ${file}`,
    };
    assert.deepEqual(told.map(([, name]) => name), Object.keys(wanted));
    for (const [, name, advice] of told) assert.match(advice!, new RegExp(`^${wanted[name!]}$`));
    assert.doesNotMatch(stderr, /BMAD_TOKEN|BMAD_HTTP|secret-key/);
    assert.doesNotMatch(await Deno.readTextFile(`${home}/.cursor/mcp.json`), /exec/);
    const given = await runCli(["install", "cursor", "--allow-exec"], { env, cwd: home });
    assert.doesNotMatch(given.stderr, /BMAD_ALLOW_EXEC/);
  }));

treeTest("a file that cannot be changed does not affect the others [cli:install]", {
  ".cursor/mcp.json": '{\n  // mine\n  "a": 1\n}\n',
  ".kiro/settings/mcp.json": '{ "mcpServers": { "bmad": { "command": "npx", "args": ["other"] } } }\n',
}, async (home) => {
  const before = await readTree(home);
  const { code, stdout, stderr } = await run(home, "install", "cursor", "kiro", "gemini");
  assert.equal(code, 3);
  assert.equal(stdout, `Gemini CLI: added to ${home}/.gemini/settings.json\n`);
  assert.match(stderr, /Cannot change \S+\.cursor\/mcp\.json:2:3: comments are not allowed .*--print/);
  assert.match(stderr, /Cannot change "bmad" in \S+mcp\.json: it runs npx other\. .*--name.*--force/);
  const after = await readTree(home);
  for (const [path, text] of Object.entries(before)) assert.equal(after[path], text);

  const forced = await run(home, "install", "kiro", "--force");
  assert.equal(forced.code, 0);
  assert.match(forced.stderr, /Backup of the original: \S+mcp\.json\.bmad-mcp-backup\n/);
  const named = await run(home, "install", "kiro", "--name", "bmad2");
  assert.equal(named.code, 0);
  const { mcpServers } = JSON.parse(await Deno.readTextFile(`${home}/.kiro/settings/mcp.json`));
  assert.deepEqual(Object.keys(mcpServers), ["bmad", "bmad2"]);
});

Deno.test("--dry-run prints a diff that patch understands, and changes nothing [cli:install-scopes]", () =>
  withTree({ ".config/zed/settings.json": '{\n  "theme": "dark" // mine\n}' }, async (home) => {
    const { code, stdout, stderr } = await run(home, "install", "zed", "--dry-run");
    assert.deepEqual([code, stderr], [0, "This was a dry run: nothing was changed.\n"]);
    const [head, , range, ...lines] = stdout.split("\n");
    assert.equal(head, `--- ${home}/.config/zed/settings.json`);
    assert.match(range!, /^@@ -1,3 \+1,\d+ @@$/);
    assert.deepEqual(lines.slice(0, 3), [
      " {",
      '-  "theme": "dark" // mine',
      '+  "theme": "dark", // mine',
    ]);
    assert.deepEqual(await listTree(home), [".config/", ".config/zed/", ".config/zed/settings.json 29"]);
    if (HAS_TERMINAL) {
      const { text } = await runOnTerminal("bmad-mcp install zed --dry-run", {
        env: { HOME: home, CI: "" },
      });
      assert.ok(text.includes('\x1b[32m+  "theme": "dark", // mine\x1b[39m\n'), text);
    }
    const nothing = await run(home, "uninstall", "zed", "--dry-run");
    assert.deepEqual([nothing.code, nothing.stdout], [
      0,
      `Zed: not in ${home}/.config/zed/settings.json\n`,
    ]);
  }));

treeTest("--print shows the entry, even for clients without a file", { "keep.txt": "" }, async (home) => {
  const codex = await run(home, "install", "codex", "--print");
  assert.match(codex.stdout, /^\[mcp_servers\.bmad\]\ncommand = /);
  assert.equal(codex.stderr, `Codex: Add this to ${home}/.codex/config.toml:\n`);
  for (const { id, title } of CLIENTS.filter(({ manualSteps }) => manualSteps !== undefined)) {
    const { code, stdout, stderr } = await run(home, "install", id);
    assert.equal(code, 0);
    assert.match(JSON.stringify(JSON.parse(stdout)), /"bmad":\{.*"serve"/);
    assert.ok(stderr.startsWith(`${title}: `));
  }
  assert.deepEqual(await listTree(home), ["keep.txt 0"]);
});

Deno.test("without a name and a terminal, install lists the installed clients and changes nothing", () =>
  withTree({ ".cursor/": "", ".codex/": "" }, async (home) => {
    const before = await listTree(home);
    const rows: readonly (readonly [line: string, said: RegExp])[] = [
      [
        "install",
        /^bmad-mcp: Missing CLIENT\. Found here: codex cursor\. Run: bmad-mcp install codex cursor, or: .*--all/,
      ],
      ["uninstall", /No client found here has this server/],
      ["install cursr", /Unknown client "cursr"\. Did you mean cursor\?\n$/],
      [
        "install nope",
        /^bmad-mcp: Unknown client "nope"\. Use one of claude-code, codex, (?!.*Did you mean)/,
      ],
      ["install cursor --name a.b", /--name: not every client accepts "a\.b"/],
      ["install --project vscode", /^bmad-mcp: Folder not found: \S+\/vscode\n$/],
    ];
    for (const [line, said] of rows) assertFailed(await run(home, ...line.split(" ")), 2, said);
    assert.deepEqual(await listTree(home), before);

    const all = await run(home, "install", "--all");
    assert.deepEqual([all.code, all.stdout.split("\n").length], [0, 3]);
    assertFailed(await run(home, "uninstall"), 2, /Found here: codex cursor\. Run: bmad-mcp uninstall/);
    const gone = await run(home, "uninstall", "--all");
    assert.deepEqual([gone.code, gone.stdout.match(/: removed from/g)?.length], [0, 2]);
    const none = await run(home, "uninstall", "--all");
    assert.deepEqual([none.code, none.stdout], [0, ""]);
    assert.equal(none.stderr, "Nothing changed.\n");
    // The clients' own folders were there before, and are there again.
    assert.deepEqual(await listTree(home), before);
    for (const folder of before) await Deno.remove(`${home}/${folder}`);
    assertFailed(
      await run(home, "install", "--all"),
      2,
      /^bmad-mcp: No client found on this machine\. .*install --list.*bmad-mcp install --print\n$/,
    );
    assertFailed(await run(home, "install"), 2, /No client found on this machine\. .*install --print\n$/);
  }));

Deno.test("a client never started is found by its program on PATH [cli:install-found]", POSIX, async () => {
  await withTree({ "bin/claude": "", "bin/crush": "" }, async (home) => {
    assertFailed(await run(home, "install"), 2, /Found here: claude-code crush\. Run: /);
    const { code, stdout, stderr } = await run(home, "install", "--all");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Claude Code: added to .*\.claude\.json\n\{[^]*"bmad"/);
    assert.doesNotMatch(stderr, /was not found on this machine/);
    assert.match((await run(home, "doctor")).stdout, /claude-code/);
  });
});

Deno.test("a client set up by hand is offered [cli:install-found]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree({ "bin/crush": "" }, async (home) => {
    const { code, text } = await runOnTerminal("bmad-mcp install", {
      env: { HOME: home, PATH: `${home}/bin:/usr/bin:/bin`, CI: "" },
      cwd: home,
      typed: { after: "Which clients should use this server", keys: "\\r" },
    });
    assert.equal(code, 0, text);
    assert.match(text, /Crush: Ask Crush to add this server[^]*"bmad"[^]*Then say in Crush: /);
  });
});

treeTest("install ends with what to say, to an agent that is served [cli:install-says]", {
  "shop/_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: backlog\n  1-1-login: backlog\n",
  "shop/_bmad/bmm/config.yaml": "project_name: shop\n",
}, async (home) => {
  const lastLine = (text: string) => text.trimEnd().split("\n").at(-1);
  const one = await run(home, "install", "cursor");
  assert.equal(lastLine(one.stderr), "Then say in Cursor: “Talk to Mary about my idea”");
  const many = await run(home, "install", "codex", "zed");
  assert.equal(lastLine(many.stderr), "Then say in one of them: “Talk to Mary about my idea”");
  const byHand = await run(home, "install", "crush");
  assert.equal(lastLine(byHand.stderr), "Then say in Crush: “Talk to Mary about my idea”");
  assert.doesNotMatch((await run(home, "install", "cursor")).stderr, /Then say/);
  for (const args of [["--print"], ["--dry-run"], ["--pack", "none"]]) {
    assert.doesNotMatch((await run(home, "install", "qwen", ...args)).stderr, /Then say/, args[0]);
  }
  const shop = await runCli(["install", "gemini"], { env: { HOME: home }, cwd: `${home}/shop` });
  assert.equal(lastLine(shop.stderr), "Then say in Gemini CLI: “What is next in this project?”");
});

Deno.test("--print without a client prints the entry that most clients take [cli:install-says]", () =>
  withTree({}, async (home) => {
    const { code, stdout, stderr } = await run(home, "install", "--print", "--toolsets", "all");
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ["mcpServers"]);
    assert.match(JSON.stringify(JSON.parse(stdout).mcpServers.bmad.args), /"serve","--toolsets","all"\]$/);
    assert.match(stderr, /^Any client: Paste this /);
    assert.deepEqual(await listTree(home), []);
  }));

const urlOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Drops its rights like the program, and prints the outcome of each attempt to write. */
const ATTEMPTS = (home: string) => `
import { planClients } from ${urlOf("../../../src/commands/clients/mod.ts")};
import { resolveConfig } from ${urlOf("../../support/config.ts")};
import { denoHost } from ${urlOf("../../../src/process/host.ts")};
import { dropRights } from ${urlOf("../../../src/process/rights.ts")};
const host = denoHost("/");
dropRights(planClients(resolveConfig(host), host).rights, { sandbox: true });
const outcomes = {};
for (const name of [
  ".cursor/mcp.json", ".cursor/mcp.json.bmad-mcp-new", ".cursor/mcp.json.bmad-mcp-backup", ".cursor/other.json",
  ".cursor/mcp.json.other", ".bashrc", ".kiro/settings/mcp.json", ".kiro/other", ".codex/config.toml",
]) {
  try {
    Deno.writeTextFileSync(${JSON.stringify(home)} + "/" + name, "");
    outcomes[name] = "written";
  } catch (error) { outcomes[name] = error.name; }
}
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(outcomes)));
`;

Deno.test("install may write the named clients' files only [rights:only-roots]", POSIX, async () => {
  await withTree({ ".cursor/mcp.json": "{}", ".cursor/other.json": "{}" }, async (home) => {
    await Deno.writeTextFile(`${home}/attempts.ts`, ATTEMPTS(home));
    const program = [
      "run",
      "--no-prompt",
      "--allow-read=/",
      "--allow-write=/",
      "--allow-env=HOME",
      "--ignore-env",
    ];
    const attempt = async (...args: string[]) => {
      const { stdout, stderr } = await runCli(args, {
        program: [...program, `${home}/attempts.ts`],
        env: { HOME: home },
      });
      const outcomes: Record<string, string> = JSON.parse(stdout || JSON.stringify({ stderr }));
      return Object.keys(outcomes).filter((name) => outcomes[name] !== "NotCapable");
    };
    const files = (path: string) => [path, `${path}.bmad-mcp-new`, `${path}.bmad-mcp-backup`];
    assert.deepEqual(await attempt("install", "cursor"), files(".cursor/mcp.json"));
    assert.deepEqual(await attempt("uninstall", "cursor"), files(".cursor/mcp.json"));
    // A folder that must be created can be filled.
    assert.deepEqual(await attempt("install", "kiro"), [".kiro/settings/mcp.json", ".kiro/other"]);
    for (
      const args of [["install"], ["install", "cursor", "--dry-run"], ["install", "cursor", "--print"], [
        "doctor",
      ]]
    ) {
      assert.deepEqual(await attempt(...args), [], args.join(" "));
    }
  });
});

Deno.test("install writes through no link out of a repository [rights:symlink-refused]", POSIX, async () => {
  await withTree({
    "secret.json": "{}",
    "shop/.cursor/mcp.json": { link: "../../secret.json" },
    "shop/.vscode": { link: "../elsewhere" },
    "elsewhere/": "",
  }, async (home) => {
    const args = ["install", "cursor", "vscode", "--project", "shop"];
    const { code, stderr } = await runCli(args, { env: { HOME: home, USERPROFILE: home }, cwd: home });
    assert.deepEqual([code, await Deno.readTextFile(`${home}/secret.json`)], [3, "{}"]);
    assert.equal(stderr.match(/leads out of the project/g)?.length, 2);
    assert.ok(!(await listTree(home)).some((line) => line.startsWith("elsewhere/mcp")));
  });
});

Deno.test({
  name: "on a terminal the user chooses from the installed clients, and nothing happens without a choice",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withTree({ ".cursor/": "", ".codex/config.toml": "", ".qwen/settings.json": "{}" }, async (home) => {
      const before = await readTree(home);
      const ask = (command: string, after: string, keys: string) =>
        runOnTerminal(`bmad-mcp ${command}`, {
          env: { HOME: home, CI: "" },
          cwd: home,
          typed: { after, keys },
        });
      // Deselects the first one.
      const chosen = await ask("install", "Which clients should use this server", " \\r");
      assert.equal(chosen.code, 0, chosen.text);
      assert.match(chosen.text, /Qwen Code: added to .*\n[^]*Cursor: added to /);
      const there = await listTree(home);
      assert.ok(there.includes(".codex/config.toml 0"), "the one that was not chosen");
      const cancelled = await ask("uninstall", "Which clients should stop using this server", "\\003");
      assert.equal(cancelled.code, 130);
      assert.match(cancelled.text, /Nothing changed\.\n$/);
      assert.deepEqual(await listTree(home), there);
      const gone = await ask("uninstall", "Which clients should stop using this server", "a\\r");
      assert.match(gone.text, /Qwen Code: removed from .*\n[^]*Cursor: removed from /);
      assert.deepEqual(await readTree(home), before);
    }),
});

Deno.test("every client is found by each of its names", () => {
  const names = CLIENTS.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  assert.equal(new Set(names).size, names.length);
  for (const { id, aliases = [] } of CLIENTS) {
    for (const name of [id, id.toUpperCase(), ...aliases]) assert.equal(findClient(name)?.id, id);
  }
});
