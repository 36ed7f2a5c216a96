import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { serveStdio as serveTransport } from "@modelcontextprotocol/server/stdio";
import type { App } from "../../app.ts";
import { expectFailure } from "../../base/errors.ts";
import { hasKind } from "../../base/model.ts";
import { markHidden } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { giveWay, pause } from "../../base/work.ts";
import { undecided } from "../../handlers.ts";
import type { Fields } from "../../process/lines.ts";
import type { ByteSink, ByteSource } from "../../process/pipes.ts";
import { leaveLocks } from "../../process/lock.ts";
import { bmadTool } from "./bmad_tool.ts";
import { NOBODY, runTool } from "./call.ts";
import type { Journal } from "./caller.ts";
import { isListening } from "./endpoint.ts";
import { type Probe, probeEra } from "./probe.ts";
import { buildServer, type BuiltServer } from "./server.ts";
import { LineTransport } from "./stdio.ts";
import { notifyOfChanges } from "./subscriptions.ts";
import type { Args } from "./tool.ts";

export { callTool } from "./call.ts";
export type { Journal, LogFields, Sender } from "./caller.ts";
export { type Endpoint, isListening, openCapacity, openEndpoint } from "./endpoint.ts";
export { kindIn } from "./args.ts";
export { agentOf, allNamesOf } from "./name_args.ts";
export type { Probe } from "./probe.ts";
export { OF_CALL, readParams, unknownArgs } from "./params.ts";
export { FIXES, refuse, refuseFailure } from "./reply.ts";
export { callWords } from "./tool.ts";
export { checkTools, everyTool } from "./toolsets.ts";
export { boardDeed } from "./work_calls.ts";

interface StdioOptions extends Journal {
  readonly input: ByteSource;
  readonly output: ByteSink;
  warn(text: string): void;
  readonly memory?: Memory;
}

export function serveStdio(app: App, options: StdioOptions) {
  const { input, output, warn, bug, debug } = options;
  const transport = new LineTransport(input, output);
  const closed = Promise.withResolvers<void>();
  let built: BuiltServer | undefined;
  const session = app.config.team?.seat ?? { id: crypto.randomUUID() };
  // Here and not for each server: one that only answered a version probe is dropped without a close.
  const changes = notifyOfChanges(app, () => built, bug);
  const { subscriptions } = changes;
  const handle = serveTransport(async ({ era }) => {
    built = await buildServer(app, options, session, era === "legacy" ? subscriptions : undefined);
    return built.mcp;
  }, { transport, onerror: (error) => warn(error.message) });
  // The SDK has set its own listeners: ours wrap them.
  const { onclose, onmessage } = transport;
  const requests = debug && openRequestLog(debug);
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
    changes.close();
    leaveLocks(session.id);
    onclose?.();
    closed.resolve();
  };
  return {
    closed: closed.promise,
    rest: idle.rest,
    whenIdle: idle.whenIdle,
    whenReceived: idle.whenReceived,
    close: () => handle.close(),
  };
}

export async function probeServer(app: App, bug: Journal["bug"]): Promise<readonly Probe[]> {
  const silent = () => {};
  const serve = (app: App, input: StdioOptions["input"], output: StdioOptions["output"]) =>
    serveStdio(app, { input, output, bug, info: silent, warn: silent });
  return [await probeEra(app, "2025", serve), await probeEra(app, "2026", serve)];
}

const MAX_CHARACTERS = 100;

/** What a user wrote and what a file contains is never logged. */
function openRequestLog(write: NonNullable<Journal["debug"]>) {
  const open = new Map<RequestId, { readonly subject: string; readonly since: number }>();
  const close = (id: RequestId, outcome: string, bytes?: number) => {
    const request = open.get(id);
    if (request === undefined || !open.delete(id)) return;
    const { subject } = request, ms = (performance.now() - request.since).toFixed(1);
    const sent = bytes === undefined ? "" : `, ${bytes} bytes`;
    const fields = { request: subject, ms: Number(ms), outcome, ...(bytes !== undefined && { bytes }) };
    write(`request ${subject}: ${ms} ms, ${outcome}${sent}`, fields);
  };
  return {
    received: (message: JSONRPCMessage): void => {
      if (!("method" in message)) return;
      const params = message.params ?? {};
      if ("id" in message) {
        open.set(message.id, { subject: subjectOf(message.method, params), since: performance.now() });
      } else if (message.method === "notifications/cancelled") {
        close(params["requestId"] as RequestId, "cancelled");
      }
    },
    sent: (message: JSONRPCMessage, bytes: number): void => {
      if ("method" in message || message.id === undefined) return;
      close(message.id, outcomeOf(message), bytes);
    },
  };
}

export function subjectOf(method: string, params: Fields): string {
  const ref = params["ref"] as Fields | undefined;
  const names = [params["name"], params["uri"], ref?.["name"], ref?.["uri"]].map(asText);
  const name = names.find((text) => text !== undefined) ?? "";
  const shown = name.length > MAX_CHARACTERS ? `${name.slice(0, MAX_CHARACTERS)}…` : name;
  return [method, shown].filter(Boolean).join(" ");
}

/** A batch, or a list of script lines, counts as many as it has. */
export function unitsOf(message: unknown): number {
  const linesIn = (one: unknown): number => {
    const { params, script = asValues(asValues(params)["arguments"])["script"] } = asValues(one);
    return Array.isArray(script) ? Math.max(1, script.length) : 1;
  };
  const all = Array.isArray(message) ? message : [message];
  return Math.max(1, all.reduce((sum, one) => sum + linesIn(one), 0));
}

function outcomeOf(message: JSONRPCMessage): string {
  if ("error" in message) return `error ${message.error.code}`;
  return "result" in message && message.result["isError"] === true ? "failed" : "ok";
}

/** In milliseconds. */
const IDLE_MS = 1_000;
/** In milliseconds: by then a silent client has received its tools. */
export const SILENT_MS = 400;

/** In bytes. */
const MAX_GROWTH = 24 << 20;
/** What the first requests need is kept. */
const START_SIZE = 24 << 20;
/** Reading the size of the heap takes a tenth of the time of a short request. */
const LOOK_MS = 250;
/** For clients that are never silent: collect once idle after this many answers. */
const LOOK_AFTER = 250;

interface Memory {
  collectGarbage(): Promise<void>;
  heapSize(): number;
}

/** V8 would let the process grow to twice its size: docs/decisions/0022-memory-is-collected-when-idle.md. */
export function trackIdle(closed: Promise<void>, memory?: Memory) {
  // Listeners can be taken off a signal; a promise would hold everything that ever waited for it.
  const disconnected = new AbortController();
  closed.then(() => disconnected.abort());
  let lastReceived = performance.now();
  let next = Promise.withResolvers<void>();
  let answers = 0, isScheduled = false;
  let size = START_SIZE, lastLook = 0;

  const whenIdle = async (ms = IDLE_MS) => {
    for (;;) {
      const left = lastReceived + ms - performance.now();
      if (left <= 0 || disconnected.signal.aborted) return;
      await pause(left, disconnected.signal);
    }
  };
  const collectIfGrown = async (by = MAX_GROWTH) => {
    lastLook = performance.now();
    if (memory === undefined || disconnected.signal.aborted || memory.heapSize() <= size + by) return;
    answers = 0;
    await memory.collectGarbage();
    size = memory.heapSize();
  };
  return {
    received() {
      lastReceived = performance.now();
      next.resolve();
      next = Promise.withResolvers();
    },
    /** `isLast` if the client then waits for no other. */
    answered(isLast: boolean) {
      answers++;
      if (isLast && performance.now() - lastLook >= LOOK_MS) void collectIfGrown();
      if (answers < LOOK_AFTER || isScheduled) return;
      isScheduled = true;
      whenIdle().then(() => {
        isScheduled = false;
        answers = 0;
        return collectIfGrown();
      });
    },
    /** What a start has left is much, and nothing else would collect it if the client asks for little. */
    rest: () => whenIdle(SILENT_MS).then(() => collectIfGrown(-Infinity)),
    whenIdle,
    whenReceived: () => Promise.race([next.promise, closed]),
  };
}

/** Icons of agents: the patterns that look for hidden signs in them are slow to compile. */
const EMOJI = ["\u{1F3D7}\uFE0F", "\u26A0\uFE0F"];

/** A first call would take twenty times as long as a second. `isFree` waits for silence; false ends it. */
export async function rehearse(app: App, isFree: () => Promise<boolean>): Promise<void> {
  const unheard = app.forRequest({ isRehearsal: true });
  const call = (args: Args) => () => runTool(unheard, bmadTool, args, NOBODY);
  if (!await isFree()) return;
  // What is about one project is asked back, and a search would open them all.
  const isPlace = undecided(app) !== undefined;
  // Two, because a pattern is only compiled when it is used again.
  const agents = isPlace
    ? []
    : (await unheard.entries()).filter((entry) => hasKind(entry, "agent")).slice(0, 2);
  const steps = [
    call({ operation: "list", query: "agents" }),
    ...agents.flatMap(({ id }) => [
      call({ operation: "execute", agent: id, message: "Hello" }),
      call({ operation: "read", agent: id }),
    ]),
    ...isPlace ? [] : [call({ operation: "search", query: "agent" })],
    () => Promise.resolve(EMOJI.forEach(markHidden)),
    async () => {
      const [first] = (await unheard.resources()).filter(({ uri }) => uri.endsWith(".md"));
      if (first !== undefined) await unheard.open(first.uri);
    },
  ];
  for (const step of steps) {
    // A message that has arrived in the meantime is read first.
    await giveWay();
    if (!await isFree()) return;
    // Problems of the content are reported to the requests that meet them.
    await step().catch(expectFailure);
  }
}
