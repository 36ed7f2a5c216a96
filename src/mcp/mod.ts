/**
 * MCP: the app, served to clients over a pair of streams.
 *
 * `serveStdio` answers clients of the 2025 protocol revisions and of 2026-07-28 alike; the first message decides.
 */
import { serveStdio as serveTransport } from "@modelcontextprotocol/server/stdio";
import type { App } from "../app.ts";
import { buildServer } from "./server.ts";
import { StreamTransport } from "./stdio.ts";

export { checkTools } from "./toolsets.ts";

/** Where a connection's bytes come from and go to, and where trouble is told. */
export interface Wires {
  /** What the client sends: JSON-RPC messages, one on each line. */
  readonly input: ReadableStream<Uint8Array>;
  /** What the client gets; nobody else may write to it. */
  readonly output: WritableStream<Uint8Array>;
  /** Tells of a bug; returns the number under which it can be found in the log. */
  bug(error: unknown): string;
  /** Tells of trouble with the connection that nobody is waiting for. */
  warn(text: string): void;
}

/** A connection that is being served. */
export interface Connection {
  /** Settles when the client has gone. */
  readonly closed: Promise<void>;
  /** Ends the connection from our side, as on Ctrl-C. */
  close(): Promise<void>;
}

/** Serves one client. */
export function serveStdio(app: App, wires: Wires): Connection {
  const transport = new StreamTransport(wires.input, wires.output);
  const gone = Promise.withResolvers<void>();
  const handle = serveTransport(() => buildServer(app, wires.bug), {
    transport,
    onerror: (error) => wires.warn(error.message),
  });
  // The SDK sets its own listener when it starts the transport: ours goes around it.
  const inner = transport.onclose;
  transport.onclose = () => {
    inner?.();
    gone.resolve();
  };
  return { closed: gone.promise, close: () => handle.close() };
}
