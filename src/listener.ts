/**
 * The socket that HTTP clients connect to: requests in, responses out, within limits.
 *
 * It is opened before the rights are dropped, so that a program that serves HTTP keeps no right to use the network;
 * what answers is loaded afterwards. Node's server and not `Deno.serve`, because that one waits for headers without
 * end and does not notice, while a response is being made, that the client has gone.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Config } from "./config/mod.ts";
import { BmadError, fail } from "./errors.ts";

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

/** A socket that is open. */
export interface Listener {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Says who answers. Until then, requests wait. */
  answerWith(answerer: Answerer): void;
  /** Takes no more connections, waits for what is being answered at most so long, then ends everything. */
  close(graceMs: number): Promise<void>;
}

/** Begins to listen as a configuration says, or fails with what to change. */
export async function listenFor(
  { settings, provenance }: Config,
  { readSettings }: { readSettings(path: string, options: { readonly links: boolean }): string | undefined },
): Promise<Listener> {
  const { http: { host, port } = { host: "", port: 0 }, tlsCert, tlsKey } = settings;
  const refuse = (setting: "http" | "tlsCert" | "tlsKey", value: string, wanted: string): never =>
    fail({ code: "invalid-config", setting, value, source: provenance[setting], wanted });
  const read = (setting: "tlsCert" | "tlsKey", path: string): string =>
    readSettings(path, { links: true }) ?? refuse(setting, path, "there is no such file");
  try {
    return await listen({
      host,
      port,
      tls: tlsCert === undefined || tlsKey === undefined
        ? undefined
        : { cert: read("tlsCert", tlsCert), key: read("tlsKey", tlsKey) },
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

/** Begins to listen, or rejects with the system's error. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, tls, maxBody, headerTimeout } = options;
  const scheme = tls === undefined ? "http" : "https";
  const answerer = Promise.withResolvers<Answerer>();
  const underWay = new Set<Promise<void>>();
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Ends when the client has gone and when it has got everything, whichever comes first.
    const ended = new AbortController();
    outgoing.once("close", () => ended.abort());
    const work = exchange(incoming, outgoing, scheme, maxBody, answerer.promise, ended.signal)
      .catch(() => void outgoing.destroy()).finally(() => {
        ended.abort();
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
    answerWith: answerer.resolve,
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

/** One request and its response. */
async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  scheme: string,
  maxBody: number,
  answerer: Promise<Answerer>,
  ended: AbortSignal,
): Promise<void> {
  const body = await readBody(incoming, maxBody);
  const url = URL.parse(incoming.url ?? "/", `${scheme}://${incoming.headers.host ?? "localhost"}`);
  if (body === "too large" || url === null) {
    // The rest of what the client sends is not waited for.
    outgoing.setHeader("connection", "close");
    return await send(
      body === "too large"
        ? new Response(`A request may have at most ${maxBody} bytes\n`, { status: 413 })
        : new Response("The request names no address\n", { status: 400 }),
      outgoing,
      ended,
    );
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  }
  const { method } = incoming;
  const request = new Request(url, { method, headers, signal: ended });
  const answer = await answerer;
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
    const stop = () => void reader.cancel().catch(() => {});
    gone.addEventListener("abort", stop);
    // The headers of a stream go out before there is anything in it.
    outgoing.flushHeaders();
    for (let part = await reader.read(); !part.done && !gone.aborted; part = await reader.read()) {
      if (!outgoing.write(part.value)) await settled(gone, (done) => outgoing.once("drain", done));
    }
    gone.removeEventListener("abort", stop);
  }
  if (!gone.aborted) await settled(gone, (done) => outgoing.end(done));
}

/** Settles when the client has taken what it was sent, or has gone. */
function settled(gone: AbortSignal, wait: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      gone.removeEventListener("abort", done);
      resolve();
    };
    gone.addEventListener("abort", done);
    wait(done);
  });
}
