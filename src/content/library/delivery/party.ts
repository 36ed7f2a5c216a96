/**
 * The parties of party mode: who can take part, and who is in which room.
 *
 * BMAD's scripts `resolve_party.py` and `resolve_personas.py` answer the same from an installation's files; here it is
 * worked out from plain values, wherever these come from.
 */
import { asText, asValues, isValues, type Values } from "../../../base/values.ts";
import { withoutFalsy } from "../values/defaults.ts";

/** The skill whose customization has the personas and parties, for other skills too. */
export const PARTY_SKILL = "bmad-party-mode";

/** What parties are made of. */
export interface PartyFacts {
  /** The agents by their codes. */
  readonly agents: Values;
  /** Whether the agents could be found out. */
  readonly isResolved: boolean;
  /** The table `workflow` of party mode's customization. */
  readonly workflow: Values;
  /** Whether party mode itself is there. */
  readonly isFound: boolean;
}

/** Where BMAD's scripts differ from each other. */
export interface PartyRules {
  /** Whether a renamed persona leaves a name to the one who has it: `resolve_personas.py`. */
  readonly keepsNames?: boolean;
  /** Whether a persona in place of an agent has nothing of it: both scripts up to 6.10. */
  readonly startsOver?: boolean;
}

/** Answers about parties. */
export interface PartyAnswers {
  /** The default party, and the names of the others. */
  active(): Values;
  /** One party by its id; an unknown id is answered with the known ones. */
  named(id: string): Values;
  /** The names of all parties. */
  menu(): Values;
  /** Agents, personas and parties with their members. */
  personas(): Values;
}

/** A named party. Without members its scene says who takes part. */
interface Group {
  readonly id: unknown;
  readonly name: unknown;
  readonly members: readonly unknown[];
  readonly scene: unknown;
  readonly memory: boolean;
}

/** Everybody who can take part. */
interface Pool {
  /** Agents and personas by code, agents first. */
  readonly members: ReadonlyMap<string, Values>;
  readonly installed: readonly string[];
  /** The code for a code, a short name or a person's name. */
  find(token: unknown): string | undefined;
}

/** Opens the parties that the facts describe. */
export function openParty(
  { agents, isResolved, workflow, isFound }: PartyFacts,
  rules: PartyRules = {},
): PartyAnswers {
  const mode = workflow["party_mode"] || "session";
  const defaultParty = workflow["default_party"] || "";
  const groups = asTables(workflow["party_groups"]).filter(({ id }) => id).map((group): Group => ({
    id: group["id"],
    name: group["name"] ?? group["id"],
    members: Array.isArray(group["members"]) ? group["members"] : [],
    scene: group["scene"],
    memory: Boolean(group["memory"]),
  }));
  const pool = poolOf(agents, asTables(workflow["party_members"]), rules);
  const groupOf = (id: unknown) => id === "" ? undefined : groups.find((group) => group.id === id);
  const cards = (codes: readonly string[]) => codes.map((code) => cardOf(pool.members.get(code)!));
  return {
    active: () => {
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
    named: (id) => {
      const group = groupOf(id);
      return group === undefined
        ? { error: "unknown_group", requested: id, available: groups.map(menuLine) }
        : { ...roomOf(pool, group), party_mode: mode };
    },
    menu: () => ({ party_mode: mode, default_party: defaultParty, groups: groups.map(menuLine) }),
    personas: () => ({
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

/** The fields of an agent that a persona can override. */
const PERSONA_FIELDS = ["name", "icon", "title", "persona", "capabilities", "model"];

/** The pool of agents and personas. A persona with the code or name of an agent overrides it. */
function poolOf(agents: Values, personas: readonly Values[], { keepsNames, startsOver }: PartyRules): Pool {
  const members = new Map<string, Values>();
  const codes = new Map<string, string>();
  const find = (token: unknown) =>
    typeof token === "string" ? codes.get(token) ?? codes.get(token.toLowerCase()) : undefined;
  const register = (code: string, member: Values) => {
    members.set(code, member);
    for (const token of [code, code.toLowerCase(), aliasOf(code)]) codes.set(token, code);
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
    const changes = PERSONA_FIELDS.filter((field) => persona[field] !== undefined)
      .map((field) => [field, persona[field]]);
    const before = startsOver ? {} : members.get(code);
    const member: Values = { ...before, code, source: "custom", ...Object.fromEntries(changes) };
    register(code, { ...member, name: member["name"] ?? code });
  }
  return { members, installed, find };
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

const CARD_FIELDS = "code name icon title source description persona capabilities model".split(" ");

function cardOf(member: Values): Values {
  return withoutFalsy(Object.fromEntries(CARD_FIELDS.map((field) => [field, member[field]])));
}

/** The tables in a list; none if it is not one. */
export function asTables(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter(isValues) : [];
}
