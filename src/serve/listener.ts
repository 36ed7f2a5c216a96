/**
 * The socket that HTTP clients connect to: requests in, responses out, within limits.
 *
 * It is opened before the rights are dropped, so that the process keeps no right to use the network; the code that
 * answers is loaded afterwards. It is Node's server and not `Deno.serve`, which waits for headers without limit and does
 * not notice that a client disconnects while its response is being prepared.
 */
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { joinBytes } from "../base/lines.ts";
import { onAbort, pause } from "../base/work.ts";
import { BmadError, fail } from "../base/errors.ts";

/** Where and how to listen. */
export interface ListenOptions {
  /** An address of this machine, or a name for one: `127.0.0.1`, `localhost`, `::`. */
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Certificate and key as PEM texts; without them the connection is not encrypted. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The most bytes that the body of a request may have. */
  readonly maxBody: number;
  /** How many milliseconds a client may take for the headers of a request, and again for its body. */
  readonly headerTimeout: number;
}

/** One request, with its body read. */
export interface Arrival {
  /** Without its body. */
  readonly request: Request;
  /** Aborted when the client has disconnected or received the whole response; the request's own signal may be dropped. */
  readonly ended: AbortSignal;
  /** Undefined if there was none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** The client's address. */
  readonly peer: string;
}

/** Answers requests. It does not throw. */
export type Answerer = (arrival: Arrival) => Promise<Response>;

/** Called with the status of a request that was refused before it reached the answerer. */
export type RefusalCounter = (status: number) => void;

/** An open socket. */
export interface Listener {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Sets who answers. Until then, requests wait. */
  answerWith(answer: Answerer, count?: RefusalCounter): void;
  /** Accepts no more connections, waits for responses under way for at most so long, then closes everything. */
  close(graceMs: number): Promise<void>;
}

/** The settings of the listener, and where each came from. */
export interface HttpChoices {
  /** The values. */
  readonly settings: {
    readonly http?: Pick<ListenOptions, "host" | "port">;
    readonly tlsCert?: string;
    readonly tlsKey?: string;
    readonly httpBody: number;
    readonly httpHeaders: number;
  };
  /** Such as `--http`. */
  readonly provenance: Readonly<Record<"http" | "tlsCert" | "tlsKey", string>>;
}

/** Listens as a configuration says, or fails with what to change. */
export async function listenFor(
  { settings, provenance }: HttpChoices,
  { readSettings }: { readSettings(path: string, options: { readonly links: boolean }): string | undefined },
): Promise<Listener> {
  const { http: { host, port } = { host: "", port: 0 }, tlsCert, tlsKey } = settings;
  const reject: Reject = (setting, value, problem) =>
    fail({ code: "invalid-config", setting, value, source: provenance[setting], problem });
  const read = (setting: "tlsCert" | "tlsKey", path: string): string =>
    readSettings(path, { links: true }) ?? reject(setting, path, "file not found");
  const pairOf = async (certFile: string, keyFile: string) => {
    const pair = { cert: read("tlsCert", certFile), key: read("tlsKey", keyFile) };
    await checkPair(
      pair,
      (setting, problem) => reject(setting, setting === "tlsCert" ? certFile : keyFile, problem),
    );
    return pair;
  };
  try {
    return await listen({
      host,
      port,
      tls: tlsCert === undefined || tlsKey === undefined ? undefined : await pairOf(tlsCert, tlsKey),
      maxBody: settings.httpBody,
      headerTimeout: settings.httpHeaders * 1_000,
    });
  } catch (error) {
    if (error instanceof BmadError || !(error instanceof Error)) throw error;
    const isTaken = "code" in error && error.code === "EADDRINUSE";
    const problem = isTaken ? "already in use by another program, choose another port" : error.message;
    return reject("http", `${host}:${port}`, problem);
  }
}

type Reject = (setting: "http" | "tlsCert" | "tlsKey", value: string, problem: string) => never;

/** Checks that certificate and key are valid and belong together; otherwise every connection would fail silently. */
async function checkPair(
  { cert, key }: NonNullable<ListenOptions["tls"]>,
  reject: (setting: "tlsCert" | "tlsKey", problem: string) => never,
): Promise<void> {
  const { createPrivateKey, X509Certificate } = await import("node:crypto");
  const parse = <T>(parser: () => T): T | undefined => {
    try {
      return parser();
    } catch {
      return undefined;
    }
  };
  const certificate = parse(() => new X509Certificate(cert)) ??
    reject("tlsCert", "expected a PEM certificate (-----BEGIN CERTIFICATE-----)");
  const privateKey = parse(() => createPrivateKey(key)) ??
    reject("tlsKey", "expected a PEM private key without a password (-----BEGIN PRIVATE KEY-----)");
  if (!certificate.checkPrivateKey(privateKey)) reject("tlsKey", "the key does not match the certificate");
}

/** The reason why `Arrival.ended` is aborted. One for all: creating an error costs as much as a small response. */
const OVER = new DOMException("The exchange is over", "AbortError");

/** Listens, or rejects with the system's error. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, tls, maxBody, headerTimeout } = options;
  const scheme = tls === undefined ? "http" : "https";
  const answerer = Promise.withResolvers<Answerer>();
  let count: RefusalCounter = () => {};
  const refused: RefusalCounter = (status) => count(status);
  const underWay = new Set<Promise<void>>();
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const ended = new AbortController();
    outgoing.once("close", () => ended.abort(OVER));
    const context = { scheme, maxBody, answerer: answerer.promise, refused };
    const work = exchange(incoming, outgoing, context, ended.signal)
      .catch(() => void outgoing.destroy())
      .finally(() => {
        ended.abort(OVER);
        underWay.delete(work);
      });
    underWay.add(work);
  };
  const limits = {
    headersTimeout: headerTimeout,
    requestTimeout: 2 * headerTimeout,
    connectionsCheckingInterval: Math.min(1_000, headerTimeout),
  };
  const server = tls === undefined
    ? createServer(limits, handle)
    : createTlsServer({ ...limits, ...tls }, handle);
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
    // A client that hangs up was not refused anything.
    if (HUNG_UP.has(error.code) || !socket.writable) return void socket.destroy();
    const { status, text } = refusalFor(error.code, headerTimeout);
    refused(status);
    // A response under way cannot be interrupted by another; Node itself detects one this way.
    const { _httpMessage: response } = socket as { readonly _httpMessage?: ServerResponse };
    if (response?.headersSent) return void socket.destroy();
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
        `Content-Length: ${text.length}\r\n\r\n${text}`,
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const bound = server.address();
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `${scheme}://${name}:${typeof bound === "object" ? bound?.port : port}`,
    answerWith: (answer, counter = () => {}) => {
      count = counter;
      answerer.resolve(answer);
    },
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const done = new AbortController();
      await Promise.race([Promise.all(underWay), pause(graceMs, done.signal)]);
      done.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The system's codes for a connection that its client has closed. */
const HUNG_UP: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);

/** The response to bytes that are not a request. */
function refusalFor(
  code: string | undefined,
  headerTimeout: number,
): { readonly status: 400 | 408 | 431; readonly text: string } {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        text:
          `Request too slow: its headers may take ${headerTimeout / 1_000} s, and its body as long again ` +
          "(--http-headers)\n",
      };
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, text: "Headers larger than 16 KB\n" };
    default:
      return { status: 400, text: "Not an HTTP request\n" };
  }
}

/** What all exchanges have in common. */
interface ExchangeContext {
  readonly scheme: string;
  readonly maxBody: number;
  readonly answerer: Promise<Answerer>;
  readonly refused: RefusalCounter;
}

/** One request and its response. */
async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { scheme, maxBody, answerer, refused }: ExchangeContext,
  ended: AbortSignal,
): Promise<void> {
  const body = await readBody(incoming, maxBody);
  const url = URL.parse(incoming.url ?? "/", `${scheme}://${incoming.headers.host ?? "localhost"}`);
  if (body === "too large" || url === null) {
    // Whatever else the client sends is not waited for.
    outgoing.setHeader("connection", "close");
    const refusal = body === "too large"
      ? new Response(`Request body larger than ${maxBody} bytes (--http-body)\n`, { status: 413 })
      : new Response("Invalid URL or Host header\n", { status: 400 });
    refused(refusal.status);
    return await send(refusal, outgoing, ended);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  }
  const { method } = incoming;
  const request = new Request(url, { method, headers, signal: ended });
  const answer = await answerer;
  // The client may have disconnected while there was no answerer.
  if (ended.aborted) return;
  const peer = incoming.socket.remoteAddress ?? "unknown";
  const arrival = { request, ended, body: body.length === 0 ? undefined : body, peer };
  await send(await answer(arrival), outgoing, ended);
}

async function readBody(
  incoming: IncomingMessage,
  maxBody: number,
): Promise<Uint8Array<ArrayBuffer> | "too large"> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBody) return "too large";
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxBody) return "too large";
    parts.push(part);
  }
  return joinBytes(parts) as Uint8Array<ArrayBuffer>;
}

async function send(response: Response, outgoing: ServerResponse, ended: AbortSignal): Promise<void> {
  // Whether the connection is kept alive is for Node to decide.
  response.headers.delete("connection");
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (reader !== undefined) {
    const cancel = onAbort(ended, () => void reader.cancel().catch(() => {}));
    // The headers of a stream are sent before it has any content.
    outgoing.flushHeaders();
    for (let part = await reader.read(); !part.done && !ended.aborted; part = await reader.read()) {
      if (!outgoing.write(part.value)) await untilSent(ended, (done) => outgoing.once("drain", done));
    }
    cancel();
  }
  if (!ended.aborted) await untilSent(ended, (done) => outgoing.end(done));
}

/** Waits for a callback, or until the client has disconnected. */
async function untilSent(ended: AbortSignal, wait: (done: () => void) => void): Promise<void> {
  const sent = Promise.withResolvers<void>();
  const cancel = onAbort(ended, sent.resolve);
  wait(sent.resolve);
  await sent.promise;
  cancel();
}
