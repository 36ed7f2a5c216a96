/**
 * `bmad-mcp show`: the facts about one item, its text (`--raw`), or one file by its URI.
 *
 * Every surface shows the same facts.
 */
import type { App, FileContent } from "../../app.ts";
import type { Invocation } from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { qualifiedName } from "../../base/model.ts";
import { command, withCommand } from "../../base/text.ts";
import { isUri } from "../../base/uris.ts";
import { contentCommands } from "./commands_shown.ts";
import { printFacts, printJson, printText } from "./output.ts";

/** A path as texts spell it; the names of items have neither a variable nor an ending after a slash. */
const PATH = /^\{|[/\\][^/\\]{1,100}\.\w{1,5}$/;

/** Prints one item or one file. */
export async function show(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const name = operands[0]!;
  // `bmad:bmm:agents:pm` is a name.
  if (PATH.test(name) || (isUri(name) && name.includes(":/"))) {
    const { origin } = options;
    const file = await app.open(name, { origin, calls: contentCommands(app.config) });
    return showFile(host, file, options.json);
  }
  const entry = await app.resolve({ name, module: options.module, origin: options.origin });
  if (options.raw) return printText(host, await app.raw(entry));
  const read = await app.read(entry, name);
  if (options.json) return printJson(host, read.data);
  await printFacts(host, read.sheet.map(({ label, text }) => [label, text]));
  if (!host.terminal.stdout) return;
  const item = qualifiedName(entry);
  host.writeErr(`${withCommand("Full text", command`bmad-mcp show ${item} --raw`)}\n`);
  if (read.sheet.some(({ label }) => label === "overrides" || label === "customized")) {
    host.writeErr(`${withCommand("What is overridden", command`bmad-mcp diff ${item}`)}\n`);
  }
}

function showFile(host: Host, { uri, mimeType, text, bytes }: FileContent, json: string | undefined): void {
  if (json) return printJson(host, { uri, mimeType, text, blob: bytes?.toBase64() });
  if (text !== undefined) return printText(host, text);
  const problem = `${uri} is a binary file (${mimeType})`;
  fail({ code: "invalid-input", problem, hint: "Use --json to get its bytes" });
}
