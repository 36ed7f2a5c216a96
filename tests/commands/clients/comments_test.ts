/** Does uninstall lose a comment or a file that a person wrote, if no backup tells it what was there before? */
import assert from "node:assert/strict";
import { installEntry, uninstallEntry } from "../../../src/commands/clients/entries.ts";
import { findClient } from "../../../src/commands/clients/mod.ts";
import { addEntry, removeEntry } from "../../../src/commands/clients/edit.ts";
import { targetsOf } from "../../../src/commands/clients/target.ts";
import { denoHost } from "../../../src/process/host.ts";
import { listTree, withTree } from "../../support/trees.ts";

const REQUEST = { name: "bmad", force: false };
const LAUNCH = { command: "/usr/bin/bmad-mcp", args: ["serve"] };
const OURS = '"bmad": { "command": "/usr/bin/bmad-mcp", "args": ["serve"] }';

const JOINED = '"bmad": { "type": "local", "command": ["/usr/bin/bmad-mcp", "serve"] }';

/** A client, a file that a person wrote around our entry, and what must be left of it. */
const FILES: readonly (readonly [client: string, before: string, after: string])[] = [
  ["zed", `{ "context_servers": { ${OURS} } }\n`, "{}\n"],
  [
    "zed",
    `{\n  "context_servers": {\n    // mine\n    ${OURS} // ours?\n  }\n}\n`,
    '{\n  "context_servers": {\n    // mine\n    // ours?\n  }\n}\n',
  ],
  [
    "zed",
    `{\n  // servers\n  "context_servers": { ${OURS} } // all of them\n}\n`,
    "{\n  // servers\n  // all of them\n}\n",
  ],
  [
    "zed",
    `{\n  "context_servers": /* mine */ {\n    ${OURS}\n  }\n}\n`,
    '{\n  "context_servers": /* mine */ {}\n}\n',
  ],
  [
    "zed",
    `{\n  "context_servers": {\n    ${OURS} /* a */, // b\n    "x": {}\n  }\n}\n`,
    '{\n  "context_servers": {\n    /* a */ // b\n    "x": {}\n  }\n}\n',
  ],
  [
    "zed",
    `{\n  "context_servers": {\n    "x": {} /* a */, // b\n    ${OURS} // c\n    // d\n  }\n}\n`,
    '{\n  "context_servers": {\n    "x": {} /* a */ // b\n    // c\n    // d\n  }\n}\n',
  ],
  ["zed", `{ // a\n  "context_servers": { ${OURS} } }\n`, "{ // a\n  }\n"],
  ["zed", `// head\n{ "context_servers": { ${OURS} } }\n// foot\n`, "// head\n{}\n// foot\n"],
  ["opencode", `{ "mcp": { "servers": { ${JOINED} } /* a */ } }\n`, '{ "mcp": { /* a */ } }\n'],
  ["cursor", `{ "mcpServers": { ${OURS} } }\n`, "{}\n"],
  [
    "goose",
    "extensions: # mine\n  bmad:\n    cmd: /usr/bin/bmad-mcp\n    args: [serve]\n",
    "extensions: {} # mine\n",
  ],
  [
    "goose",
    "# head\nextensions:\n  # first\n  bmad:\n    cmd: /usr/bin/bmad-mcp\n    args: [serve]\n  # last\n# foot\n",
    "# head\n  # first\n  # last\n# foot\n",
  ],
  ["goose", "extensions:\n    bmad:\n        cmd: /usr/bin/bmad-mcp\n", ""],
  [
    "continue",
    "mcpServers: # mine\n  - name: bmad\n    command: /usr/bin/bmad-mcp\n",
    "mcpServers: [] # mine\n",
  ],
  [
    "codex",
    '# head\n[mcp_servers.bmad]\ncommand = "/usr/bin/bmad-mcp"\n# after\n\n# next\n[other]\n',
    "# head\n# after\n\n# next\n[other]\n",
  ],
  ["codex", '[mcp_servers.bmad]\ncommand = "/usr/bin/bmad-mcp"\n', ""],
];

for (const [at, [id, before, after]] of FILES.entries()) {
  Deno.test(`uninstall keeps the file of ${id} and its comments (${at + 1}) [cli:install]`, () => {
    const client = findClient(id)!;
    assert.deepEqual(removeEntry(before, undefined, client, REQUEST), {
      outcome: "removed",
      text: after,
      needsBackup: false,
    });
    // The same with the line ends of Windows.
    const lines = (text: string) => text.replaceAll("\n", "\r\n");
    const removed = removeEntry(lines(before), undefined, client, REQUEST);
    assert.equal("text" in removed && removed.text, lines(after));
  });
}

/** Comments inside our entry, which go with it. */
const INSIDE: Readonly<Record<string, string>> = {
  zed: `{ "context_servers": { "bmad": { "command": "/usr/bin/bmad-mcp", /* mine */ "args": [] } } }\n`,
  codex: '[mcp_servers.bmad] # mine\ncommand = "/usr/bin/bmad-mcp"\n',
  goose: "extensions:\n  bmad:\n    cmd: /usr/bin/bmad-mcp # mine\n",
  continue: "mcpServers:\n  - name: bmad # mine\n    command: /usr/bin/bmad-mcp\n",
};

for (const [id, text] of Object.entries(INSIDE)) {
  Deno.test(`a comment in the entry of ${id} is worth a backup [cli:install]`, () => {
    const client = findClient(id)!;
    const removed = removeEntry(text, undefined, client, REQUEST);
    assert.ok("needsBackup" in removed && removed.needsBackup, JSON.stringify(removed));
    const launch = { ...LAUNCH, args: ["serve", "--pack", "v4"] };
    const updated = addEntry(text, client, { ...REQUEST, launch });
    assert.ok("needsBackup" in updated, JSON.stringify(updated));
    assert.equal(updated.needsBackup, !updated.text?.includes("mine"));
  });
}

Deno.test("a file that a person wrote stays, one that install created goes [cli:install]", () =>
  withTree({ ".cursor/mcp.json": `{ "mcpServers": { ${OURS} } }\n` }, async (home) => {
    const now = { dryRun: false, now: () => 0 };
    const machine = { ...denoHost("."), home, os: "linux", env: () => undefined } as const;
    const target = () => targetsOf(findClient("cursor")!, undefined, machine, true)[0]!;
    assert.equal(uninstallEntry(target(), REQUEST, now).outcome, "removed");
    assert.deepEqual(await listTree(home), [".cursor/", ".cursor/mcp.json 3"]);
    await Deno.remove(target().path);
    assert.equal(installEntry(target(), LAUNCH, REQUEST, now).outcome, "added");
    assert.equal(uninstallEntry(target(), REQUEST, now).outcome, "removed");
    assert.deepEqual(await listTree(home), []);
  }));
