/**
 * The program over HTTP, and the official clients of both eras that speak to it.
 */
import { Client as ModernClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Era } from "./client.ts";
import { type ProgramOptions, startRaw } from "./program.ts";

/** A program that listens. */
export interface HttpProgram extends AsyncDisposable {
  /** Where it listens, without a path: `http://127.0.0.1:41234`. */
  readonly url: string;
  stderr(): string;
  readonly pid: number;
  signal(signal: Deno.Signal): void;
  readonly exit: Promise<{ readonly code: number; readonly ms: number }>;
}

/** Starts the program on a free port, or on the address that the arguments name. */
export async function startHttp(
  args: readonly string[] = [],
  options: ProgramOptions = {},
): Promise<HttpProgram> {
  const address = args.includes("--http") ? [] : ["--http", "0"];
  const program = await startRaw(["serve", ...address, ...args], options);
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

// deno-lint-ignore no-explicit-any
type Json = any;

/** A client that is connected over HTTP. */
export interface HttpClient extends AsyncDisposable {
  // deno-lint-ignore no-explicit-any
  readonly client: any;
}

/** Connects the official client of an era. */
export async function connectHttp(
  era: Era,
  url: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly capabilities?: Json } = {},
): Promise<HttpClient> {
  const info = { name: "bmad-mcp-tests", version: "1.0.0" };
  const capabilities = options.capabilities ?? {};
  const requestInit = { headers: { ...options.headers } };
  const client: Json = era === "2025"
    ? new LegacyClient(info, { capabilities })
    : new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities });
  const transport: Json = era === "2025"
    ? new LegacyTransport(new URL(url), { requestInit })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit });
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
