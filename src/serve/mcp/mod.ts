/**
 * MCP: the app, served to clients over a pair of streams.
 *
 * `serveStdio` answers clients of the 2025 protocol revisions and of 2026-07-28 alike; the first message decides.
 */
import { serveStdio as serveTransport } from "@modelcontextprotocol/server/stdio";
import type { App } from "../../app.ts";
import type { Journal } from "./caller.ts";
import { type Probe, probeEra } from "./probe.ts";
import { openRequestLog } from "./request_log.ts";
import { openRest } from "./rest.ts";
import { buildServer, type BuiltServer } from "./server.ts";
import { StreamTransport } from "./stdio.ts";
import { announce, openSubscriptions } from "./subscriptions.ts";

export type { Journal } from "./caller.ts";
export type { Probe } from "./probe.ts";
export { callableTools, type CallResult, callTool } from "./call.ts";
export { type Endpoint, isListening, openEndpoint, refuse, type SessionLimits } from "./endpoint.ts";
export { subjectOf } from "./request_log.ts";
export { checkTools } from "./toolsets.ts";

/** Where a connection's bytes come from and go to, and where trouble is told. */
export interface Wires extends Journal {
  /** What the client sends: JSON-RPC messages, one on each line. */
  readonly input: ReadableStream<Uint8Array>;
  /** What the client gets; nobody else may write to it. */
  readonly output: WritableStream<Uint8Array>;
  /** Tells of trouble with the connection that nobody is waiting for. */
  warn(text: string): void;
  /** Called whenever many requests were answered: what they left in memory can go. */
  tidy?(): void;
}

/** A connection that is being served. */
export interface Connection {
  /** Settles when the client has gone. */
  readonly closed: Promise<void>;
  /** Settles when the client has asked for nothing for a second, or has gone. */
  quiet(): Promise<void>;
  /** Ends the connection from our side, as on Ctrl-C. */
  close(): Promise<void>;
}

/** Serves one client. */
export function serveStdio(app: App, wires: Wires): Connection {
  const transport = new StreamTransport(wires.input, wires.output);
  const gone = Promise.withResolvers<void>();
  const subscriptions = openSubscriptions(app);
  let built: BuiltServer | undefined;
  const handle = serveTransport(async ({ era }) => {
    built = await buildServer(app, wires, era === "legacy" ? subscriptions : undefined);
    return built.mcp;
  }, { transport, onerror: (error) => wires.warn(error.message) });
  // Once for the connection: a server that only answered a probe is dropped without a word.
  const ignoreChanges = app.onChange((change) => {
    if (built?.mcp.isConnected()) announce(change, built, subscriptions).catch(wires.bug);
  });
  // The SDK sets its own listeners when it starts the transport: ours go around them.
  const { onclose, onmessage } = transport;
  const requests = wires.debug && openRequestLog(wires.debug, () => performance.now());
  const rest = openRest(gone.promise, () => wires.tidy?.());
  transport.onsent = (message, bytes) => {
    requests?.sent(message, bytes);
    if (!("method" in message)) rest.answered(transport.isIdle);
  };
  transport.onmessage = (message, extra) => {
    rest.came();
    requests?.came(message);
    subscriptions.overhear(message);
    onmessage?.(message, extra);
  };
  transport.onclose = () => {
    ignoreChanges();
    onclose?.();
    gone.resolve();
  };
  return { closed: gone.promise, quiet: rest.quiet, close: () => handle.close() };
}

/** Talks to the server over streams in memory, in each era: whether it answers, and how fast. */
export async function probeServer(app: App, bug: Journal["bug"]): Promise<readonly Probe[]> {
  const silent = () => {};
  const serve = (app: App, input: Wires["input"], output: Wires["output"]) =>
    serveStdio(app, { input, output, bug, info: silent, warn: silent });
  return [await probeEra(app, "2025", serve), await probeEra(app, "2026", serve)];
}
