/**
 * Prompts: one for each agent, workflow and skill, each carrying the persona or the instructions itself.
 *
 * `bmad-analyst` is the agent `bmad-agent-analyst`; where two things would share a name, the module is put in.
 * Names of earlier servers are answered and not listed: `bmm.analyst`, `bmm.analyst.prd`. The argument is free text
 * that clients may cut, drop or leave as `$1`: it is passed on, never judged.
 */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { BmadError, fail, type Failure } from "../../base/errors.ts";
import { callsFor } from "../handshake/mod.ts";
import { type Entry, isOf, qualifiedName } from "../../base/model.ts";
import { titleOf } from "./title.ts";

/** The one argument of every prompt. */
const MESSAGE = { name: "message", description: "What you want, in your own words", required: false };

/** Every prompt, agents first. */
export async function listPrompts(app: App): Promise<readonly Prompt[]> {
  return [...promptNames(await app.entries())].map(([name, entry]) => ({
    name,
    title: titleOf(entry),
    description: entry.description || qualifiedName(entry),
    arguments: [MESSAGE],
  }));
}

/** The text of a prompt. */
export async function getPrompt(
  app: App,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const { entry, by } = await findPrompt(app, name);
  const text = await app.execute(entry, {
    message: args[MESSAGE.name],
    by: by && qualifiedName(by),
    calls: callsFor(app.config),
  });
  return {
    description: entry.description || qualifiedName(entry),
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

/** What a prompt activates. */
interface Prompted {
  readonly entry: Entry;
  /** The agent that starts it, when the name has one. */
  readonly by?: Entry;
}

/** What a prompt's name means, listed or not; else a failure that speaks of prompts. */
export async function findPrompt(app: App, name: string): Promise<Prompted> {
  const names = promptNames(await app.entries());
  const listed = names.get(name);
  if (listed !== undefined) return { entry: listed };
  try {
    return await findOldName(app, name);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    const prompts = new Map([...names].map(([prompt, entry]) => [qualifiedName(entry), prompt]));
    throw new BmadError(inPrompts(error.failure, name, prompts));
  }
}

/** A failure to find a thing, with the names of prompts in place of the names of things. */
function inPrompts(failure: Failure, name: string, prompts: ReadonlyMap<string, string>): Failure {
  switch (failure.code) {
    case "not-found": {
      const near = (failure.suggestions ?? []).map((thing) => prompts.get(thing)).filter((prompt) =>
        prompt !== undefined
      );
      return { ...failure, what: "prompt", name, suggestions: near };
    }
    case "ambiguous": {
      const candidates = failure.candidates.map((one) => ({
        ...one,
        name: prompts.get(one.name) ?? one.name,
      }));
      return { ...failure, what: "prompt", name, candidates };
    }
    default:
      return failure;
  }
}

/** `bmad.analyst`, `bmm.analyst`, `bmm.analyst.prd`, or any name of the thing. */
async function findOldName(app: App, name: string): Promise<Prompted> {
  const [, module, agent, workflow] = /^([^.]+)\.([^.]+)\.([^.]+)$/.exec(name) ?? [];
  if (workflow === undefined) {
    const entry = await app.resolve({ name: name.replace(/^bmad\./i, "") });
    if (isPrompted(entry)) return { entry };
    const hint = `${qualifiedName(entry)} is a ${entry.kind}`;
    return fail({ code: "not-found", what: "prompt", name, hint });
  }
  const entry = await app.resolve({ name: workflow, module, kind: "workflow" });
  // Some of these names have a made-up agent in the middle.
  const by = await unlessMissing(app.resolve({ name: agent!, kind: "agent" }));
  return { entry, by };
}

async function unlessMissing(looking: Promise<Entry>): Promise<Entry | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof BmadError) return undefined;
    throw error;
  }
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
    const free = tries.map(asCommand).find((name) => !names.has(name));
    if (free !== undefined) names.set(free, entry);
  }
  return names;
}

/** A name that people can type behind a slash: files may be called anything. */
function asCommand(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/-+$/, "");
}
