/**
 * `bmad-mcp show`: one thing as a sheet of facts, or one file.
 *
 * The sheet is the one that every surface shows. The text of a thing is had with `--raw`.
 */
import type { App, FileContent } from "../../app.ts";
import type { Invocation } from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { qualifiedName } from "../../base/model.ts";
import { printFacts, printJson, printText } from "./output.ts";

/** Prints one thing or one file. */
export async function show(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const name = operands[0]!;
  if (name.startsWith("bmad://")) return showFile(host, await app.open(name), options.json);
  const entry = await app.resolve({ name, module: options.module, origin: options.origin });
  if (options.raw) return printText(host, await app.raw(entry));
  const read = await app.read(entry);
  if (options.json) return printJson(host, read.data);
  await printFacts(host, read.sheet.map(({ label, text }) => [label, text]));
  if (host.terminal.stdout) host.writeErr(`Its text: bmad-mcp show ${qualifiedName(entry)} --raw\n`);
}

function showFile(host: Host, { uri, mimeType, text, bytes }: FileContent, json: string | undefined): void {
  if (json) return printJson(host, { uri, mimeType, text, blob: bytes?.toBase64() });
  if (text !== undefined) return printText(host, text);
  fail({
    code: "invalid-input",
    field: "show",
    problem: `${uri} is no text (${mimeType})`,
    hint: "Use --json to get its bytes",
  });
}
