/** The body of a request is read within limits of size, pace and common memory. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { onAbort } from "../../base/work.ts";
import { joinBytes } from "../../process/lines.ts";
import { LIMITS } from "../limits.ts";
import type { Connection } from "./connections.ts";

/** Not a `Request`: creating one, with its headers and signal, takes longer than many an answer. */
export interface RequestHead extends Pick<Request, "method" | "url" | "signal"> {
  /** `isRepeated`: whether the client has sent a header more than once. */
  readonly headers: Pick<Headers, "get"> & { isRepeated?(name: string): boolean };
}

export interface Arrival {
  readonly request: RequestHead;
  readonly url: URL;
  /** Aborted when the client has left or has the whole response. */
  readonly ended: AbortSignal;
  /** An IPv4 address, or the network of an IPv6 address. */
  readonly peer: string;
  readonly address: string;
}

export interface Reply {
  readonly response: Response;
  /** Gets each part of the body before it is sent, then null; no null if the client disconnects. */
  watch?(part: Uint8Array | null): void;
}

export interface Admission {
  /** Whether it is answered even when no other request is, because it needs no token. */
  readonly isPublic: boolean;
  /** Whether its connection gives way to others, until the client shows the token. */
  readonly isStranger?: boolean;
  /** Does not throw. */
  answer(body: Uint8Array<ArrayBuffer> | undefined): Promise<Reply>;
}

/** Answers a request on its headers alone, or admits its body. It does not throw. */
export type Answerer = (arrival: Arrival) => Promise<Reply | Admission>;

export type RefusalCounter = (status: number, cause?: "connections") => void;

type Deadlines = ReturnType<typeof openDeadlines>;

interface ExchangeContext {
  readonly scheme: string;
  readonly deadlines: Deadlines;
  readonly answerer: Promise<Answerer>;
  readonly refused: RefusalCounter;
  readBody(incoming: IncomingMessage, bytesBefore: number): Promise<Body>;
}

/** A client that does not read as much in the time for a stall is cut off. */
const SLICE = 32_768;

/** `waits` says that the client sends its body only when it is asked to. */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  connection: Connection,
  context: ExchangeContext,
  { ended, waits }: { readonly ended: AbortSignal; readonly waits: boolean },
): Promise<void> {
  const { answerer, refused, readBody, deadlines } = context;
  const { bytesRead } = incoming.socket;
  const cut = async (reply: Reply) => {
    if (hasBody(incoming)) closeGently(incoming);
    outgoing.setHeader("connection", "close");
    await send(reply, outgoing, ended, deadlines);
  };
  const refuse = async (status: number, text: string, cause?: "connections") => {
    refused(status, cause);
    const headers = { "content-length": String(text.length) };
    await cut({ response: new Response(text, { status, headers }) });
  };
  const { url = "/", headers: { host = "localhost" } } = incoming;
  if (url.length > LIMITS.listener.urlLength) {
    return await refuse(414, `URL longer than ${LIMITS.listener.urlLength} bytes\n`);
  }
  if (incoming.rawHeaders.length > 2 * LIMITS.listener.headers) {
    return await refuse(431, `More than ${LIMITS.listener.headers} headers\n`);
  }
  // `//elsewhere/path` is a path here.
  const address = url.startsWith("/") ? URL.parse(`${context.scheme}://${host}${url}`) : URL.parse(url);
  if (address === null) return await refuse(400, "Invalid URL or Host header\n");
  const request = headOf(incoming, address, ended);
  const answer = await answerer;
  // The client may have disconnected while there was no answerer.
  if (ended.aborted) return;
  const from = incoming.socket.remoteAddress ?? "";
  const admission = await answer({ request, url: address, ended, peer: connection.client, address: from });
  if ("response" in admission) return await cut(admission);
  if (connection.isSpare && !admission.isPublic) {
    return await refuse(
      503,
      "Limit of connections reached (--http-connections, --http-client-connections)\n",
      "connections",
    );
  }
  connection.isKnown ||= !admission.isPublic && !admission.isStranger;
  if (waits) outgoing.writeContinue();
  const body = await readBody(incoming, bytesRead);
  if (ended.aborted) return;
  if ("problem" in body) return await refuse(body.status, body.problem);
  let reply: Reply;
  {
    using read = body;
    reply = await admission.answer(read.bytes.length === 0 ? undefined : read.bytes);
  }
  await send(reply, outgoing, ended, deadlines);
}

function headOf(
  { method = "GET", headers, rawHeaders }: IncomingMessage,
  { href }: URL,
  signal: AbortSignal,
) {
  const get = (name: string) => {
    const value = headers[name.toLowerCase()] ?? null;
    return Array.isArray(value) ? value.join(", ") : value;
  };
  // Names and values in turn. Of some headers, `headers` has only the first.
  const isRepeated = (name: string) =>
    rawHeaders.filter((word, at) => at % 2 === 0 && word.toLowerCase() === name.toLowerCase()).length > 1;
  return { method, url: href, headers: { get, isRepeated }, signal, body: null };
}

function hasBody({ headers, complete }: IncomingMessage): boolean {
  return !complete &&
    (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);
}

export function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LIMITS.listener.lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

/** Closed at once, with unread bytes, the connection would be reset and the response could be lost. */
function closeGently(incoming: IncomingMessage): void {
  const { socket } = incoming;
  // A body that nobody has begun to read would be read to its end by Node, unseen.
  incoming.read(0);
  socket.destroySoon = () => {
    destroyLater(socket);
    let left = LIMITS.listener.lingerBytes;
    incoming.on("data", (part: Uint8Array) => {
      left -= part.length;
      if (left < 0) socket.destroy();
    });
    incoming.once("end", () => socket.destroy());
    socket.end();
  };
}

async function send(
  { response, watch = () => {} }: Reply,
  outgoing: ServerResponse,
  ended: AbortSignal,
  deadlines: Deadlines,
): Promise<void> {
  // Whether the connection is kept alive is for Node to decide.
  response.headers.delete("connection");
  const headers = Object.fromEntries(response.headers);
  const untilSent = async (wait: (done: () => void) => void) => {
    const sent = Promise.withResolvers<void>();
    const cancel = onAbort(ended, sent.resolve);
    using _stall = deadlines.begin(() => void outgoing.destroy());
    wait(sent.resolve);
    await sent.promise;
    cancel();
  };
  const end = (bytes?: Uint8Array) => untilSent((done) => outgoing.end(bytes, done));
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length && !ended.aborted; at += SLICE) {
      if (outgoing.write(bytes.subarray(at, at + SLICE))) continue;
      await untilSent((done) => outgoing.once("drain", done));
    }
  };
  // JSON goes out with its headers, in one piece if it is short. To ask for `body` would make it a stream.
  if (/\bjson\b/.test(headers["content-type"] ?? "")) {
    const whole = await response.bytes();
    if (ended.aborted) return;
    watch(whole);
    watch(null);
    outgoing.writeHead(response.status, { ...headers, "content-length": String(whole.length) });
    const isOnePiece = whole.length <= SLICE;
    if (!isOnePiece) await write(whole);
    if (!ended.aborted) await end(isOnePiece ? whole : undefined);
    return;
  }
  outgoing.writeHead(response.status, headers);
  const reader = response.body?.getReader();
  if (reader !== undefined) {
    const cancel = onAbort(ended, () => void reader.cancel().catch(() => {}));
    // The headers of a stream are sent before it has any content.
    outgoing.flushHeaders();
    for (let part = await reader.read(); !part.done && !ended.aborted; part = await reader.read()) {
      watch(part.value);
      await write(part.value);
    }
    cancel();
  }
  if (ended.aborted) return;
  watch(null);
  await end();
}

/** A body uses the common memory until it was answered. */
type Body =
  | ({ readonly bytes: Uint8Array<ArrayBuffer> } & Disposable)
  | { readonly status: 400 | 408 | 413 | 503; readonly problem: string };

const SMALL = 16_384;
/** What each part of a body costs besides its bytes. */
const PART = 128;
/** Enough for chunks of a few bytes. */
const FRAMING = 65_536;

export function openBodies(
  { maxBody, stallMs }: { readonly maxBody: number; readonly stallMs: number },
  deadlines: Deadlines,
) {
  let used = 0;
  let favoured: IncomingMessage | undefined;
  const waiting = new Map<IncomingMessage, () => void>();
  const wake = () => {
    for (const proceed of [...waiting.values()]) {
      if (used > LIMITS.listener.allBodiesBytes && favoured !== undefined) return;
      proceed();
    }
  };

  /** `bytesBefore` came over its connection before its request. */
  return (incoming: IncomingMessage, bytesBefore: number): Promise<Body> => {
    const { promise, resolve } = Promise.withResolvers<Body>();
    const { socket } = incoming;
    const parts: Uint8Array[] = [];
    let size = 0;
    let held = 0;
    const release = () => {
      used -= held;
      held = 0;
      waiting.delete(incoming);
      if (favoured === incoming) favoured = undefined;
      wake();
    };
    const stop = (status: 400 | 408 | 413 | 503, problem: string) => {
      finish();
      parts.length = 0;
      release();
      resolve({ status, problem });
    };
    const late = () => {
      const stalled = `Request body stalled: no data for ${stallMs / 1_000} s (--http-stall)\n`;
      if (!waiting.has(incoming)) return stop(408, stalled);
      const size = `${LIMITS.listener.allBodiesBytes >> 20} MB`;
      stop(503, `Limit of ${size} of request bodies at a time reached: try again\n`);
    };
    const proceed = () => {
      waiting.delete(incoming);
      if (used > LIMITS.listener.allBodiesBytes) favoured = incoming;
      stall.restart();
      incoming.resume();
    };
    const gone = () => stop(400, "Incomplete request\n");
    const onData = (part: Uint8Array) => {
      stall.restart();
      size += part.length;
      if (size > maxBody) return stop(413, tooLarge(maxBody));
      if (socket.bytesRead - bytesBefore > 8 * size + FRAMING) {
        return stop(400, "Chunk extensions too large\n");
      }
      held += part.length + PART;
      used += part.length + PART;
      // A few bytes must not keep the buffer in memory that they arrived in.
      parts.push(part.buffer.byteLength > 2 * part.length ? new Uint8Array(part) : part);
      if (held <= SMALL || used <= LIMITS.listener.allBodiesBytes || favoured === incoming) return;
      incoming.pause();
      waiting.set(incoming, proceed);
      wake();
    };
    const onEnd = () => {
      finish();
      resolve({ bytes: joinBytes(parts) as Uint8Array<ArrayBuffer>, [Symbol.dispose]: release });
    };
    const finish = () => {
      stall[Symbol.dispose]();
      incoming.off("data", onData).off("end", onEnd).off("close", gone).off("error", gone);
      incoming.pause();
    };
    const stall = deadlines.begin(late);
    if (Number(incoming.headers["content-length"] ?? 0) > maxBody) stop(413, tooLarge(maxBody));
    else incoming.on("data", onData).on("end", onEnd).on("close", gone).on("error", gone);
    return promise;
  };
}

function tooLarge(maxBody: number): string {
  return `Request body larger than ${maxBody} bytes (--http-body)\n`;
}

/** The part of a deadline by which a timer ends late where we were busy. */
const BUSY = 1 / 4;

/** A timer for each deadline would take a fortieth of the time of a request. */
export function openDeadlines(ms: number) {
  /** The earliest first: one that restarts becomes the last. */
  const ends = new Map<{ readonly late: () => void }, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = 0;
  const watch = () => {
    timer = undefined;
    // While we ourselves were busy, nobody could send or read.
    if (performance.now() - due > BUSY * ms) {
      for (const deadline of ends.keys()) ends.set(deadline, performance.now() + ms);
    }
    for (const [deadline, end] of ends) {
      const left = end - performance.now();
      if (left > 0) return plan(left);
      ends.delete(deadline);
      deadline.late();
    }
  };
  const plan = (wait: number) => {
    if (timer !== undefined) return;
    due = performance.now() + wait;
    timer = setTimeout(watch, wait);
  };
  return {
    begin: (late: () => void) => {
      const deadline = { late };
      const stop = () => void ends.delete(deadline);
      const restart = () => {
        stop();
        ends.set(deadline, performance.now() + ms);
        plan(ms);
      };
      restart();
      return { restart, [Symbol.dispose]: stop };
    },
    [Symbol.dispose]: (): void => {
      ends.clear();
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
