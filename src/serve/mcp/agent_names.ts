/**
 * Agents by the names that people give them: in memory and runs, a persona means its agent (`Winston` is the architect).
 */
import type { App } from "../../app.ts";
import { unlessFailed } from "./name_args.ts";

/** The names of an agent in the library: its memories may be under any of them. */
export async function agentNames(app: App, name: string): Promise<readonly string[]> {
  const agent = await findAgent(app, name);
  return [agent?.id, agent?.name, agent?.displayName].filter((one) => one !== undefined);
}

/** The agent's short id if a name is that of its persona; any other name as it is. */
export async function agentOf(app: App, name: string): Promise<string> {
  const plain = name.trim().replace(/^@/, "");
  const agent = await findAgent(app, plain);
  return agent?.displayName?.toLowerCase() === plain.toLowerCase() ? agent.name : plain;
}

async function findAgent(app: App, name: string) {
  const query = { name, kind: "agent" } as const;
  // The persona may be of a generation that the project no longer uses.
  return await unlessFailed(app.resolve(query)) ??
    await unlessFailed(app.resolve({ ...query, origin: "package" }));
}
