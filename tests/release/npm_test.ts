/** Does the npm package work as npm installs it, with nothing but Node and the network for its one dependency? */
import assert from "node:assert/strict";
import { bundleFlags } from "../../.github/release/binary_rights.ts";
import { buildNpmPackage, renderShellLauncher } from "../../.github/release/npm.ts";
import { describeRelease, renderJson } from "../../.github/release/release.ts";
import { CONTENT, listContent, REPOSITORY } from "../../.github/release/stage.ts";
import { TARGET_NAMES, TARGETS } from "../../.github/release/targets.ts";
import { PRODUCT } from "../../src/base/model.ts";
import { sharedBundle } from "../support/bundle.ts";
import { listTar, serveNpmPackage } from "../support/npm_registry.ts";
import { cleanEnv, INITIALIZE } from "../support/program.ts";
import { listTree, withTree } from "../support/trees.ts";
import { makeProgram, writeProgram } from "../support/programs.ts";
import { POSIX } from "../support/run.ts";

const OWNER = "Alice-B";
const NAME = "@alice-b/bmad-mcp";
const WINDOWS = Deno.build.os === "windows";

let packed: Promise<Uint8Array> | undefined;
const pack = () =>
  packed ??= sharedBundle().then(({ folder }) =>
    buildNpmPackage(describeRelease(`${OWNER}/bmad-mcp`), folder)
  );

Deno.test("the package says what it is and asks for the binary's rights [packaging:npm]", async () => {
  const files = await listTar(new Uint8Array(await pack()));
  const manifest = JSON.parse(files.get("package/package.json")!);
  assert.equal(manifest.name, NAME);
  assert.equal(manifest.version, PRODUCT.version);
  assert.equal(manifest.mcpName, "io.github.Alice-B/bmad-mcp");
  assert.deepEqual(manifest.dependencies, { deno: "2.9.5" });
  assert.deepEqual(manifest.bin, { "bmad-mcp": "launcher.cjs" });
  assert.equal(manifest.scripts, undefined);
  // The first one is published by hand, where npm refuses to state where it was built.
  assert.equal(manifest.publishConfig, undefined);

  const { args, packages } = JSON.parse(files.get("package/launch.json")!);
  const systems = { linux: "linux", darwin: "darwin", windows: "win32" } as const;
  for (const target of TARGET_NAMES) {
    const { os, arch, deno } = TARGETS[target];
    const given: readonly string[] = args[systems[os]];
    const rights = given.filter((word) => word.startsWith("--allow") && !word.startsWith("--allow-import"));
    assert.deepEqual(rights, bundleFlags(target).filter((word) => word.startsWith("--allow")), target);
    for (const flag of ["--no-prompt", "--no-config", "--no-remote", "--allow-import=none.invalid:443"]) {
      assert.ok(given.includes(flag), `${target} ${flag}`);
    }
    assert.equal(packages[`${systems[os]}-${arch}`], deno);
  }

  const content = await listContent(`${REPOSITORY}/${CONTENT}`);
  const expected = [
    "LICENSE",
    "NOTICE",
    "README.md",
    "THIRD-PARTY-LICENSES.txt",
    "bmad-mcp.js",
    "launch.json",
    "launcher.cjs",
    "launcher.sh",
    "package.json",
    ...[...content, "build.json", "licenses.txt"].map((path) => `${CONTENT}/${path}`),
  ];
  const names = [...files.keys()].map((path) => path.replace(/^package\//, ""));
  assert.deepEqual(names.filter((path) => !path.startsWith("chunks/")).sort(), expected.sort());
  // All that the launcher of the shell has to know is in it.
  const shell = files.get("package/launcher.sh")!;
  assert.doesNotMatch(shell, /@[A-Z]+@/);
  assert.ok(shell.includes(` ${packages["darwin-arm64"]}; do\n`));
  assert.match(files.get("package/THIRD-PARTY-LICENSES.txt")!, /Apache License/);
});

const STAND_IN = '#!/bin/sh\nprintf "%s\\n" "$0" "$@"\nenv\n';

Deno.test("the shell starts npm's own Deno, or leaves it to Node [packaging:npm]", POSIX, async () => {
  const [first, second] = ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin"] as const;
  const app = "my $1 app/node_modules";
  const here = `${app}/${NAME}`;
  const deno = (
    folder: string,
    { version = Deno.version.deno, target = first as typeof first | typeof second } = {},
  ) => ({
    [`${folder}/${TARGETS[target].deno}/deno`]: STAND_IN,
    [`${folder}/${TARGETS[target].deno}/package.json`]: renderJson({ version }),
  });
  const cases: readonly (readonly [what: string, Readonly<Record<string, string>>, started: string])[] = [
    ["side by side", deno(app), `${here}/../../${TARGETS[first].deno}/deno`],
    ["a global package", deno(`${here}/node_modules`), `${here}/node_modules/${TARGETS[first].deno}/deno`],
    ["another version", deno(app, { version: "2.0.0" }), "bin/node"],
    ["packages of two systems", { ...deno(app), ...deno(app, { target: second }) }, "bin/node"],
    ["elsewhere", {}, "bin/node"],
  ];
  const launcher = await renderShellLauncher();
  for (const [what, files, started] of cases) {
    await withTree({ ...files, "bin/node": STAND_IN, [`${here}/launcher.sh`]: launcher }, async (dir) => {
      for (const path of [...Object.keys(files), "bin/node"]) {
        if (/(?:deno|node)$/.test(path)) makeProgram(`${dir}/${path}`);
      }
      const env = {
        PATH: `${dir}/bin:/usr/bin:/bin`,
        DENO_DIR: "/kept",
        DENO_V8_FLAGS: "--bad",
        OTEL_DENO: "true",
        NODE_OPTIONS: "--bad",
        LINES: "one\nexport DENO_OF a line=1\nexport HOME=2",
        HOME: "/home/ann",
      };
      const { stdout, stderr } = await run(
        "/bin/sh",
        [`${dir}/${here}/launcher.sh`, "show", "a *"],
        dir,
        env,
      );
      const lines = stdout.split("\n");
      assert.equal(lines[0], `${dir}/${started}`, `${what} ${stderr}`);
      if (started === "bin/node") return assert.equal(lines[1], `${dir}/${here}/launcher.cjs`, what);
      assert.deepEqual(lines.slice(1, 4), ["run", "--no-config", "--no-lock"], what);
      assert.ok(stdout.includes(`\n${dir}/${here}/bmad-mcp.js\nshow\na *\n`), what);
      const kept = lines.filter((line) => /^(?:DENO_|OTEL_|NODE_|HOME=\/)/.test(line)).sort();
      const own = ["DENO_DIR=/kept", "DENO_NO_PACKAGE_JSON=1", "DENO_NO_UPDATE_CHECK=1", "HOME=/home/ann"];
      assert.deepEqual(kept, own, what);
    });
  }
});

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  input = "",
) {
  const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(command, { args: [...args], cwd, env: { ...env }, clearEnv: true, ...pipes })
    .spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  // A program may end without reading.
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await output;
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

Deno.test("the packed package is installed by npm and works [packaging:npm]", () =>
  withTree({ "home/": "", "app/": "", "shop/": "" }, async (dir) => {
    const tarball = `${dir}/package.tgz`;
    await Deno.writeFile(tarball, await pack());
    const npm = WINDOWS ? "npm.cmd" : "npm";
    const cache = await run(npm, ["config", "get", "cache"], dir, Deno.env.toObject());
    const { DENO_DIR: _, ...own } = cleanEnv(`${dir}/home`, { npm_config_cache: cache.stdout.trim() });
    const options = [
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--no-update-notifier",
      "--prefer-offline",
    ];
    const installed = await run(npm, ["install", ...options, tarball], `${dir}/app`, own);
    assert.equal(installed.code, 0, installed.stderr);
    const launcher = `${dir}/app/node_modules/${NAME}/launcher.cjs`;
    const bmad = WINDOWS ? ["node", launcher] : [`${dir}/app/node_modules/.bin/bmad-mcp`];
    const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      run(bmad[0]!, [...bmad.slice(1), ...args], `${dir}/shop`, { ...own, ...env });

    // Variables that would change the runtime do not reach it.
    const { code, stdout } = await start(["version", "--json"], { DENO_V8_FLAGS: "--no-such-flag" });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).version, PRODUCT.version);
    // The exit status is the program's own.
    assert.equal((await start(["show", "no-such-name"])).code, 1);

    if (!WINDOWS) await checkEntries(dir, start, own);

    const smoke = [`${REPOSITORY}/.github/release/smoke.ts`, ...bmad];
    const tested = await run(Deno.execPath(), ["run", "--no-config", "--allow-all", ...smoke], dir, own);
    assert.deepEqual(tested.stdout.trim().split("\n").filter((line) => !line.startsWith("ok    ")), []);
    assert.equal(tested.code, 0);
  }));

Deno.test({
  name:
    "in an empty home, npx fetches the package, serves and installs it, and uninstall leaves nothing [packaging:npm]",
  ...POSIX,
  fn: () =>
    withTree({ "home/": "", "shop/": "" }, async (dir) => {
      await using registry = serveNpmPackage(NAME, PRODUCT.version, new Uint8Array(await pack()));
      const cache = await run("npm", ["config", "get", "cache"], dir, Deno.env.toObject());
      const { DENO_DIR: _, ...own } = cleanEnv(`${dir}/home`, {
        npm_config_cache: cache.stdout.trim(),
        npm_config_prefer_offline: "true",
        npm_config_update_notifier: "false",
        npm_config_userconfig: `${dir}/npmrc`,
      });
      await Deno.writeTextFile(`${dir}/npmrc`, registry.config);
      // What npx fetches goes into its cache; the home stays as it was.
      const npx = (args: readonly string[], input?: string) =>
        run("npx", ["-y", NAME, ...args], `${dir}/shop`, own, input);
      const list = async () => (await listTree(`${dir}/home`)).filter((path) => !path.startsWith(".cache/"));
      const messages = [INITIALIZE, { method: "notifications/initialized" }, { id: 2, method: "tools/list" }];
      const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const served = await npx([], lines.join(""));
      assert.match(served.stdout, /"id":2[^\n]*"name":"bmad"|"name":"bmad"[^\n]*"id":2/, served.stderr);

      const before = await list();
      const installed = await npx(["install", "claude-code", "codex"]);
      assert.equal(installed.code, 0, installed.stderr);
      assert.match(
        installed.stderr,
        /starts the copy of npx, which npm may clear\. To keep one: npm install --global /,
      );
      const { command, args } =
        JSON.parse(await Deno.readTextFile(`${dir}/home/.claude.json`)).mcpServers.bmad;
      assert.match((await run(command, args, `${dir}/shop`, own, lines[0]!)).stdout, /"name":"bmad-mcp"/);
      assert.equal((await npx(["uninstall", "claude-code", "codex"])).code, 0);
      assert.deepEqual(await list(), before);
    }),
});

/** The programs that npm and Node look for, as a hostile repository holds them; each leaves its name in `marks`. */
const TRAPS = ["sh", "node", "npx", "deno", "bmad-mcp", "git", "bash", "env"];

async function checkEntries(
  dir: string,
  start: (args: readonly string[]) => ReturnType<typeof run>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  // Deno keeps a code cache in the user's cache folder.
  const list = async () => (await listTree(`${dir}/home`)).filter((path) => !path.startsWith(".cache/"));
  const before = await list();
  const installed = await start(["install", "cursor", "codex"]);
  assert.equal(installed.code, 0, installed.stderr);
  const { mcpServers } = JSON.parse(await Deno.readTextFile(`${dir}/home/.cursor/mcp.json`));
  const { command, args } = mcpServers.bmad;
  assert.deepEqual(args, [`${await Deno.realPath(dir)}/app/node_modules/${NAME}/launcher.sh`, "serve"]);
  assert.equal(command, "/bin/sh");

  const bin = `${dir}/shop/node_modules/.bin`;
  await Deno.mkdir(bin, { recursive: true });
  await Deno.mkdir(`${dir}/marks`);
  for (const name of TRAPS) {
    writeProgram(`${bin}/${name}`, `#!/bin/sh\n: > '${dir}/marks/${name}'\n`);
  }
  await Deno.writeTextFile(`${dir}/shop/.npmrc`, `script-shell=${bin}/sh\nnode-options=--bad\n`);
  await Deno.writeTextFile(`${dir}/shop/deno.json`, '{ "imports": { "node:fs": "./none.ts" } }');
  await Deno.writeTextFile(`${dir}/shop/package.json`, '{ "type": "commonjs", "workspaces": ["*"] }');
  const hello = `${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`;
  const served = await run(command, args, `${dir}/shop`, env, hello);
  assert.match(served.stdout, /"name":"bmad-mcp"/, served.stderr);
  assert.deepEqual(await listTree(`${dir}/marks`), []);

  const doctor = await start(["doctor", "--json"]);
  const { files } = JSON.parse(doctor.stdout).clients;
  const seen = files.map((file: Readonly<Record<string, unknown>>) => [
    file["client"],
    file["isThere"],
    file["isCurrent"],
    file["exposure"],
  ]);
  assert.deepEqual(seen, [["codex", true, true, undefined], ["cursor", true, true, undefined]]);

  // A project's own file is shared, so it names the package instead of paths of this machine.
  await start(["install", "cursor", "--project", `${dir}/shop`]);
  const shared = JSON.parse(await Deno.readTextFile(`${dir}/shop/.cursor/mcp.json`)).mcpServers.bmad;
  const words = [shared.command, ...shared.args].slice(0, 4);
  assert.deepEqual(words, ["npx", "-y", `${NAME}@${PRODUCT.version}`, "serve"]);

  assert.equal((await start(["uninstall", "cursor", "--project", `${dir}/shop`])).code, 0);
  assert.equal((await start(["uninstall", "cursor", "codex"])).code, 0);
  assert.deepEqual(await list(), before);
}
