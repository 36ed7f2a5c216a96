/** Node's: `Deno.serve` waits for headers without limit and misses clients that leave. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { attempt } from "../../base/absence.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { knowRequests, noteArrival, pause } from "../../base/work.ts";
import type { Host } from "../../process/host.ts";
import type { Config } from "../../settings/plan/mod.ts";
import { type ConnectionLimits, openConnections } from "./connections.ts";
import {
  type Answerer,
  destroyLater,
  exchange,
  openBodies,
  openDeadlines,
  type RefusalCounter,
} from "./exchange.ts";

export type { Admission, Arrival, RefusalCounter, Reply, RequestHead } from "./exchange.ts";

export interface ListenOptions extends ConnectionLimits {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly maxBody: number;
  /** In milliseconds, for the headers, and again for the body. */
  readonly headerTimeout: number;
  /** In milliseconds, without sending any of its body or reading any of its response. */
  readonly stallMs: number;
}

export interface Listener {
  readonly url: string;
  /** Requests wait until then. */
  answerWith(answer: Answerer, count?: RefusalCounter): void;
  close(graceMs: number): Promise<void>;
}

export async function listenFor(
  { settings, provenance }: Pick<Config, "settings" | "provenance">,
  { readSettings }: Pick<Host, "readSettings">,
): Promise<Listener> {
  const { http: { host, port } = { host: "", port: 0 }, tlsCert, tlsKey } = settings;
  const reject = (setting: "http" | "tlsCert" | "tlsKey", value: string, problem: string): never =>
    fail({ code: "invalid-config", setting, value, source: provenance[setting], problem });
  /** With a bad pair, every connection would fail silently. */
  const readPair = async (certFile: string, keyFile: string) => {
    const { createPrivateKey, X509Certificate } = await import("node:crypto");
    const read = (setting: "tlsCert" | "tlsKey", path: string) =>
      readSettings(path, { links: true }) ?? reject(setting, path, "file not found");
    const [cert, key] = [read("tlsCert", certFile), read("tlsKey", keyFile)];
    const certificate = attempt(() => new X509Certificate(cert)) ??
      reject("tlsCert", certFile, "expected a PEM certificate (-----BEGIN CERTIFICATE-----)");
    const privateKey = attempt(() => createPrivateKey(key)) ??
      reject(
        "tlsKey",
        keyFile,
        "expected a PEM private key without a password (-----BEGIN PRIVATE KEY-----)",
      );
    const isPair = certificate.checkPrivateKey(privateKey);
    return isPair ? { cert, key } : reject("tlsKey", keyFile, "the key does not match the certificate");
  };
  try {
    return await listen({
      host,
      port,
      tls: tlsCert === undefined || tlsKey === undefined ? undefined : await readPair(tlsCert, tlsKey),
      maxBody: settings.httpBody,
      headerTimeout: settings.httpHeaders * 1_000,
      stallMs: settings.httpStall * 1_000,
      connections: settings.httpConnections,
      clientConnections: settings.httpClientConnections,
    });
  } catch (error) {
    if (error instanceof BmadError || !(error instanceof Error)) throw error;
    const isTaken = "code" in error && error.code === "EADDRINUSE";
    const problem = isTaken
      ? "already in use, perhaps by another bmad-mcp: choose another port"
      : error.message;
    return reject("http", `${host}:${port}`, problem);
  }
}

/** For so long others give way to a request; it is known whose work goes on, so that none gives way to itself. */
const NEW_MS = 100;

/** One for all: creating an error costs as much as a small response. */
const OVER = new DOMException("The exchange is over", "AbortError");

export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, tls, headerTimeout, stallMs } = options;
  const scheme = tls === undefined ? "http" : "https";
  const answerer = Promise.withResolvers<Answerer>();
  let count: RefusalCounter = () => {};
  const refused: RefusalCounter = (status, cause) => count(status, cause);
  const underWay = new Set<Promise<void>>();
  const connections = openConnections(options, () => refused(503, "connections"));
  const deadlines = openDeadlines(stallMs);
  const readBody = openBodies(options, deadlines);
  const context = { scheme, deadlines, answerer: answerer.promise, refused, readBody };
  const asked = new AsyncLocalStorage<ReturnType<typeof noteArrival>>();
  knowRequests(() => asked.getStore());
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse, waits = false) => {
    const connection = connections.of(incoming.socket);
    if (connection === undefined) return void outgoing.destroy();
    const ended = new AbortController();
    outgoing.once("close", () => ended.abort(OVER));
    connection.busy++;
    const request = noteArrival(NEW_MS);
    const work = asked.run(
      request,
      () => exchange(incoming, outgoing, connection, context, { ended: ended.signal, waits }),
    )
      .catch(() => void outgoing.destroy())
      .finally(() => {
        request.answered();
        connection.busy--;
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
    ? createServer(limits, (incoming, outgoing) => handle(incoming, outgoing))
    : createTlsServer(
      { ...limits, ...tls, handshakeTimeout: headerTimeout },
      (incoming, outgoing) => handle(incoming, outgoing),
    );
  server.on("connection", (socket: IncomingMessage["socket"]) => connections.enter(socket));
  server.on("checkContinue", (incoming, outgoing) => handle(incoming, outgoing, true));
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
    // A client that hangs up was not refused anything, and one without encryption could not read a refusal.
    if (!IS_REFUSED.test(error.code ?? "") || !socket.writable) return void socket.destroy();
    const [status, text] = refusalFor(error.code, headerTimeout);
    refused(status);
    // A response under way cannot be interrupted by another; Node itself detects one this way.
    const { _httpMessage: response } = socket as { readonly _httpMessage?: ServerResponse };
    if (response?.headersSent) return void socket.destroy();
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
        `Content-Length: ${text.length}\r\n\r\n${text}`,
    );
    destroyLater(socket);
  });
  await once(server.listen(port, host), "listening");
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
      deadlines[Symbol.dispose]();
    },
  };
}

const IS_REFUSED = /^(?:ERR_HTTP_|HPE_)/;

function refusalFor(code: string | undefined, headerTimeout: number) {
  const seconds = headerTimeout / 1_000;
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [
        408,
        `Request too slow: its headers may take ${seconds} s, and its body as long again (--http-headers)\n`,
      ] as const;
    case "HPE_HEADER_OVERFLOW":
      return [431, "Headers larger than 16 KB\n"] as const;
    default:
      return [400, "Not an HTTP request\n"] as const;
  }
}
