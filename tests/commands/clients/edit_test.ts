/**
 * Does an entry come and go without a trace, in every client's file, however the file is written?
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseTables } from "smol-toml";
import type { Client } from "../../../src/commands/clients/mod.ts";
import {
  addEntry,
  type Edit,
  findEntry,
  removeEntry,
  type Wanted,
} from "../../../src/commands/clients/edit.ts";
import { CLIENTS_WITH_FILES, samplesFor } from "../../support/client_files.ts";
import { verifies } from "../../support/requirements.ts";

const WANTED: Wanted = {
  name: "bmad",
  launch: { command: "/opt/with space/bin/bmad-mcp", args: ["serve", "--path", "C:\\new\\t"] },
  isOurs: ({ command }) => command.endsWith("bmad-mcp"),
  force: false,
};

/** What a text says, by other means than the code under test where there are any. */
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

/** The text that an edit led to. */
function textOf(edit: Edit): string {
  assert.ok("text" in edit && edit.text !== undefined, JSON.stringify(edit));
  return edit.text;
}

/** Takes our entry out of what a text says, and what only held it. */
function withoutOurs(client: Client, text: string, isHolderKept: boolean): unknown {
  const value = structuredClone(meaning(client, text));
  const [key] = client.keys;
  const shelf = value[key!] as Record<string, unknown> | { name: string }[];
  const left = Array.isArray(shelf)
    ? shelf.filter(({ name }) => name !== "bmad")
    : Object.fromEntries(Object.entries(shelf).filter(([name]) => name !== "bmad"));
  value[key!] = left;
  if (!isHolderKept && Object.keys(left).length === 0) delete value[key!];
  return value;
}

/** With what a client wants to read in every file, as far as a file says nothing. */
function seeded(client: Client, value: Record<string, unknown>): Record<string, unknown> {
  return Object.keys(value).length === 0 ? { ...client.seed } : value;
}

for (const client of CLIENTS_WITH_FILES) {
  Deno.test(`the entry of ${client.title} comes and goes`, async (t) => {
    for (const { what, text } of samplesFor(client)) {
      await t.step(
        verifies("cli:install", `in a file with ${what}`),
        () => {
          const before = meaning(client, text);
          const isHolder = Object.hasOwn(before, client.keys[0]!);
          const added = textOf(addEntry(text, client, WANTED));

          // It is there, nothing else has changed, and no comment was lost or made.
          assert.deepEqual(findEntry(added, client, "bmad").runs, WANTED.launch);
          const others = withoutOurs(client, added, isHolder) as Record<string, unknown>;
          const expected = seeded(client, before);
          assert.deepEqual(emptied(others, client), emptied(expected, client));
          const remarks = text.split("\n").filter((line) => /(?:^|\s)(?:#|\/\/|\/\*)/.test(line));
          for (const line of remarks) {
            assert.ok(bare(added).includes(bare(line)), `${line} in\n${added}`);
          }
          assert.equal(added.startsWith("\uFEFF"), text.startsWith("\uFEFF"));
          if (text.includes("\r\n")) assert.doesNotMatch(added, /[^\r]\n/);
          else assert.doesNotMatch(added, /\r/);

          // Twice is once.
          assert.deepEqual(addEntry(added, client, WANTED), { outcome: "same" });

          // Gone without a trace, as long as the text from before is there.
          assert.deepEqual(removeEntry(added, text, client, WANTED), {
            outcome: "removed",
            text,
            isDelicate: false,
          });

          // Without it, all that can be lost is a map without entries or a file without content.
          const removed = removeEntry(added, undefined, client, WANTED);
          assert.equal(removed.outcome, "removed");
          const left = "text" in removed && removed.text !== undefined ? meaning(client, removed.text) : {};
          assert.deepEqual(emptied(left, client), emptied(expectedLeft(left, before, client), client));
        },
      );
    }

    await t.step("in a file that others have changed meanwhile", () => {
      const { text } = samplesFor(client)[0]!;
      const added = textOf(addEntry(text, client, WANTED));
      const changed = textOf(addEntry(added, client, { ...WANTED, name: "later" }));
      const removed = textOf(removeEntry(changed, text, client, WANTED));
      const directly = textOf(addEntry(text, client, { ...WANTED, name: "later" }));
      assert.deepEqual(meaning(client, removed), meaning(client, directly));
      assert.equal(findEntry(removed, client, "bmad").entry, undefined);
    });

    await t.step("and is brought up to date, with what the user has added to it", () => {
      const { text } = samplesFor(client)[0]!;
      const added = textOf(addEntry(text, client, WANTED));
      const launch = { command: "/usr/bin/bmad-mcp", args: ["serve", "--toolsets", "all"] };
      const edit = addEntry(added, client, { ...WANTED, launch });
      assert.equal(edit.outcome, "updated");
      const { runs, entry } = findEntry(textOf(edit), client, "bmad");
      assert.deepEqual(runs, launch);
      assert.deepEqual(Object.keys(entry!), Object.keys(findEntry(added, client, "bmad").entry!));
      assert.deepEqual(removeEntry(textOf(edit), text, client, WANTED), {
        outcome: "removed",
        text,
        isDelicate: false,
      });
    });
  });
}

/** Without a map that holds no entry: whether one stays is told by the bytes. */
function emptied(value: Record<string, unknown>, { keys: [key] }: Client): Record<string, unknown> {
  const shelf = value[key!];
  if (shelf !== null && Object.keys(shelf ?? {}).length > 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function expectedLeft(
  left: Record<string, unknown>,
  before: Record<string, unknown>,
  client: Client,
): Record<string, unknown> {
  return Object.keys(left).length === 0 ? emptied(before, client) : seeded(client, before);
}

/** A line without what an edit may change in it: commas, and the brackets of an empty value. */
function bare(text: string): string {
  return text.replaceAll(/[\s,{}[\]]/g, "");
}
