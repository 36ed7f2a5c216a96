/** Which files are refused, and does the message say where the problem is? */
import assert from "node:assert/strict";
import { addEntry, type NewEntry, removeEntry } from "../../../src/commands/clients/edit.ts";
import type { Edit } from "../../../src/commands/clients/file_text.ts";
import { type Client, findClient } from "../../../src/commands/clients/mod.ts";
import { CLIENTS_WITH_FILES, findEntry, samplesFor } from "../../support/client_files.ts";

const ENTRY: NewEntry = {
  name: "bmad",
  launch: { command: "/usr/bin/bmad-mcp", args: ["serve"] },
  force: false,
};

const client = (id: string): Client => findClient(id)!;

function nested(levels: number): string {
  return '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
}

/** A client, a text, and its problem with line and column. */
const INVALID:
  readonly (readonly [id: string, text: string, problem: RegExp, at?: readonly [number, number]])[] = [
    ["cursor", '{\n  "a": 1,\n  "mcpServers": {"x" 2}\n}', /colon expected/, [3, 22]],
    ["cursor", '{\n  // mine\n  "a": 1\n}', /comments are not allowed/, [2, 3]],
    ["cursor", '{\r\n  "a": 1,\r\n}', /property name expected/, [3, 1]],
    ["cursor", '{ "a": 1', /close brace expected/, [1, 9]],
    ["cursor", "[1, 2]", /expected a map/],
    ...["cursor", "zed"].map((id) =>
      [id, nested(50_000), /nested more than 100 levels deep/, [1, 501]] as const
    ),
    ["cursor", `{"a": ${"[".repeat(101)}${"]".repeat(101)}}`, /nested more than 100 levels deep/, [1, 106]],
    // A bracket of the other kind closes nothing.
    ["cursor", `{"a": ${'["", }'.repeat(64_000)}`, /nested more than 100 levels deep/, [1, 601]],
    ["codex", `${"a.".repeat(50_000)}a = 1\n`, /nested more than 100 levels deep/],
    ["goose", `extensions: ${"[".repeat(50_000)}`, /YAML cannot be parsed: nesting exceeded/, [1, 112]],
    ["cursor", '"text"', /expected a map/],
    ["cursor", '{\n  "mcpServers": [1]\n}', /mcpServers must be a map/, [2, 17]],
    ["cursor", '{"mcpServers": null}', /mcpServers must be a map/, [1, 16]],
    ["cursor", '{"mcpServers": {"a": {}}, "mcpServers": {}}', /cannot be edited safely/],
    ["zed", '{\n  "context_servers": "no" // text\n}', /context_servers must be a map/, [2, 22]],
    ["zed", "{ unquoted: 1 }", /invalid symbol/, [1, 3]],
    ["codex", "a = 1\nb = = 2\n", /TOML cannot be parsed: .*invalid value/, [2, 5]],
    ["codex", "[mcp_servers]\n[mcp_servers]\n", /TOML cannot be parsed/, [2, 2]],
    ["codex", 'mcp_servers = { files = { command = "x" } }\n', /cannot be edited safely/],
    ["codex", 'a = 1\nmcp_servers.bmad = { command = "bmad-mcp" }\n', /cannot be edited safely/],
    ["codex", 'mcp_servers = "no"\n', /mcp_servers must be a map/],
    ["goose", "a: 1\nextensions: [1\nb: 2\n", /YAML cannot be parsed: deficient indentation$/, [3, 1]],
    ["goose", "extensions: {files: {cmd: x}}\n", /cannot be edited safely/],
    ["goose", "extensions: &all\n  files: {cmd: x}\n", /cannot be edited safely/],
    ["goose", "extensions: text\n", /extensions must be a map/],
    ["goose", "- a\n- b\n", /not a map/],
    ["goose", "a: 1\n---\nb: 2\n", /YAML cannot be parsed/],
    ["continue", "mcpServers:\n  bmad: {command: x}\n", /mcpServers must be a list/],
    ["continue", "mcpServers: [{name: a, command: x}]\n", /cannot be edited safely/],
  ];

for (const [id, text, problem, at] of INVALID) {
  Deno.test(`${id}: ${JSON.stringify(text).slice(0, 200)} stays [cli:install]`, () => {
    const edit = addEntry(text, client(id), ENTRY);
    assert.equal(edit.outcome, "invalid");
    assert.ok("problem" in edit);
    assert.match(edit.problem, problem);
    assert.deepEqual(edit.at && [edit.at.line, edit.at.column], at);
    assert.notEqual(removeEntry(text, undefined, client(id), ENTRY).outcome, "removed");
  });
}

const FOREIGN: Readonly<Record<string, string>> = {
  cursor: '{ "mcpServers": { "bmad": { "command": "npx", "args": ["-y", "another"] } } }\n',
  zed: '{\n  // mine\n  "context_servers": { "bmad": { "command": "npx", "args": ["-y", "another"] } }\n}\n',
  opencode: '{ "mcp": { "bmad": { "type": "local", "command": ["npx", "-y", "another"] } } }\n',
  codex: '[mcp_servers.bmad]\ncommand = "npx"\nargs = ["-y", "another"]\n',
  goose: "extensions:\n  bmad:\n    cmd: npx\n    args: [-y, another]\n",
  continue: "mcpServers:\n  - name: bmad\n    command: npx\n    args: [-y, another]\n",
};

for (const [id, text] of Object.entries(FOREIGN)) {
  Deno.test(`an entry of ${id} that runs another program is changed only with force [cli:install]`, () => {
    const runs = { command: "npx", args: ["-y", "another"] };
    assert.deepEqual(addEntry(text, client(id), ENTRY), { outcome: "foreign", runs });
    assert.deepEqual(removeEntry(text, undefined, client(id), ENTRY), { outcome: "foreign", runs });
    const forced = addEntry(text, client(id), { ...ENTRY, force: true });
    assert.ok("text" in forced && forced.needsBackup);
    assert.equal(forced.outcome, "replaced");
    assert.deepEqual(findEntry(forced.text!, client(id), "bmad").runs, ENTRY.launch);
    const gone = removeEntry(text, undefined, client(id), { ...ENTRY, force: true });
    assert.ok("text" in gone && gone.needsBackup && gone.text !== undefined);
    assert.equal(findEntry(gone.text, client(id), "bmad").entry, undefined);
  });
}

Deno.test("an entry for a remote server runs nothing, and is foreign", () => {
  const text = '{ "mcpServers": { "bmad": { "url": "https://example.test" } } }';
  assert.deepEqual(addEntry(text, client("cursor"), ENTRY), { outcome: "foreign", runs: undefined });
});

Deno.test("an update of our entry keeps what the user has added", () => {
  const cases: Readonly<Record<string, readonly [before: string, after: string]>> = {
    cursor: [
      '{"mcpServers": {"bmad": {"command": "bmad-mcp", "args": [], "env": {"A": "b"}, "timeout": 5}}}',
      '{"mcpServers": {"bmad": {"command": "/usr/bin/bmad-mcp", "args": ["serve"], "env": {"A": "b"}, "timeout": 5}}}',
    ],
    zed: [
      '{\n  "context_servers": {\n    "bmad": {\n      "command": "bmad-mcp", // short\n      "env": {}\n    }\n  }\n}\n',
      '{\n  "context_servers": {\n    "bmad": {\n      "command": "/usr/bin/bmad-mcp", // short\n      "env": {},\n' +
      '      "args": [\n        "serve"\n      ]\n    }\n  }\n}\n',
    ],
    codex: [
      '[mcp_servers.bmad]\ncommand = "bmad-mcp"\nenabled = false\n[mcp_servers.bmad.env]\nA = "b"\n\n[tui]\nx = 1\n',
      '[mcp_servers.bmad]\ncommand = "/usr/bin/bmad-mcp"\nenabled = false\nargs = [ "serve" ]\n\n' +
      '[mcp_servers.bmad.env]\nA = "b"\n\n[tui]\nx = 1\n',
    ],
  };
  for (const [id, [before, after]] of Object.entries(cases)) {
    const edit = addEntry(before, client(id), ENTRY);
    assert.deepEqual(edit, { outcome: "updated", text: after, needsBackup: false });
  }
});

Deno.test("a file of opencode in the newer layout gets its entry in that layout", () => {
  const text = '{\n  "mcp": {\n    "servers": {}\n  }\n}\n';
  const edit = addEntry(text, client("opencode"), ENTRY);
  assert.ok("text" in edit);
  assert.deepEqual(JSON.parse(edit.text!), {
    mcp: { servers: { bmad: { type: "local", command: ["/usr/bin/bmad-mcp", "serve"] } } },
  });
});

Deno.test("nothing is lost, whichever character of a file is missing", () => {
  const survivors: Record<string, number> = {};
  for (const one of [client("cursor"), client("zed"), client("codex"), client("goose"), client("continue")]) {
    const { text } = samplesFor(one)[0]!;
    for (let at = 0; at < text.length; at++) {
      const broken = text.slice(0, at) + text.slice(at + 1);
      const edit: Edit = addEntry(broken, one, ENTRY);
      if (edit.outcome === "invalid") continue;
      assert.ok("text" in edit && edit.text !== undefined, edit.outcome);
      survivors[one.format] = (survivors[one.format] ?? 0) + 1;
      assert.deepEqual(findEntry(edit.text, one, "bmad").runs, ENTRY.launch);
      const back = removeEntry(edit.text, broken, one, ENTRY);
      assert.ok("text" in back);
      assert.equal(back.text, broken);
    }
  }
  // Most characters are inside strings, so most of these files are valid.
  for (const format of ["json", "jsonc", "toml", "yaml"]) assert.ok(survivors[format]! > 50, format);
});

Deno.test("an entry can be added and removed beside any other names", () => {
  const names = ["a", "bmad2", "bmad-x", "xbmad", "BMAD", "b m", "ä", "true", "1", '"', "#", "a.b", "a: b"];
  for (const one of CLIENTS_WITH_FILES) {
    let text = "";
    for (const name of names) {
      const edit = addEntry(text, one, { ...ENTRY, name, force: true });
      assert.ok("text" in edit, `${one.id} ${name}: ${JSON.stringify(edit)}`);
      text = edit.text!;
    }
    const edit = addEntry(text, one, ENTRY);
    assert.ok("text" in edit);
    for (const name of names) {
      assert.deepEqual(findEntry(edit.text!, one, name).runs, ENTRY.launch, `${one.id} ${name}`);
    }
    const back = removeEntry(edit.text!, undefined, one, ENTRY);
    assert.ok("text" in back);
    assert.equal(back.text, text, one.id);
  }
});
