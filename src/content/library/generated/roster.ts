/**
 * The roster: the agents, the personas that a team or user added, and the parties of both.
 *
 * Skills get it from scripts (`resolve_party.py`, `resolve_personas.py`, `resolve_config.py --key agents`). These are the
 * same answers, with or without an installation: the agents are those of its configuration, else those that the modules
 * name and the library serves.
 */
import { servedFor, visibleEntries } from "../../catalog/mod.ts";
import { type Entry, isOf, shortName } from "../../../base/model.ts";
import { asText, asValues, isValues, type Values } from "../../parse.ts";
import { resolveValues } from "../values/customize.ts";
import { defaultAgents, moduleCodes, withoutFalsy } from "../values/defaults.ts";
import { centralLayers, flatAgents, flatRoster } from "../values/flat.ts";
import { mergeStructural } from "../values/layers.ts";
import type { Library } from "../library.ts";
import { withoutSecrets } from "../files/secrets.ts";

/** The skill whose customization has the personas and parties, for other skills too. */
const PARTY_SKILL = "bmad-party-mode";

/** The agents by their codes, as in the configuration. */
export function rosterAgents(library: Library): Values {
  const [installed = {}, ...custom] = centralLayers(library, []).map((layer) =>
    asValues(layer?.values["agents"])
  );
  const isListed = Object.keys(installed).length > 0;
  const isRostered = moduleCodes(library).some((code) => flatAgents(library, code).length > 0);
  const base = isListed && !isRostered
    ? overridden(library, installed)
    : mergeStructural(servedAgents(library), installed);
  const agents = custom.reduce((agents, layer) => mergeStructural(agents, layer), base);
  // An agent's code may look like the key of a secret, so only the keys inside its table are checked.
  const safe = Object.entries(agents).map(([code, agent]) => [code, withoutSecrets(asValues(agent))]);
  return Object.fromEntries(safe);
}

/** The agents of a configuration, each with the facts of the one that overrides it. */
function overridden(library: Library, agents: Values): Values {
  const all = Object.entries(agents).map(([code, facts]) => {
    const entry = overriderOf(library, code);
    return [code, entry === undefined ? facts : { ...asValues(facts), ...servedAgent(entry) }];
  });
  return Object.fromEntries(all);
}

/** The agent that is served instead of the one with this code; undefined if that is served itself. */
function overriderOf({ manifest }: Library, code: string): Entry | undefined {
  const entry = manifest.entries.find((entry) => entry.id === code && isOf(entry, "agent"));
  const served = entry && servedFor(manifest, entry);
  return served?.key === entry?.key ? undefined : served;
}

/** The default party, and the names of the others. */
export function activeParty(library: Library): Values {
  const party = partyOf(library);
  const { mode, groups, installed, pool, memory, defaultParty } = party;
  const chosen = groups.find(({ id }) => id === defaultParty);
  const members = installed.map((code) => pool.get(code));
  return {
    party_mode: mode,
    groups: groups.map(menuLine),
    installed_agents_resolved: installed.length > 0,
    ...(chosen === undefined
      ? { active: "installed", members, memory_enabled: memory }
      : roomOf(party, chosen)),
  };
}

/** One party by its id; an unknown id is answered with the known ones. */
export function partyNamed(library: Library, id: string): Values {
  const party = partyOf(library);
  const group = party.groups.find((group) => group.id === id);
  if (group === undefined) {
    return { error: "unknown_group", requested: id, available: party.groups.map(menuLine) };
  }
  return { ...roomOf(party, group), party_mode: party.mode };
}

export function partyMenu(library: Library): Values {
  const { mode, defaultParty, groups } = partyOf(library);
  return { party_mode: mode, default_party: defaultParty, groups: groups.map(menuLine) };
}

export function personaPool(library: Library): Values {
  const party = partyOf(library);
  const cards = (codes: readonly string[]) => codes.map((code) => cardOf(party.pool.get(code)!));
  return {
    agents: cards(party.installed),
    members: cards([...party.pool.keys()].filter((code) => !party.installed.includes(code))),
    parties: party.groups.map((group) => ({
      id: group.id,
      name: group.name,
      members: cards(group.members.map((token) => party.find(token)).filter((code) => code !== undefined)),
      ...(group.scene ? { scene: group.scene } : {}),
      ...openCast(group.members),
    })),
    default_party: party.defaultParty,
    party_mode_found: party.isFound,
    agents_resolved: party.installed.length > 0,
  };
}

/** A named party. Without members its scene says who takes part. */
interface Group {
  readonly id: string;
  readonly name: unknown;
  readonly members: readonly unknown[];
  readonly scene: unknown;
  readonly memory: boolean;
}

/** The configuration of party mode, with everybody who can take part. */
interface Party {
  readonly isFound: boolean;
  readonly mode: unknown;
  readonly defaultParty: unknown;
  /** Whether the party of all agents has a memory. */
  readonly memory: boolean;
  readonly groups: readonly Group[];
  /** Agents and personas by code, agents first. */
  readonly pool: ReadonlyMap<string, Values>;
  readonly installed: readonly string[];
  /** The code for a code, a short name or a person's name. */
  find(token: unknown): string | undefined;
}

function partyOf(library: Library): Party {
  const skill = library.effective.find(({ id }) => id === PARTY_SKILL);
  const workflow = asValues(skill && resolveValues(library, skill).customization["workflow"]);
  const rosters = moduleCodes(library).map((code) => flatRoster(library, code));
  const agents = rosterAgents(library);
  const own = [
    ...rosters.flatMap(({ groups }) => groups).filter(({ id }) =>
      !asTables(workflow["party_groups"]).some((group) => group["id"] === id)
    ),
    ...asTables(workflow["party_groups"]),
  ];
  // An agent of a roster takes part as an agent.
  const others = rosters.flatMap(({ members }) => members).filter(({ skill }) =>
    !(typeof skill === "string" && Object.hasOwn(agents, skill))
  );
  return {
    isFound: skill !== undefined,
    mode: workflow["party_mode"] || "session",
    defaultParty: workflow["default_party"] || "",
    memory: Boolean(workflow["party_memory"] ?? true),
    groups: own.filter(({ id }) => id).map((group) => ({
      id: String(group["id"]),
      name: group["name"] ?? String(group["id"]),
      members: Array.isArray(group["members"]) ? group["members"] : [],
      scene: group["scene"],
      memory: Boolean(group["memory"]),
    })),
    ...poolOf(agents, [...others, ...asTables(workflow["party_members"])]),
  };
}

/** The fields of an agent that a persona can override. */
const PERSONA_FIELDS = ["name", "icon", "title", "persona", "capabilities", "model"];

/** The pool of agents and personas. A persona with the code or name of an agent overrides it. */
function poolOf(agents: Values, personas: readonly Values[]): Pick<Party, "pool" | "installed" | "find"> {
  const pool = new Map<string, Values>();
  const codes = new Map<string, string>();
  const find = (token: unknown) =>
    typeof token === "string" ? codes.get(token) ?? codes.get(token.toLowerCase()) : undefined;
  const register = (code: string, member: Values) => {
    pool.set(code, member);
    const name = asText(member["name"]) ?? code;
    for (const token of [code, code.toLowerCase(), aliasOf(code), name.toLowerCase()]) codes.set(token, code);
  };
  for (const [code, facts] of Object.entries(agents)) {
    const { name = code, icon = "", title = "", description = "", module = "", team = "" } = asValues(facts);
    register(code, { code, name, icon, title, description, module, team, source: "installed" });
  }
  const installed = [...pool.keys()];
  for (const persona of personas.filter(({ code }) => code)) {
    const own = String(persona["code"]);
    const code = find(own) ?? own;
    const changes = PERSONA_FIELDS.filter((field) => persona[field] !== undefined)
      .map((field) => [field, persona[field]]);
    const member: Values = { ...pool.get(code), code, source: "custom", ...Object.fromEntries(changes) };
    register(code, { ...member, name: member["name"] ?? code });
  }
  return { pool, installed, find };
}

/** `bmad-agent-analyst` → `analyst`. */
function aliasOf(code: string): string {
  return code.replace(/^bmad-(agent-)?/, "").toLowerCase();
}

function menuLine({ id, name, members }: Group): Values {
  return { id, name, member_count: members.length, ...openCast(members) };
}

function openCast(members: readonly unknown[]): Values {
  return members.length === 0 ? { open_cast: true } : {};
}

function roomOf({ pool, find }: Party, group: Group): Values {
  const found = group.members.map((token) => [token, find(token)] as const);
  return {
    active: group.id,
    name: group.name,
    members: found.flatMap(([, code]) => code === undefined ? [] : [pool.get(code)]),
    unresolved: found.filter(([, code]) => code === undefined).map(([token]) => token),
    memory_enabled: group.memory,
    ...(group.scene ? { scene: group.scene } : {}),
    ...openCast(group.members),
  };
}

const CARD_FIELDS = "code name icon title source description persona capabilities model".split(" ");

function cardOf(member: Values): Values {
  return withoutFalsy(Object.fromEntries(CARD_FIELDS.map((field) => [field, member[field]])));
}

/** The agents without an installation: those that modules name, in their order, then the others that are served. */
function servedAgents(library: Library): Values {
  const entries = visibleEntries(library.effective).filter((entry) => isOf(entry, "agent"));
  const agents: Record<string, unknown> = {};
  const people = new Set<string>();
  for (const module of new Set([...entries.map((entry) => entry.module), ...moduleCodes(library)])) {
    const named = Object.entries(defaultAgents(library, [module]))
      .filter(([code]) => overriderOf(library, code) === undefined);
    const served = entries.filter((entry) => entry.module === module)
      .map((entry) => [entry.id, servedAgent(entry)] as const);
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
  // A party needs to know how somebody thinks and talks, not when to call them.
  const character = [role, identity, communicationStyle, ...principles].filter((text) => text).join(" ");
  const facts = { module, team: module, name: displayName ?? name, title, icon };
  return withoutFalsy({ ...facts, description: character || description });
}

function asTables(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter(isValues) : [];
}
