/**
 * The name of each agent as a tool of its own: `bmm-analyst`.
 *
 * Clients accept few characters and cut long names. Where two agents would share a name, the later gets a number. Lists
 * show the names, so they are made here and not where the tools are.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, RESERVED_TOOL_NAMES } from "../../../base/model.ts";
import { perLibrary } from "../library.ts";

/** The strictest client leaves 52 characters after its own prefix. */
const MAX_CHARACTERS = 50;

/** The tool name of each agent by the agent's key, in the order of the agents. */
export function toolNames(agents: readonly Entry[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>(RESERVED_TOOL_NAMES);
  for (const agent of agents) {
    const plain = safeName(`${agent.module}-${agent.name}`);
    let name = plain;
    for (let count = 2; used.has(name.toLowerCase()); count++) {
      name = `${plain.slice(0, MAX_CHARACTERS - `-${count}`.length)}-${count}`;
    }
    used.add(name.toLowerCase());
    names.set(agent.key, name);
  }
  return names;
}

export const toolNamesOf = perLibrary((library) =>
  toolNames(visibleEntries(library.effective).filter((entry) => isOf(entry, "agent")))
);

function safeName(text: string): string {
  const safe = text.replaceAll(/[^a-zA-Z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return safe.slice(0, MAX_CHARACTERS).replace(/-+$/, "") || "agent";
}
