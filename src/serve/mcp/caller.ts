import {
  type AuthInfo,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { RequestWork } from "../../app.ts";
import type { Person } from "../../base/roles.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { markTexts, oneLine, shorten } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { type Seat, seatId } from "../../base/work.ts";
import { showsApps } from "./board_app.ts";
import { type Asker, capabilitiesFor, openQuestions } from "./question.ts";
import { LOG_LEVELS } from "./request_checks.ts";

export type LogFields = Readonly<Record<string, string | number>>;

export interface Journal {
  bug(error: unknown): string;
  info(text: string): void;
  debug?(text: string, fields?: LogFields): void;
}

export interface Caller extends Asker {
  readonly showsApps: boolean;
  readonly work: RequestWork;
  bug(error: unknown): string;
}

export interface Sender {
  readonly person: Person | undefined;
  /** Throws if it is impossible. */
  record(deed: string): void;
}

/** The SDK hands it on and looks at nothing in it. */
export function authInfoOf(sender: Sender): AuthInfo {
  return { token: "", clientId: sender.person?.name ?? "", scopes: [], extra: { sender } };
}

export function senderIn(authInfo: AuthInfo | undefined): Sender | undefined {
  return authInfo?.extra?.["sender"] as Sender | undefined;
}

export type Callers = ReturnType<typeof openCallers>;

/** As variables say, or the name of the client. */
export type Connection = Pick<Seat, "id"> & Partial<Pick<Seat, "client">>;

/** A server that lives for one request. */
export const NO_SESSION: Connection = { id: "" };

export function openCallers(mcp: McpServer, journal: Journal, session: Connection) {
  const askerOf = openQuestions(mcp);
  let connectionLevel: LoggingLevel | undefined;
  return {
    setLevel: (level: LoggingLevel): void => void (connectionLevel = level),
    of: (ctx: ServerContext): Caller => {
      const { mcpReq } = ctx;
      const wanted = requestLevel(mcpReq) ?? connectionLevel;
      const lowest = LOG_LEVELS.findIndex((level) => level === wanted);
      const wants = (level: LoggingLevel) => lowest >= 0 && LOG_LEVELS.indexOf(level) >= lowest;
      const send = (level: LoggingLevel, logger: string, data: unknown) => {
        if (!wants(level)) return;
        // Fails only when the client has disconnected.
        mcpReq.notify({ method: "notifications/message", params: { level, logger, data: markTexts(data) } })
          .catch(() => {});
      };
      const debug = (logger: string, data: unknown, logged = data) => {
        journal.debug?.(`${logger}: ${JSON.stringify(logged)}`);
        send("debug", logger, data);
      };
      // Explaining a resolution takes time, so it is done only if it is logged.
      const isDebugging = journal.debug !== undefined || wants("debug");
      const asker = askerOf(ctx);
      return {
        record: senderIn(ctx.http?.authInfo)?.record,
        showsApps: showsApps(capabilitiesFor(mcp, mcpReq)),
        offers: asker.offers,
        ask: async (question) => {
          const reply = await asker.ask(question);
          const asked = { for: question.feature, about: question.topic };
          // What a user or a model replies goes back to its client, but not into our log.
          if (isDebugging) debug("ask", { ...asked, reply }, { ...asked, reply: reply.kind });
          return reply;
        },
        work: {
          signal: mcpReq.signal,
          seat: seatOf(mcp, ctx, session),
          progress: progressFor(mcpReq),
          // The name that was used may be anything that a user has said.
          resolved: isDebugging
            ? (resolution) => {
              const { name: _, filters: __, ...logged } = resolution;
              debug("resolve", resolution, logged);
            }
            : undefined,
        },
        bug: (error) => {
          const id = journal.bug(error);
          send("error", "bug", { id });
          return id;
        },
      };
    },
  };
}

/** In 2026, clients have no session over HTTP: all that use one token from one client are one seat. */
function seatOf(
  { server }: McpServer,
  { mcpReq: { envelope }, http }: ServerContext,
  session: Connection,
): Seat {
  const info = envelope === undefined
    ? server.getClientVersion()
    : asValues(asValues(envelope)[CLIENT_INFO_META_KEY]);
  const client = shorten(oneLine(asText(info?.name) ?? "client"), MAX_OWNER);
  const { id: token, name = "user" } = senderIn(http?.authInfo)?.person ?? {};
  const isSession = envelope === undefined || http === undefined;
  return {
    ...(isSession
      ? { client, ...session, isHeld: true }
      : { client, id: seatId(`${token ?? name} ${client}`) }),
    ...(token !== undefined && { token }),
  };
}

function requestLevel({ envelope }: ServerContext["mcpReq"]): unknown {
  return (envelope as Readonly<Record<string, unknown>> | undefined)?.[LOG_LEVEL_META_KEY];
}

const MAX_NOTIFICATIONS = 20;

/** Numbers only grow, from phase to phase too. */
function progressFor({ _meta, notify }: ServerContext["mcpReq"]): RequestWork["progress"] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let current = { phase: "", before: 0, total: 0, sent: -1 };
  return (done, total, phase) => {
    if (phase !== current.phase) current = { phase, before: current.before + current.total, total, sent: -1 };
    const share = Math.floor(done / total * MAX_NOTIFICATIONS);
    if (share <= current.sent) return;
    current.sent = share;
    const progress = current.before + done;
    const params = { progressToken, progress, total: current.before + total, message: phase };
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
