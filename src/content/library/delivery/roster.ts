/** The roster: agents, added personas and parties, as `resolve_party.py` and `resolve_personas.py` print them. */
import { isAuthored, servedFor } from "../../catalog/mod.ts";
import { type Entry, hasKind, qualifiedName, shortName } from "../../../base/model.ts";
import { resolveValues } from "../values/customize.ts";
import {
  centralLayers,
  defaultAgents,
  flatAgents,
  flatRoster,
  INSTALLED,
  moduleCodes,
  withoutFalsy,
} from "../values/defaults.ts";
import { asTables, mergeStructural } from "../values/merge.ts";
import type { Library } from "../library.ts";
import { withoutSecrets } from "../files/secrets.ts";
import { asText, asValues, type Values } from "../../../base/values.ts";

export function rosterAgents(library: Library): Values {
  const layers = centralLayers(library).map(({ name, values }) =>
    [name, asValues(values["agents"])] as const
  );
  const [, installed = {}] = layers.find(([name]) => name === INSTALLED) ?? [];
  const isListed = Object.keys(installed).length > 0;
  const isRostered = moduleCodes(library).some((code) => flatAgents(library, code).length > 0);
  const listed = isListed && !isRostered ? overridden(library, installed) : undefined;
  const merged = layers.reduce(
    (all, [name, agents]) => mergeStructural(all, name === INSTALLED ? listed ?? agents : agents),
    listed === undefined ? servedAgents(library) : {},
  );
  // The order of the list stays, whatever a source below the installation says first.
  const agents = { ...listed, ...merged };
  // A code may look like the key of a secret, so only the keys inside its table are checked.
  const safe = Object.entries(agents).map(([code, agent]) => [code, withoutSecrets(asValues(agent))]);
  return Object.fromEntries(safe);
}

/** Each agent with the facts of the one that overrides it, then those that people wrote beside it. */
function overridden(library: Library, listed: Values): Values {
  const agents: Record<string, unknown> = {};
  const seated = new Set<string>();
  for (const [code, facts] of Object.entries(listed)) {
    const { own, served } = findServedAgent(library, code);
    agents[code] = served === own ? facts : { ...asValues(facts), ...servedAgent(served!) };
    if (served !== undefined) seated.add(served.key);
  }
  for (const entry of agentsIn(library)) {
    if (seated.has(entry.key) || !isAuthored(library.manifest, entry)) continue;
    agents[codeFor(entry, agents)] = servedAgent(entry);
  }
  return agents;
}

function agentsIn({ visible }: Library): readonly Entry[] {
  return visible.filter((entry) => hasKind(entry, "agent"));
}

function codeFor(entry: Entry, taken: Values): string {
  return Object.hasOwn(taken, entry.id) ? qualifiedName(entry) : entry.id;
}

function findServedAgent({ manifest }: Library, code: string) {
  const own = manifest.entries.find((entry) => entry.id === code && hasKind(entry, "agent"));
  const served = own && servedFor(manifest, own);
  return { own, served: served?.key === own?.key ? own : served };
}

export function rosterParty(library: Library, rules?: PartyRules) {
  const skill = library.effective.find(({ id }) => id === "bmad-party-mode");
  const workflow = asValues(skill && resolveValues(library, skill).customization["workflow"]);
  const rosters = moduleCodes(library).map((code) => flatRoster(library, code));
  const agents = rosterAgents(library);
  const own = asTables(workflow["party_groups"]);
  const groups = rosters.flatMap(({ groups }) => groups).filter(({ id }) =>
    !own.some((group) => group["id"] === id)
  );
  const others = rosters.flatMap(({ members }) => members).filter(({ skill }) =>
    !(typeof skill === "string" && Object.hasOwn(agents, skill))
  );
  const party_members = [...others, ...asTables(workflow["party_members"])];
  const facts = {
    agents,
    isResolved: Object.keys(agents).length > 0,
    workflow: { ...workflow, party_groups: [...groups, ...own], party_members },
    isFound: skill !== undefined,
  };
  return openParty(facts, rules);
}

/** Without an installation: the agents that modules name, in their order, then the others that are served. */
function servedAgents(library: Library): Values {
  const entries = agentsIn(library);
  const agents: Record<string, unknown> = {};
  const people = new Set<string>();
  for (const module of new Set([...entries.map((entry) => entry.module), ...moduleCodes(library)])) {
    const named = Object.entries(defaultAgents(library, [module])).filter(([code]) => {
      const { own, served } = findServedAgent(library, code);
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

interface PartyFacts {
  readonly agents: Values;
  readonly isResolved: boolean;
  readonly workflow: Values;
  readonly isFound: boolean;
}

/** Where BMAD's scripts differ from each other. */
export interface PartyRules {
  readonly keepsNames?: boolean;
  /** Whether a persona in place of an agent has nothing of it: both scripts up to 6.10. */
  readonly startsOver?: boolean;
}

export function openParty({ agents, isResolved, workflow, isFound }: PartyFacts, rules: PartyRules = {}) {
  const mode = workflow["party_mode"] || "session";
  const defaultParty = workflow["default_party"] || "";
  const groups = asTables(workflow["party_groups"]).filter(({ id }) => id).map(groupFrom);
  const pool = buildPool(agents, asTables(workflow["party_members"]), rules);
  const groupOf = (id: unknown) => id === "" ? undefined : groups.find((group) => group.id === id);
  const cards = (codes: readonly string[]) =>
    codes.map((code) => withoutFalsy(pick(pool.members.get(code)!, CARD)));
  return {
    active: (): Values => {
      const chosen = groupOf(defaultParty);
      return {
        party_mode: mode,
        groups: groups.map(menuLine),
        installed_agents_resolved: isResolved,
        ...(chosen === undefined
          ? {
            active: "installed",
            members: pool.installed.map((code) => pool.members.get(code)),
            memory_enabled: Boolean(workflow["party_memory"] ?? true),
          }
          : roomOf(pool, chosen)),
      };
    },
    named: (id: string): Values => {
      const group = groupOf(id);
      return group === undefined
        ? { error: "unknown_group", requested: id, available: groups.map(menuLine) }
        : { ...roomOf(pool, group), party_mode: mode };
    },
    menu: (): Values => ({ party_mode: mode, default_party: defaultParty, groups: groups.map(menuLine) }),
    personas: (): Values => ({
      agents: cards(pool.installed),
      members: cards([...pool.members.keys()].filter((code) => !pool.installed.includes(code))),
      parties: groups.map((group) => ({
        id: group.id,
        name: group.name,
        members: cards(group.members.map((token) => pool.find(token)).filter((code) => code !== undefined)),
        ...(group.scene ? { scene: group.scene } : {}),
        ...openCast(group.members),
      })),
      default_party: defaultParty,
      party_mode_found: isFound,
      agents_resolved: isResolved,
    }),
  };
}

type Group = ReturnType<typeof groupFrom>;

/** Without members its scene says who takes part. */
function groupFrom({ id, name = id, members, scene, memory }: Values) {
  const tokens: readonly unknown[] = Array.isArray(members) ? members : [];
  return { id, name, members: tokens, scene, memory: Boolean(memory) };
}

type Pool = ReturnType<typeof buildPool>;

export const PERSONA_FIELDS = ["name", "icon", "title", "persona", "capabilities", "model"];

function buildPool(agents: Values, personas: readonly Values[], { keepsNames, startsOver }: PartyRules) {
  const members = new Map<string, Values>();
  const codes = new Map<string, string>();
  const find = (token: unknown) =>
    typeof token === "string" ? codes.get(token) ?? codes.get(token.toLowerCase()) : undefined;
  const register = (code: string, member: Values) => {
    members.set(code, member);
    const short = code.replace(/^bmad-(agent-)?/, "").toLowerCase();
    for (const token of [code, code.toLowerCase(), short]) codes.set(token, code);
    const name = asText(member["name"])?.toLowerCase();
    if (name && !(keepsNames && codes.has(name))) codes.set(name, code);
  };
  for (const [code, facts] of Object.entries(agents)) {
    const { name = code, icon = "", title = "", description = "", module = "", team = "" } = asValues(facts);
    register(code, { code, name, icon, title, description, module, team, source: "installed" });
  }
  const installed = [...members.keys()];
  for (const persona of personas.filter(({ code }) => code)) {
    const own = String(persona["code"]);
    const code = find(own) ?? own;
    const before = startsOver ? {} : members.get(code);
    const member: Values = { ...before, code, source: "custom", ...pick(persona, PERSONA_FIELDS) };
    register(code, { ...member, name: member["name"] ?? code });
  }
  return { members, installed, find };
}

function menuLine({ id, name, members }: Group): Values {
  return { id, name, member_count: members.length, ...openCast(members) };
}

function openCast(members: readonly unknown[]): Values {
  return members.length === 0 ? { open_cast: true } : {};
}

function roomOf({ members, find }: Pool, group: Group): Values {
  const found = group.members.map((token) => [token, find(token)] as const);
  return {
    active: group.id,
    name: group.name,
    members: found.flatMap(([, code]) => code === undefined ? [] : [members.get(code)]),
    unresolved: found.filter(([, code]) => code === undefined).map(([token]) => token),
    memory_enabled: group.memory,
    ...(group.scene ? { scene: group.scene } : {}),
    ...openCast(group.members),
  };
}

const CARD = "code name icon title source description persona capabilities model".split(" ");

function pick(values: Values, fields: readonly string[]): Values {
  return Object.fromEntries(fields.flatMap((key) => values[key] === undefined ? [] : [[key, values[key]]]));
}
