/**
 * The roster: the agents, the personas that a team or user added, and the parties of both.
 *
 * Skills get it from scripts (`resolve_party.py`, `resolve_personas.py`, `resolve_config.py --key agents`). These are the
 * same answers, with or without an installation: the agents are those of its configuration, else those that the modules
 * name and the library serves.
 */
import { isAuthored, servedFor, visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, qualifiedName, shortName } from "../../../base/model.ts";
import { asValues, type Values } from "../../parse.ts";
import { resolveValues } from "../values/customize.ts";
import { defaultAgents, moduleCodes, withoutFalsy } from "../values/defaults.ts";
import { centralLayers, flatAgents, flatRoster, INSTALLED } from "../values/flat.ts";
import { mergeStructural } from "../values/merge.ts";
import type { Library } from "../library.ts";
import {
  asTables,
  openParty,
  PARTY_SKILL,
  type PartyAnswers,
  type PartyFacts,
  type PartyRules,
} from "./party.ts";
import { withoutSecrets } from "../files/secrets.ts";

/** The agents by their codes, as in the configuration. */
export function rosterAgents(library: Library): Values {
  const layers = centralLayers(library, []).map(({ name, values }) => ({
    isInstalled: name === INSTALLED,
    agents: asValues(values["agents"]),
  }));
  const installed = layers.find(({ isInstalled }) => isInstalled)?.agents ?? {};
  const isListed = Object.keys(installed).length > 0;
  const isRostered = moduleCodes(library).some((code) => flatAgents(library, code).length > 0);
  const listed = isListed && !isRostered ? overridden(library, installed) : undefined;
  const merged = layers.reduce(
    (all, { isInstalled, agents }) => mergeStructural(all, isInstalled ? listed ?? agents : agents),
    listed === undefined ? servedAgents(library) : {},
  );
  // The order of the list stays, whatever a source below the installation says first.
  const agents = { ...listed, ...merged };
  // An agent's code may look like the key of a secret, so only the keys inside its table are checked.
  const safe = Object.entries(agents).map(([code, agent]) => [code, withoutSecrets(asValues(agent))]);
  return Object.fromEntries(safe);
}

/** The agents of a configuration, each with the facts of the one that overrides it, then those that people wrote beside it. */
function overridden(library: Library, listed: Values): Values {
  const agents: Record<string, unknown> = {};
  const seated = new Set<string>();
  for (const [code, facts] of Object.entries(listed)) {
    const { own, served } = seatOf(library, code);
    agents[code] = served === own ? facts : { ...asValues(facts), ...servedAgent(served!) };
    if (served !== undefined) seated.add(served.key);
  }
  const others = agentsIn(library).filter((entry) =>
    !seated.has(entry.key) && isAuthored(library.manifest, entry)
  );
  for (const entry of others) agents[codeFor(entry, agents)] = servedAgent(entry);
  return agents;
}

function agentsIn({ effective }: Library): readonly Entry[] {
  return visibleEntries(effective).filter((entry) => isOf(entry, "agent"));
}

/** The code of an agent: its id, unless an agent of another module has it. */
function codeFor(entry: Entry, taken: Values): string {
  return Object.hasOwn(taken, entry.id) ? qualifiedName(entry) : entry.id;
}

/** The agent with this code, and the one that is served in its place: itself, or one that overrides it. */
function seatOf(
  { manifest }: Library,
  code: string,
): { readonly own?: Entry; readonly served?: Entry } {
  const own = manifest.entries.find((entry) => entry.id === code && isOf(entry, "agent"));
  const served = own && servedFor(manifest, own);
  return { own, served: served?.key === own?.key ? own : served };
}

/** The parties of all that is served. */
export function rosterParty(library: Library, rules?: PartyRules): PartyAnswers {
  return openParty(factsOf(library), rules);
}

function factsOf(library: Library): PartyFacts {
  const skill = library.effective.find(({ id }) => id === PARTY_SKILL);
  const workflow = asValues(skill && resolveValues(library, skill).customization["workflow"]);
  const rosters = moduleCodes(library).map((code) => flatRoster(library, code));
  const agents = rosterAgents(library);
  const own = asTables(workflow["party_groups"]);
  const groups = rosters.flatMap(({ groups }) => groups).filter(({ id }) =>
    !own.some((group) => group["id"] === id)
  );
  // An agent of a roster takes part as an agent.
  const others = rosters.flatMap(({ members }) => members).filter(({ skill }) =>
    !(typeof skill === "string" && Object.hasOwn(agents, skill))
  );
  return {
    agents,
    isResolved: Object.keys(agents).length > 0,
    workflow: {
      ...workflow,
      party_groups: [...groups, ...own],
      party_members: [...others, ...asTables(workflow["party_members"])],
    },
    isFound: skill !== undefined,
  };
}

/** The agents without an installation: those that modules name, in their order, then the others that are served. */
function servedAgents(library: Library): Values {
  const entries = agentsIn(library);
  const agents: Record<string, unknown> = {};
  const people = new Set<string>();
  for (const module of new Set([...entries.map((entry) => entry.module), ...moduleCodes(library)])) {
    const named = Object.entries(defaultAgents(library, [module])).filter(([code]) => {
      const { own, served } = seatOf(library, code);
      return own === served;
    });
    const served = entries.filter((entry) => entry.module === module)
      .map((entry) => [codeFor(entry, agents), servedAgent(entry)] as const);
    for (const [code, agent] of [...named, ...served]) {
      const person = shortName(code, module);
      if (people.has(person)) continue;
      people.add(person);
      agents[code] = agent;
    }
  }
  return agents;
}

function servedAgent({ module, name, displayName, title, icon, description, persona }: Entry): Values {
  const { role, identity, communicationStyle, principles = [] } = persona ?? {};
  // A party needs to know how its members think and talk, not when to call them.
  const character = [role, identity, communicationStyle, ...principles].filter((text) => text).join(" ");
  const facts = { module, team: module, name: displayName ?? name, title, icon };
  return withoutFalsy({ ...facts, description: character || description });
}
