/** Can an entry be added and removed without a trace, in every client's file and every style? */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseTables } from "smol-toml";
import type { Client } from "../../../src/commands/clients/mod.ts";
import { addEntry, type NewEntry, removeEntry } from "../../../src/commands/clients/edit.ts";
import { CLIENTS_WITH_FILES, findEntry, samplesFor, textOf } from "../../support/client_files.ts";

const ENTRY: NewEntry = {
  name: "bmad",
  launch: { command: "/opt/with space/bin/bmad-mcp", args: ["serve", "--path", "C:\\new\\t"] },
  force: false,
};

/** The value of a text, if possible by another parser than the code under test. */
function meaning(client: Client, text: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(read(client, text)));
}

function read({ format }: Client, text: string): unknown {
  const clean = text.replace(/^\uFEFF/, "");
  if (format === "toml") return parseTables(clean.replaceAll("\r\n", "\n"));
  if (/^\s*(#.*\s*)*$/.test(clean)) return {};
  if (format === "yaml") return load(clean);
  return format === "json" ? JSON.parse(clean) : parseJsonc(clean) ?? {};
}

/** The value of a text without our entry and, unless it is kept, without a container that becomes empty. */
function withoutOurs(client: Client, text: string, keepsContainer: boolean): unknown {
  const value = structuredClone(meaning(client, text));
  const [key] = client.keys;
  const entries = value[key!] as Record<string, unknown> | { name: string }[];
  const left = Array.isArray(entries)
    ? entries.filter(({ name }) => name !== "bmad")
    : Object.fromEntries(Object.entries(entries).filter(([name]) => name !== "bmad"));
  value[key!] = left;
  if (!keepsContainer && Object.keys(left).length === 0) delete value[key!];
  return value;
}

function seeded(client: Client, value: Record<string, unknown>): Record<string, unknown> {
  return Object.keys(value).length === 0 ? { ...client.seed } : value;
}

for (const client of CLIENTS_WITH_FILES) {
  Deno.test(`the entry of ${client.title} can be added and removed`, async (t) => {
    for (const { what, text } of samplesFor(client)) {
      await t.step(`in a file with ${what} [cli:install]`, () => {
        const before = meaning(client, text);
        const hasContainer = Object.hasOwn(before, client.keys[0]!);
        const added = textOf(addEntry(text, client, ENTRY));

        // It is there, nothing else has changed, and no comment was lost or added.
        assert.deepEqual(findEntry(added, client, "bmad").runs, ENTRY.launch);
        const others = withoutOurs(client, added, hasContainer) as Record<string, unknown>;
        const expected = seeded(client, before);
        assert.deepEqual(emptied(others, client), emptied(expected, client));
        const comments = text.split("\n").filter((line) => /(?:^|\s)(?:#|\/\/|\/\*)/.test(line));
        for (const line of comments) {
          assert.ok(bare(added).includes(bare(line)), `${line} in\n${added}`);
        }
        assert.equal(added.startsWith("\uFEFF"), text.startsWith("\uFEFF"));
        if (text.includes("\r\n")) assert.doesNotMatch(added, /[^\r]\n/);
        else assert.doesNotMatch(added, /\r/);

        // A second time changes nothing.
        assert.deepEqual(addEntry(added, client, ENTRY), { outcome: "same" });

        // With the text from before, it is gone without a trace.
        assert.deepEqual(removeEntry(added, text, client, ENTRY), {
          outcome: "removed",
          text,
          needsBackup: false,
        });

        // Without that text, only an empty map or an empty file can get lost.
        const removed = removeEntry(added, undefined, client, ENTRY);
        assert.equal(removed.outcome, "removed");
        const left = "text" in removed && removed.text !== undefined ? meaning(client, removed.text) : {};
        assert.deepEqual(emptied(left, client), emptied(expectedLeft(left, before, client), client));
      });
    }

    await t.step("in a file that others have changed since", () => {
      const { text } = samplesFor(client)[0]!;
      const added = textOf(addEntry(text, client, ENTRY));
      const changed = textOf(addEntry(added, client, { ...ENTRY, name: "later" }));
      const removed = textOf(removeEntry(changed, text, client, ENTRY));
      const directly = textOf(addEntry(text, client, { ...ENTRY, name: "later" }));
      assert.deepEqual(meaning(client, removed), meaning(client, directly));
      assert.equal(findEntry(removed, client, "bmad").entry, undefined);
    });

    await t.step("and updated, with what the user has added to it", () => {
      const { text } = samplesFor(client)[0]!;
      const added = textOf(addEntry(text, client, ENTRY));
      const launch = { command: "/usr/bin/bmad-mcp", args: ["serve", "--toolsets", "all"] };
      const edit = addEntry(added, client, { ...ENTRY, launch });
      assert.equal(edit.outcome, "updated");
      const { runs, entry } = findEntry(textOf(edit), client, "bmad");
      assert.deepEqual(runs, launch);
      assert.deepEqual(Object.keys(entry!), Object.keys(findEntry(added, client, "bmad").entry!));
      assert.deepEqual(removeEntry(textOf(edit), text, client, ENTRY), {
        outcome: "removed",
        text,
        needsBackup: false,
      });
    });
  });
}

/** Without an empty map of entries: the bytes show whether it stays. */
function emptied(value: Record<string, unknown>, { keys: [key] }: Client): Record<string, unknown> {
  const entries = value[key!];
  if (entries !== null && Object.keys(entries ?? {}).length > 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function expectedLeft(
  left: Record<string, unknown>,
  before: Record<string, unknown>,
  client: Client,
): Record<string, unknown> {
  return Object.keys(left).length === 0 ? emptied(before, client) : seeded(client, before);
}

/** A line without what an edit may change: commas, and the brackets of an empty value. */
function bare(text: string): string {
  return text.replaceAll(/[\s,{}[\]]/g, "");
}
