/**
 * The client behind a request: whether it still waits, what it wants to hear meanwhile, and what it can be asked.
 *
 * A client gets progress when it gave a token for it, and log messages at the level that it asked for: in the era of
 * 2025 once for the connection, in that of 2026 with each request. Before it asks it gets none.
 */
import {
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { RequestWork } from "../../app.ts";
import { type Asker, openQuestions } from "./question.ts";

/** Where a server writes down what its client need not see. */
export interface Journal {
  /** Tells of a bug; returns the number under which it can be found in the log. */
  bug(error: unknown): string;
  /** Tells of what is worth knowing and no trouble. */
  info(text: string): void;
  /** Tells how answers come about; missing when nobody wants to know. */
  debug?(text: string): void;
}

/** The client behind one request. */
export interface Caller extends Asker {
  /** What the work for it has to know. */
  readonly work: RequestWork;
  /** Writes down a bug that its request brought to light, and returns the number that it is answered with. */
  bug(error: unknown): string;
}

/** The clients behind the requests of one connection. */
export interface Callers {
  /** The client that sent a request. */
  of(ctx: ServerContext): Caller;
  /** Sets which log messages are sent from now on. */
  setLevel(level: LoggingLevel): void;
}

/** The levels of log messages, from those that say most. */
export const LOG_LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The clients behind the requests of a connection that begins now. */
export function openCallers(mcp: McpServer, journal: Journal): Callers {
  const askerOf = openQuestions(mcp);
  let connectionLevel: LoggingLevel | undefined;
  return {
    setLevel: (level) => connectionLevel = level,
    of: (ctx) => {
      const { mcpReq } = ctx;
      const wanted = enclosed(mcpReq, LOG_LEVEL_META_KEY) ?? connectionLevel;
      const from = LOG_LEVELS.findIndex((level) => level === wanted);
      const hears = (level: LoggingLevel) => from >= 0 && LOG_LEVELS.indexOf(level) >= from;
      const tell = (level: LoggingLevel, logger: string, data: unknown) => {
        if (!hears(level)) return;
        // Whoever does not hear it has gone.
        mcpReq.notify({ method: "notifications/message", params: { level, logger, data } }).catch(() => {});
      };
      const debug = (logger: string, data: unknown, written = data) => {
        journal.debug?.(`${logger}: ${JSON.stringify(written)}`);
        tell("debug", logger, data);
      };
      // To explain a resolution costs something, so it is done for those who listen.
      const isHeard = journal.debug !== undefined || hears("debug");
      const asker = askerOf(ctx);
      return {
        offers: asker.offers,
        ask: async (question) => {
          const reply = await asker.ask(question);
          const asked = { for: question.feature, about: question.topic };
          // What a user or a model says is for the client that sent it, not for a log.
          if (isHeard) debug("ask", { ...asked, reply }, { ...asked, reply: reply.kind });
          return reply;
        },
        work: {
          signal: mcpReq.signal,
          progress: progressTo(mcpReq),
          resolved: isHeard ? (resolution) => debug("resolve", resolution) : undefined,
        },
        bug: (error) => {
          const id = journal.bug(error);
          tell("error", "bug", { id });
          return id;
        },
      };
    },
  };
}

/** What a request of 2026 says of its client. */
function enclosed({ envelope }: ServerContext["mcpReq"], key: string): unknown {
  return (envelope as Readonly<Record<string, unknown>> | undefined)?.[key];
}

/** The most notices about one phase of some work. */
const MOST_NOTICES = 20;

/** Tells a client that asked for it how far the work is; its numbers only grow, also from phase to phase. */
function progressTo({ _meta, notify }: ServerContext["mcpReq"]): RequestWork["progress"] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let current = { phase: "", before: 0, total: 0, told: -1 };
  return (done, total, phase) => {
    if (phase !== current.phase) current = { phase, before: current.before + current.total, total, told: -1 };
    const share = Math.floor(done / total * MOST_NOTICES);
    if (share <= current.told) return;
    current.told = share;
    const progress = current.before + done;
    const params = { progressToken, progress, total: current.before + total, message: phase };
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
