/**
 * A question for people: it is noted in the project, and shown at once as a form by a client that can do so.
 *
 * Noted first, because a client may never come back with a reply; asking again finds the same question.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { Report } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import type { Asker } from "./question.ts";
import { type Caller, runOperation } from "../../handlers.ts";
import type { Arguments } from "../../operations/mod.ts";

/** A person may take their time. */
const ANSWER_MS = 600_000;
const MAX_ANSWER = 1_000;

export async function askPeople(
  caller: Caller,
  request: Arguments<"ask">,
  asker: Asker,
): Promise<Report> {
  const asked = await runOperation("ask", caller, request);
  const { number, question, story, to, choices, answer } = asked.data as {
    readonly number: number;
    readonly question: string;
    readonly story?: string;
    readonly to?: string;
    readonly choices: readonly string[];
    readonly answer?: string;
  };
  // What somebody has answered before is not asked again.
  if (answer !== undefined || !asker.offers("elicitation", ANSWER_MS)) return asked;
  const about = [story, to && `for ${to}`].filter(Boolean).join(", ");
  const message = `Question ${number}${about === "" ? "" : ` (${about})`}: ${question}`;
  const text = await showForm(asker, `question ${number}`, message, choices);
  if (text === undefined) return asked;
  try {
    const deed = ["answer", `number=${number}`, `text=${text}`];
    const app = asker.record === undefined ? caller.app : await caller.app.recording(deed, asker.record);
    return await runOperation("answer", { ...caller, app }, { number, text });
  } catch (error) {
    // Somebody else may have been quicker.
    if (!(error instanceof BmadError)) throw error;
    return { ...asked, text: `${asked.text}\n${error.message}` };
  }
}

/** What the user chooses or writes; undefined without a reply. */
async function showForm(
  asker: Asker,
  topic: string,
  message: string,
  choices: readonly string[],
): Promise<string | undefined> {
  const text = {
    type: "string" as const,
    title: choices.length === 0 ? "Answer" : "Or another answer",
    maxLength: MAX_ANSWER,
  };
  const choice = { type: "string" as const, title: "Choice", enum: [...choices] };
  const request = inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: choices.length === 0 ? { text } : { choice, text },
      ...(choices.length === 0 && { required: ["text"] }),
    },
  });
  const reply = await asker.ask({ feature: "elicitation", topic, request, limitMs: ANSWER_MS });
  if (reply.kind !== "elicit" || reply.action !== "accept") return undefined;
  const { content = {} } = reply;
  const written = typeof content["text"] === "string" ? content["text"].trim() : "";
  return written !== "" ? written : choices.find((one) => one === content["choice"]);
}
