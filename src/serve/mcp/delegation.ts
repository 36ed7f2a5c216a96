/**
 * A task for one agent: done by the client's model as that agent, or handed back for the caller to do.
 *
 * The model gets the agent's whole text. Where the client cannot be asked, or does not answer, the caller gets that text
 * and the task, and is told that nothing was delegated.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { callsFor } from "../handshake/mod.ts";
import { qualifiedName } from "../../base/model.ts";
import { reportAnswer } from "./answers.ts";
import { resolveNamed } from "./named.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";
import { type Args, longTextArg, numberArg, textArg } from "./tool.ts";

const USUAL_TOKENS = 2_048;
const MOST_TOKENS = 100_000;
const MOST_LETTERS = 200_000;
/** A model may have much to say. */
const PATIENCE_MS = 600_000;

const RULES =
  "You are asked as this agent for one task, and have one reply. You have no tools and nobody answers " +
  "questions: leave out greeting, menu, and every step that loads a file or waits. Do the task as this agent does " +
  "it, say what you assumed, and give the result itself.";

/** Has a task done by an agent. */
export async function delegate(app: App, args: Args, asker: Asker): Promise<Answer> {
  const name = textArg(args, "agent_id", "agentId", "agent", "name");
  const task = longTextArg(args, MOST_LETTERS, "task", "question", "message", "prompt");
  if (name === undefined || task === undefined) {
    const [field, problem] = name === undefined
      ? ["agent_id", "name the agent"]
      : ["task", "say what the agent shall do"];
    return fail({ code: "invalid-input", field: field!, problem: problem! });
  }
  const context = longTextArg(args, MOST_LETTERS, "context");
  const maxTokens = numberArg(args, "max_tokens", 1, MOST_TOKENS) ?? USUAL_TOKENS;
  const query = { name, kind: "agent" as const, module: textArg(args, "module") };
  const entry = await resolveNamed(app, query, { tool: "delegate_to_agent", args, parameter: "agent_id" });
  const agent = qualifiedName(entry);
  const persona = await app.execute(entry, { calls: callsFor(app.config) });
  const words = context === undefined ? task : `${task}\n\nContext:\n${context}`;

  const isOffered = !app.config.settings.noSampling && asker.offers("sampling", PATIENCE_MS);
  const reply = isOffered ? await askModel(asker, agent, persona, words, maxTokens) : undefined;
  if (reply !== undefined) {
    const cut = reply.stopReason === "maxTokens" ? `\n\n[cut at max_tokens ${maxTokens}]` : "";
    const text =
      `---\nagent: ${agent}\nanswered by: ${reply.model}, the client's model\n---\n\n${reply.text}${cut}`;
    return reportAnswer({ text, data: { agent, delegated: true, ...reply } }, args);
  }
  const why = isOffered
    ? "the client's model gave no answer"
    : "the client's model cannot be asked (sampling)";
  const prompt = [
    `Nothing was delegated: ${why}. Carry out the task yourself: act as the agent below for this one task, without ` +
    `greeting, menu or questions, in at most ${maxTokens} tokens, then go on as yourself.`,
    `Task for ${agent}:\n${words}`,
    persona,
  ].join("\n\n");
  return reportAnswer({ text: prompt, data: { agent, delegated: false, reason: why, prompt } }, args);
}

/** What the client's model says as an agent; undefined when it says nothing. */
async function askModel(asker: Asker, agent: string, persona: string, task: string, maxTokens: number) {
  const request = inputRequired.createMessage({
    systemPrompt: `${persona}\n\n---\n${RULES}`,
    messages: [{ role: "user", content: { type: "text", text: task } }],
    maxTokens,
    includeContext: "none",
  });
  const reply = await asker.ask({
    feature: "sampling",
    topic: `delegate ${agent}`,
    request,
    limitMs: PATIENCE_MS,
  });
  if (reply.kind !== "sampling") return undefined;
  const { content, model, stopReason } = reply.result;
  const texts = [content].flat().map((block) => block.type === "text" ? block.text : "");
  const text = texts.filter((part) => part !== "").join("\n\n");
  return text === "" ? undefined : { text, model, stopReason };
}
