/** The program over HTTP, and the official clients of both eras that speak to it. */
import { Client as ModernClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readUserToken } from "../../src/process/user_token.ts";
import type { Era } from "./client.ts";
import { type ProgramOptions, startRaw } from "./program.ts";
import { withTree } from "./trees.ts";

export interface HttpProgram extends AsyncDisposable {
  readonly url: string;
  stderr(): string;
  readonly pid: number;
  signal(signal: Deno.Signal): void;
  readonly exit: Promise<{ readonly code: number; readonly ms: number }>;
}

/**
 * Starts the program on a free port, or on the address that the arguments name. Without a token of the test's choice it
 * needs none, unless the user's own is asked for.
 */
export async function startHttp(
  args: readonly string[] = [],
  { ownToken = false, ...options }: ProgramOptions & { readonly ownToken?: boolean } = {},
): Promise<HttpProgram> {
  const address = args.includes("--http") ? [] : ["--http", "0"];
  const open = ownToken || options.env?.["BMAD_TOKEN"] !== undefined ? [] : ["--no-token"];
  const program = await startRaw(["serve", ...address, ...open, ...args], options);
  const ended = program.exit.then(() => true);
  for (;;) {
    const [, url] = /Listening at (\S+)\/mcp /.exec(program.stderr()) ?? [];
    if (url !== undefined) {
      const stop = async () => {
        program.signal("SIGTERM");
        await program[Symbol.asyncDispose]();
      };
      return {
        url,
        stderr: program.stderr,
        pid: program.pid,
        signal: program.signal,
        exit: program.exit,
        [Symbol.asyncDispose]: async () => {
          if (await Promise.race([ended, Promise.resolve(false)])) await program[Symbol.asyncDispose]();
          else await stop();
        },
      };
    }
    if (await Promise.race([ended, pause(20)])) {
      const said = program.stderr();
      await program[Symbol.asyncDispose]();
      throw new Error(`The program ended before it listened: ${said}`);
    }
  }
}

/** The program on a project that consists of some files. */
export const withServer = (
  files: Parameters<typeof withTree>[0],
  args: readonly string[],
  check: (program: HttpProgram, dir: string) => Promise<void>,
): Promise<void> =>
  withTree(files, async (dir) => {
    await using program = await startHttp(["--project", dir, ...args]);
    await check(program, dir);
  });

/** The program with the user's own token, which is there before its start. */
export const withOwnToken = (
  args: readonly string[],
  check: (program: HttpProgram, token: string) => Promise<void>,
): Promise<void> =>
  withTree({ "state/": "" }, async (dir) => {
    const token = readUserToken(`${dir}/state/bmad-mcp`);
    const env = { XDG_STATE_HOME: `${dir}/state` };
    await using program = await startHttp(args, { env, ownToken: true });
    await check(program, token);
  });

// deno-lint-ignore no-explicit-any
type Json = any;

/** Posts a message as a client of the protocol does; a text is sent exactly as it is. */
export function post(
  url: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    ...(signal && { signal }),
    body: typeof message === "string" ? message : JSON.stringify(message),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
}

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } },
};

export async function beginSession(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const answer = await post(url, INITIALIZE, headers);
  await answer.text();
  return { ...headers, "mcp-session-id": answer.headers.get("mcp-session-id")! };
}

export function modernRequest(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  capabilities: object = {},
): readonly [message: Readonly<Record<string, unknown>>, headers: Record<string, string>] {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "0" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const name = params["name"] ?? params["uri"];
  return [{ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } }, {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  }];
}

export async function refusalOf(response: Promise<Response>): Promise<readonly [number, string]> {
  const answer = await response;
  const text = await answer.text();
  try {
    return [answer.status, JSON.parse(text).error.message];
  } catch {
    return [answer.status, text];
  }
}

/** A request over a bare socket whose response has begun and is not read any further. */
export async function beginResponse(
  program: HttpProgram,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = JSON.stringify(message);
  const all = {
    host: "localhost",
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "content-length": String(new TextEncoder().encode(body).length),
    connection: "close",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const socket = await connectTo(program);
  await socket.write(new TextEncoder().encode(["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n")));
  const chunk = new Uint8Array(1_000);
  const size = await socket.read(chunk) ?? 0;
  return {
    head: new TextDecoder().decode(chunk.subarray(0, size)),
    rest: () => readAll(socket),
    [Symbol.dispose]: () => socket.close(),
  };
}

/** What comes back over a bare socket for some lines. Without a body the request is left unfinished. */
export async function sendRaw(
  program: HttpProgram,
  lines: readonly string[],
  body?: string,
): Promise<string> {
  using socket = await connectTo(program);
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`, "", body];
  await socket.write(
    new TextEncoder().encode([...lines, ...length].join("\r\n") + (body === undefined ? "\r\n" : "")),
  );
  return await readAll(socket);
}

export function connectTo({ url }: Pick<HttpProgram, "url">): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
}

/** What comes over a socket until it is closed; a reset is an end, too. */
export async function readAll(socket: Deno.TcpConn): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(65_536);
  try {
    for (let n = await socket.read(chunk); n !== null; n = await socket.read(chunk)) {
      text += decoder.decode(chunk.subarray(0, n), { stream: true });
    }
  } catch {
    // Closed with bytes that were not read.
  }
  return text;
}

export type HttpClient = Awaited<ReturnType<typeof connectHttp>>;

export async function connectHttp(
  era: Era,
  url: string,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly capabilities?: Json;
    readonly fetch?: typeof fetch;
  } = {},
) {
  const info = { name: "bmad-mcp-tests", version: "1.0.0" };
  const capabilities = options.capabilities ?? {};
  const requestInit = { headers: { ...options.headers } };
  const client: Json = era === "2025"
    ? new LegacyClient(info, { capabilities })
    : new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities });
  const transport: Json = era === "2025"
    ? new LegacyTransport(new URL(url), { requestInit, fetch: options.fetch })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: options.fetch });
  await client.connect(transport);
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      if (era === "2025") await transport.terminateSession();
      await client.close();
    },
  };
}

function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
