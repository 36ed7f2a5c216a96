/**
 * Asking the client something in return, in both eras of the protocol.
 *
 * A client of 2025 gets a request of ours, and we wait. A client of 2026 gets the question as the answer to its own
 * request, and sends that again with what it found out: what runs for it then begins anew, and the same `ask` knows
 * the reply. So whoever asks must have done nothing yet that may not be done twice.
 *
 * Nobody has to reply. Who lacks the feature, declines, fails or takes too long gives no reply, and the asker goes on
 * without. Of these only declining a form can be said in the protocol of 2026: a client that fails there gives up its
 * whole request. What was asked once and never replied to is therefore not asked again in the same connection; who
 * was only too slow is asked again by those who have more patience.
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

/** What a client may offer for us to use. */
export type Feature = "elicitation" | "sampling";

/** A question, and how it is put. */
export interface Question {
  /** What the client has to offer for it. */
  readonly feature: Feature;
  /** Tells the questions of one request apart. */
  readonly topic: string;
  /** The question as the protocol has it. */
  readonly request: InputRequest;
  /** How long we wait for the reply. A client of 2026 keeps its own time. */
  readonly limitMs: number;
}

/** Asks the client behind one request. */
export interface Asker {
  /** Whether there is any use in asking, with so much patience. */
  offers(feature: Feature, limitMs?: number): boolean;
  /** What the client replies; `missing` when it does not. */
  ask(question: Question): Promise<InputResponseView>;
}

/** Stops the work for a request of 2026 with the question that the client has to answer first. */
export class InputNeeded extends Error {
  /** The result is what the request is answered with. */
  constructor(readonly result: InputRequiredResult) {
    super("The client has to be asked first");
    this.name = "InputNeeded";
  }
}

/** Who can be asked in a connection that begins now. */
export function openQuestions({ server }: McpServer): (ctx: ServerContext) => Asker {
  /** How long was waited in vain; for ever, where the client will not. */
  const unanswered = new Map<Feature, number>();
  return ({ mcpReq }) => {
    const { envelope, signal } = mcpReq;
    const isModern = envelope !== undefined;
    const capabilities = isModern
      ? envelope[CLIENT_CAPABILITIES_META_KEY as keyof typeof envelope] as ClientCapabilities | undefined
      : server.getClientCapabilities();
    const rounds = isModern ? readRounds(mcpReq) : NO_ROUNDS;

    /** In the era of 2026: the reply that came with the request, or else the end of this round. */
    const findReply = ({ feature, topic, request }: Question): InputResponseView => {
      const key = `${feature} ${topic}`;
      const reply = inputResponse(rounds.replies, key);
      if (reply.kind !== "missing") unanswered.delete(feature);
      if (reply.kind !== "missing" || rounds.asked.includes(key)) return reply;
      unanswered.set(feature, Infinity);
      const requestState = JSON.stringify({ asked: [...rounds.asked, key], replies: rounds.replies });
      throw new InputNeeded(inputRequired({ inputRequests: { [key]: request }, requestState }));
    };
    /** In the era of 2025: the reply that we wait for. */
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
        const isOpen = limitMs > (unanswered.get(feature) ?? -1);
        return hasFeature(capabilities, feature) && (isUnderWay || isOpen);
      },
      // Throws within the promise.
      ask: async (question) => isModern ? findReply(question) : await awaitReply(question),
    };
  };
}

type Fields = Record<string, unknown>;

function hasFeature(capabilities: ClientCapabilities | undefined, feature: Feature): boolean {
  if (feature === "sampling") return capabilities?.sampling !== undefined;
  const elicitation = capabilities?.elicitation;
  // Before there were two modes, no mode meant a form.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** What was asked for a request in the rounds before, and the replies. */
interface Rounds {
  readonly asked: readonly string[];
  readonly replies: Readonly<Fields>;
}

const NO_ROUNDS: Rounds = { asked: [], replies: {} };

/**
 * The rounds before, which a client of 2026 hands back to us. It could have made them up, but it could make up its
 * replies as well: they decide nothing that it may not decide.
 */
function readRounds({ requestState, inputResponses }: ServerContext["mcpReq"]): Rounds {
  let state: Partial<Record<keyof Rounds, unknown>> = {};
  try {
    state = JSON.parse(String(requestState() ?? "{}")) ?? {};
  } catch {
    // Then nothing is known of rounds before.
  }
  const asked = Array.isArray(state.asked) ? state.asked.map(String) : [];
  const before = typeof state.replies === "object" ? state.replies : {};
  return { asked, replies: { ...before, ...inputResponses } };
}
