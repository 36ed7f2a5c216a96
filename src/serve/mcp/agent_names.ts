/**
 * Agents by the names that people give them: in memory and runs, a persona means its agent (`Winston` is the architect).
 *
 * The project's own list of agents counts before the library: a team may give a persona to another agent.
 */
import { type App, isChosen, type KitFiles, type NameQuery } from "../../app.ts";
import { hasKind } from "../../base/model.ts";
import { type Named as NamedEntry, type NamingCall, resolveNamed, unlessFailed } from "./name_args.ts";

/** An agent's id and its other names, under any of which its memories may be, and whether anybody knows the agent. */
export async function allNamesOf(
  app: App,
  name: string,
): Promise<{ readonly agent: string; readonly aliases: readonly string[]; readonly isKnown: boolean }> {
  const { own, others, agent } = await findAgent(app, name);
  // The team may have given the persona to another agent; and an agent that took over the work is another one.
  const taken = new Set(others.map(({ displayName = "" }) => keyOf(displayName)));
  const known = [agent?.id, agent?.name, agent?.displayName].filter((one) =>
    one !== undefined && !taken.has(keyOf(one))
  );
  const all = [own?.name, own?.displayName, ...known].filter((one) => one !== undefined);
  const isKnown = own !== undefined || agent !== undefined;
  return { agent: idOf(name, own, agent), aliases: [...new Set(all)], isKnown };
}

/** The agent's short id if a name is that of its persona; any other name as it is. */
export async function agentOf(app: App, name: string): Promise<string> {
  const { own, agent } = await findAgent(app, name);
  return idOf(name, own, agent);
}

type Named = { readonly name: string; readonly displayName?: string } | undefined;

function idOf(name: string, own: Named, agent: Named): string {
  const isPersona = agent?.displayName !== undefined && keyOf(agent.displayName) === keyOf(name);
  return own?.name ?? (isPersona ? agent.name : name.trim().replace(/^@/, ""));
}

/**
 * The agent that a call names. A persona of the project's own list means that agent, if there is one. Where a project has
 * such a list and no agents, the embedded ones do it.
 */
export async function resolveAgent(app: App, named: NameQuery, call: NamingCall): Promise<NamedEntry> {
  const query = { ...named, kind: "agent" as const };
  // Other projects have no list of their own, and must not load what reads it.
  const hasList = isChosen(app.config, "runs", "delegate_to_agent") ||
    isChosen(app.config, "memory", "get_agent_memory");
  if (!hasList) return await resolveNamed(app, query, call);
  const own = withPersona(await rosterOf(app), named.name)?.name;
  const meant = own === undefined ? [] : [{ ...query, name: own }];
  const hasAgents = (await app.entries()).some((entry) => hasKind(entry, "agent"));
  const embedded = hasAgents || named.origin !== undefined
    ? []
    : [...meant, query].map((one) => ({ ...one, origin: "package" }));
  for (const one of [...meant, ...embedded]) {
    const entry = await unlessFailed(app.resolve(one));
    if (entry !== undefined) return { entry, asked: one.name };
  }
  return await resolveNamed(app, query, call);
}

async function findAgent(app: App, name: string) {
  const key = keyOf(name);
  const roster = await rosterOf(app);
  const named = roster.find((row) => keyOf(row.name) === key) ?? withPersona(roster, name);
  const query = { name: named?.name ?? key, kind: "agent", isSame: true } as const;
  // The persona may be of a generation that the project no longer uses.
  const agent = await unlessFailed(app.resolve(query)) ??
    await unlessFailed(app.resolve({ ...query, origin: "package" }));
  const own = named ?? roster.find((row) => agent !== undefined && keyOf(row.name) === keyOf(agent.name));
  return { own, others: roster.filter((row) => row !== own), agent };
}

async function rosterOf(app: App): Promise<ReturnType<KitFiles["agents"]>> {
  return await unlessFailed((async () => (await app.project.kitFiles()).agents())()) ?? [];
}

function withPersona(roster: ReturnType<KitFiles["agents"]>, name: string) {
  return roster.find(({ displayName = "" }) => keyOf(displayName) === keyOf(name));
}

function keyOf(name: string): string {
  return name.trim().replace(/^@/, "").toLowerCase();
}
