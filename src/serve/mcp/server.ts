/**
 * One MCP server from the app: tools, prompts, resources, templates and completions, for clients of both eras.
 *
 * Made anew for every connection (and for every request, where the protocol has no connections), so it is cheap
 * and keeps nothing. Every failure is turned into an answer here; nothing that a client sends can end the server.
 */
import {
  type CompleteRequestParams,
  type InputRequiredResult,
  type LoggingLevel,
  McpServer,
  type RegisteredTool,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { type App, type Overview, takePage } from "../../app.ts";
import { CAPABILITIES, instructionsFor, SERVER_INFO } from "../handshake/mod.ts";
import { PRODUCT } from "../../base/model.ts";
import { withChoices } from "./ambiguity.ts";
import { runTool } from "./call.ts";
import { type Caller, type Callers, type Journal, LOG_LEVELS, openCallers } from "./caller.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { InputNeeded } from "./question.ts";
import { isFields, isName, MAX_NAME } from "./requests.ts";
import { toErrorResult, toProtocolError } from "./reply.ts";
import { complete } from "./completions.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { getSkill, listSkills, readSkillDirectory } from "./skills.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { type Args, openSchema, type Tool } from "./tool.ts";
import { chooseTools } from "./toolsets.ts";

const PAGE = 100;

/** A server and what keeps it up with the content. */
export interface BuiltServer {
  readonly mcp: McpServer;
  /** Offers the tools of the present content, and tells the client when they differ from those before. */
  refreshTools(): Promise<void>;
}

/** Makes a server for one connection; with subscriptions when it is a client's part to ask for each. */
export async function buildServer(
  app: App,
  journal: Journal,
  subscriptions?: Subscriptions,
): Promise<BuiltServer> {
  const mcp = new McpServer(
    { ...SERVER_INFO },
    {
      instructions: instructionsFor(app.config),
      capabilities: CAPABILITIES,
      // Tools that come and go together are told of once.
      debouncedNotificationMethods: ["notifications/tools/list_changed"],
    },
  );
  const { server } = mcp;
  const callers = openCallers(mcp, journal);
  const show = ({ tool, description }: Offer) => register(mcp, app, tool, description, callers);
  let offers = await offersOf(app);
  // The SDK answers requests for tools only once there has been one.
  if (offers.length === 0) mcp.registerTool("none", {}, () => ({ content: [] })).remove();
  let shown = offers.map(show);
  const refreshTools = async () => {
    const present = await offersOf(app);
    if (JSON.stringify(present) === JSON.stringify(offers)) return;
    // All of them, so that they stand in the order in which a new client would see them.
    for (const tool of shown) tool.remove();
    offers = present;
    shown = present.map(show);
  };

  const answer = async <T>(
    ctx: ServerContext,
    work: (app: App, caller: Caller) => Promise<T>,
    asked?: { readonly uri: string },
  ): Promise<T | InputRequiredResult> => {
    const caller = callers.of(ctx);
    try {
      return await work(app.forRequest(caller.work), caller);
    } catch (error) {
      if (error instanceof InputNeeded) return error.result;
      // Nobody waits for the answer to what was cancelled.
      throw ctx.mcpReq.signal.aborted ? error : toProtocolError(error, caller.bug, asked);
    }
  };
  server.setRequestHandler(
    "prompts/list",
    { params: CURSOR },
    ({ cursor }, ctx) =>
      answer(ctx, async (app) => {
        const { items, nextCursor } = takePage(await listPrompts(app), PAGE, cursor);
        return { prompts: [...items], nextCursor };
      }),
  );
  server.setRequestHandler(
    "prompts/get",
    { params: PROMPT },
    ({ name, arguments: args = {} }, ctx) =>
      answer(ctx, (app, caller) => getPrompt(withChoices(app, caller, args["message"]).app, name, args)),
  );
  server.setRequestHandler(
    "resources/list",
    { params: CURSOR },
    ({ cursor }, ctx) =>
      answer(ctx, async (app) => {
        const { items, nextCursor } = takePage(await listResources(app), PAGE, cursor);
        return { resources: [...items], nextCursor };
      }),
  );
  server.setRequestHandler(
    "resources/templates/list",
    { params: CURSOR },
    ({ cursor }, ctx) =>
      answer(ctx, async (app) => {
        const { items, nextCursor } = takePage(await listTemplates(app), PAGE, cursor);
        return { resourceTemplates: [...items], nextCursor };
      }),
  );
  server.setRequestHandler(
    "resources/read",
    { params: URI },
    ({ uri }, ctx) => answer(ctx, (app) => readResource(app, uri), { uri }),
  );
  server.setRequestHandler(
    "skills/list",
    { params: CURSOR },
    ({ cursor }, ctx) => answer(ctx, (app) => listSkills(app, cursor)),
  );
  server.setRequestHandler(
    "skills/get",
    { params: URI },
    ({ uri }, ctx) => answer(ctx, (app) => getSkill(app, uri), { uri }),
  );
  server.setRequestHandler(
    "resources/directory/read",
    { params: URI_AND_CURSOR },
    ({ uri, cursor }, ctx) => answer(ctx, (app) => readSkillDirectory(app, uri, cursor), { uri }),
  );
  server.setRequestHandler(
    "completion/complete",
    { params: COMPLETION },
    (params, ctx) => answer(ctx, (app) => complete(app, params)),
  );
  if (subscriptions !== undefined) {
    const { add, remove } = subscriptions;
    const done = (ctx: ServerContext, work: () => void) => answer(ctx, () => Promise.resolve(work() ?? {}));
    server.setRequestHandler(
      "resources/subscribe",
      { params: URI },
      ({ uri }, ctx) => done(ctx, () => add(uri)),
    );
    server.setRequestHandler(
      "resources/unsubscribe",
      { params: URI },
      ({ uri }, ctx) => done(ctx, () => remove(uri)),
    );
  }
  server.setRequestHandler("logging/setLevel", { params: LEVEL }, ({ level }) => {
    callers.setLevel(level);
    return {};
  });
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    if (app.config.settings.project === undefined) journal.info(ROOTS_CHANGED);
  });
  return { mcp, refreshTools };
}

const ROOTS_CHANGED = "The client's roots have changed, but what can be read was settled at the start: " +
  "start anew to serve another project";

/** A tool as a client sees it now. */
interface Offer {
  readonly tool: Tool;
  readonly description: string;
}

async function offersOf(app: App): Promise<readonly Offer[]> {
  const overview = await app.overview();
  let offers = OFFERS.get(overview);
  if (offers === undefined) {
    const { tools, leftOut } = await chooseTools(app);
    offers = tools.map((tool) => ({ tool, description: tool.describe(overview, leftOut) }));
    OFFERS.set(overview, offers);
  }
  return offers;
}

/** The same as long as the content is: where the protocol has no connections, every request asks for them. */
const OFFERS = new WeakMap<Overview, readonly Offer[]>();

type Fields = Readonly<Record<string, unknown>>;

/** Checks what a request brings, so that a wrong one is answered as such and not with a dump of a schema. */
function paramsOf<T>(wanted: string, fits: (fields: Fields) => boolean): StandardSchemaV1<T, T> {
  return {
    "~standard": {
      version: 1,
      vendor: PRODUCT.name,
      validate: (given) => {
        const value = given ?? {};
        return typeof value === "object" && fits(value as Fields)
          ? { value: value as T }
          : { issues: [{ message: `The request needs ${wanted}` }] };
      },
    },
  };
}

const isText = (value: unknown) => typeof value === "string";
const isOptionalName = (value: unknown) => value === undefined || isName(value);
const isTextMap = (value: unknown) =>
  value === undefined || (typeof value === "object" && value !== null && Object.values(value).every(isText));

const CURSOR = paramsOf<{ cursor?: string }>(
  "no parameter but a cursor, which is text",
  ({ cursor }) => isOptionalName(cursor),
);
const LEVEL = paramsOf<{ level: LoggingLevel }>(
  `a level, one of ${LOG_LEVELS.join(", ")}`,
  ({ level }) => (LOG_LEVELS as readonly unknown[]).includes(level),
);
const URI = paramsOf<{ uri: string }>(
  `a uri, which is text of at most ${MAX_NAME} characters`,
  ({ uri }) => isName(uri),
);
const URI_AND_CURSOR = paramsOf<{ uri: string; cursor?: string }>(
  "a uri and at most a cursor, which are texts",
  ({ uri, cursor }) => isName(uri) && isOptionalName(cursor),
);
const PROMPT = paramsOf<{ name: string; arguments?: Record<string, string> }>(
  "the name of a prompt and arguments that are texts",
  ({ name, arguments: args }) => isName(name) && isTextMap(args),
);
const COMPLETION = paramsOf<CompleteRequestParams>(
  "a ref to a prompt by its name or to a resource by its uri, and an argument with name and value",
  ({ ref, argument, context }) =>
    isFields(ref) && isName(ref[ref["type"] === "ref/prompt" ? "name" : "uri"]) &&
    (ref["type"] === "ref/prompt" || ref["type"] === "ref/resource") && isFields(argument) &&
    isText(argument["name"]) &&
    isText(argument["value"]) &&
    (context === undefined || (isFields(context) && isTextMap(context["arguments"]))),
);

function register(
  mcp: McpServer,
  app: App,
  tool: Tool,
  description: string,
  callers: Callers,
): RegisteredTool {
  const { name, title, annotations, meta } = tool;
  const maxBytes = app.config.settings.maxResult;
  return mcp.registerTool(
    name,
    {
      title,
      description,
      inputSchema: openSchema(tool.inputSchema),
      annotations,
      _meta: { ...meta, "anthropic/maxResultSizeChars": maxBytes },
    },
    async (given: Args, ctx: ServerContext) => {
      const caller = callers.of(ctx);
      try {
        return await runTool(app.forRequest(caller.work), tool, given, caller);
      } catch (error) {
        if (error instanceof InputNeeded) return error.result;
        // Nobody waits for the answer to what was cancelled.
        if (ctx.mcpReq.signal.aborted) throw error;
        return toErrorResult(error, caller.bug, maxBytes);
      }
    },
  );
}
