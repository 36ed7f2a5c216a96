/**
 * Does the server answer? Asked over pipes in memory: a process that could start itself again would get back the rights that
 * it dropped (docs/decisions/0016-the-probe-starts-nothing.md).
 */
import type { App } from "../../app.ts";
import { encodeLine, type Fields as Message, openLineReader, parseLine } from "../../process/lines.ts";
import { type ByteSink, type ByteSource, openPipe, type Pipe } from "../../process/pipes.ts";
import { PRODUCT } from "../../base/model.ts";
import { pause } from "../../base/work.ts";

export interface Probe {
  readonly era: "2025" | "2026";
  readonly revision?: string;
  readonly tools: number;
  readonly ms: { readonly open?: number; readonly list?: number; readonly call?: number };
  readonly problem?: string;
}

export type Serve = (app: App, input: ByteSource, output: ByteSink) => { close(): Promise<void> };

const CLIENT = { name: `${PRODUCT.name}-doctor`, version: PRODUCT.version };
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const ERAS: Readonly<
  Record<Probe["era"], {
    readonly open: { readonly method: string; readonly params: Message };
    readonly then?: string;
    readonly carried: Message;
    revisionIn(result: Message): unknown;
  }>
> = {
  "2025": {
    open: {
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT },
    },
    then: "notifications/initialized",
    carried: {},
    revisionIn: ({ protocolVersion }) => protocolVersion,
  },
  "2026": {
    open: { method: "server/discover", params: { _meta: ENVELOPE } },
    carried: { _meta: ENVELOPE },
    revisionIn: ({ supportedVersions }) =>
      (supportedVersions as readonly string[] | undefined)?.find((one) => one === "2026-07-28"),
  },
};

/** Long enough for the first inventory of a very large installation. */
const TIMEOUT_MS = 30_000;

export async function probeEra(app: App, era: Probe["era"], serve: Serve): Promise<Probe> {
  const { open, then, carried, revisionIn } = ERAS[era];
  const [toServer, toClient] = [openPipe(), openPipe()];
  const connection = serve(app, toServer.source, toClient.sink);
  const client = openClient(toServer, toClient.source);
  const ms: { open?: number; list?: number; call?: number } = {};
  let revision: string | undefined;
  let tools: readonly { readonly name: string }[] = [];
  const step = async (name: keyof typeof ms, method: string, params: Message) => {
    const since = performance.now();
    const result = await client.request(method, params);
    ms[name] = performance.now() - since;
    return result;
  };
  try {
    revision = String(revisionIn(await step("open", open.method, open.params)) ?? "");
    if (revision === "") throw new Error("no protocol version in common");
    if (then !== undefined) await client.notify(then);
    tools = (await step("list", "tools/list", carried))["tools"] as typeof tools;
    const { method, params } = firstCall(tools.map(({ name }) => name));
    await step("call", method, { ...params, ...carried });
    return { era, revision, tools: tools.length, ms };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { era, ...(revision && { revision }), tools: tools.length, ms, problem };
  } finally {
    client.close();
    await connection.close();
  }
}

function firstCall(tools: readonly string[]): { readonly method: string; readonly params: Message } {
  return tools.includes("bmad")
    ? { method: "tools/call", params: { name: "bmad", arguments: { operation: "list", query: "modules" } } }
    : { method: "resources/templates/list", params: {} };
}

function openClient(input: Pipe, output: ByteSource) {
  const reader = openLineReader(output, Infinity);
  let lastId = 0;
  const send = (message: Message) => input.sink(encodeLine({ jsonrpc: "2.0", ...message }));
  const nextMessage = async (): Promise<Message> => {
    const line = await reader.next();
    if (line === undefined) throw new Error("the server closed the connection");
    reader.drop();
    return parseLine(line);
  };
  return {
    notify: (method: string) => send({ method }),
    request: async (method: string, params: Message): Promise<Message> => {
      const id = ++lastId;
      await send({ id, method, params });
      for (;;) {
        const answer = await orTimeout(nextMessage(), method);
        if (answer["id"] !== id) continue;
        const error = answer["error"] as { readonly message: string } | undefined;
        const result = answer["result"] as Message;
        if (error !== undefined) throw new Error(`${method} returned an error: ${error.message}`);
        if (result["isError"] === true) {
          throw new Error(`${method} failed: ${JSON.stringify(result["content"])}`);
        }
        return result;
      }
    },
    close: () => {
      input.end();
      reader.cancel();
    },
  };
}

async function orTimeout<T>(work: Promise<T>, method: string): Promise<T> {
  const done = new AbortController();
  const timeout = pause(TIMEOUT_MS, done.signal).then(() => {
    throw new Error(`${method} was not answered within ${TIMEOUT_MS / 1_000} s`);
  });
  // Once the work is done, the timeout no longer matters.
  timeout.catch(() => {});
  try {
    return await Promise.race([work, timeout]);
  } finally {
    done.abort();
  }
}
