/**
 * The name under which a client can call an agent as a tool of its own: `bmm-analyst`.
 *
 * Clients take few characters and cut long names, so a name is made safe here, where it is also told in lists. Where
 * two agents would share one, the later gets a number behind it.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf } from "../../../base/model.ts";
import { perLibrary } from "../library.ts";

/** The client that cuts soonest leaves 52 characters behind its own prefix. */
const MOST_CHARACTERS = 50;

/** Tools that stand beside those of the agents and have names of the same form. */
const TAKEN: readonly string[] = ["bmad-workflow", "bmad-resources"];

/** The tool's name of each agent, by the agent's key and in the order of the agents. */
export function toolNames(agents: readonly Entry[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set(TAKEN);
  for (const agent of agents) {
    const plain = safeName(`${agent.module}-${agent.name}`);
    let name = plain;
    for (let count = 2; used.has(name.toLowerCase()); count++) {
      name = `${plain.slice(0, MOST_CHARACTERS - `-${count}`.length)}-${count}`;
    }
    used.add(name.toLowerCase());
    names.set(agent.key, name);
  }
  return names;
}

/** The names for the agents of a library that lists show. */
export const toolNamesOf = perLibrary((library) =>
  toolNames(visibleEntries(library.effective).filter((entry) => isOf(entry, "agent")))
);

function safeName(text: string): string {
  const safe = text.replaceAll(/[^a-zA-Z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return safe.slice(0, MOST_CHARACTERS).replace(/-+$/, "") || "agent";
}
