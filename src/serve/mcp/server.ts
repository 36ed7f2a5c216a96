/** Many requests build a server for either era, so it is cheap and keeps no state. */
import {
  type CompleteRequestParams,
  type InputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { type App, type Overview, type Projects, takePage } from "../../app.ts";
import type { Person } from "../../base/roles.ts";
import { abbreviateList, counted, markHidden, markTexts } from "../../base/text.ts";
import { CAPABILITIES, instructionsFor, SERVER_INFO } from "../handshake/mod.ts";
import { withChoices } from "./ambiguity.ts";
import { APP_META } from "./board_app.ts";
import { runTool } from "./call.ts";
import {
  type Caller,
  type Callers,
  type Connection,
  type Journal,
  NO_SESSION,
  openCallers,
} from "./caller.ts";
import { unlessFailed } from "./name_args.ts";
import { findPrompt, getPrompt, listPrompts } from "./prompts.ts";
import { InputNeeded } from "./question.ts";
import { resultLimits, toErrorResult, toProtocolError } from "./reply.ts";
import { PARAMS } from "./request_checks.ts";
import {
  getSkill,
  listResources,
  listSkills,
  listTemplates,
  readResource,
  readSkillDirectory,
  SKILL_TEMPLATE,
} from "./resources.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { inputSchemaOf, textSchema, type Tool } from "./tool.ts";
import { chooseTools, MAX_TOOLS, unlistedTool, whyNotOffered } from "./toolsets.ts";

const PAGE_SIZE = 100;

export type BuiltServer = Awaited<ReturnType<typeof buildServer>>;

/** `session` names the connection, with subscriptions if the client has them for single resources. */
export async function buildServer(
  app: App,
  journal: Journal,
  session: Connection,
  subscriptions?: Subscriptions,
) {
  const mcp = openServer(CAPABILITIES, `${instructionsFor(app.config)}${projectsNote(app)}`);
  const callers = openCallers(mcp, journal, session);
  for (const [, set] of [...HANDLERS, ...connectionHandlers(callers, subscriptions)]) set(mcp, app, callers);
  mcp.server.setNotificationHandler("notifications/roots/list_changed", () => {
    if (app.config.settings.project === undefined) journal.info(ROOTS_CHANGED);
  });
  return { mcp, refreshTools: await offerTools(mcp, app, callers, journal) };
}

/** Has only what the request needs: building a whole server takes longer than most answers. */
export async function buildServerFor(
  headers: Pick<Headers, "get">,
  app: App,
  journal: Journal,
): Promise<McpServer> {
  const method = headers.get("mcp-method") ?? "";
  const family = FAMILIES.get(method.split("/")[0]!);
  // All others may be about any of them.
  if (family === undefined) return (await buildServer(app, journal, NO_SESSION)).mcp;
  const mcp = openServer({ [family]: CAPABILITIES[family], logging: CAPABILITIES.logging });
  const callers = openCallers(mcp, journal, NO_SESSION);
  if (family === "tools") await offerTools(mcp, app, callers, journal);
  else HANDLERS.get(method)?.(mcp, app, callers);
  return mcp;
}

export function appFor(app: App, person: Person | undefined): App {
  return person === undefined ? app : app.forPerson(person);
}

/** What the SDK wants declared for a family of requests, by the first part of their methods. */
const FAMILIES: ReadonlyMap<string, keyof typeof CAPABILITIES> = new Map([
  ["tools", "tools"],
  ["prompts", "prompts"],
  ["resources", "resources"],
  ["completion", "completions"],
]);

function openServer(capabilities: Partial<typeof CAPABILITIES>, instructions?: string): McpServer {
  return new McpServer({ ...SERVER_INFO }, { instructions, capabilities });
}

const ROOTS_CHANGED = "The client's roots have changed, but the readable folders are fixed at the start: " +
  "restart to serve another project";

type HandlerSetter = (mcp: McpServer, app: App, callers: Callers) => void;

function handler<P extends { readonly uri?: string } | object>(
  method: string,
  params: StandardSchemaV1<P, P>,
  answer: (params: P, app: App, caller: Caller) => Promise<Result>,
  mark = markTexts<Result>,
): readonly [method: string, HandlerSetter] {
  return [method, ({ server }, app, callers) =>
    server.setRequestHandler(
      method,
      { params },
      (given: P, ctx) =>
        respond(
          app,
          callers.of(ctx),
          async (app, caller) => mark(await answer(given, app, caller)),
          (error, caller) => {
            throw toProtocolError(error, caller.bug, "uri" in given ? { uri: given.uri } : {});
          },
        ),
    )];
}

function listHandler<T extends { readonly name: string; readonly uri?: string }>(
  method: string,
  key: string,
  list: (app: App, caller: Caller) => Promise<readonly T[]>,
): readonly [method: string, HandlerSetter] {
  return handler(method, PARAMS.cursor, async ({ cursor }, app, caller) => {
    const keyOf = ({ uri, name }: T) => uri ?? name;
    const { items, nextCursor } = takePage(await list(app, caller), PAGE_SIZE, cursor, keyOf);
    return { [key]: items, nextCursor };
  });
}

const HANDLERS: ReadonlyMap<string, HandlerSetter> = new Map([
  listHandler("prompts/list", "prompts", listPrompts),
  listHandler("resources/list", "resources", listResources),
  listHandler("resources/templates/list", "resourceTemplates", listTemplates),
  handler(
    "prompts/get",
    PARAMS.prompt,
    ({ name, arguments: args = {} }, app, caller) =>
      getPrompt(withChoices(app, caller, args["message"]).app, name, args),
  ),
  // A file as it is: hosts store it, and compare it with its digest.
  handler("resources/read", PARAMS.uri, ({ uri }, app) => readResource(app, uri), (file) => file),
  handler(
    "resources/directory/read",
    PARAMS.uri,
    ({ uri, cursor }, app) => readSkillDirectory(app, uri, cursor),
  ),
  handler("skills/list", PARAMS.cursor, ({ cursor }, app) => listSkills(app, cursor)),
  handler("skills/get", PARAMS.uri, ({ uri }, app) => getSkill(app, uri)),
  handler("completion/complete", PARAMS.completion, (params, app) => complete(app, params)),
]);

function connectionHandlers(callers: Callers, subscriptions: Subscriptions | undefined) {
  const done = (_: void) => Promise.resolve({});
  return [
    handler("logging/setLevel", PARAMS.level, ({ level }) => done(callers.setLevel(level))),
    ...subscriptions === undefined ? [] : [
      handler("resources/subscribe", PARAMS.uri, async ({ uri }) => {
        subscriptions.add(uri);
        return done(await subscriptions.ready());
      }),
      handler("resources/unsubscribe", PARAMS.uri, ({ uri }) => done(subscriptions.remove(uri))),
    ],
  ];
}

/** If the client has to be asked first, the result is that question. */
async function respond<T>(
  app: App,
  caller: Caller,
  work: (app: App, caller: Caller) => Promise<T>,
  onFailure: (error: unknown, caller: Caller) => T,
): Promise<T | InputRequiredResult> {
  try {
    return await work(app.forRequest(caller.work), caller);
  } catch (error) {
    if (error instanceof InputNeeded) return error.result;
    // The answer to a cancelled request is not sent.
    if (caller.work.signal?.aborted) throw error;
    return onFailure(error, caller);
  }
}

interface Offer {
  readonly tool: Tool;
  readonly description: string;
}

/** The SDK's own registry checks every call twice, and tells every client the same. */
async function offerTools(mcp: McpServer, app: App, callers: Callers, journal: Journal) {
  let offers = await offersOf(app, journal);
  mcp.server.setRequestHandler("tools/list", { params: PARAMS.cursor }, (_: object, ctx: ServerContext) => {
    const { showsApps } = callers.of(ctx);
    return { tools: offers.map((offer) => listedTool(app, offer, showsApps)) };
  });
  const { maxBytes } = resultLimits(app.config);
  mcp.server.setRequestHandler(
    "tools/call",
    { params: PARAMS.tool },
    async ({ name, arguments: args }, ctx) => {
      const tool = offers.find(({ tool }) => tool.name === name)?.tool ?? unlistedTool(app.config, name);
      if (tool === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, markHidden(await whyNotOffered(app, name)));
      }
      return await respond(
        app,
        callers.of(ctx),
        (app, caller) => runTool(app, tool, args ?? {}, caller),
        (error, caller) => toErrorResult(error, caller.bug, maxBytes),
      );
    },
  );
  return async () => {
    const current = await offersOf(app, journal);
    if (JSON.stringify(current) === JSON.stringify(offers)) return;
    offers = current;
    mcp.sendToolListChanged();
  };
}

/** Cached with the content, because many requests build a server. Who may only read has other tools. */
const cachedOffers = {
  reading: new WeakMap<Overview, readonly Offer[]>(),
  writing: new WeakMap<Overview, readonly Offer[]>(),
};

async function offersOf(app: App, journal: Journal): Promise<readonly Offer[]> {
  const overview = await app.overview();
  const cached = cachedOffers[app.config.settings.readOnly ? "reading" : "writing"];
  let offers = cached.get(overview);
  if (offers === undefined) {
    const { tools, leftOut } = await chooseTools(app);
    offers = await Promise.all(tools.map(async (tool) => {
      const words = [tool.describe(overview, leftOut), await tool.detail?.(app)];
      return { tool, description: markHidden(words.filter(Boolean).join(" ")) };
    }));
    cached.set(overview, offers);
    if (leftOut > 0) {
      journal.info(
        `${
          counted(leftOut, "agent has", "agents have")
        } no tool, because clients accept at most ${MAX_TOOLS}. ` +
          "Choose tools with --tools, or start these agents with bmad-workflow or bmad",
      );
    }
  }
  return offers;
}

function listedTool(app: App, { tool, description }: Offer, showsApps: boolean) {
  const { name, title, annotations, searchHint, isAlwaysLoaded, showsBoard } = tool;
  const schema = inputSchemaOf(tool);
  const { projects } = app;
  return {
    name,
    title,
    description,
    inputSchema: projects === undefined
      ? schema
      : { ...schema, properties: { ...schema.properties, project: projectSchema(projects) } },
    annotations,
    _meta: {
      ...(isAlwaysLoaded && { "anthropic/alwaysLoad": true }),
      "anthropic/searchHint": searchHint,
      "anthropic/maxResultSizeChars": resultLimits(app.config).maxFirst,
      ...(showsApps && showsBoard && APP_META),
    },
  };
}

const MAX_PROJECTS = 5;

function projectSchema({ names, current }: Projects) {
  const one = names.find((name) => name !== current);
  const words = current === undefined ? "Of several projects" : `Another project than ${current}`;
  return textSchema(
    `${words}: ${abbreviateList(names.filter((name) => name !== current), MAX_PROJECTS)}. ` +
      `A story there: ${one}:1-2.`,
  );
}

function projectsNote({ projects }: App): string {
  if (projects === undefined) return "";
  const { names, current } = projects;
  const meant = current === undefined
    ? "say which is meant"
    : `${current} is meant unless a call names another`;
  return `\n\nSeveral projects are here: ${abbreviateList(names, MAX_PROJECTS)}; ${meant}, as "project".`;
}

const MAX_COMPLETIONS = 100;

async function complete(app: App, { ref, argument, context }: CompleteRequestParams) {
  const values = ref.type === "ref/prompt"
    ? await wishesFor(app, ref.name, argument.name)
    : await valuesFor(app, ref.uri, argument.name, context?.arguments ?? {});
  const typed = argument.value.toLowerCase();
  const matching = values.filter((value) => value.toLowerCase().includes(typed));
  const isStart = (value: string) => value.toLowerCase().startsWith(typed);
  const all = [...matching.filter(isStart), ...matching.filter((value) => !isStart(value))];
  const hasMore = all.length > MAX_COMPLETIONS;
  return { completion: { values: all.slice(0, MAX_COMPLETIONS), total: all.length, hasMore } };
}

async function valuesFor(
  app: App,
  uriTemplate: string,
  variable: string,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  // A skill has the same files under both schemes.
  const template = uriTemplate === SKILL_TEMPLATE.uriTemplate
    ? uriTemplate.replace(/^skill:/, "bmad:")
    : uriTemplate;
  const agrees = (values: Readonly<Record<string, string>>) =>
    Object.entries(given).every(([name, value]) =>
      name === variable || values[name] === undefined || values[name].toLowerCase() === value.toLowerCase()
    );
  const found = (await app.fillings(template)).filter(({ values }) => agrees(values))
    .flatMap(({ values, entry }) =>
      values[variable] === undefined ? [] : [{ value: values[variable], entry }]
    );
  const sorted = found.sort((a, b) => a.value < b.value ? -1 : Number(a.value > b.value));
  return [...new Set((await app.rank(sorted, ({ entry }) => entry)).map(({ value }) => value))];
}

async function wishesFor(app: App, prompt: string, argument: string): Promise<readonly string[]> {
  if (argument !== "message") return [];
  // An unknown prompt just has no completions.
  const found = await unlessFailed(findPrompt(app, prompt));
  return found === undefined ? [] : await app.wishes(found.entry);
}
