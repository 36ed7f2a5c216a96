/**
 * `bmad-mcp show`: one thing as a sheet of facts, or one file.
 *
 * The sheet says what a thing is, where it comes from, what it shadows, and which menu and files it has. Its text is
 * had with `--raw`: it is often long, and would push the facts off the screen.
 */
import type { App, FileContent } from "../app.ts";
import type { Invocation } from "../config/mod.ts";
import { fail } from "../errors.ts";
import type { Host } from "../host.ts";
import { type Entry, type MenuItem, qualifiedName } from "../model.ts";
import { type Fact, printFacts, printJson, printText } from "./output.ts";

/** Prints one thing or one file. */
export async function show(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const name = operands[0]!;
  if (name.startsWith("bmad://")) return showFile(host, await app.open(name), options.json);
  const entry = await app.resolve({ name, module: options.module, origin: options.origin });
  if (options.raw) return printText(host, await app.raw(entry));
  const { data } = await app.read(entry);
  if (options.json) return printJson(host, data);
  await printFacts(host, factsOf(entry, data as unknown as Details));
  if (host.terminal.stdout) host.writeErr(`Its text: bmad-mcp show ${qualifiedName(entry)} --raw\n`);
}

/** What is said of a thing beside its own record, as `app.read` has it. */
interface Details {
  readonly shadows: readonly string[];
  readonly shadowedBy: readonly string[];
  readonly files: readonly { readonly uri: string; readonly size: number }[];
  readonly role?: string;
  readonly toolName?: string;
  readonly category?: string;
  readonly agents?: readonly string[];
  readonly menu?: readonly MenuItem[];
}

function factsOf(entry: Entry, details: Details): readonly Fact[] {
  const { origin, icon, displayName, title, phase, version, generation } = entry;
  const who = [icon, [displayName, title].filter(Boolean).join(", ")].filter(Boolean).join(" ");
  const facts: readonly (readonly [label: string, values: readonly (string | undefined)[]])[] = [
    ["name", [qualifiedName(entry)]],
    [displayName === undefined ? "title" : "who", [who]],
    ["kind", [[...new Set([entry.kind, ...entry.roles])].join(", ")]],
    ["description", [entry.description]],
    ["role", [details.role]],
    ["phase", [phase && `${phase} (${details.category ?? ""})`]],
    ["origin", [`${origin.id} (priority ${origin.priority}): ${origin.location}`]],
    ["version", [[version, generation].filter(Boolean).join(" ")]],
    ["status", [entry.status === "verified" ? "" : entry.status]],
    ["shadows", details.shadows],
    ["shadowed by", details.shadowedBy],
    ["tool", [details.toolName]],
    ["offered by", [details.agents?.join(", ")]],
    ["menu", details.menu?.map(({ code, label }) => `${code} ${label}`) ?? []],
    ["files", details.files.map(({ uri, size }) => `${uri} (${size} bytes)`)],
  ];
  return facts.flatMap(([label, values]) => values.filter((value) => value).map((value) => [label, value!]));
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
