/** Which folder is the project if no setting names one? */
import assert from "node:assert/strict";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { denoHost } from "../../../src/process/host.ts";
import { encodeLine, openLineReader, parseLine } from "../../../src/process/lines.ts";
import { openPipe } from "../../../src/process/pipes.ts";
import { folderOf } from "../../../src/serve/handshake/mod.ts";
import { HANDSHAKE_VERSIONS } from "../../../src/serve/handshake/mod.ts";
import { askForRoot } from "../../../src/serve/handshake/mod.ts";
import { facts, says } from "../../support/answers.ts";
import { type ClientFeatures, type Era, type ProgramClient, startClient } from "../../support/client.ts";
import { resolveConfig } from "../../support/config.ts";
import { INITIALIZE, type RawProgram, startRaw } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const skill = (id: string) => `---\nname: ${id}\ndescription: About ${id}\n---\nDo it.\n`;

/** A project with BMAD content, another, one without, and a working folder that is no project. */
const PLACES = {
  "shop/.claude/skills/bmad-shop/SKILL.md": skill("bmad-shop"),
  "farm & co/.claude/skills/bmad-farm/SKILL.md": skill("bmad-farm"),
  "plain/readme.md": "Nothing here.\n",
  "work/notes.md": "Nothing here.\n",
  "file.md": "No folder.\n",
};

/** Names of folders are compared as they are written on the other systems. */
const ignore = Deno.build.os === "windows";

const uri = (path: string) => `file://${path.split("/").map(encodeURIComponent).join("/")}`;

/** The project that a client ends up with, and how often its roots were asked for. */
async function projectWith(
  dir: string,
  roots: (() => unknown) | undefined,
  options: {
    readonly era?: Era;
    readonly cwd?: string;
    readonly args?: readonly string[];
    readonly env?: Record<string, string>;
  } = {},
): Promise<{ readonly project: string | undefined; readonly asked: number; readonly stderr: string }> {
  let asked = 0;
  const features: ClientFeatures = roots === undefined ? {} : {
    roots: () => {
      asked++;
      return roots();
    },
  };
  const { era = "2025", cwd = `${dir}/work`, args = [], env } = options;
  await using client = await startClient({ era, cwd, args: ["--pack", "none", ...args], env, features });
  const project = await findProject(client);
  await client.close();
  return { project, asked, stderr: client.stderr() };
}

async function findProject(client: ProgramClient): Promise<string | undefined> {
  const { items } = await facts(client, { operation: "list", query: "sources" });
  return items.find(({ id }: { id: string }) => id === "project")?.location;
}

const rootsOf = (...uris: readonly string[]) => () => ({ roots: uris.map((uri) => ({ uri })) });

Deno.test(
  "the client's root is the project [origins:project-root-client]",
  { ignore },
  () =>
    withTree(PLACES, async (dir) => {
      const features = { roots: rootsOf(uri(`${dir}/farm & co`)) };
      await using client = await startClient({ era: "2025", cwd: `${dir}/work`, features });
      await says(client, { operation: "read", skill: "farm" }, /^name: skills\/bmad-farm\n/);
      assert.equal(await findProject(client), `${dir}/farm & co`);
      assert.match((await client.listTools())[0].description, /modules bmb, bmm, core, skills, tea\./);
      await client.close();
      assert.equal(client.stderr(), "");
    }),
);

Deno.test("which of several roots is the project", { ignore }, (t) =>
  withTree(PLACES, async (dir) => {
    const [shop, farm, plain] = ["shop", "farm & co", "plain"].map((name) => uri(`${dir}/${name}`));
    const table: readonly (readonly [what: string, roots: readonly string[], project: string])[] = [
      ["the first", [shop!, farm!], "shop"],
      ["the first that holds BMAD content", [plain!, farm!, shop!], "farm & co"],
      ["the first, where none holds any", [plain!], "plain"],
      ["the first that is a folder", [`${uri(dir)}/gone`, `${uri(dir)}/file.md`, shop!], "shop"],
      [
        "the first of this machine",
        ["https://example.org/shop", "file://server/shop", "shop", shop!],
        "shop",
      ],
      ["not the whole disk", ["file:///", shop!], "shop"],
      ["not a folder that is spelled in codes", [`${uri(dir)}%2fshop`, plain!], "plain"],
      ["the working folder, where no root is fit", ["file:///", "nonsense"], "work"],
      ["the working folder, where there is no root", [], "work"],
    ];
    for (const [what, roots, project] of table) {
      await t.step(`${what} [origins:project-root-client]`, async () => {
        assert.deepEqual(await projectWith(dir, rootsOf(...roots)), {
          project: `${dir}/${project}`,
          asked: 1,
          stderr: "",
        });
      });
    }
    await t.step("the working folder, where the client fails to tell [client:fallback-text]", async () => {
      for (const roots of [() => Promise.reject(new Error("no")), () => ({ roots: 7 })]) {
        assert.equal((await projectWith(dir, roots)).project, `${dir}/work`);
      }
    });
  }));

Deno.test("when a client is asked for its roots", { ignore }, (t) =>
  withTree(PLACES, async (dir) => {
    const roots = rootsOf(uri(`${dir}/shop`));
    const step = (what: string, options: Parameters<typeof projectWith>[2], project: string | undefined) =>
      t.step(`${what} [origins:project-root-client]`, async () => {
        const { asked, ...found } = await projectWith(dir, roots, options);
        assert.deepEqual([asked, found.project], [0, project && `${dir}/${project}`]);
      });
    await step("not when a flag names the project", { args: ["--project", "../plain"] }, "plain");
    await step("not when a variable names it", { env: { BMAD_PROJECT_ROOT: `${dir}/plain` } }, "plain");
    await step("not when Claude Code names it", { env: { CLAUDE_PROJECT_DIR: `${dir}/plain` } }, "plain");
    await step("not when the working folder holds BMAD content", { cwd: `${dir}/farm & co` }, "farm & co");
    await step("not when the mode uses no project", { args: ["--mode", "user"] }, undefined);
    await t.step("not when the working folder has a settings file of ours", async () => {
      await Deno.writeTextFile(`${dir}/plain/.bmad-mcp.toml`, "maxResult = 4096\n");
      assert.deepEqual(await projectWith(dir, roots, { cwd: `${dir}/plain` }), {
        project: `${dir}/plain`,
        asked: 0,
        stderr: "",
      });
    });
    await t.step("not when it offers none [client:fallback-text]", async () => {
      assert.equal((await projectWith(dir, undefined)).project, `${dir}/work`);
    });
    await t.step("not when it is of 2026, but it learns why [client:fallback-text]", async () => {
      const { project, asked, stderr } = await projectWith(dir, roots, { era: "2026" });
      assert.deepEqual([project, asked], [`${dir}/work`, 0]);
      assert.match(stderr, /^bmad-mcp warn: This protocol version .* the client's roots: .*--project\n$/);
    });
  }));

Deno.test(
  "a home that a client calls its root is no project",
  { ignore },
  () =>
    withTree({ "home/.claude/skills/bmad-mine/SKILL.md": skill("bmad-mine"), "work/": "" }, async (dir) => {
      const found = await projectWith(dir, rootsOf(uri(`${dir}/home`)), { env: { HOME: `${dir}/home` } });
      assert.equal(found.project, `${dir}/work`);
    }),
);

Deno.test(
  "only the client's root can be read [rights:only-roots, rights:dropped-first]",
  { ignore },
  () =>
    withTree({
      ...PLACES,
      "shop/.bmad-mcp.toml": 'paths = ["own"]\n',
      "shop/own/bmad-own/SKILL.md": skill("bmad-own"),
      "shop/.claude/skills/bmad-stolen": { link: "../../../work/deep/bmad-stolen" },
      "work/deep/bmad-stolen/SKILL.md": skill("bmad-stolen"),
    }, async (dir) => {
      const features = { roots: rootsOf(uri(`${dir}/shop`)) };
      const args = ["--pack", "none", "--log-level", "debug"];
      await using client = await startClient({ era: "2025", cwd: `${dir}/work`, args, features });
      const { items } = await facts(client, { operation: "list", query: "skills" });
      assert.deepEqual(items.map(({ id }: { id: string }) => id).sort(), ["bmad-own", "bmad-shop"]);
      await client.close();
      const [, readable] = /^bmad-mcp debug: Project: .*; can read only (.*)$/m.exec(client.stderr())!;
      const folders = readable!.split(", ");
      assert.ok(folders.includes(`${dir}/shop`));
      assert.equal(folders.some((folder) => `${dir}/work`.startsWith(folder)), false, readable);
    }),
);

Deno.test(
  "roots that change later change nothing, and the log says so",
  { ignore },
  () =>
    withTree(PLACES, async (dir) => {
      const features = { roots: rootsOf(uri(`${dir}/shop`)) };
      for (const [args, lines] of [[[], 1], [["--project", `${dir}/shop`], 0]] as const) {
        await using client = await startClient({
          era: "2025",
          cwd: `${dir}/work`,
          args: ["--pack", "none", ...args],
          features,
        });
        await client.notify("notifications/roots/list_changed");
        assert.equal(await findProject(client), `${dir}/shop`);
        await client.close();
        assert.equal(
          client.stderr().match(/info: The client's roots have changed, .*restart/g)?.length ?? 0,
          lines,
        );
      }
    }),
);

const LIST = { id: 2, method: "tools/list" };
const opening = (protocolVersion: string, capabilities: Record<string, unknown>) => ({
  ...INITIALIZE,
  params: { ...INITIALIZE.params, protocolVersion, capabilities, _meta: { progressToken: 1 } },
});
const ids = (raw: RawProgram) =>
  raw.lines.map((line) => JSON.parse(line)).map(({ id, method }) => method ?? id);

Deno.test("asking for roots changes no answer [client:both-eras]", async () => {
  assert.deepEqual(HANDSHAKE_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < "2026"));
  for (const version of [...HANDSHAKE_VERSIONS, "2019-01-01"]) {
    const answers = await Promise.all([{ roots: { listChanged: true } }, {}].map(async (capabilities) => {
      await using raw = await startRaw([]);
      await raw.send(opening(version, capabilities));
      const { result } = await raw.next(1);
      await raw.send({ method: "notifications/initialized" });
      if ("roots" in capabilities) await raw.send({ id: "bmad-mcp-roots", result: { roots: [] } });
      await raw.send(LIST);
      const { result: { tools } } = await raw.next(2);
      assert.deepEqual(ids(raw), "roots" in capabilities ? [1, "roots/list", 2] : [1, 2]);
      return { result, tools };
    }));
    assert.deepEqual(answers[0], answers[1]);
  }
});

Deno.test("late roots leave the working folder [client:fallback-text]", () =>
  withTree({ "bmad/sea/agents/": "" }, async (cwd) => {
    await using raw = await startRaw(["--pack", "none"], { cwd });
    await raw.send(opening("2025-11-25", { roots: {} }));
    await raw.next(1);
    // What it sends meanwhile waits, and is not lost.
    await raw.send({ method: "notifications/initialized" });
    await raw.send(LIST);
    await raw.send({ id: 3, method: "ping" });
    await raw.next(2);
    await raw.next(3);
    assert.deepEqual(ids(raw).slice(0, 3), [1, "roots/list", "notifications/cancelled"]);
    assert.equal(JSON.parse(raw.lines[2]!).params.requestId, "bmad-mcp-roots");
  }));

Deno.test("a client is asked for its roots with a time limit of 1.5 s, after which the request is cancelled", async () => {
  const [toServer, toClient] = [openPipe(), openPipe()];
  const limits: number[] = [];
  let expire = () => {};
  const host = {
    ...denoHost(Deno.cwd()),
    stdin: () => toServer.source,
    stdout: () => toClient.sink,
    after: (ms: number, call: () => void) => {
      limits.push(ms);
      expire = call;
      return () => {};
    },
  };
  const handshake = askForRoot(host, resolveConfig({ ...host, args: [], env: () => undefined }));
  const output = openLineReader(toClient.source);
  const send = (message: Record<string, unknown>) =>
    toServer.sink(encodeLine({ jsonrpc: "2.0", ...message }));
  const next = async () => parseLine(await output.next());
  await send(opening("2025-11-25", { roots: {} }));
  assert.equal((await next())["id"], 1);
  await send({ method: "notifications/initialized" });
  assert.equal((await next())["method"], "roots/list");
  expire();
  assert.equal((await next())["method"], "notifications/cancelled");
  const { root, streams } = await handshake;
  assert.deepEqual([root, limits], [undefined, [1_500]]);
  streams.stdin().cancel();
});

Deno.test("a client that sends a malformed line while it is asked gets each answer once", async (t) => {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "ping" });
  for (const noise of ["nonsense\n", `nonsense\n${ping}\n[]\n`, "\n\n{}\n"]) {
    await t.step(JSON.stringify(noise), async () => {
      await using raw = await startRaw([]);
      await raw.send(opening("2025-11-25", { roots: {} }));
      await raw.next(1);
      await raw.send({ method: "notifications/initialized" });
      await raw.send(noise);
      await raw.send({ id: "bmad-mcp-roots", result: { roots: [] } });
      await raw.send(LIST);
      await raw.next(2);
      const answered = ids(raw).filter((id) => id !== null);
      assert.deepEqual(answered, noise.includes("ping") ? [1, "roots/list", 3, 2] : [1, "roots/list", 2]);
      assert.ok(ids(raw).includes(null), "the malformed line is answered");
    });
  }
});

Deno.test("an opening that is cut off, wrong, or of another kind is left to the protocol code", async (t) => {
  const roots = { roots: {} };
  const cases: Readonly<Record<string, readonly [text: string, ids: readonly unknown[]]>> = {
    "nothing": ["", []],
    "half a line": ['{"jsonrpc":"2.0","id":1,"method":"initia', []],
    "no message": ["nonsense\n", [null]],
    "an opening without a name": [
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: roots } })}\n`,
      [1],
    ],
    "an opening that is all": [`${JSON.stringify({ jsonrpc: "2.0", ...opening("2025-11-25", roots) })}\n`, [
      1,
    ]],
    "a very long line": [`"${"x".repeat(2 << 20)}"\n`, [null]],
    "a request before any opening": [`${JSON.stringify({ jsonrpc: "2.0", ...LIST })}\n`, [2]],
  };
  for (const [name, [text, expected]] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using raw = await startRaw([]);
      await raw.send(text);
      await raw.closeStdin();
      assert.equal((await raw.exit).code, 0);
      assert.deepEqual(ids(raw), expected);
    });
  }
});

Deno.test("a file URI becomes the folder of its system", () => {
  const table: readonly (readonly [unknown, string | undefined, string | undefined])[] = [
    ["file:///a/b%20c", "/a/b c", "/a/b c"],
    ["file://localhost/a", "/a", "/a"],
    ["file:///C:/Users/ann", "/C:/Users/ann", "C:/Users/ann"],
    ["file:///c%3A/Users/ann", "/c:/Users/ann", "c:/Users/ann"],
    ["file:///a/../b/", "/b/", "/b/"],
    ["file://server/share", undefined, undefined],
    ["file:///a%2Fb", undefined, undefined],
    ["file:///a%00b", undefined, undefined],
    ["file:///%E0%A4%A", undefined, undefined],
    ["https://example.org/a", undefined, undefined],
    ["/a/b", undefined, undefined],
    [undefined, undefined, undefined],
    [7, undefined, undefined],
  ];
  for (const [given, unix, windows] of table) {
    assert.deepEqual([folderOf(given, "linux"), folderOf(given, "windows")], [unix, windows], String(given));
  }
});
