/**
 * Does `install --replace` find other BMAD servers in a client's file, and only these, and does `uninstall` bring them
 * back?
 */
import assert from "node:assert/strict";
import {
  addEntry,
  entriesIn,
  findPeers,
  putEntry,
  removeEntry,
  replaceEntries,
} from "../../../src/commands/clients/edit.ts";
import { findClient } from "../../../src/commands/clients/mod.ts";
import { buildEntry } from "../../../src/commands/clients/shapes.ts";
import { CLIENTS_WITH_FILES, samplesFor, textOf } from "../../support/client_files.ts";
import { runHere } from "../../support/program.ts";
import { listTree, withTree } from "../../support/trees.ts";

const OWN = { command: "/usr/bin/bmad-mcp", args: ["serve"] };
const REQUEST = { name: "bmad", force: false };
const PEERS: readonly (readonly [name: string, ...words: string[]])[] = [
  ["old", "npx", "-y", "bmad-mcp-server", "git+https://example.org/x.git"],
  ["pinned", "npx", "--yes", "bmad-mcp-server@3.0.1"],
  ["bare", "npx", "bmad-mcp"],
  ["windows", "cmd", "/c", "npx", "-y", "bmad-mcp-server"],
  ["shell", "bash", "-c", "cd ~/x && npx -y bmad-mcp-server"],
  ["package", "npx", "-y", "-p", "bmad-mcp-server", "bmad-mcp-server"],
  ["npm", "npm", "exec", "--package=bmad-mcp-server", "--", "bmad-mcp-server"],
  ["script", "node", "/home/ann/src/bmad-mcp-server/build/index.js"],
  ["binary", "/opt/mcp-bmad-method"],
  ["python", "uv", "run", "--directory", "/srv/bmad-agent-fastmcp", "server.py"],
  ["module", "python3", "-m", "bmad_mcp.server"],
  ["from", "uvx", "--from", "git+https://github.com/x/bmad-mcp-server", "serve"],
  ["image", "docker", "run", "-i", "--rm", "-v", "/a:/b", "ghcr.io/x/bmad-mcp-server:2"],
  ["bmad-method", "node", "/srv/index.js"],
  ["BMAD", "some-program"],
];

const STRANGERS: readonly (readonly [name: string, ...words: string[]])[] = [
  ["files", "npx", "-y", "files-server", "/home/ann/bmad-mcp-server"],
  ["mounted", "docker", "run", "-v", "/home/ann/bmad-mcp:/work", "files"],
  ["own", "/usr/bin/bmad-mcp", "serve"],
  ["own-npm", "node", "/n/node_modules/@alice/bmad-mcp/launcher.cjs", "serve"],
  ["own-npx", "npx", "-y", "@alice/bmad-mcp@1.2.3", "serve"],
  ["own-checkout", "/usr/bin/deno", "task", "--config", "/src/bmad-mcp/deno.json", "start", "serve"],
  ["git", "node", "/srv/git.js", "bmad", "mcp"],
  ["bmad-docs", "npx", "-y", "docs-server"],
];

Deno.test("other BMAD servers are recognised by what they start [cli:install-replace]", () => {
  const cursor = findClient("cursor")!;
  const textWith = (rows: typeof PEERS) =>
    JSON.stringify({
      mcpServers: Object.fromEntries(rows.map(([name, command, ...args]) => [name, { command, args }])),
    });
  const names = (rows: typeof PEERS) => findPeers(textWith(rows), cursor).map(({ name }) => name);
  assert.deepEqual(names(PEERS), PEERS.map(([name]) => name));
  assert.deepEqual(names(STRANGERS), []);
  const remote = (name: string, url: string) => JSON.stringify({ mcpServers: { [name]: { url } } });
  assert.equal(findPeers(remote("bmad", "https://example.org/other"), cursor).length, 1);
  assert.equal(findPeers(remote("bmad", "http://127.0.0.1:8080/mcp"), cursor).length, 0);
  assert.equal(findPeers("{ broken", cursor).length, 0);
});

for (const client of CLIENTS_WITH_FILES) {
  Deno.test(`in ${client.title}'s file, other servers come back [cli:install-replace]`, () => {
    for (const { what, text } of samplesFor(client)) {
      const old = { command: "npx", args: ["-y", "bmad-mcp-server"] };
      const { shapes } = entriesIn(text, client);
      const put = putEntry(text, client, "bmad-old", buildEntry(shapes, "bmad-old", old));
      // A style that cannot be edited is refused as a whole.
      if (put.outcome === "invalid") continue;
      const before = textOf(put);
      const edit = replaceEntries(before, client, { ...REQUEST, launch: OWN });
      const after = textOf(edit);
      assert.deepEqual(findPeers(after, client), [], what);
      assert.ok("replaced" in edit && edit.replaced, what);
      assert.deepEqual(Object.keys(edit.replaced), ["bmad-old"]);

      const undone = removeEntry(after, before, client, REQUEST, edit.replaced);
      assert.equal(textOf(undone), before, what);

      // The client has changed the file since: its change stays, and the entry comes back all the same.
      const changed = addEntry(after, client, {
        name: "new",
        force: false,
        launch: { command: "later", args: [] },
      });
      const kept = textOf(removeEntry(textOf(changed), before, client, REQUEST, edit.replaced));
      const { entries } = entriesIn(kept, client);
      assert.deepEqual(entries["bmad-old"], edit.replaced["bmad-old"], what);
      assert.ok(entries["new"] !== undefined && entries["bmad"] === undefined, what);
    }
  });
}

Deno.test("an entry that the user has added again is not overwritten", () => {
  const cursor = findClient("cursor")!;
  const before = JSON.stringify({ mcpServers: { bmad: { command: "npx", args: ["bmad-mcp"] } } });
  const edit = replaceEntries(before, cursor, { ...REQUEST, launch: OWN });
  assert.ok("replaced" in edit && edit.replaced);
  assert.deepEqual(Object.keys(edit.replaced), ["bmad"]);
  const replaced = { other: { command: "old" } };
  const text = JSON.stringify({ mcpServers: { bmad: OWN, other: { command: "mine" } } });
  const undone = textOf(removeEntry(text, undefined, cursor, REQUEST, replaced));
  assert.deepEqual(JSON.parse(undone), { mcpServers: { other: { command: "mine" } } });
});

const FILE = `{
  "mcpServers": {
    "bmad-old": { "command": "npx", "args": ["-y", "bmad-mcp-server"], "env": { "KEY": "a-very-secret-one" } }
  }
}
`;

Deno.test(
  "install lists clients, names other BMAD servers, replaces them, and uninstall restores every byte and folder [cli:install-replace, cli:install-list]",
  () =>
    withTree(
      { ".cursor/mcp.json": FILE, ".kiro/": "", "shop/_bmad/bmm/agents/a.md": "A\n" },
      async (home) => {
        const run = (...args: string[]) =>
          runHere(args, { env: { HOME: home, USERPROFILE: home }, cwd: `${home}/shop` });
        const before = await listTree(home);
        const list = JSON.parse((await run("install", "--list", "--json")).stdout).items;
        const cursor = list.find(({ client }: { client: string }) => client === "cursor");
        assert.deepEqual([cursor.found, cursor.state, cursor.others], [true, "absent", ["bmad-old"]]);
        assert.ok(list.some(({ state }: { state: string }) => state === "by-hand"));
        assert.match(
          (await run("install", "--list", "cursor")).stdout,
          /^cursor\tyes\tother BMAD server: bmad-old\t/,
        );
        assert.deepEqual(await listTree(home), before);

        const clients = ["cursor", "kiro", "claude-desktop"];
        const added = await run("install", ...clients);
        assert.equal(added.code, 0, added.stderr);
        assert.match(added.stderr, /Another BMAD server is in the same file: "bmad-old", which runs npx -y /);
        assert.match(added.stderr, /To serve this one: bmad-mcp install claude-desktop --project \S+shop/);
        const replaced = await run("install", ...clients, "--replace", "--json");
        assert.deepEqual(JSON.parse(replaced.stdout).items[0].replaced, ["bmad-old"]);
        for (const { stdout, stderr } of [added, replaced]) {
          assert.doesNotMatch(stdout + stderr, /very-secret/);
        }
        assert.doesNotMatch(await Deno.readTextFile(`${home}/.cursor/mcp.json`), /bmad-mcp-server/);

        // The folder of Kiro was there before us, and stays; everything that install created goes.
        const removed = await run("uninstall", ...clients);
        assert.equal(removed.code, 0, removed.stderr);
        assert.match(removed.stderr, /Restored: "bmad-old"/);
        assert.deepEqual(await listTree(home), before);
        assert.equal(await Deno.readTextFile(`${home}/.cursor/mcp.json`), FILE);
      },
    ),
);
