/**
 * A 2026 client answers by sending its request again: before it asks, a handler may do only what may be done
 * twice. Without a reply, the work goes on. A 2026 client that fails at a question abandons its request: a
 * question without an answer is not asked again in the same connection.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequest,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type InputResponseView,
  type McpServer,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { attempt } from "../../base/absence.ts";
import { markTexts } from "../../base/text.ts";

type Feature = "elicitation" | "sampling";

interface Question {
  readonly feature: Feature;
  readonly topic: string;
  readonly request: InputRequest;
  /** A 2026 client decides this itself. */
  readonly limitMs: number;
}

export interface Asker {
  offers(feature: Feature, limitMs?: number): boolean;
  ask(question: Question): Promise<InputResponseView>;
  /** Throws if it is impossible. */
  record?(deed: string): void;
}

export class InputNeeded extends Error {
  constructor(readonly result: InputRequiredResult) {
    super("The client has to be asked first");
    this.name = "InputNeeded";
  }
}

/** In the 2026 era with each request, before with the connection. */
export function capabilitiesFor(
  { server }: McpServer,
  { envelope }: ServerContext["mcpReq"],
): ClientCapabilities | undefined {
  return envelope === undefined
    ? server.getClientCapabilities()
    : envelope[CLIENT_CAPABILITIES_META_KEY as keyof typeof envelope] as ClientCapabilities | undefined;
}

export function openQuestions(mcp: McpServer): (ctx: ServerContext) => Asker {
  /** For how long we waited in vain; for ever if the client will not reply. */
  const unanswered = new Map<Feature, number>();
  return ({ mcpReq }) => {
    const { envelope, signal } = mcpReq;
    const isModern = envelope !== undefined;
    const capabilities = capabilitiesFor(mcp, mcpReq);
    const rounds = isModern ? readRounds(mcpReq) : NO_ROUNDS;

    /** 2026: without a reply in the request, this round ends here. */
    const findReply = ({ feature, topic, request }: Question): InputResponseView => {
      const key = `${feature} ${topic}`;
      const reply = inputResponse(rounds.replies, key);
      if (reply.kind !== "missing") unanswered.delete(feature);
      if (reply.kind !== "missing" || rounds.asked.includes(key)) return reply;
      unanswered.set(feature, Infinity);
      const requestState = JSON.stringify({ asked: [...rounds.asked, key], replies: rounds.replies });
      throw new InputNeeded(inputRequired({ inputRequests: { [key]: request }, requestState }));
    };
    const awaitReply = async ({ feature, request, limitMs }: Question): Promise<InputResponseView> => {
      try {
        const { method, params } = request as { method: InputRequest["method"]; params?: Fields };
        const reply = await mcpReq.send({ method, params }, { timeout: limitMs, signal });
        return inputResponse({ reply }, "reply");
      } catch (error) {
        if (signal.aborted) throw error;
        const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
        unanswered.set(feature, isLate ? limitMs : Infinity);
        return { kind: "missing" };
      }
    };
    return {
      offers: (feature, limitMs = 0) => {
        const isUnderWay = rounds.asked.some((key) => key.startsWith(`${feature} `));
        const mayReply = limitMs > (unanswered.get(feature) ?? -1);
        return hasFeature(capabilities, feature) && (isUnderWay || mayReply);
      },
      // Async, so that `findReply` rejects instead of throwing.
      ask: async ({ request, ...about }) => {
        const question = { ...about, request: markTexts(request) };
        return isModern ? findReply(question) : await awaitReply(question);
      },
    };
  };
}

export const PATIENCE_MS = 600_000;

/** What the user filled into a form; undefined without a reply. */
export async function askForm(
  asker: Asker,
  topic: string,
  message: string,
  requestedSchema: Parameters<typeof inputRequired.elicit>[0]["requestedSchema"],
): Promise<Readonly<Fields> | undefined> {
  const request = inputRequired.elicit({ message, requestedSchema });
  const reply = await asker.ask({ feature: "elicitation", topic, request, limitMs: PATIENCE_MS });
  return reply.kind === "elicit" && reply.action === "accept" ? reply.content ?? {} : undefined;
}

export async function askModel(
  asker: Asker,
  topic: string,
  limitMs: number,
  prompt: Parameters<typeof inputRequired.createMessage>[0],
) {
  const request = inputRequired.createMessage(prompt);
  const reply = await asker.ask({ feature: "sampling", topic, request, limitMs });
  return reply.kind === "sampling" ? reply.result : undefined;
}

type Fields = Record<string, unknown>;

function hasFeature(capabilities: ClientCapabilities | undefined, feature: Feature): boolean {
  if (feature === "sampling") return capabilities?.sampling !== undefined;
  const elicitation = capabilities?.elicitation;
  // Before there were two modes, no mode meant a form.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

interface Rounds {
  readonly asked: readonly string[];
  readonly replies: Readonly<Fields>;
}

const NO_ROUNDS: Rounds = { asked: [], replies: {} };

/** A client that forges them could forge its replies, too: they decide nothing else. */
function readRounds({ requestState, inputResponses }: ServerContext["mcpReq"]): Rounds {
  // Without a valid state, it is the first round.
  const state: Partial<Record<keyof Rounds, unknown>> =
    attempt(() => JSON.parse(String(requestState() ?? "{}"))) ?? {};
  const asked = Array.isArray(state.asked) ? state.asked.map(String) : [];
  const before = typeof state.replies === "object" ? state.replies : {};
  return { asked, replies: { ...before, ...inputResponses } };
}
