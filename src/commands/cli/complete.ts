/** A candidate per line; none if the shell should offer files. */
import { type App, LISTABLE, type Row } from "../../app.ts";
import {
  type Command,
  COMMAND_NAMES,
  type CommandName,
  describeCommand,
  optionsOf,
} from "../../operations/mod.ts";
import { findFlag, flagsOf, readDraft } from "../../settings/mod.ts";
import { qualifiedName } from "../../base/model.ts";
import { SHELLS } from "./completions.ts";
import { printRows } from "./output.ts";
import type { Session } from "./session.ts";

/** Names come from untrusted files, and not every shell quotes what it inserts. */
const HARMLESS = /^[\p{L}\p{N}._/-]+$/u;

type Candidate = Pick<Row, "name" | "about">;

export async function complete({ host, open, invocation }: Session): Promise<void> {
  const { cursor, lead, flag, command, words } = readDraft(invocation.operands);
  const app = await open();
  const found = flag !== undefined
    ? await valuesOf(app, flag, command)
    : cursor.startsWith("-")
    ? flagsOf(command ?? "serve").map(({ flag, help }) => ({ name: flag, about: help }))
    : words === 0
    ? commandNames()
    : command !== undefined && takesMore(describeCommand(command), words)
    ? await operandsOf(app, describeCommand(command), cursor)
    : [];
  const fitting = found.filter(({ name }) => name.startsWith(cursor) && HARMLESS.test(name));
  const rows = fitting.map(({ name, about }) => ({ name: lead + name, about, data: {} }));
  await printRows(host, [...new Map(rows.map((row) => [row.name, row])).values()]);
}

function takesMore({ operands, completes }: Command, words: number): boolean {
  return words === 1 || (operands[1] === Infinity && completes !== "actions");
}

function commandNames(): readonly Candidate[] {
  return COMMAND_NAMES.map((name) => ({ name, about: describeCommand(name).purpose }));
}

async function valuesOf(app: App, flag: string, command: CommandName | undefined) {
  const { option, row } = findFlag(flag);
  if (option === "module") return await app.list({ what: "modules" });
  if (option === "origin") return await app.list({ what: "sources" });
  const own = command === undefined ? undefined : optionsOf(command).find(({ key }) => key === option);
  return plain((own ?? row)?.values ?? []);
}

async function operandsOf(app: App, { completes, actions = {} }: Command, cursor: string) {
  switch (completes) {
    case "lists":
      return plain(LISTABLE);
    case "items":
      return await itemNames(app, cursor);
    case "tools": {
      const { everyTool } = await import("../../serve/mcp/mod.ts");
      return (await everyTool(app)).map(({ name, title }) => ({ name, about: title }));
    }
    case "commands":
      return commandNames();
    case "clients": {
      const { CLIENTS } = await import("../clients/mod.ts");
      return CLIENTS.map(({ id, title }) => ({ name: id, about: title }));
    }
    case "actions":
      return plain(Object.keys(actions));
    case "shells":
      return plain(SHELLS);
    case undefined:
      return [];
  }
}

async function itemNames(app: App, cursor: string): Promise<readonly Candidate[]> {
  const entries = await app.rank(await app.entries(), (entry) => entry);
  return entries.flatMap((entry) => {
    const name = [entry.name, entry.id, qualifiedName(entry)].find((text) => text.startsWith(cursor));
    return name === undefined ? [] : [{ name, about: entry.title ?? entry.description }];
  });
}

function plain(names: readonly string[]): readonly Candidate[] {
  return names.map((name) => ({ name, about: "" }));
}
