/**
 * What BMAD's scripts that look something up would print, from the content that is served.
 */
import type { Values } from "../../../base/values.ts";
import { resolveConfig } from "../values/config.ts";
import { layerPaths } from "../values/flat.ts";
import { knowledgeReport, rosterReport } from "./flat_reports.ts";
import { isLauncher, renderedUri, renderLauncher } from "./launcher.ts";
import { type Library, perKey } from "../library.ts";
import type { PartyAnswers, PartyRules } from "./party.ts";
import { rosterParty } from "./roster.ts";

/** The answers, each computed when it is asked for. */
export interface Resolvers {
  /** The configuration of all modules. */
  config(): Values;
  /** The files below `_bmad` that the configuration is merged from, in their order. */
  layers(): readonly string[];
  /** The help documents of modules after 6.12 in folders of skills, with their texts if wanted. */
  knowledge(roots: readonly string[], withContent: boolean): Values;
  /** The rosters of modules after 6.12 in folders of skills; with the project, also the agents that it adds. */
  roster(roots: readonly string[], withProject: boolean): Values;
  party(rules?: PartyRules): PartyAnswers;
  /** The URI of a skill's rendered workflow; undefined for a skill that has none. */
  rendered(skill: string): string | undefined;
}

const wholeConfig = perKey((library): Values => resolveConfig(library));

export function resolversOf(library: Library): Resolvers {
  return {
    config: () => wholeConfig(library),
    layers: () => layerPaths(library),
    knowledge: (roots, withContent) => knowledgeReport(library, roots, withContent),
    roster: (roots, withProject) => rosterReport(library, roots, withProject),
    party: (rules) => rosterParty(library, rules),
    rendered: (skill) => {
      const entry = library.effective.find((entry) => entry.id === skill && isLauncher(library, entry));
      if (entry === undefined) return undefined;
      renderLauncher(library, entry);
      return `${renderedUri(entry)}/workflow.md`;
    },
  };
}
