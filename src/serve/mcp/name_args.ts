import { type App, isChosen, type KitFiles, type NameQuery } from "../../app.ts";
import { recover } from "../../base/absence.ts";
import { BmadError } from "../../base/errors.ts";
import { hasKind, isSupporting } from "../../base/model.ts";
import type { Named } from "./answers.ts";
import { correctedCall } from "./params.ts";
import type { Args } from "./tool.ts";

interface NamingCall {
  readonly tool: string;
  readonly operation?: string;
  readonly args: Args;
  readonly parameter: string;
  parameterOf?(kind: string): string | undefined;
}

export async function resolveNamed(app: App, query: NameQuery, call: NamingCall): Promise<Named> {
  const entry = await app.resolve(query).catch((error: unknown) => {
    throw withCalls(error, call);
  });
  return { entry, asked: query.name };
}

/** If none of that kind has the name, any kind is taken: kinds differ between versions of BMAD. */
export async function resolveOfKind(
  app: App,
  { kind, ...query }: NameQuery,
  call: NamingCall,
): Promise<Named> {
  try {
    return await resolveNamed(app, { kind, ...query }, call);
  } catch (error) {
    if (!(error instanceof BmadError) || error.failure.code !== "not-found") throw error;
    const named = await resolveNamed(app, query, call).catch((other: unknown) => {
      throw other instanceof BmadError && other.failure.code !== "ambiguous" ? error : other;
    });
    if (isSupporting(named.entry.kind)) throw error;
    return named;
  }
}

/** Undefined after a failure; bugs are thrown. */
export async function unlessFailed<T>(work: Promise<T>): Promise<T | undefined> {
  return await recover(BmadError, () => work);
}

function withCalls(error: unknown, { tool, operation, args, parameter, parameterOf }: NamingCall): unknown {
  if (!(error instanceof BmadError)) return error;
  const { failure } = error;
  const callFor = (name: string, changed = parameter) =>
    correctedCall({ tool, operation }, args, { [parameter]: undefined, [changed]: name });
  if (failure.code === "not-found" && failure.other !== undefined) {
    const given = parameterOf?.(failure.other.kind);
    return given === undefined
      ? error
      : new BmadError({ ...failure, hint: `Call ${callFor(failure.other.name, given)}` });
  }
  if (failure.code === "not-found" && failure.hint === undefined && failure.suggestions?.length === 1) {
    return new BmadError({ ...failure, hint: `Call ${callFor(failure.suggestions[0]!)}` });
  }
  if (failure.code !== "ambiguous") return error;
  const candidates = failure.candidates.map((one) => ({ ...one, call: callFor(one.name) }));
  return new BmadError({ ...failure, candidates });
}

/** The project's own list of agents counts before the library. */
export async function allNamesOf(app: App, name: string) {
  const key = keyOf(name);
  const roster = await rosterOf(app);
  const named = roster.find((row) => keyOf(row.name) === key) ?? withPersona(roster, name);
  const query = { name: named?.name ?? key, kind: "agent", isSame: true } as const;
  // The persona may be of a generation that the project no longer uses.
  const agent = await unlessFailed(app.resolve(query)) ??
    await unlessFailed(app.resolve({ ...query, origin: "package" }));
  const own = named ?? roster.find((row) => agent !== undefined && keyOf(row.name) === keyOf(agent.name));
  // The team may have given the persona to another agent; and an agent that took over the work is another one.
  const taken = roster.filter((row) => row !== own).map(({ displayName = "" }) => keyOf(displayName));
  const known = [agent?.id, agent?.name, agent?.displayName].filter((one) =>
    one !== undefined && !taken.includes(keyOf(one))
  );
  const all = [own?.name, own?.displayName, ...known].filter((one) => one !== undefined);
  const isPersona = agent?.displayName !== undefined && keyOf(agent.displayName) === key;
  return {
    agent: own?.name ?? (isPersona ? agent.name : name.trim().replace(/^@/, "")),
    aliases: [...new Set(all)],
    isKnown: own !== undefined || agent !== undefined,
  };
}

/** Other names stay as they are. */
export async function agentOf(app: App, name: string): Promise<string> {
  return (await allNamesOf(app, name)).agent;
}

/** The project's own list counts first. Where it has no agents, the embedded ones stand in. */
export async function resolveAgent(app: App, named: NameQuery, call: NamingCall): Promise<Named> {
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

async function rosterOf(app: App): Promise<ReturnType<KitFiles["agents"]>> {
  return await unlessFailed((async () => (await app.project.kitFiles()).agents())()) ?? [];
}

function withPersona(roster: ReturnType<KitFiles["agents"]>, name: string) {
  return roster.find(({ displayName = "" }) => keyOf(displayName) === keyOf(name));
}

function keyOf(name: string): string {
  return name.trim().replace(/^@/, "").toLowerCase();
}
