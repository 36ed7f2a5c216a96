/**
 * How does a test speak to the program as a real client does?
 *
 * `startClient` starts the program and connects the official client of the era asked for: the v1 client, which
 * knows the 2025 protocol, or the v2 client pinned to 2026-07-28. Both are seen through one small interface, so
 * that a test can run over both. Results are checked by the client's own schemas on the way. `clientHere` does the same
 * with a server in this process, in a fifth of the time: for tests of what is answered, not of the process.
 */
import { Client as ModernClient } from "@modelcontextprotocol/client";
import {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport as ModernTransport,
} from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client";
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import * as legacySchemas from "@modelcontextprotocol/sdk/types.js";
import { isOfThisRun } from "./run.ts";
import {
  type HereServer,
  type Launch,
  prepareLaunch,
  type ProgramOptions,
  serveHere,
  withoutSummary,
} from "./program.ts";

export type Era = "2025" | "2026";

/** Both of them, for tests in which they differ. */
export const BOTH_ERAS: readonly Era[] = ["2025", "2026"];

/** Those of this run, for tests in which they do not. */
export const ERAS: readonly Era[] = BOTH_ERAS.filter((era) => isOfThisRun(era === "2026"));

// deno-lint-ignore no-explicit-any
type Json = any;

interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

interface Page {
  readonly items: readonly Json[];
  readonly nextCursor?: string;
}

export type CompletionRef =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

export interface Notice {
  readonly method: string;
  readonly params?: Json;
  readonly at: number;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  onprogress?(notice: Json): void;
}

/** What the program may ask of a client: those that are given are offered, each with how it is answered. */
export interface ClientFeatures {
  elicitation?(params: Json): Json | Promise<Json>;
  sampling?(params: Json): Json | Promise<Json>;
  roots?(): Json | Promise<Json>;
  readonly extensions?: Readonly<Record<string, Json>>;
}

/** The program as a client sees it. Lists are whole unless they are asked for by page. */
export interface ProgramClient extends AsyncDisposable {
  readonly era: Era;
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolAnswer>;
  listTools(): Promise<readonly Json[]>;
  listPrompts(): Promise<readonly Json[]>;
  getPrompt(name: string, args?: Readonly<Record<string, string>>): Promise<Json>;
  listResources(cursor?: string): Promise<Page>;
  listResourceTemplates(): Promise<readonly Json[]>;
  readResource(uri: string): Promise<Json>;
  complete(ref: CompletionRef, argument: { name: string; value: string }): Promise<readonly string[]>;
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<Json>;
  instructions(): string | undefined;
  serverInfo(): { readonly name: string; readonly version: string } | undefined;
  /** Asks to be told of changes: of all lists, and of these resources. Returns how to end that. */
  listen(uris: readonly string[]): Promise<() => Promise<void>>;
  /** What the program told unasked so far, save for log messages and progress. */
  readonly notices: readonly Notice[];
  setLogLevel(level: string): Promise<void>;
  readonly logs: readonly Json[];
  notify(method: string): Promise<void>;
  stderr(): string;
  close(): Promise<void>;
}

interface OfficialClient {
  connect(transport: Json): Promise<void>;
  close(): Promise<void>;
  getPrompt(params: Json): Promise<Json>;
  readResource(params: Json): Promise<Json>;
  complete(params: Json): Promise<Json>;
  getInstructions(): string | undefined;
  getServerVersion(): { name: string; version: string } | undefined;
  fallbackNotificationHandler?: Json;
  notification(notification: Json): Promise<void>;
}

/**
 * A subclass, so that the client asks the one process that we wait for: with the class itself it would first
 * ask a second one, end it, and leave a timer behind that no test can wait for.
 */
class OneProcessTransport extends ModernTransport {}

const LISTS = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;

type ListMethod = keyof typeof LISTS;

const LEGACY_LISTS = {
  "tools/list": legacySchemas.ListToolsResultSchema,
  "prompts/list": legacySchemas.ListPromptsResultSchema,
  "resources/list": legacySchemas.ListResourcesResultSchema,
  "resources/templates/list": legacySchemas.ListResourceTemplatesResultSchema,
} satisfies Record<ListMethod, unknown>;

const CLIENT_INFO = { name: "bmad-mcp-tests", version: "1.0.0" };

const UNCHECKED = {
  "~standard": { version: 1, vendor: "bmad-mcp-tests", validate: (value: unknown) => ({ value }) },
} as const;

interface ClientOptions {
  readonly era: Era;
  readonly args?: readonly string[];
  readonly features?: ClientFeatures;
}

export async function startClient(options: ProgramOptions & ClientOptions): Promise<ProgramClient> {
  const launch = await prepareLaunch(options.args ?? [], options);
  const Transport = options.era === "2025" ? LegacyTransport : OneProcessTransport;
  const transport: Json = new Transport(serverOf(launch));
  const said: string[] = [];
  transport.stderr.on("data", (chunk: Uint8Array) => said.push(new TextDecoder().decode(chunk)));
  return await connect(launch, transport, said, options);
}

export async function clientHere(
  options: Pick<ProgramOptions, "cwd" | "env"> & ClientOptions,
): Promise<ProgramClient> {
  const launch = await prepareLaunch([], options);
  const said: string[] = [];
  const transport = new HereTransport(launch, options.args ?? [], (text) => said.push(text));
  return await connect(launch, transport, said, options);
}

class HereTransport {
  onmessage?: (message: Json) => void;
  onclose?: () => void;
  readonly #open: () => HereServer;
  #server: HereServer | undefined;

  constructor(launch: Launch, args: readonly string[], onError: (text: string) => void) {
    let rest = "";
    const onText = (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      // As from a pipe, a message comes in a turn of its own.
      for (const line of lines) queueMicrotask(() => this.onmessage?.(JSON.parse(line)));
    };
    this.#open = () => serveHere(launch, args, { onText, onError });
  }

  start(): Promise<void> {
    this.#server = this.#open();
    return Promise.resolve();
  }

  send(message: Json): Promise<void> {
    this.#server!.send(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
    if (server !== undefined) this.onclose?.();
  }
}

async function connect(
  launch: Launch,
  transport: Json,
  said: readonly string[],
  options: ClientOptions,
): Promise<ProgramClient> {
  const open = options.era === "2025" ? openLegacy : openModern;
  const logs: Json[] = [];
  const { client, list, request, call, setLogLevel } = open(
    options.features ?? {},
    ({ params }) => void logs.push(params),
  );
  let closing: Promise<void> | undefined;
  const close = () => closing ??= endClient(client, transport).finally(() => launch[Symbol.asyncDispose]());
  const notices: Notice[] = [];
  client.fallbackNotificationHandler = ({ method, params }: Notice) => {
    notices.push({ method, params, at: performance.now() });
    return Promise.resolve();
  };
  try {
    await client.connect(transport);
  } catch (error) {
    await close();
    throw new Error(
      `The ${options.era} client could not connect: ${(error as Error).message}\n${said.join("")}`,
      {
        cause: error,
      },
    );
  }

  const page = async (method: ListMethod, cursor?: string): Promise<Page> => {
    const result = await list(method, cursor === undefined ? {} : { cursor });
    return { items: result[LISTS[method]], nextCursor: result.nextCursor };
  };
  const all = async (method: ListMethod): Promise<readonly Json[]> => {
    let next = await page(method);
    const items = [...next.items];
    while (next.nextCursor !== undefined) {
      next = await page(method, next.nextCursor);
      items.push(...next.items);
    }
    return items;
  };
  return {
    era: options.era,
    callTool: (name, args = {}, options = {}) => call({ name, arguments: args }, options),
    listTools: () => all("tools/list"),
    listPrompts: () => all("prompts/list"),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    listResources: (cursor) => page("resources/list", cursor),
    listResourceTemplates: () => all("resources/templates/list"),
    readResource: (uri) => client.readResource({ uri }),
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    request,
    instructions: () => client.getInstructions(),
    serverInfo: () => client.getServerVersion(),
    listen: (uris) => listen(options.era, client, uris),
    notices,
    setLogLevel,
    logs,
    notify: (method) => client.notification({ method }),
    stderr: () => withoutSummary(said.join("")),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Opened {
  readonly client: OfficialClient;
  readonly list: (method: ListMethod, params: Readonly<Record<string, unknown>>) => Promise<Json>;
  readonly request: ProgramClient["request"];
  readonly call: (params: Json, options: CallOptions) => Promise<Json>;
  readonly setLogLevel: ProgramClient["setLogLevel"];
}

type Open = (features: ClientFeatures, onLog: (notice: Json) => void) => Opened;

const ASKED = [
  ["elicitation", "elicitation/create", legacySchemas.ElicitRequestSchema],
  ["sampling", "sampling/createMessage", legacySchemas.CreateMessageRequestSchema],
  ["roots", "roots/list", legacySchemas.ListRootsRequestSchema],
] as const;

function capabilitiesOf(features: ClientFeatures): Json {
  const details = (feature: string) =>
    feature === "roots" ? { listChanged: true } : feature === "extensions" ? features.extensions : {};
  return Object.fromEntries(Object.keys(features).map((feature) => [feature, details(feature)]));
}

const openLegacy: Open = (features, onLog) => {
  const client = new LegacyClient(CLIENT_INFO, { capabilities: capabilitiesOf(features) });
  for (const [feature, , schema] of ASKED) {
    const answer = features[feature];
    if (answer !== undefined) client.setRequestHandler(schema, ({ params }: Json) => answer(params));
  }
  client.setNotificationHandler(legacySchemas.LoggingMessageNotificationSchema, onLog);
  return {
    client,
    call: (params, options) => client.callTool(params, legacySchemas.CallToolResultSchema, options),
    setLogLevel: async (level) => void await client.setLoggingLevel(level as Json),
    list: (method, params) => client.request({ method, params }, LEGACY_LISTS[method]),
    request: (method, params = {}) => client.request({ method, params }, legacySchemas.ResultSchema),
  };
};

const openModern: Open = (features, onLog) => {
  const client = new ModernClient(CLIENT_INFO, {
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    capabilities: capabilitiesOf(features),
  });
  for (const [feature, method] of ASKED) {
    const answer = features[feature];
    if (answer !== undefined) client.setRequestHandler(method, ({ params }: Json) => answer(params));
  }
  client.setNotificationHandler("notifications/message", onLog);
  let meta: Json;
  return {
    client,
    call: (params, options) => client.callTool({ ...params, ...(meta && { _meta: meta }) }, options),
    // In this era every request says it anew.
    setLogLevel: (level) => {
      meta = { "io.modelcontextprotocol/logLevel": level };
      return Promise.resolve();
    },
    // The client's own list functions would join the pages.
    list: (method, params) => client.request({ method, params }),
    request: (method, params = {}) => client.request({ method, params }, UNCHECKED),
  };
};

async function listen(era: Era, client: Json, uris: readonly string[]): Promise<() => Promise<void>> {
  if (era === "2025") {
    for (const uri of uris) await client.subscribeResource({ uri });
    return async () => {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    };
  }
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const subscription = await client.listen({ ...lists, resourceSubscriptions: [...uris] });
  return () => subscription.close();
}

function serverOf({ command, args, cwd, env }: Launch) {
  // The transports add what they find under these names to what we give; undefined takes it out again.
  const inherited = DEFAULT_INHERITED_ENV_VARS.map((name) => [name, undefined]);
  return { command, args, cwd, env: { ...Object.fromEntries(inherited), ...env }, stderr: "pipe" as const };
}

/**
 * Ends the process as a client does, by closing its input. The transports' own `close` would do so too, but
 * leaves a timer behind; once the process is gone it has nothing left to do.
 */
async function endClient(client: OfficialClient, transport: Json): Promise<void> {
  const child = transport._process;
  let killed = false;
  if (child !== undefined) {
    const closed = new Promise((resolve) => child.once("close", resolve));
    const limit = setTimeout(() => killed = child.kill("SIGKILL"), 60_000);
    child.stdin.end();
    await closed;
    clearTimeout(limit);
  }
  await client.close();
  if (killed) throw new Error("The program did not end when its input was closed");
}
