/**
 * One entry as a sheet of facts: labels and values, for every surface that shows entries to people.
 *
 * It says what the entry is, where it comes from, what it overrides, and which menu and files it has. Its text is left
 * out, because it is often long.
 */
import { type Entry, type MenuItem, qualifiedName } from "../../../base/model.ts";
import { displayTitle } from "./row.ts";

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
interface OtherFacts {
  readonly shadows: readonly string[];
  readonly shadowedBy: readonly string[];
  readonly files: readonly { readonly uri: string; readonly size: number }[];
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
  const who = [icon, displayTitle(entry)].filter(Boolean).join(" ");
  const texts: readonly (readonly [label: string, values: readonly (string | undefined)[]])[] = [
    ["name", [qualifiedName(entry)]],
    ["note", [note]],
    [displayName === undefined ? "title" : "who", [who]],
    ["kind", [[...new Set([entry.kind, ...entry.roles])].join(", ")]],
    ["description", [entry.description]],
    ["role", [facts.role]],
    ["author", [facts.author]],
    ["phase", [phase && `${phase} (${facts.category ?? ""})`]],
    ["origin", [`${origin.id} (priority ${origin.priority}): ${origin.location}`]],
    ["version", [[version, generation].filter(Boolean).join(" ")]],
    ["installed from", [entry.installedFrom]],
    ["status", [entry.status === "verified" ? "" : entry.status]],
    ["overrides", facts.shadows],
    ["overridden by", facts.shadowedBy],
    ["tool", [facts.toolName]],
    ["offered by", [facts.agents?.join(", ")]],
  ];
  return [
    ...texts.flatMap(([label, values]) =>
      values.filter((text) => text).map((text) => ({ label, text: text! }))
    ),
    ...(facts.menu ?? []).map(({ code, label, target }): Fact => ({
      label: "menu",
      text: `${code} ${label}`,
      ...(target !== undefined && !target.includes("/") && { name: target }),
    })),
    ...facts.files.map(({ uri, size }): Fact => ({ label: "files", text: `${uri} (${size} bytes)`, uri })),
  ];
}
