/**
 * Realistic files of each client: other servers, comments if the client allows them, tabs, CRLF, and whatever else
 * people and programs leave in a file.
 */
import { entriesIn } from "../../src/commands/clients/edit.ts";
import type { Edit } from "../../src/commands/clients/file_text.ts";
import { type Client, CLIENTS } from "../../src/commands/clients/mod.ts";
import { type Entry, readLaunch, readRemote } from "../../src/commands/clients/shapes.ts";
import assert from "node:assert/strict";

interface Sample {
  readonly what: string;
  readonly text: string;
}

export const CLIENTS_WITH_FILES: readonly Client[] = CLIENTS.filter(({ manualSteps }) =>
  manualSteps === undefined
);

export function findEntry(text: string, client: Client, name = "bmad") {
  const { shapes, entries } = entriesIn(text, client);
  const entry = entries[name] as Entry | undefined;
  return {
    entry,
    runs: entry && readLaunch(shapes, entry),
    url: entry && readRemote(shapes, entry)?.url,
  };
}

export function textOf(edit: Edit): string {
  assert.ok("text" in edit && edit.text !== undefined, JSON.stringify(edit));
  return edit.text;
}

export function samplesFor(client: Client): readonly Sample[] {
  const plain = PLAIN[client.format](client);
  const first = plain[0]!.text;
  return [
    ...plain,
    { what: "CRLF", text: first.replaceAll("\n", "\r\n") },
    { what: "a byte order mark", text: `\uFEFF${first}` },
    { what: "no final newline", text: first.trimEnd() },
    { what: "empty lines at the end", text: `${first}\n\n` },
    { what: "nothing", text: "" },
    { what: "only space", text: "\n  \n" },
    { what: "only a byte order mark", text: "\uFEFF" },
  ];
}

const PLAIN: Readonly<Record<Client["format"], (client: Client) => readonly Sample[]>> = {
  json: strict,
  jsonc: (client) => [...strict(client), ...commented(client)],
  toml,
  yaml,
};

const OTHERS = {
  files: { command: "npx", args: ["-y", "files-server", "/srv/data"], env: { TOKEN: "ä€😀" } },
  web: { type: "http", url: "https://example.test/mcp", headers: { "X-Key": 'a "quoted" one' } },
};

function strict({ keys }: Client): readonly Sample[] {
  const nest = (value: unknown) =>
    keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
  const settings = { theme: "dark", deep: { a: [{ b: { bmad: { command: "not this one" } } }], n: 1e3 } };
  const whole = { ...settings, ...nest(OTHERS), last: [1, 2, { three: null }] };
  const write = (value: unknown, step: string | number) => `${JSON.stringify(value, null, step)}\n`;
  return [
    { what: "other servers and settings", text: write(whole, 2) },
    { what: "tabs", text: write(whole, "\t") },
    { what: "four spaces", text: write(whole, 4) },
    { what: "everything on one line", text: JSON.stringify(whole) },
    { what: "one line with spaces", text: '{ "theme": "dark", "size": 12 }\n' },
    { what: "settings without servers", text: write(settings, 2) },
    { what: "an empty map of servers", text: write({ ...settings, ...nest({}) }, 2) },
    { what: "an empty map on two lines", text: `{\n  "${keys[0]}": {\n  }\n}\n` },
    { what: "an empty object", text: "{}" },
    { what: "an empty object with space", text: "{ \n}\n" },
    { what: "servers on one line", text: `{\n  "${keys[0]}": {"a": {"command": "x"}, "b": {}}\n}\n` },
  ];
}

function commented({ keys: [key] }: Client): readonly Sample[] {
  return [
    {
      what: "comments and trailing commas",
      text: [
        "// What my editor does",
        "{",
        "\t/* colours */",
        '\t"theme": "dark", // not light',
        `\t"${key}": {`,
        '\t\t// "old": { "command": "gone" },',
        '\t\t"files": { "command": "npx", "args": ["-y", "files"] }, // the files',
        "\t\t/* nothing below */",
        "\t},",
        '\t"url": "http://no.comment/here", // but here',
        "\t// the end",
        "}",
        "// really",
        "",
      ].join("\n"),
    },
    {
      what: "a comment behind the last server",
      text: `{\n    "${key}": {\n        "files": { "command": "x" } // mine\n    } /* all */\n}\n`,
    },
    { what: "servers that are only comments", text: `{\n  "${key}": {\n    // none yet\n  }\n}\n` },
    { what: "nothing but a comment", text: "// Settings go here\n" },
  ];
}

function toml({ keys: [key] }: Client): readonly Sample[] {
  return [
    {
      what: "other servers, comments and tables",
      text: [
        "# My settings",
        'model = "o9" # the big one',
        'notes = """',
        `[${key}.bmad]`,
        'command = "not this one"',
        '"""',
        "list = [",
        `  "[${key}.bmad]", # nor this`,
        "]",
        "",
        `[${key}.files]`,
        'command = "npx"',
        "args = ['-y', 'files']",
        `[${key}.files.env]`,
        'TOKEN = "ä€😀"',
        "",
        "# Trusted",
        '[projects."/srv/a.b"]',
        'trust_level = "trusted"',
        "",
        "[[hooks]]",
        "when = 1979-05-27T07:32:00Z",
        "",
      ].join("\n"),
    },
    { what: "settings without servers", text: 'model = "o9"\n' },
    { what: "a header without servers", text: `[${key}]\n` },
    { what: "nothing but a comment", text: "# Settings go here\n" },
  ];
}

function yaml({ keys: [key], shape }: Client): readonly Sample[] {
  const item = (name: string) =>
    shape === "listed"
      ? [`  - name: ${name}`, "    command: npx", "    args: [-y, files] # the files"]
      : [`  ${name}:`, "    command: npx", "    args: [-y, files] # the files"];
  return [
    {
      what: "other servers and comments",
      text: [
        "# My settings",
        "name: mine",
        "prompt: |",
        "  # no comment",
        `  ${key}:`,
        "    bmad: not this one",
        `${key}: # all of them`,
        "  # the first",
        ...item("files"),
        "",
        ...item('"other one"'),
        "    # about the other",
        "",
        "# The rest",
        "tail: {a: [1, 2], b: 'ä€😀'}",
        "",
      ].join("\n"),
    },
    { what: "servers at the end", text: ["name: mine", `${key}:`, ...item("files"), ""].join("\n") },
    ...(shape === "listed"
      ? [{ what: "a list that is not indented", text: `${key}:\n- name: a\n  command: x\nrest: 1\n` }]
      : []),
    { what: "an empty flow value", text: `a: 1\n${key}: ${shape === "listed" ? "[]" : "{}"} # none\nb: 2\n` },
    { what: "a key without a value", text: `a: 1\n${key}:\nb: 2\n` },
    { what: "settings without servers", text: "a: 1\n" },
    { what: "nothing but a comment", text: "# Settings go here\n" },
  ];
}
