/**
 * Prompts: one for each agent, workflow and skill, each carrying the persona or the instructions itself.
 *
 * `bmad-analyst` is the agent `bmad-agent-analyst`; where two things would share a name, the module is put in.
 * The argument is free text that clients may cut, drop or leave as `$1`: it is passed on, never judged.
 */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { App } from "../app.ts";
import { fail } from "../errors.ts";
import { type Entry, isOf, qualifiedName } from "../model.ts";
import { callsFor } from "./choice.ts";

/** Every prompt, agents first. */
export async function listPrompts(app: App): Promise<readonly Prompt[]> {
  return [...promptNames(await app.entries())].map(([name, entry]) => ({
    name,
    title: titleOf(entry),
    description: entry.description || qualifiedName(entry),
    arguments: [{ name: "message", description: "What you want, in your own words", required: false }],
  }));
}

/** A thing as people see it in menus: `📊 Mary (Business Analyst)`. */
export function titleOf({ icon, displayName, title, name }: Entry): string {
  return [icon, displayName, displayName ? title && `(${title})` : title ?? name].filter(Boolean).join(" ");
}

/** The text of a prompt. Names of earlier servers (`bmm.analyst`) are answered too. */
export async function getPrompt(
  app: App,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const entry = promptNames(await app.entries()).get(name) ?? await entryNamed(app, name);
  const text = await app.execute(entry, { message: args["message"], calls: callsFor(app.config) });
  return {
    description: entry.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

async function entryNamed(app: App, name: string): Promise<Entry> {
  const entry = await app.resolve({ name });
  if (isPrompted(entry)) return entry;
  return fail({
    code: "not-found",
    what: "prompt",
    name,
    near: [],
    hint: `${qualifiedName(entry)} is a ${entry.kind}`,
  });
}

function isPrompted(entry: Entry): boolean {
  return (["agent", "workflow", "skill"] as const).some((kind) => isOf(entry, kind));
}

/** Entries by prompt name, in the order in which they are listed. A name that several would have takes more in. */
function promptNames(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const prompted = entries.filter(isPrompted)
    .toSorted((a, b) => Number(isOf(b, "agent")) - Number(isOf(a, "agent")));
  const plain = (entry: Entry) => entry.name.replace(/^bmad-/, "");
  const uses = new Map<string, number>();
  for (const entry of prompted) uses.set(plain(entry), (uses.get(plain(entry)) ?? 0) + 1);
  const names = new Map<string, Entry>();
  for (const entry of prompted) {
    const own = plain(entry);
    const tries = [
      `bmad-${entry.module}-${own}`,
      `bmad-${entry.module}-${own}-${entry.kind}`,
      `bmad-${entry.module}-${entry.id}`,
    ];
    if (uses.get(own) === 1) tries.unshift(`bmad-${own}`);
    const free = tries.find((name) => !names.has(name));
    if (free !== undefined) names.set(free, entry);
  }
  return names;
}
