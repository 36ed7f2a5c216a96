/**
 * A task for one agent: done by the client's model as that agent, or handed back for the caller to do.
 *
 * The model gets the agent's whole text. If the client cannot be asked, or does not answer, the caller gets that text and
 * the task, with a note that nothing was delegated.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { callsFor } from "../handshake/mod.ts";
import { qualifiedName } from "../../base/model.ts";
import { resolveAgent } from "./agent_names.ts";
import { reportAnswer } from "./answers.ts";
import { longTextArg, missing, numberArg, placeArgs, requiredArg, textArg } from "./args.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";
import type { Args } from "./tool.ts";

const DEFAULT_TOKENS = 2_048;
const MAX_TOKENS = 100_000;
const MAX_CHARACTERS = 200_000;
/** A model may take its time. */
const LIMIT_MS = 600_000;

const RULES =
  "You are asked as this agent for one task, and have one reply. You have no tools and nobody answers questions: " +
  "leave out the greeting, the menu, and every step that loads a file or waits. Do the task as this agent does it, " +
  "state your assumptions, and give the result itself.";

export async function delegate(app: App, args: Args, asker: Asker): Promise<Answer> {
  const name = textArg(args, "agent_id", "agentId", "agent", "name") ?? missing("agent_id");
  const task = requiredArg(args, MAX_CHARACTERS, "task", "question", "message", "prompt");
  const context = longTextArg(args, MAX_CHARACTERS, "context");
  const maxTokens = numberArg(args, "max_tokens", 1, MAX_TOKENS) ?? DEFAULT_TOKENS;
  const call = { tool: "delegate_to_agent", args, parameter: "agent_id" };
  const { entry, asked } = await resolveAgent(app, { name, ...placeArgs(args) }, call);
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
    return reportAnswer({ text, data: { agent, origin, delegated: true, ...reply } }, args);
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
  return reportAnswer({ text: prompt, data: { agent, origin, delegated: false, reason, prompt } }, args);
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
