/** Is the entry in a client's file understood, and would it start? */
import assert from "node:assert/strict";
import { inspectTarget, renderEntry } from "../../../src/commands/clients/entries.ts";
import {
  type Client,
  CLIENTS,
  findClient,
  launchFor,
  planClients,
} from "../../../src/commands/clients/mod.ts";
import { inspectText } from "../../../src/commands/clients/edit.ts";
import { exposureOf, findProgram } from "../../../src/commands/clients/own_launch.ts";
import { resolveConfig } from "../../support/config.ts";
import { denoHost } from "../../../src/process/host.ts";
import { PRODUCT } from "../../../src/base/model.ts";
import { CLIENTS_WITH_FILES } from "../../support/client_files.ts";
import { POSIX } from "../../support/run.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const LAUNCH = { command: "/usr/bin/bmad-mcp", args: [] };
const own = {
  name: "bmad",
  launch: LAUNCH,
  scope: "user",
  os: "linux",
  programs: new Map([
    ["/usr/bin/bmad-mcp", { real: "/opt/bmad-mcp/bmad-mcp" }],
    ["/usr/local/bin/bmad-mcp", { real: "/opt/bmad-mcp/bmad-mcp" }],
    ["/brew/Cellar/bmad-mcp/0.0.9/bin/bmad-mcp", { real: "/brew/Cellar/x", version: "0.0.9" }],
    ["/src/deno.json", { real: "/src/deno.json", version: "0.0.8" }],
    ["/usr/bin/deno", { real: "/usr/bin/deno" }],
  ]),
} as const;
const { version } = PRODUCT;
const inspect = (text: string | undefined, client: Client = findClient("cursor")!) =>
  inspectText(text, client, own);
const entry = (value: unknown) => JSON.stringify({ mcpServers: { bmad: value } });

Deno.test("an entry that install has written is recognized in every client's file", () => {
  for (const client of CLIENTS_WITH_FILES) {
    const text = renderEntry(client, { ...LAUNCH, args: ["serve", "--pack", "v4"] }, "bmad");
    assert.deepEqual(inspect(text, client), {
      state: "ours",
      runs: { command: "/usr/bin/bmad-mcp", args: ["serve", "--pack", "v4"] },
      program: "/usr/bin/bmad-mcp",
      isThere: true,
      isCurrent: true,
      version,
      isOff: false,
    }, client.id);
  }
});

Deno.test("the problem of an entry is found", () => {
  assert.deepEqual(inspect(undefined), { state: "absent" });
  assert.deepEqual(inspect("{}"), { state: "absent" });
  assert.deepEqual(inspect(""), { state: "absent" });
  const old = { command: "/old/bmad-mcp", args: ["serve"] };
  assert.deepEqual(inspect(entry({ ...old, disabled: true })), {
    state: "ours",
    runs: old,
    program: "/old/bmad-mcp",
    isThere: false,
    isCurrent: false,
    isOff: true,
  });
  const bare = { command: "bmad-mcp", args: [] };
  assert.deepEqual(inspect(entry(bare)), {
    state: "ours",
    runs: bare,
    program: "bmad-mcp",
    isCurrent: false,
    isOff: false,
  });
  const other = { command: "npx", args: ["other"] };
  assert.deepEqual(inspect(entry(other)), { state: "foreign", runs: other });
  assert.deepEqual(inspect(entry({ url: "https://example.test" })), { state: "foreign", runs: undefined });
  assert.deepEqual(inspect('{\n  "a" 1\n}'), {
    state: "invalid",
    problem: "colon expected",
    at: { line: 2, column: 7 },
  });
});

Deno.test("the version that an entry starts is known from its path, and for this program by any path", () => {
  const told = (command: string, ...args: string[]) => {
    const { isThere, isCurrent, version } = inspect(entry({ command, args }));
    return [isThere, isCurrent, version];
  };
  assert.deepEqual(told("/usr/local/bin/bmad-mcp", "serve"), [true, true, version]);
  assert.deepEqual(told("/brew/Cellar/bmad-mcp/0.0.9/bin/bmad-mcp"), [true, false, "0.0.9"]);
  const checkout = ["task", "--config", "/src/deno.json", "start"];
  assert.deepEqual(told("/usr/bin/deno", ...checkout, "serve"), [true, false, "0.0.8"]);
  assert.deepEqual(told("/gone/deno", ...checkout), [false, false, undefined]);
  assert.deepEqual(told("/usr/bin/deno", ...checkout.with(2, "/gone/deno.json")), [false, false, undefined]);
});

Deno.test("an entry that another program can take the place of is recognized [cli:install-immune]", () => {
  const checkout = ["task", "--config", "/src/deno.json", "start", "serve"];
  const npx = /^npx obeys the folder/;
  const relative = /is looked for in the folder/;
  const spec = "@al-b/bmad-mcp@1.2.3";
  const launcher = "/n/node_modules/@al-b/bmad-mcp/launcher.cjs";
  const rows: readonly (readonly ["linux" | "windows", "user" | "project", RegExp | undefined, string[]])[] =
    [
      ["linux", "user", npx, ["npx", "-y", "deno@2.9.0", ...checkout]],
      ["linux", "project", npx, ["npx", "-y", "deno@2.9.0", ...checkout]],
      ["linux", "user", /^\/usr\/bin\/npx obeys/, ["/usr/bin/npx", "deno", ...checkout]],
      ["windows", "user", /^cmd obeys/, ["cmd", "/c", "npx", "-y", "deno", ...checkout]],
      ["linux", "user", npx, ["sh", "npx", "deno", ...checkout]],
      ["linux", "user", relative, ["./bin/bmad-mcp", "serve"]],
      ["linux", "user", relative, ["node_modules/.bin/bmad-mcp"]],
      ["windows", "user", relative, ["bin\\bmad-mcp.exe"]],
      ["linux", "user", relative, ["${workspaceFolder}/bmad-mcp"]],
      ["linux", "user", relative, ["deno", ...checkout.with(2, "src/deno.json")]],
      ["windows", "user", /^Windows looks for bmad-mcp/, ["bmad-mcp", "serve"]],
      ["linux", "user", npx, ["npx", "-y", spec, "serve"]],
      ["linux", "user", /npx obeys/, ["/usr/bin/npx", "-y", "--prefix=/home/ann", spec]],
      ["linux", "project", undefined, ["npx", "-y", spec, "serve"]],
      ["linux", "user", undefined, ["/usr/bin/node", launcher, "serve"]],
      ["linux", "user", relative, ["/usr/bin/node", launcher.slice(1), "serve"]],
      ["windows", "user", /^Windows looks for node/, ["node", launcher, "serve"]],
      ["windows", "project", undefined, ["bmad-mcp", "serve"]],
      ["linux", "user", undefined, ["bmad-mcp", "serve", "--path", "npx"]],
      ["linux", "user", undefined, ["/usr/bin/deno", ...checkout]],
      ["linux", "user", undefined, ["deno", ...checkout]],
      ["linux", "user", undefined, ["~/bin/bmad-mcp"]],
      ["windows", "user", undefined, ["C:\\Programs\\bmad-mcp.exe", "serve"]],
      ["windows", "user", undefined, ["C:/Deno/deno.exe", ...checkout]],
    ];
  for (const [os, scope, expected, [command, ...args]] of rows) {
    const exposure = exposureOf({ command: command!, args }, { os, scope });
    if (expected === undefined) assert.equal(exposure, undefined, `${command} ${args}`);
    else assert.match(exposure ?? "", expected, `${command} ${args}`);
  }
});

Deno.test("a program and its version are found by path or on PATH", POSIX, () =>
  withTree({
    "Cellar/bmad-mcp/1.2.3_1/bin/bmad-mcp": "",
    "bin/bmad-mcp": { link: "../Cellar/bmad-mcp/1.2.3_1/bin/bmad-mcp" },
    "src/deno.json": '{\n  "name": "bmad-mcp",\n  "version": "4.5.6"\n}\n',
    "plain/bmad-mcp": "",
    "node_modules/@a/bmad-mcp/launcher.cjs": "",
    "node_modules/@a/bmad-mcp/package.json": '{\n  "version": "7.8.9"\n}\n',
  }, async (dir) => {
    const find = (word: string, path = `/nowhere:${dir}/bin`) =>
      findProgram(word, { ...denoHost("/"), env: (name) => name === "PATH" ? path : undefined });
    const real = `${await Deno.realPath(dir)}/Cellar/bmad-mcp/1.2.3_1/bin/bmad-mcp`;
    assert.deepEqual(find("bmad-mcp"), { real, version: "1.2.3" });
    assert.deepEqual(find(`${dir}/bin/bmad-mcp`), { real, version: "1.2.3" });
    assert.equal(find("bmad-mcp", ""), undefined);
    assert.equal(find(`${dir}/src/deno.json`)?.version, "4.5.6");
    assert.equal(find(`${dir}/node_modules/@a/bmad-mcp/launcher.cjs`)?.version, "7.8.9");
    assert.deepEqual(Object.keys(find(`${dir}/plain/bmad-mcp`) ?? {}), ["real"]);
    assert.equal(find(`${dir}/gone/bmad-mcp`), undefined);
  }));

treeTest("doctor inspects the entry of every installed client", {
  "bin/bmad-mcp": "",
  ".cursor/mcp.json": "CURSOR",
  ".codex/config.toml": '[mcp_servers.bmad]\ncommand = "/gone/bmad-mcp"\n',
  ".gemini/settings.json": "{ broken",
  ".qwen/": "",
  "shop/.vscode/mcp.json": '{ "servers": { "bmad": { "command": "bmad-mcp" } } } // mine',
}, async (home) => {
  await Deno.writeTextFile(`${home}/.cursor/mcp.json`, entry({ command: `${home}/bin/bmad-mcp` }));
  const host = {
    ...denoHost("/"),
    home,
    os: "linux" as const,
    args: ["doctor"],
    cwd: `${home}/shop`,
    env: () => undefined,
  };
  const config = resolveConfig(host);
  const plan = planClients(config, { ...host, launch: { command: `${home}/bin/bmad-mcp`, args: [] } });
  const found = plan.targets.map((target) => {
    const { state, isThere, isCurrent, problem } = inspectTarget(target, plan, "bmad");
    return [target.client.id, state, isThere, isCurrent, problem];
  });
  assert.deepEqual(found, [
    ["codex", "ours", false, false, undefined],
    ["gemini", "invalid", undefined, undefined, "invalid symbol"],
    ["qwen", "absent", undefined, undefined, undefined],
    ["cursor", "ours", true, true, undefined],
    ["vscode", "ours", undefined, false, undefined],
  ]);
  assert.deepEqual(plan.rights.write, []);
  for (const folder of config.rights.read) assert.ok(plan.rights.read.includes(folder), "the content, too");
});

Deno.test("a project's file names the program if PATH has it [cli:install-immune]", POSIX, () =>
  withTree({
    "opt/bmad-mcp": "",
    "bin/bmad-mcp": { link: "../opt/bmad-mcp" },
    "other/bmad-mcp": "",
    "shop/bmad-mcp": "",
  }, (home) => {
    const command = `${home}/opt/bmad-mcp`;
    const commandFor = (path: string, ...args: string[]) => {
      const env = (name: string) => name === "PATH" ? path : undefined;
      const host = {
        ...denoHost("/"),
        home,
        env,
        args: ["install", "cursor", ...args],
        cwd: `${home}/shop`,
      };
      const config = resolveConfig(host);
      const plan = planClients(config, { ...host, launch: { command, args: [] } });
      const launch = launchFor(plan.targets[0]!, plan, config);
      return "command" in launch && launch.command;
    };
    const project = ["--project", `${home}/shop`];
    assert.equal(commandFor(`/nowhere:${home}/bin`, ...project), "bmad-mcp");
    assert.equal(commandFor(`${home}/other:${home}/bin`, ...project), command, "another copy comes first");
    assert.equal(commandFor("", ...project), command);
    assert.equal(commandFor(".", ...project), command);
    assert.equal(commandFor(`${home}/bin`), command, "the user's own file");
  }));

Deno.test("every row of the table is complete", () => {
  for (const { id, user, project, manualSteps, next, newer, shape } of CLIENTS) {
    assert.match(id, /^[a-z][a-z-]*$/);
    assert.equal(user === undefined && project === undefined, manualSteps !== undefined, id);
    assert.equal(next === undefined, manualSteps !== undefined, id);
    assert.ok(newer === undefined || newer.shape !== shape, id);
    for (const path of project ?? []) assert.match(path, /^[^/~$][^*]*$/, id);
  }
});
