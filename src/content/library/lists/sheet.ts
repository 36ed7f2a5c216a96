/**
 * One entry as a sheet of facts: labels and values, for every surface that shows entries to people.
 *
 * It says what the entry is, where it comes from, what it overrides, and which menu and files it has. Its text is left
 * out, because it is often long.
 */
import { type Entry, type MenuItem, qualifiedName } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asText, isValues } from "../../../base/values.ts";
import type { CustomizedValue } from "../values/customized.ts";
import type { ItemFile, ItemFiles } from "./item_files.ts";
import { displayTitle } from "../rows/row.ts";

/** One line of a sheet. Lines with the same label belong together. */
export interface Fact {
  /** Such as `menu` or `files`. */
  readonly label: string;
  readonly text: string;
  /** The URI of the file in the text. */
  readonly uri?: string;
  /** The name of the entry in the text. */
  readonly name?: string;
}

/** The facts about an entry outside its own record, as in the data of details.ts. */
interface OtherFacts extends ItemFiles {
  readonly shadows: readonly string[];
  readonly shadowedBy: readonly string[];
  readonly customized: readonly CustomizedValue[];
  readonly author?: string;
  readonly role?: string;
  readonly toolName?: string;
  readonly category?: string;
  readonly agents?: readonly string[];
  readonly menu?: readonly MenuItem[];
}

/** The sheet of an entry; `data` is the data of its details. */
export function sheetOf(
  entry: Entry,
  data: Readonly<Record<string, unknown>>,
  note: string | undefined,
): readonly Fact[] {
  const facts = data as unknown as OtherFacts;
  const { origin, icon, displayName, phase, version, generation } = entry;
  const marked = (text: string | undefined, ...keys: readonly string[]) =>
    text && facts.customized.some(({ key }) => keys.includes(key.replace(/^agent\./, "")))
      ? `${text} (customized)`
      : text;
  const who = [icon, displayTitle(entry)].filter(Boolean).join(" ");
  const texts: readonly (readonly [label: string, values: readonly (string | undefined)[]])[] = [
    ["name", [qualifiedName(entry)]],
    ["note", [note]],
    [displayName === undefined ? "title" : "who", [marked(who, "icon", "name", "title")]],
    ["kind", [[...new Set([entry.kind, ...entry.roles])].join(", ")]],
    ["description", [entry.description]],
    ["role", [marked(facts.role, "role", "persona.role")]],
    ["author", [facts.author]],
    // Agents have no category.
    ["phase", [phase && facts.category ? `${phase} (${facts.category})` : phase]],
    ["origin", [`${origin.id} (priority ${origin.priority}): ${origin.location}`]],
    ["version", [[version, generation].filter(Boolean).join(" ")]],
    ["installed from", [entry.installedFrom]],
    ["status", [entry.status === "verified" ? "" : entry.status]],
    ["file", [origin.kind === "package" ? "" : entry.file]],
    ["overrides", facts.shadows],
    ["overridden by", facts.shadowedBy],
    ["customized", facts.customized.map(customizedText)],
    ["customized in", facts.customizedIn.map(placeOf)],
    ["tool", [facts.toolName]],
    ["offered by", [facts.agents?.join(", ")]],
  ];
  return [
    ...texts.flatMap(([label, values]) =>
      values.filter((text) => text).map((text) => ({ label, text: text! }))
    ),
    ...(facts.menu ?? []).map(({ code, label, target }): Fact => ({
      label: "menu",
      text: marked(`${code} ${label}`, `menu.${code}`)!,
      ...(target !== undefined && !target.includes("/") && { name: target }),
    })),
    ...(["files", "uses"] as const).flatMap((label) =>
      facts[label].map((file): Fact => ({ label, text: fileText(file), uri: file.uri }))
    ),
  ];
}

/** The path of a file, with its source if the item has another one: `user:custom/bmad-prd.toml`. */
export function placeOf({ uri, path = uri, origin }: ItemFile): string {
  return origin === undefined ? path : `${origin}:${path}`;
}

/** `bmad://bmm/bmad-prd/assets/prd-template.md (template, 1200 bytes)`, and its place. */
function fileText(file: ItemFile): string {
  const facts = [file.use, `${file.size} bytes`].filter((fact) => fact !== undefined).join(", ");
  return `${file.uri} (${facts})${file.path === undefined ? "" : `: ${placeOf(file)}`}`;
}

/** `agent.icon: 🦊 (was 📊)`; of a list, what was added: lists only grow. */
function customizedText({ key, value, was }: CustomizedValue): string {
  if (Array.isArray(value) && Array.isArray(was)) return `${key}: added ${shown(value.slice(was.length))}`;
  return `${key}: ${shown(value)}${was === undefined ? "" : ` (was ${shown(was)})`}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join("; ");
  const text = isValues(value) ? asText(value["description"]) ?? JSON.stringify(value) : String(value);
  return text === "" ? "empty" : shorten(text, 80);
}
