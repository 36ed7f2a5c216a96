/**
 * The name of each agent as a tool of its own: `bmm-analyst`.
 *
 * Clients accept few characters and cut long names. An agent whose name has none of these characters, or whose tool
 * name is taken, gets a hash of its own identity at the end: it does not depend on the order of the agents. Lists show
 * the names, so they are generated here and not where the tools are.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, RESERVED_TOOL_NAMES } from "../../../base/model.ts";
import { hashText } from "../../../base/text.ts";
import { perLibrary } from "../library.ts";

/** The strictest client leaves 52 characters after its own prefix. */
const MAX_CHARACTERS = 50;

/** More of a name is not looked at. */
const MAX_NAME = 200;

/** The tool name of each agent by the agent's key. */
export function toolNames(agents: readonly Entry[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>(RESERVED_TOOL_NAMES);
  const prefixes = new Map<string, string>();
  for (const agent of agents) {
    const { key, module, name } = agent;
    const own = safeName(name);
    const plain = prefixes.getOrInsertComputed(module, prefixOf) + (own || "agent");
    const isWhole = own !== "" && plain.length <= MAX_CHARACTERS;
    let tool = isWhole ? plain : hashedName(plain, agent, 0);
    for (let round = 1; isTaken(used, tool); round++) tool = hashedName(plain, agent, round);
    names.set(key, tool);
  }
  return names;
}

function prefixOf(module: string): string {
  const safe = safeName(module);
  return safe === "" ? "" : `${safe}-`;
}

function hashedName(plain: string, { module, kind, id }: Entry, round: number): string {
  const hash = hashText(`${module}:${kind}:${id}:${round}`).toString(36).padStart(7, "0");
  return `${plain.slice(0, MAX_CHARACTERS - hash.length - 1).replace(/(?<!-)-+$/, "")}-${hash}`;
}

/** Takes a name, unless it is taken. */
function isTaken(used: Set<string>, tool: string): boolean {
  const { size } = used;
  return used.add(tool.toLowerCase()).size === size;
}

export const toolNamesOf = perLibrary((library) =>
  toolNames(visibleEntries(library.effective).filter((entry) => isOf(entry, "agent")))
);

const SAFE = /^(?!-)[a-zA-Z0-9_-]{1,50}(?<!-)$/;

function safeName(text: string): string {
  // As nearly every name is.
  if (SAFE.test(text)) return text;
  return text.slice(0, MAX_NAME).replaceAll(/[^a-zA-Z0-9_-]+/g, "-").replace(/^-+/, "").replace(
    /(?<!-)-+$/,
    "",
  );
}
