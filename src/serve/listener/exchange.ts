/**
 * One request and its response, over Node's server: first the headers are judged, then the body is read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { onAbort } from "../../base/work.ts";
import type { Body } from "./body.ts";
import type { Connection } from "./connections.ts";

/** A request whose headers have arrived. */
export interface Arrival {
  /** Without its body. */
  readonly request: Request;
  /** Aborted when the client has disconnected or received the whole response; the request's own signal may be dropped. */
  readonly ended: AbortSignal;
  /** The client: its IPv4 address, or the network of its IPv6 address. */
  readonly peer: string;
}

/** A request that was let in. */
export interface Admission {
  /** Whether anybody may send it: it says nothing about its client, and is answered when nothing else is. */
  readonly isPublic: boolean;
  /** Answers it; the body is undefined if there was none. It does not throw. */
  answer(body: Uint8Array<ArrayBuffer> | undefined): Promise<Response>;
}

/** Lets a request in, or answers it on its headers alone: its body is then never read. It does not throw. */
export type Answerer = (arrival: Arrival) => Promise<Response | Admission>;

/** Called with the status of a request that was refused without the answerer, and whether the limit of connections did it. */
export type RefusalCounter = (status: number, cause?: "connections") => void;

/** What all exchanges have in common. */
export interface ExchangeContext {
  readonly scheme: string;
  readonly stallMs: number;
  readonly answerer: Promise<Answerer>;
  readonly refused: RefusalCounter;
  readBody(incoming: IncomingMessage, bytesBefore: number): Promise<Body>;
}

const MAX_URL = 8_192;
const MAX_HEADERS = 100;

/** How long a refused client may go on sending, and how much, until it has read its response. */
export const LINGER_MS = 1_000;
const LINGER_BYTES = 65_536;

/** What is written at a time: a client that does not read as much in the time for a stall is cut off. */
const SLICE = 32_768;

/** Answers one request. `waits` says that the client sends its body only when it is asked to. */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  connection: Connection,
  context: ExchangeContext,
  { ended, waits }: { readonly ended: AbortSignal; readonly waits: boolean },
): Promise<void> {
  const { answerer, refused, readBody, stallMs } = context;
  const { bytesRead } = incoming.socket;
  const cut = async (response: Response) => {
    if (hasBody(incoming)) closeGently(incoming);
    outgoing.setHeader("connection", "close");
    await send(response, outgoing, ended, stallMs);
  };
  const refuse = async (status: number, text: string, cause?: "connections") => {
    refused(status, cause);
    await cut(new Response(text, { status, headers: { "content-length": String(text.length) } }));
  };
  const { url = "/", headers: { host = "localhost" } } = incoming;
  if (url.length > MAX_URL) return await refuse(414, `URL longer than ${MAX_URL} bytes\n`);
  if (incoming.rawHeaders.length > 2 * MAX_HEADERS) {
    return await refuse(431, `More than ${MAX_HEADERS} headers\n`);
  }
  const address = URL.parse(url, `${context.scheme}://${host}`);
  if (address === null) return await refuse(400, "Invalid URL or Host header\n");
  const request = new Request(address, {
    method: incoming.method,
    headers: headersOf(incoming),
    signal: ended,
  });
  const answer = await answerer;
  // The client may have disconnected while there was no answerer.
  if (ended.aborted) return;
  const admission = await answer({ request, ended, peer: connection.client });
  if (admission instanceof Response) return await cut(admission);
  if (connection.isSpare && !admission.isPublic) {
    return await refuse(
      503,
      "Limit of connections reached (--http-connections, --http-client-connections)\n",
      "connections",
    );
  }
  connection.isKnown ||= !admission.isPublic;
  if (waits) outgoing.writeContinue();
  const body = await readBody(incoming, bytesRead);
  if (ended.aborted) return;
  if ("problem" in body) return await refuse(body.status, body.problem);
  let response: Response;
  {
    using read = body;
    response = await admission.answer(read.bytes.length === 0 ? undefined : read.bytes);
  }
  await send(response, outgoing, ended, stallMs);
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  }
  return headers;
}

function hasBody({ headers, complete }: IncomingMessage): boolean {
  return !complete &&
    (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);
}

/**
 * Has Node close the connection in two steps. If it were closed at once, with bytes of the client still unread, the system
 * would reset it, and the client might never see its response.
 */
function closeGently(incoming: IncomingMessage): void {
  const { socket } = incoming;
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
    let left = LINGER_BYTES;
    incoming.on("data", (part: Uint8Array) => {
      left -= part.length;
      if (left < 0) socket.destroy();
    });
    incoming.once("end", () => socket.destroy());
    socket.end();
  };
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  ended: AbortSignal,
  stallMs: number,
): Promise<void> {
  // Whether the connection is kept alive is for Node to decide.
  response.headers.delete("connection");
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  const stalled = () => void outgoing.destroy();
  if (reader !== undefined) {
    const cancel = onAbort(ended, () => void reader.cancel().catch(() => {}));
    // The headers of a stream are sent before it has any content.
    outgoing.flushHeaders();
    for (let part = await reader.read(); !part.done && !ended.aborted; part = await reader.read()) {
      for (let at = 0; at < part.value.length && !ended.aborted; at += SLICE) {
        if (outgoing.write(part.value.subarray(at, at + SLICE))) continue;
        await untilSent(ended, (done) => outgoing.once("drain", done), stallMs, stalled);
      }
    }
    cancel();
  }
  if (!ended.aborted) await untilSent(ended, (done) => outgoing.end(done), stallMs, stalled);
}

/** Waits for a callback, or until the client has disconnected; after so long, it is taken for stalled. */
async function untilSent(
  ended: AbortSignal,
  wait: (done: () => void) => void,
  stallMs: number,
  stalled: () => void,
): Promise<void> {
  const sent = Promise.withResolvers<void>();
  const cancel = onAbort(ended, sent.resolve);
  const timer = setTimeout(stalled, stallMs);
  wait(sent.resolve);
  await sent.promise;
  clearTimeout(timer);
  cancel();
}
