/** Does `install --http` name the server with the user's token, and keep the token to the user? */
import assert from "node:assert/strict";
import { CLIENTS, findClient } from "../../../src/commands/clients/mod.ts";
import { addEntry, removeEntry } from "../../../src/commands/clients/edit.ts";
import { findEntry, samplesFor } from "../../support/client_files.ts";
import { BOTH_ERAS } from "../../support/client.ts";
import { connectHttp, INITIALIZE, post, refusalOf, startHttp } from "../../support/http.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { listTree, withTree } from "../../support/trees.ts";

const REMOTE = { url: "http://127.0.0.1:8080/mcp", token: "0123456789abcdef" };
const REQUEST = { name: "bmad", force: false };

for (const client of CLIENTS.filter(({ remote }) => remote !== undefined)) {
  Deno.test(`an entry of ${client.title} names a server, and goes without a trace [cli:install-http]`, () => {
    for (const { what, text } of samplesFor(client)) {
      const added = addEntry(text, client, { ...REQUEST, launch: REMOTE });
      assert.ok("text" in added && added.text !== undefined, what);
      assert.equal(findEntry(added.text, client, "bmad").url, REMOTE.url, what);
      assert.match(added.text, /Bearer 0123456789abcdef/, what);
      assert.deepEqual(
        addEntry(added.text, client, { ...REQUEST, launch: REMOTE }),
        { outcome: "same" },
        what,
      );
      const removed = removeEntry(added.text, text, client, REQUEST);
      assert.deepEqual(removed, { outcome: "removed", text, needsBackup: false }, what);
    }
    const created = addEntry(undefined, client, { ...REQUEST, launch: REMOTE });
    assert.ok("text" in created && created.text !== undefined);
    const gone = removeEntry(created.text, undefined, client, REQUEST);
    assert.deepEqual(gone, { outcome: "removed", text: undefined, needsBackup: false });

    // From a program to a server and back, each time as a whole entry.
    const launch = { command: "/usr/bin/bmad-mcp", args: ["serve"] };
    const back = addEntry(created.text, client, { ...REQUEST, launch });
    assert.ok("text" in back && back.text !== undefined && back.needsBackup);
    assert.doesNotMatch(back.text, /Bearer|8080/);
    assert.deepEqual(findEntry(back.text, client, "bmad").runs, launch);
    const again = addEntry(back.text, client, { ...REQUEST, launch: REMOTE });
    assert.ok("text" in again && again.text !== undefined);
    assert.doesNotMatch(again.text, /usr.bin/);
  });
}

Deno.test("a server elsewhere, or of somebody else, is not ours", () => {
  const cursor = findClient("cursor")!;
  for (
    const url of ["https://example.org/mcp", "http://127.0.0.1:8080/other", "http://127.0.0.1.evil:80/mcp"]
  ) {
    const text = JSON.stringify({ mcpServers: { bmad: { url } } });
    assert.equal(removeEntry(text, undefined, cursor, REQUEST).outcome, "foreign", url);
    assert.equal(addEntry(text, cursor, { ...REQUEST, launch: REMOTE }).outcome, "foreign", url);
  }
});

Deno.test("the token goes from the state folder to a user's file [cli:install-http]", POSIX, async () => {
  await withTree({ ".cursor/": "" }, async (home) => {
    const run = (...args: string[]) => runHere(args, { env: { HOME: home }, cwd: home });
    const file = `${home}/.cursor/mcp.json`;
    const preview = await run("install", "cursor", "--http", "8080", "--dry-run");
    assert.match(preview.stdout, /^\+ *"Authorization": "\[removed\]"$/m);
    assert.match(
      (await run("install", "cursor", "--http", "8080", "--print")).stdout,
      /Bearer YOUR-TOKEN"/,
    );
    assert.deepEqual(await listTree(home), [".cursor/"]);

    const installed = await run("install", "cursor", "--http", "8080", "--json");
    assert.equal(installed.code, 0, installed.stderr);
    const token = (await Deno.readTextFile(`${home}/.local/state/bmad-mcp/http/token`)).trim();
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)).mcpServers.bmad, {
      url: "http://127.0.0.1:8080/mcp",
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    const tls = await run("install", "cursor", "--http", "[::1]:8443", "--tls-cert", "c", "--tls-key", "k");
    assert.equal(tls.code, 0, tls.stderr);
    assert.match(await Deno.readTextFile(file), /"https:\/\/\[::1\]:8443\/mcp"/);
    const doctor = await run("doctor", "--pack", "none", "--json");
    assert.match(doctor.stdout, /"url": "https:\/\/\[::1\]:8443\/mcp"/);
    const dry = await run("uninstall", "cursor", "--dry-run");
    assert.match(dry.stdout, /^- *"Authorization": "\[removed\]"$/m);
    const removed = await run("uninstall", "cursor", "--json");
    for (const { stdout, stderr } of [installed, tls, doctor, dry, removed]) {
      assert.ok(!(stdout + stderr).includes(token), stdout + stderr);
    }
    assert.deepEqual([removed.code, JSON.parse(removed.stdout).items[0].outcome], [0, "removed"]);

    const env = { HOME: home, BMAD_TOKEN: "a-token-of-a-server-elsewhere" };
    const elsewhere = ["install", "cursor", "--http", "https://bmad.example.org/mcp"];
    const { stdout, stderr } = await runHere(elsewhere, { env, cwd: home });
    assert.match(stdout, /added to/, stderr);
    assert.doesNotMatch(stdout + stderr, /Another BMAD server/);
    await run("uninstall", "cursor");
    // What is installed without a token may get one.
    await run("install", "cursor");
    assert.equal((await run("install", "cursor", "--http", "8080")).code, 0);
    await run("uninstall", "cursor");

    await Deno.mkdir(`${home}/.cursor`, { recursive: true });
    await Deno.writeTextFile(file, "{}\n", { mode: 0o644 });
    await Deno.chmod(file, 0o644);
    const open = await run("install", "cursor", "--http", "8080");
    assert.equal(open.code, 3);
    assert.match(
      open.stderr,
      /others can read it, and the entry holds your token\. Run: chmod 600 \S+mcp\.json/,
    );
    assert.equal(await Deno.readTextFile(file), "{}\n");
  });
});

Deno.test({
  name:
    "a client connects to a server on loopback with exactly what its entry says, and not without the token [cli:install-http, transport:http-own-token]",
  ...POSIX,
  fn: () =>
    withTree({ ".cursor/": "" }, async (home) => {
      const options = { env: { HOME: home }, cwd: home };
      await using program = await startHttp([], { ...options, ownToken: true });
      const installed = await runHere(["install", "cursor", "--http", new URL(program.url).port], options);
      assert.equal(installed.code, 0, installed.stderr);
      const { url, headers } =
        JSON.parse(await Deno.readTextFile(`${home}/.cursor/mcp.json`)).mcpServers.bmad;
      for (const era of BOTH_ERAS) {
        await using connected = await connectHttp(era, url, { headers });
        const answer = await connected.client.callTool({
          name: "bmad",
          arguments: { operation: "list", query: "agents" },
        });
        assert.match(answer.content[0].text, /bmm\/bmad-agent-analyst/, era);
      }
      assert.deepEqual(Object.keys(headers), ["Authorization"]);
      assert.equal((await refusalOf(post(url, INITIALIZE)))[0], 401);
      assert.equal((await refusalOf(post(url, INITIALIZE, headers)))[0], 200);
    }),
});

Deno.test("what an entry for HTTP cannot hold is refused [cli:install-http]", () =>
  withTree({ ".cursor/": "", "shop/": "" }, async (home) => {
    const token = "0123456789abcdef";
    const team = "https://bmad.example.org";
    const refusals: readonly (readonly [line: string, message: RegExp, BMAD_TOKEN?: string])[] = [
      ["8080 cursor --project shop", /--project: the entry holds your token/],
      ["8080 cursor --toolsets all", /--toolsets: it belongs to the server\. Use it with serve --http/],
      [`8080 cursor --token ${token}`, /--token: other users of the machine can see it\. Set BMAD_TOKEN/],
      [
        "8080 cursor --no-token",
        /--no-token: install --http writes your token, and a server without one lets everybody in\. Leave it out/,
      ],
      ["8080 junie", /--http: install knows no entry for HTTP in JetBrains Junie/],
      [
        "0.0.0.0:8080 cursor",
        /--http: 0\.0\.0\.0 is where a server listens\. Give the address as clients see it/,
        token,
      ],
      [
        "http://bmad.example.org/mcp cursor",
        /--http: your token would cross the network unencrypted\. Use an https address/,
        token,
      ],
      [
        `${team} cursor`,
        /--http: the token of https:\/\/bmad\.example\.org\/mcp is missing\. Set BMAD_TOKEN to it/,
      ],
      [`${team} zed --project shop`, /--http: Zed cannot name a variable in a project's file/, token],
    ];
    const before = await listTree(home);
    for (const [line, message, BMAD_TOKEN = ""] of refusals) {
      const env = { HOME: home, USERPROFILE: home, BMAD_TOKEN };
      assertFailed(
        await runHere(["install", "--http", ...line.split(" ")], { env, cwd: home }),
        2,
        message,
      );
    }
    assert.deepEqual(await listTree(home), before);
  }));

Deno.test("only a private file gets the token [cli:install-http]", () =>
  withTree({ ".cursor/": "", "shop/": "" }, async (home) => {
    const env = { HOME: home, USERPROFILE: home, BMAD_TOKEN: "0123456789abcdef" };
    const run = (...args: string[]) => runHere(args, { env, cwd: home });
    const read = async (path: string) => JSON.parse(await Deno.readTextFile(`${home}/${path}`));
    const before = await listTree(home);
    const installed = await run("install", "cursor", "--http", "https://bmad.example.org");
    assert.equal(installed.code, 0, installed.stderr);
    assert.deepEqual((await read(".cursor/mcp.json")).mcpServers.bmad, {
      url: "https://bmad.example.org/mcp",
      headers: { Authorization: "Bearer 0123456789abcdef" },
    });
    // Another address replaces it: the entry is known to be ours.
    const moved = await run("install", "cursor", "--http", "https://bmad.example.org:8443/team/mcp");
    assert.match(moved.stdout, /^Cursor: updated in /);
    const listed = JSON.parse((await run("install", "--list", "cursor", "--json")).stdout).items[0];
    assert.deepEqual([listed.state, listed.url], ["ours", "https://bmad.example.org:8443/team/mcp"]);

    const shared = await run(
      "install",
      "cursor",
      "claude-code",
      "--http",
      "https://b.example",
      "--project",
      "shop",
    );
    assert.equal(shared.code, 0, shared.stderr);
    const tokenIn = async (path: string) =>
      (await read(`shop/${path}`)).mcpServers.bmad.headers.Authorization;
    assert.equal(await tokenIn(".cursor/mcp.json"), "Bearer ${env:BMAD_TOKEN}");
    assert.equal(await tokenIn(".mcp.json"), "Bearer ${BMAD_TOKEN}");

    assert.equal((await run("uninstall", "cursor")).code, 0);
    assert.equal((await run("uninstall", "cursor", "claude-code", "--project", "shop")).code, 0);
    assert.deepEqual(await listTree(home), before);
  }));
