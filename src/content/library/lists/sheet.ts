/**
 * One thing as a sheet of facts: labels and values, for every surface that shows things to people.
 *
 * It says what a thing is, where it comes from, what it shadows, and which menu and files it has. Its text is not on it:
 * it is often long, and would push the facts out of sight.
 */
import { type Entry, type MenuItem, qualifiedName } from "../../../base/model.ts";

/** One line of a sheet. Several with the same label belong together. */
export interface Fact {
  /** What kind of fact it is: `menu`, `files`. */
  readonly label: string;
  /** As people read it. */
  readonly text: string;
  /** The URI of the file that it tells of. */
  readonly uri?: string;
  /** The name of the thing that it tells of. */
  readonly name?: string;
}

/** What is said of a thing beside its own record, as `describeEntry` has it. */
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

/** The sheet of an entry; `data` is all that is known of it. */
export function sheetOf(entry: Entry, data: Readonly<Record<string, unknown>>): readonly Fact[] {
  const details = data as unknown as Details;
  const { origin, icon, displayName, title, phase, version, generation } = entry;
  const who = [icon, [displayName, title].filter(Boolean).join(", ")].filter(Boolean).join(" ");
  const texts: readonly (readonly [label: string, values: readonly (string | undefined)[]])[] = [
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
  ];
  return [
    ...texts.flatMap(([label, values]) =>
      values.filter((text) => text).map((text) => ({ label, text: text! }))
    ),
    ...(details.menu ?? []).map(({ code, label, target }): Fact => ({
      label: "menu",
      text: `${code} ${label}`,
      ...(target !== undefined && !target.includes("/") && { name: target }),
    })),
    ...details.files.map(({ uri, size }): Fact => ({ label: "files", text: `${uri} (${size} bytes)`, uri })),
  ];
}
