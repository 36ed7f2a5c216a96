/** Does an entry start this program and nothing else, whatever folder a client starts it in? */
import assert from "node:assert/strict";
import { launchBy } from "../../../src/process/host.ts";
import { renderConfig } from "../../../.github/release/stage.ts";
import manifest from "../../../deno.json" with { type: "json" };
import { cleanEnv, INITIALIZE, runHere } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { listTree, type TreeFile, withTree } from "../../support/trees.ts";

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The traps, each of which leaves its name in the folder `marks`. */
function traps(marks: string): Readonly<Record<string, string>> {
  const shell = (name: string) => `#!/bin/sh\n: > '${marks}/${name}'\n`;
  const script = (name: string) => `Deno.writeTextFileSync(${JSON.stringify(`${marks}/${name}`)}, "");\n`;
  const version = Deno.version.deno;
  return {
    ".npmrc": `script-shell=${marks}/../shop/shell.sh\nregistry=http://127.0.0.1:9/\n`,
    "shell.sh": shell("script-shell"),
    "package.json": JSON.stringify({
      name: "shop",
      dependencies: { deno: version, "jsonc-parser": "*" },
      scripts: { start: `: > '${marks}/package-script'`, embed: `: > '${marks}/package-script'` },
      workspaces: ["*"],
    }),
    "node_modules/deno/package.json": JSON.stringify({ name: "deno", version, bin: "bin.sh" }),
    "node_modules/deno/bin.sh": shell("node_modules-deno"),
    "node_modules/.bin/deno": shell("node_modules-bin"),
    "node_modules/jsonc-parser/package.json":
      '{ "name": "jsonc-parser", "version": "3.3.1", "main": "i.js" }',
    "node_modules/jsonc-parser/i.js": script("package"),
    "bmad-mcp": shell("bmad-mcp"),
    "deno": shell("deno"),
    "deno.json": JSON.stringify({
      workspace: ["./checkout"],
      imports: { "trap": "./trap.ts", "jsonc-parser": "./trap.ts" },
      tasks: { start: `deno run -A ./trap.ts`, embed: "deno run -A ./trap.ts" },
    }),
    "trap.ts": script("import"),
    "main.ts": script("main"),
  };
}

/** Runs `fn` with an empty home and a hostile folder, `shop`; `marks` lists which traps were sprung. */
function withTraps(
  more: Readonly<Record<string, TreeFile>>,
  fn: (dir: string, marks: () => Promise<readonly string[]>) => Promise<void>,
): Promise<void> {
  return withTree({ "home/": "", "marks/": "" }, async (dir) => {
    const files = { ...traps(`${dir}/marks`), ...more };
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(`${dir}/shop/${path}`.replace(/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${dir}/shop/${path}`, text as string, { mode: 0o755 });
    }
    await fn(dir, () => listTree(`${dir}/marks`));
  });
}

/** Starts an entry in a folder, as a client does, and returns what it writes to stdout. */
async function startIn(cwd: string, { command, args }: Launch, home: string): Promise<string> {
  const child = new Deno.Command(command, {
    args: [...args],
    cwd,
    env: cleanEnv(home),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const output = child.output();
  const input = child.stdin.getWriter();
  // A trap ends without reading.
  await input.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`))
    .catch(() => {});
  await input.close().catch(() => {});
  return new TextDecoder().decode((await output).stdout);
}

Deno.test("an entry starts this program in a folder full of traps [cli:install-immune]", POSIX, async () => {
  await withTraps({}, async (dir, marks) => {
    const env = { HOME: `${dir}/home`, USERPROFILE: `${dir}/home` };
    assert.equal((await runHere(["install", "cursor"], { env })).code, 0);
    const file = JSON.parse(await Deno.readTextFile(`${dir}/home/.cursor/mcp.json`));
    const entry: Launch = file.mcpServers.bmad;
    const said = await startIn(`${dir}/shop`, entry, `${dir}/home`);
    assert.deepEqual(await marks(), []);
    assert.match(said, /"name":"bmad-mcp"/);

    // The traps work: this is the entry of version 0.1.0.
    const old = ["-y", `deno@${Deno.version.deno}`, ...launchBy("", `${dir}/gone`).args, "serve"];
    await startIn(`${dir}/shop`, { command: "npx", args: old }, `${dir}/home`);
    assert.deepEqual(await marks(), ["script-shell 0"]);
  });
});

for (
  const [what, config, entry] of [
    [
      "a checkout",
      { ...manifest, lock: false, imports: {}, tasks: { start: "deno run --quiet main.ts" } },
      "main.ts",
    ],
    ["the bundle", JSON.parse(renderConfig()), "bmad-mcp.js"],
  ] as const
) {
  Deno.test(`${what} takes nothing from the folders around it [cli:install-immune]`, POSIX, () =>
    withTraps({
      "checkout/deno.json": JSON.stringify(config),
      [`checkout/${entry}`]: 'await import("trap").catch(() => console.log("no trap"));',
    }, async (dir, marks) => {
      const launch = launchBy(Deno.execPath(), `${dir}/shop/checkout`);
      for (const cwd of [`${dir}/shop`, `${dir}/shop/checkout`, `${dir}/home`]) {
        assert.equal(await startIn(cwd, launch, `${dir}/home`), "no trap\n", cwd);
      }
      assert.deepEqual(await marks(), []);
    }));
}

Deno.test("entries start absolute programs on every system [cli:install-immune]", () => {
  assert.deepEqual(launchBy("/usr/bin/deno", "/src/bmad-mcp"), {
    command: "/usr/bin/deno",
    args: ["task", "--quiet", "--config", "/src/bmad-mcp/deno.json", "start"],
  });
  assert.deepEqual(launchBy("C:\\Deno\\deno.exe", "C:\\src\\bmad-mcp"), {
    command: "C:\\Deno\\deno.exe",
    args: ["task", "--quiet", "--config", "C:\\src\\bmad-mcp/deno.json", "start"],
  });
  const inPackage = "/n/node_modules/@al/bmad-mcp";
  const shell = { command: "/bin/sh", args: [`${inPackage}/launcher.sh`] };
  assert.deepEqual(launchBy("/n/node_modules/@deno/linux/deno", inPackage, "/usr/bin/node"), shell);
  assert.deepEqual(launchBy(`${inPackage}/node_modules/@deno/linux/deno`, inPackage, "/usr/bin/node"), shell);
  assert.deepEqual(launchBy("/real/n/node_modules/@deno/linux/deno", inPackage), shell);
  // Where the shell would not find Deno, and on Windows, Node has to.
  const byNode = (deno: string, root: string) => launchBy(deno, root, "/usr/bin/node").args;
  assert.deepEqual(byNode("/store/@deno/linux/deno", inPackage), [`${inPackage}/launcher.cjs`]);
  const onWindows = "C:\\n\\node_modules\\@al\\bmad-mcp";
  assert.deepEqual(byNode("C:\\n\\node_modules\\@deno\\win32-x64\\deno.exe", onWindows), [
    `${onWindows}/launcher.cjs`,
  ]);
  // The variable of the launcher means nothing elsewhere.
  assert.equal(launchBy("/usr/bin/deno", "/src/bmad-mcp", "/usr/bin/node").command, "/usr/bin/deno");
  const binary = "C:\\Programs\\bmad-mcp.exe";
  assert.deepEqual(launchBy(binary, undefined), { command: binary, args: [] });
});
