/** One for each agent, workflow and skill. Names of earlier servers work but are not listed. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { type App, isOwnModule } from "../../app.ts";
import { BmadError, expectFailure, failMissing, type Failure } from "../../base/errors.ts";
import { type Entry, hasKind, qualifiedName } from "../../base/model.ts";
import { unlessFailed } from "./name_args.ts";
import { titleOf } from "./tool.ts";
import { callsOn, contentCallsOn } from "./step_calls.ts";

const MESSAGE = { name: "message", description: "What you want, in your own words", required: false };

export async function listPrompts(app: App): Promise<readonly Prompt[]> {
  return [...promptNames(await app.entries())].map(([name, entry]) => ({
    name,
    title: titleOf(entry),
    description: entry.description || qualifiedName(entry),
    arguments: [MESSAGE],
  }));
}

export async function getPrompt(
  app: App,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const { entry, by } = await findPrompt(app, name, args["origin"] || undefined);
  const calls = contentCallsOn(app);
  const text = await app.execute(entry, {
    message: args[MESSAGE.name],
    asked: name,
    by: by && qualifiedName(by),
    calls,
    steps: calls.next === undefined ? undefined : callsOn(app),
  });
  return {
    description: entry.description || qualifiedName(entry),
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

interface PromptTarget {
  readonly entry: Entry;
  readonly by?: Entry;
}

export async function findPrompt(app: App, name: string, origin?: string): Promise<PromptTarget> {
  const names = promptNames(await app.entries());
  const listed = names.get(name);
  if (listed !== undefined && origin === undefined) return { entry: listed };
  try {
    if (listed === undefined) return await findUnlisted(app, name, origin);
    const kind = hasKind(listed, "agent") ? "agent" : undefined;
    return { entry: await app.resolve({ name: listed.name, kind, origin }) };
  } catch (error) {
    const failure = expectFailure(error);
    const prompts = new Map([...names].map(([prompt, entry]) => [qualifiedName(entry), prompt]));
    throw new BmadError(inPrompts(failure, name, prompts));
  }
}

function inPrompts(failure: Failure, name: string, prompts: ReadonlyMap<string, string>): Failure {
  if (failure.code === "not-found") {
    const suggestions = (failure.suggestions ?? []).map((item) => prompts.get(item))
      .filter((prompt) => prompt !== undefined);
    return { ...failure, what: "prompt", name, suggestions };
  }
  if (failure.code !== "ambiguous") return failure;
  const candidates = failure.candidates.map((one) => ({ ...one, name: prompts.get(one.name) ?? one.name }));
  return { ...failure, what: "prompt", name, candidates };
}

/** `bmad.analyst`, `bmm.analyst`, `bmm.analyst.prd`, or any other name of an item. */
async function findUnlisted(app: App, name: string, origin?: string): Promise<PromptTarget> {
  const [, module, agent, workflow] = /^([^.]+)\.([^.]+)\.([^.]+)$/.exec(name) ?? [];
  if (workflow === undefined) {
    const entry = await app.resolve({ name: name.replace(/^bmad\./i, ""), origin });
    if (hasPrompt(entry)) return { entry };
    const hint = `${qualifiedName(entry)} is a ${entry.kind}`;
    return failMissing("prompt", name, { hint });
  }
  const entry = await app.resolve({ name: workflow, module, kind: "workflow", origin });
  // In some of these names the agent does not exist.
  const by = await unlessFailed(app.resolve({ name: agent!, kind: "agent" }));
  return { entry, by };
}

function hasPrompt(entry: Entry): boolean {
  return (["agent", "workflow", "skill"] as const).some((kind) => hasKind(entry, kind));
}

function promptNames(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const listed = entries.filter(hasPrompt)
    .toSorted((a, b) => Number(hasKind(b, "agent")) - Number(hasKind(a, "agent")));
  const plain = (entry: Entry) => entry.name.replace(/^bmad-/, "");
  const uses = Map.groupBy(listed, plain);
  // An agent keeps its plain name beside a workflow, and BMAD's own agent beside others.
  const isPlain = (entry: Entry) => {
    const same = uses.get(plain(entry))!;
    const agents = same.filter((one) => hasKind(one, "agent"));
    const own = agents.filter(({ module }) => isOwnModule(module));
    return [same, agents, own].find(({ length }) => length === 1)?.[0] === entry;
  };
  const names = new Map<string, Entry>();
  for (const entry of listed) {
    const own = plain(entry);
    const candidates = [
      `bmad-${entry.module}-${own}`,
      `bmad-${entry.module}-${own}-${entry.kind}`,
      `bmad-${entry.module}-${entry.id}`,
    ];
    if (isPlain(entry)) candidates.unshift(`bmad-${own}`);
    const free = candidates.map(asCommand).find((name) => !names.has(name));
    if (free !== undefined) names.set(free, entry);
  }
  return names;
}

/** A name that can be typed as a slash command: files may have any name. */
function asCommand(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replace(/(?<!-)-+$/, "");
}
