/**
 * What BMAD's scripts that look something up would print, from the content that is served.
 */
import type { Values } from "../../../base/values.ts";
import { resolveConfig } from "../values/config.ts";
import { isLauncher, renderedUri, renderLauncher } from "./launcher.ts";
import type { Library } from "../library.ts";
import { activeParty, partyMenu, partyNamed, personaPool } from "./roster.ts";

/** The answers, each computed when it is asked for. */
export interface Resolvers {
  /** The configuration of all modules. */
  config(): Values;
  /** The party to start with. */
  party(): Values;
  partyNamed(id: string): Values;
  parties(): Values;
  personas(): Values;
  /** The URI of a skill's workflow, rendered anew; undefined for a skill that has none. */
  rendered(skill: string): string | undefined;
}

export function resolversOf(library: Library): Resolvers {
  return {
    config: () => resolveConfig(library),
    party: () => activeParty(library),
    partyNamed: (id) => partyNamed(library, id),
    parties: () => partyMenu(library),
    personas: () => personaPool(library),
    rendered: (skill) => {
      const entry = library.effective.find((entry) => entry.id === skill && isLauncher(library, entry));
      if (entry === undefined) return undefined;
      renderLauncher(library, entry);
      return `${renderedUri(entry)}/workflow.md`;
    },
  };
}
