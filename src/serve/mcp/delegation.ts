/**
 * A task for one agent: done by the client's model as that agent, or handed back for the caller to do.
 *
 * The model gets the agent's whole text. If the client cannot be asked, or does not answer, the caller gets that text and
 * the task, with a note that nothing was delegated.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { App, Report } from "../../app.ts";
import { callsFor } from "../handshake/mod.ts";
import { qualifiedName } from "../../base/model.ts";
import { resolveAgent } from "./agent_names.ts";
import type { Asker } from "./question.ts";
import type { Args } from "./tool.ts";

/** A model may take its time. */
const LIMIT_MS = 600_000;

const RULES =
  "You are asked as this agent for one task, and have one reply. You have no tools and nobody answers questions: " +
  "leave out the greeting, the menu, and every step that loads a file or waits. Do the task as this agent does it, " +
  "state your assumptions, and give the result itself.";

interface Task {
  readonly agent_id: string;
  readonly task: string;
  readonly context?: string | undefined;
  readonly max_tokens?: number | undefined;
  readonly module?: string | undefined;
  readonly origin?: string | undefined;
}

export async function delegate(
  app: App,
  { agent_id: name, task, context, max_tokens: maxTokens = 2_048, module, origin: source }: Task,
  given: Args,
  asker: Asker,
): Promise<Report> {
  const call = { tool: "delegate_to_agent", args: given, parameter: "agent_id" };
  const { entry, asked } = await resolveAgent(app, { name, module, origin: source }, call);
  const agent = qualifiedName(entry);
  const origin = await app.unexpectedOrigin(entry);
  const persona = await app.execute(entry, { asked, calls: callsFor(app.config) });
  const words = context === undefined ? task : `${task}\n\nContext:\n${context}`;

  const isOffered = !app.config.settings.noSampling && asker.offers("sampling", LIMIT_MS);
  const reply = isOffered ? await askModel(asker, agent, persona, words, maxTokens) : undefined;
  if (reply !== undefined) {
    const cut = reply.stopReason === "maxTokens" ? `\n\n[cut at max_tokens ${maxTokens}]` : "";
    const head = [
      `agent: ${agent}`,
      ...(origin === undefined ? [] : [`origin: ${origin}`]),
      `answered by: ${reply.model}, the client's model`,
    ];
    const text = `---\n${head.join("\n")}\n---\n\n${reply.text}${cut}`;
    return { text, data: { agent, origin, delegated: true, ...reply } };
  }
  const reason = isOffered
    ? "the client's model did not answer"
    : "the client's model cannot be asked (no sampling)";
  const prompt = [
    `Nothing was delegated: ${reason}. Do the task yourself: act as the agent below for this one task, without ` +
    `greeting, menu or questions, in at most ${maxTokens} tokens, then continue as yourself.`,
    `Task for ${agent}:\n${words}`,
    persona,
  ].join("\n\n");
  return { text: prompt, data: { agent, origin, delegated: false, reason, prompt } };
}

/** The reply of the client's model as an agent; undefined if there is none. */
async function askModel(asker: Asker, agent: string, persona: string, task: string, maxTokens: number) {
  const request = inputRequired.createMessage({
    systemPrompt: `${persona}\n\n---\n${RULES}`,
    messages: [{ role: "user", content: { type: "text", text: task } }],
    maxTokens,
    includeContext: "none",
  });
  const topic = `delegate ${agent}`;
  const reply = await asker.ask({ feature: "sampling", topic, request, limitMs: LIMIT_MS });
  if (reply.kind !== "sampling") return undefined;
  const { content, model, stopReason } = reply.result;
  const text = [content].flat().flatMap((block) =>
    block.type === "text" && block.text !== "" ? [block.text] : []
  ).join("\n\n");
  return text === "" ? undefined : { text, model, stopReason };
}
