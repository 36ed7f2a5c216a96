/**
 * The protocol: serves the app to MCP clients over stdin and stdout, or over HTTP through `openEndpoint`.
 *
 * `serveStdio` answers clients of the 2025 protocol versions and of 2026-07-28 alike; the first message decides.
 */
import { serveStdio as serveTransport } from "@modelcontextprotocol/server/stdio";
import type { App } from "../../app.ts";
import type { ByteSink, ByteSource } from "../../process/pipes.ts";
import type { Journal } from "./caller.ts";
import { isListening } from "./endpoint.ts";
import { type Memory, trackIdle } from "./idle.ts";
import { type Probe, probeEra } from "./probe.ts";
import { openRequestLog } from "./request_log.ts";
import { buildServer, type BuiltServer } from "./server.ts";
import { LineTransport } from "./stdio.ts";
import { announce, openSubscriptions } from "./subscriptions.ts";

export { agentOf, allNamesOf } from "./agent_names.ts";
export type { Journal, LogFields } from "./caller.ts";
export type { Probe } from "./probe.ts";
export { callTool } from "./call.ts";
export type { Sender } from "./caller.ts";
export { type Endpoint, isListening, openEndpoint } from "./endpoint.ts";
export { SILENT_MS } from "./idle.ts";
export { refuse } from "./reply.ts";
export { subjectOf } from "./request_log.ts";
export { openSeats } from "./seats.ts";
export type { SessionLimits } from "./sessions.ts";
export { checkTools, everyTool } from "./toolsets.ts";
export { boardDeed } from "./work_calls.ts";

interface StdioOptions extends Journal {
  /** What the client sends: JSON-RPC messages, one per line. */
  readonly input: ByteSource;
  /** What the client receives; nothing else may write to it. */
  readonly output: ByteSink;
  warn(text: string): void;
  /** Kept small while the client is idle, if given. */
  readonly memory?: Memory;
}

export function serveStdio(app: App, options: StdioOptions) {
  const { input, output, warn, bug, debug } = options;
  const transport = new LineTransport(input, output);
  const closed = Promise.withResolvers<void>();
  let built: BuiltServer | undefined;
  const subscriptions = openSubscriptions(app, (uri) => {
    if (built?.mcp.isConnected()) built.mcp.server.sendResourceUpdated({ uri }).catch(bug);
  });
  const handle = serveTransport(async ({ era }) => {
    built = await buildServer(app, options, era === "legacy" ? subscriptions : undefined);
    return built.mcp;
  }, { transport, onerror: (error) => warn(error.message) });
  // Here and not for each server: one that only answered a version probe is dropped without a close.
  const ignoreChanges = app.onChange((change) => {
    if (built?.mcp.isConnected()) announce(change, built, subscriptions).catch(bug);
  });
  // The SDK has set its own listeners: ours wrap them.
  const { onclose, onmessage } = transport;
  const requests = debug && openRequestLog(debug, () => performance.now());
  const idle = trackIdle(closed.promise, options.memory);
  transport.onsent = (message, bytes) => {
    requests?.sent(message, bytes);
    if (!("method" in message)) idle.answered(transport.isIdle);
  };
  transport.onmessage = (message, extra) => {
    idle.received();
    requests?.received(message);
    subscriptions.observe(message);
    const ready = isListening(message) ? subscriptions.ready() : undefined;
    if (ready === undefined) onmessage?.(message, extra);
    else ready.then(() => onmessage?.(message, extra));
  };
  transport.onclose = () => {
    ignoreChanges();
    subscriptions.close();
    onclose?.();
    closed.resolve();
  };
  return {
    closed: closed.promise,
    whenIdle: idle.whenIdle,
    whenReceived: idle.whenReceived,
    close: () => handle.close(),
  };
}

/** Prepares what the first calls need. Before each step, `isFree` waits until no call is under way; false ends it. */
export async function rehearse(app: App, isFree: () => Promise<boolean>): Promise<void> {
  await (await import("./rehearsal.ts")).rehearse(app, isFree);
}

/** Talks to the server in each era over pipes in memory: whether it answers, and how fast. */
export async function probeServer(app: App, bug: Journal["bug"]): Promise<readonly Probe[]> {
  const silent = () => {};
  const serve = (app: App, input: StdioOptions["input"], output: StdioOptions["output"]) =>
    serveStdio(app, { input, output, bug, info: silent, warn: silent });
  return [await probeEra(app, "2025", serve), await probeEra(app, "2026", serve)];
}
