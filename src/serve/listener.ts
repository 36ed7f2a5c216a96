/**
 * The socket that HTTP clients connect to: requests in, responses out, within limits.
 *
 * It is opened before the rights are dropped, so that a program that serves HTTP keeps no right to use the network;
 * what answers is loaded afterwards. Node's server and not `Deno.serve`, because that one waits for headers without
 * end and does not notice, while a response is being made, that the client has gone.
 */
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { onAbort } from "../base/work.ts";
import { BmadError, fail } from "../base/errors.ts";

/** Where and how to listen. */
export interface ListenOptions {
  /** An address of this machine, or a name for one: `127.0.0.1`, `localhost`, `::`. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Certificate and key, both as PEM texts; without them the connection is not encrypted. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The most bytes that a request may bring. */
  readonly maxBody: number;
  /** How many milliseconds a client may take for the headers of a request, and as many again for its body. */
  readonly headerTimeout: number;
}

/** One request, with its body read. */
export interface Arrival {
  /** Without its body. */
  readonly request: Request;
  /** Tells when the client has gone, or has got the whole answer. The request's own signal may be forgotten early. */
  readonly ended: AbortSignal;
  /** Undefined when there was none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** The address that it came from. */
  readonly peer: string;
}

/** What answers requests. It does not throw. */
export type Answerer = (arrival: Arrival) => Promise<Response>;

/** Is told, by its status, of a request that was refused before it was one: too slow, too large or no HTTP at all. */
export type RefusalCounter = (status: number) => void;

/** A socket that is open. */
export interface Listener {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Says who answers, and who counts what never gets so far. Until then, requests wait. */
  answerWith(answer: Answerer, count?: RefusalCounter): void;
  /** Takes no more connections, waits for what is being answered at most so long, then ends everything. */
  close(graceMs: number): Promise<void>;
}

/** The settings that say where and how to listen, and where each came from. */
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

/** Begins to listen as a configuration says, or fails with what to change. */
export async function listenFor(
  { settings, provenance }: HttpChoices,
  { readSettings }: { readSettings(path: string, options: { readonly links: boolean }): string | undefined },
): Promise<Listener> {
  const { http: { host, port } = { host: "", port: 0 }, tlsCert, tlsKey } = settings;
  const refuse: Refuse = (setting, value, wanted) =>
    fail({ code: "invalid-config", setting, value, source: provenance[setting], problem: wanted });
  const read = (setting: "tlsCert" | "tlsKey", path: string): string =>
    readSettings(path, { links: true }) ?? refuse(setting, path, "there is no such file");
  const pairOf = async (certFile: string, keyFile: string) => {
    const pair = { cert: read("tlsCert", certFile), key: read("tlsKey", keyFile) };
    await checkPair(
      pair,
      (setting, wanted) => refuse(setting, setting === "tlsCert" ? certFile : keyFile, wanted),
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
    const wanted = isTaken ? "another program listens there: choose another port" : error.message;
    return refuse("http", `${host}:${port}`, wanted);
  }
}

type Refuse = (setting: "http" | "tlsCert" | "tlsKey", value: string, wanted: string) => never;

/** Checks that a certificate and a key are such and belong together: else every connection would fail, silently. */
async function checkPair(
  { cert, key }: NonNullable<ListenOptions["tls"]>,
  refuse: (setting: "tlsCert" | "tlsKey", wanted: string) => never,
): Promise<void> {
  const { createPrivateKey, X509Certificate } = await import("node:crypto");
  const made = <T>(make: () => T): T | undefined => {
    try {
      return make();
    } catch {
      return undefined;
    }
  };
  const certificate = made(() => new X509Certificate(cert)) ??
    refuse("tlsCert", "it holds no certificate as PEM (-----BEGIN CERTIFICATE-----)");
  const own = made(() => createPrivateKey(key)) ??
    refuse("tlsKey", "it holds no private key without a password as PEM (-----BEGIN PRIVATE KEY-----)");
  if (!certificate.checkPrivateKey(own)) refuse("tlsKey", "the key does not belong to the certificate");
}

/** Why a request ends; made once, as an error of its own for each would cost as much as a small answer. */
const OVER = new DOMException("The exchange is over", "AbortError");

/** Begins to listen, or rejects with the system's error. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, tls, maxBody, headerTimeout } = options;
  const scheme = tls === undefined ? "http" : "https";
  const answerer = Promise.withResolvers<Answerer>();
  let count: RefusalCounter = () => {};
  const underWay = new Set<Promise<void>>();
  const refused: RefusalCounter = (status) => count(status);
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Ends when the client has gone and when it has got everything, whichever comes first.
    const ended = new AbortController();
    outgoing.once("close", () => ended.abort(OVER));
    const work = exchange(
      incoming,
      outgoing,
      { scheme, maxBody, answerer: answerer.promise, refused },
      ended.signal,
    )
      .catch(() => void outgoing.destroy()).finally(() => {
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
    // Who hangs up has asked for nothing that could be refused, and would not hear of it.
    if (HUNG_UP.has(error.code) || !socket.writable) return void socket.destroy();
    const { status, sentence } = complaintAbout(error.code, headerTimeout);
    refused(status);
    // Into an answer that is on its way nothing can be written; this is how Node itself looks for one.
    const { _httpMessage: answer } = socket as { readonly _httpMessage?: ServerResponse };
    if (answer?.headersSent) return void socket.destroy();
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
        `Content-Length: ${sentence.length}\r\n\r\n${sentence}`,
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
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(patience.resolve, graceMs);
      await Promise.race([Promise.all(underWay), patience.promise]);
      clearTimeout(timer);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What the system says of a connection that its client has ended. */
const HUNG_UP: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);

/** What to say to bytes that make no request. */
function complaintAbout(
  code: string | undefined,
  headerTimeout: number,
): { readonly status: 400 | 408 | 431; readonly sentence: string } {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const seconds = headerTimeout / 1_000;
    return {
      status: 408,
      sentence:
        `The headers of a request may take ${seconds} s and its body as long again (--http-headers)\n`,
    };
  }
  return code === "HPE_HEADER_OVERFLOW"
    ? { status: 431, sentence: "The headers of a request may have at most 16 KB\n" }
    : { status: 400, sentence: "This is no HTTP request\n" };
}

/** What all exchanges have in common. */
interface Exchanging {
  readonly scheme: string;
  readonly maxBody: number;
  readonly answerer: Promise<Answerer>;
  readonly refused: RefusalCounter;
}

/** One request and its response. */
async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { scheme, maxBody, answerer, refused }: Exchanging,
  ended: AbortSignal,
): Promise<void> {
  const body = await readBody(incoming, maxBody);
  const url = URL.parse(incoming.url ?? "/", `${scheme}://${incoming.headers.host ?? "localhost"}`);
  if (body === "too large" || url === null) {
    // The rest of what the client sends is not waited for.
    outgoing.setHeader("connection", "close");
    const refusal = body === "too large"
      ? new Response(`A request may have at most ${maxBody} bytes (--http-body)\n`, { status: 413 })
      : new Response("The request names no address\n", { status: 400 });
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
  // Who did not wait until there was an answerer asks for nothing any more.
  if (ended.aborted) return;
  const peer = incoming.socket.remoteAddress ?? "unknown";
  await send(
    await answer({ request, ended, body: body.length === 0 ? undefined : body, peer }),
    outgoing,
    ended,
  );
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
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

async function send(response: Response, outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  // Whether the connection goes on is between the client and the server that holds it.
  response.headers.delete("connection");
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (reader !== undefined) {
    const forget = onAbort(gone, () => void reader.cancel().catch(() => {}));
    // The headers of a stream go out before there is anything in it.
    outgoing.flushHeaders();
    for (let part = await reader.read(); !part.done && !gone.aborted; part = await reader.read()) {
      if (!outgoing.write(part.value)) await settled(gone, (done) => outgoing.once("drain", done));
    }
    forget();
  }
  if (!gone.aborted) await settled(gone, (done) => outgoing.end(done));
}

/** Settles when the client has taken what it was sent, or has gone. */
async function settled(gone: AbortSignal, wait: (done: () => void) => void): Promise<void> {
  const done = Promise.withResolvers<void>();
  const forget = onAbort(gone, done.resolve);
  wait(done.resolve);
  await done.promise;
  forget();
}
