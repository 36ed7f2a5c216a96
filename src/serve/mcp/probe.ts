/**
 * Does the server answer? Asked as clients ask, in both eras, without a process or a client.
 *
 * The very code that serves stdin and stdout is given streams in memory, and gets raw lines over them: the opening of
 * the era, the list of tools, one call. A process that could start itself anew would have the rights back that it
 * dropped, so none is started (docs/decisions/0016-the-probe-starts-nothing.md).
 */
import type { App } from "../../app.ts";
import { encodeLine, type Fields as Message, openLineReader, parseLine } from "../../base/lines.ts";
import { PRODUCT } from "../../base/model.ts";

/** What came of a conversation in one era. */
export interface Probe {
  /** The era, by the year of its revision: `2026`. */
  readonly era: "2025" | "2026";
  /** The revision that was agreed on, such as `2026-07-28`; missing when it did not come to that. */
  readonly revision?: string;
  /** How many tools were listed. */
  readonly tools: number;
  /** How long each step took, in milliseconds; of a step that failed there is none. */
  readonly ms: { readonly open?: number; readonly list?: number; readonly call?: number };
  /** What went wrong; missing when nothing did. */
  readonly problem?: string;
}

/** Serves an app over a pair of streams; returns how to end that. */
export type Serve = (
  app: App,
  input: ReadableStream<Uint8Array>,
  output: WritableStream<Uint8Array>,
) => { close(): Promise<void> };

const CLIENT = { name: `${PRODUCT.name}-doctor`, version: PRODUCT.version };
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** How a conversation of each era begins, and what all its requests carry. */
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

/** Long enough for the first reading of a very large installation. */
const PATIENCE_MS = 30_000;

/** Talks to the server in one era. */
export async function probeEra(app: App, era: Probe["era"], serve: Serve): Promise<Probe> {
  const { open, then, carried, revisionIn } = ERAS[era];
  const [toServer, toClient] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const connection = serve(app, toServer.readable, toClient.writable);
  const talk = openTalk(toServer.writable, toClient.readable);
  const ms: { open?: number; list?: number; call?: number } = {};
  let revision: string | undefined;
  let tools: readonly { readonly name: string }[] = [];
  const step = async (name: keyof typeof ms, method: string, params: Message) => {
    const since = performance.now();
    const result = await talk.ask(method, params);
    ms[name] = performance.now() - since;
    return result;
  };
  try {
    revision = String(revisionIn(await step("open", open.method, open.params)) ?? "");
    if (revision === "") throw new Error("no revision of the protocol was agreed on");
    if (then !== undefined) await talk.tell(then);
    tools = (await step("list", "tools/list", carried))["tools"] as typeof tools;
    const { method, params } = firstCall(tools.map(({ name }) => name));
    await step("call", method, { ...params, ...carried });
    return { era, revision, tools: tools.length, ms };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { era, ...(revision && { revision }), tools: tools.length, ms, problem };
  } finally {
    await talk.end();
    await connection.close();
  }
}

/** Something cheap that reads content: by the tool that is nearly always on, else without a tool. */
function firstCall(tools: readonly string[]): { readonly method: string; readonly params: Message } {
  return tools.includes("bmad")
    ? { method: "tools/call", params: { name: "bmad", arguments: { operation: "list", query: "modules" } } }
    : { method: "resources/templates/list", params: {} };
}

/** Requests and answers over a pair of streams, one at a time. */
function openTalk(input: WritableStream<Uint8Array>, output: ReadableStream<Uint8Array>) {
  const writer = input.getWriter();
  const reader = openLineReader(output, Infinity);
  let lastId = 0;
  const send = (message: Message) => writer.write(encodeLine({ jsonrpc: "2.0", ...message }));
  const nextMessage = async (): Promise<Message> => {
    const line = await reader.next();
    if (line === undefined) throw new Error("the server ended the connection");
    reader.drop();
    return parseLine(line);
  };
  return {
    tell: (method: string) => send({ method }),
    ask: async (method: string, params: Message): Promise<Message> => {
      const id = ++lastId;
      await send({ id, method, params });
      for (;;) {
        const answer = await within(nextMessage(), method);
        if (answer["id"] !== id) continue;
        const error = answer["error"] as { readonly message: string } | undefined;
        const result = answer["result"] as Message;
        if (error !== undefined) throw new Error(`${method} was answered with an error: ${error.message}`);
        if (result["isError"] === true) {
          throw new Error(`${method} failed: ${JSON.stringify(result["content"])}`);
        }
        return result;
      }
    },
    end: async () => {
      await writer.close().catch(() => {});
      await reader.cancel();
    },
  };
}

async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${what} was not answered in ${PATIENCE_MS} ms`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
