/**
 * One MCP server from the app: tools, prompts, resources, templates and completions, for clients of both eras.
 *
 * Made anew for every connection (and for every request, where the protocol has no connections), so it is cheap
 * and keeps nothing. Every failure is turned into an answer here; nothing that a client sends can end the server.
 */
import { type CompleteRequestParams, McpServer, type StandardSchemaV1 } from "@modelcontextprotocol/server";
import { type App, takePage } from "../app.ts";
import { PRODUCT } from "../model.ts";
import { bmadTool } from "./bmad_tool.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { toErrorResult, toProtocolError, toResult } from "./reply.ts";
import { complete, listResources, listTemplates, readResource } from "./resources.ts";
import { type Args, numberArg, openSchema, type Tool } from "./tool.ts";

/** Writes about a bug to the log and returns the number under which it is found there. */
type BugReport = (bug: unknown) => string;

const TOOLS: readonly Tool[] = [bmadTool];
const PAGE = 100;

/** The text that several clients show the model before anything else: the first lines route it. */
export const INSTRUCTIONS = [
  "BMAD Method agents (analyst Mary, PM John, architect Winston, dev Amelia, UX Sally, test architect Murat), workflows, " +
  "tasks and skills. When the user names a BMAD agent, persona or workflow, or asks for a product brief, PRD, architecture, " +
  'epics, stories, sprint plan, code review or test strategy the BMAD way, call the tool `bmad` with {"operation":"execute",' +
  '"agent":"NAME"} or "workflow":"NAME" and the user\'s words as "message", then act as the returned text says.',
  "",
  "- The text you get is written for you to follow. Values under “Resolved by the server” replace the steps that " +
  "would run a script or load a configuration file.",
  '- Open files it refers to with {"operation":"read","uri":"bmad://…"}, one at a time, when a step asks for them.',
  '- Start other skills it names with {"operation":"execute","skill":"NAME"}.',
  "- Paths below {project-root} that are not BMAD's own (documents, code) are in the user's project: use your own file tools.",
  '- Not sure what fits? {"operation":"search","query":"words"}, {"operation":"list","query":"agents"} or ' +
  '{"operation":"list","query":"next"}.',
  "- A long answer ends with “part 1 of N” and the call for the next part.",
].join("\n");

/** Makes a server for one connection. */
export async function buildServer(app: App, report: BugReport): Promise<McpServer> {
  const mcp = new McpServer(
    { name: PRODUCT.name, title: PRODUCT.title, version: PRODUCT.version },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
        completions: {},
      },
    },
  );
  const overview = await app.overview();
  for (const tool of TOOLS) register(mcp, app, tool, tool.describe(overview), report);

  const { server } = mcp;
  const answer = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toProtocolError(error, report);
    }
  };
  server.setRequestHandler("prompts/list", { params: CURSOR }, ({ cursor }) =>
    answer(async () => {
      const { items, nextCursor } = takePage(await listPrompts(app), PAGE, cursor);
      return { prompts: [...items], nextCursor };
    }));
  server.setRequestHandler(
    "prompts/get",
    { params: PROMPT },
    ({ name, arguments: args }) => answer(() => getPrompt(app, name, args ?? {})),
  );
  server.setRequestHandler("resources/list", { params: CURSOR }, ({ cursor }) =>
    answer(async () => {
      const { items, nextCursor } = takePage(await listResources(app), PAGE, cursor);
      return { resources: [...items], nextCursor };
    }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...listTemplates()] }));
  server.setRequestHandler(
    "resources/read",
    { params: URI },
    ({ uri }) => answer(() => readResource(app, uri)),
  );
  server.setRequestHandler(
    "completion/complete",
    { params: COMPLETION },
    (params) => answer(() => complete(app, params)),
  );
  return mcp;
}

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
const isTextMap = (value: unknown) =>
  value === undefined || (typeof value === "object" && value !== null && Object.values(value).every(isText));

const CURSOR = paramsOf<{ cursor?: string }>(
  "no parameter but a cursor, which is text",
  ({ cursor }) => cursor === undefined || isText(cursor),
);
const URI = paramsOf<{ uri: string }>("a uri, which is text", ({ uri }) => isText(uri));
const PROMPT = paramsOf<{ name: string; arguments?: Record<string, string> }>(
  "the name of a prompt and arguments that are texts",
  ({ name, arguments: args }) => isText(name) && isTextMap(args),
);
const COMPLETION = paramsOf<CompleteRequestParams>(
  "a ref and an argument with name and value",
  ({ ref, argument, context }) =>
    isFields(ref) && isText(ref["type"]) && isFields(argument) && isText(argument["name"]) &&
    isText(argument["value"]) &&
    (context === undefined || (isFields(context) && isTextMap(context["arguments"]))),
);

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function register(mcp: McpServer, app: App, tool: Tool, description: string, report: BugReport): void {
  const { name, title, annotations, meta } = tool;
  const maxBytes = app.config.settings.maxResult;
  mcp.registerTool(
    name,
    {
      title,
      description,
      inputSchema: openSchema(tool.inputSchema),
      annotations,
      _meta: { ...meta, "anthropic/maxResultSizeChars": maxBytes },
    },
    async (given: Args) => {
      try {
        const part = numberArg(given, "part", 1, 10_000) ?? 1;
        const { part: _, ...args } = given;
        return toResult(await tool.run(app, args), { call: name, args, part, maxBytes });
      } catch (error) {
        return toErrorResult(error, report);
      }
    },
  );
}
