/**
 * A row: one line of a list, as every surface can show it its own way.
 */
import { categoryOf, type Entry, isOf, qualifiedName } from "../../model.ts";
import type { Library } from "../library.ts";
import type { Offers } from "./offers.ts";
import { toolNamesOf } from "./tool_names.ts";

/** One line of a list. */
export interface Row {
  /** What leads to it: `bmm/bmad-prd`, the code of a module, the URI of a resource, the id of an origin. */
  readonly name: string;
  /** For people: who or what it is, or a few counts. */
  readonly about: string;
  /** For people: why a search has it, such as `matched: title`. */
  readonly why?: string;
  /** For programs: what `--json` and MCP clients get. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The row of an entry. */
export function rowOf(library: Library, entry: Entry, offers: Offers): Row {
  const { name, id, module, displayName, title, description } = entry;
  const who = [displayName, title].filter((text) => text !== undefined).join(", ");
  const base = {
    name,
    id,
    module,
    displayName,
    title,
    description,
    kind: entry.kind,
    origin: entry.origin.id,
  };
  return {
    name: qualifiedName(entry),
    about: [who, description].filter((text) => text !== "").join(": "),
    data: isOf(entry, "agent")
      ? {
        ...base,
        icon: entry.icon,
        role: entry.persona?.role,
        toolName: toolNamesOf(library).get(entry.key),
      }
      : {
        ...base,
        phase: entry.phase,
        category: categoryOf(entry.phase),
        standalone: true,
        agents: offers(entry),
      },
  };
}
