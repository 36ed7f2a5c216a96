/** The SDK would answer with a dump of its schema. */
import type { Fields } from "../../process/lines.ts";
import type {
  CompleteRequestParams,
  JSONRPCRequest,
  LoggingLevel,
  StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { PRODUCT } from "../../base/model.ts";
import { isValues } from "../../base/values.ts";

/** A longer name, URI or cursor is not even looked up. */
const MAX_NAME = 4_096;

/** More resources than any client needs to subscribe to. */
export const MAX_URIS = 1_000;

export const LOG_LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

export function isName(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_NAME;
}

/** What the SDK checks or removes. */
const DROPPED = ["_meta", "__proto__"];

/** Whether the SDK would accept a request unchanged, but take longer. */
export function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (!isValues(value)) return false;
  const { jsonrpc, id, method, params } = value;
  return jsonrpc === "2.0" && typeof method === "string" &&
    (typeof id === "string" || Number.isSafeInteger(id)) &&
    (params === undefined || (isValues(params) && !DROPPED.some((key) => Object.hasOwn(params, key)))) &&
    Object.keys(value).length === (params === undefined ? 3 : 4);
}

const TOOL_RULE = "name must be the name of a tool, and arguments an object";
const isToolCall = ({ name, arguments: args }: Fields) =>
  isName(name) && (args === undefined || isValues(args));

export function problemWith({ id, method, params = {} }: Fields): string | undefined {
  const isRequest = typeof method === "string" && (typeof id === "string" || typeof id === "number");
  if (!isRequest || !isValues(params) || !Object.hasOwn(SDK_CHECKS, method)) return undefined;
  const problem = SDK_CHECKS[method]!(params);
  return problem === false ? undefined : `Invalid params for ${method}: ${problem}`;
}

const SDK_CHECKS: Readonly<Record<string, (params: Fields) => string | false>> = {
  "initialize": ({ capabilities }) =>
    !(isValues(capabilities) && Object.values(capabilities).every(isValues)) &&
    "capabilities must be an object whose values are objects",
  "tools/list": ({ cursor }) => cursor !== undefined && "unknown cursor, all tools are on the first page",
  "tools/call": (params) => !isToolCall(params) && TOOL_RULE,
  "subscriptions/listen": ({ notifications }) => {
    const uris = isValues(notifications) ? notifications["resourceSubscriptions"] : undefined;
    return Array.isArray(uris) && uris.length > MAX_URIS &&
      `at most ${MAX_URIS} resourceSubscriptions are possible`;
  },
};

function schema<T>(expected: string, isValid: (fields: Fields) => boolean): StandardSchemaV1<T, T> {
  return {
    "~standard": {
      version: 1,
      vendor: PRODUCT.name,
      validate: (given) => {
        const value = given ?? {};
        return typeof value === "object" && isValid(value as Fields)
          ? { value: value as T }
          : { issues: [{ message: expected }] };
      },
    },
  };
}

const isText = (value: unknown) => typeof value === "string";
const isOptionalName = (value: unknown) => value === undefined || isName(value);
const isTextMap = (value: unknown) =>
  value === undefined || (typeof value === "object" && value !== null && Object.values(value).every(isText));

const NAME_RULE = `a string of at most ${MAX_NAME} characters`;

export const PARAMS = {
  cursor: schema<{ cursor?: string }>(`cursor must be ${NAME_RULE}`, ({ cursor }) => isOptionalName(cursor)),
  level: schema<{ level: LoggingLevel }>(
    `level must be one of ${LOG_LEVELS.join(", ")}`,
    ({ level }) => (LOG_LEVELS as readonly unknown[]).includes(level),
  ),
  uri: schema<{ uri: string; cursor?: string }>(
    `uri must be ${NAME_RULE}, and so must a cursor`,
    ({ uri, cursor }) => isName(uri) && isOptionalName(cursor),
  ),
  tool: schema<{ name: string; arguments?: Fields }>(TOOL_RULE, isToolCall),
  prompt: schema<{ name: string; arguments?: Record<string, string> }>(
    "name must be the name of a prompt, and arguments an object of strings",
    ({ name, arguments: args }) => isName(name) && isTextMap(args),
  ),
  completion: schema<CompleteRequestParams>(
    "ref must name a prompt or the uri of a resource, and argument must have a name and a value",
    ({ ref, argument, context }) =>
      isValues(ref) && isName(ref[ref["type"] === "ref/prompt" ? "name" : "uri"]) &&
      (ref["type"] === "ref/prompt" || ref["type"] === "ref/resource") &&
      isValues(argument) && isText(argument["name"]) && isText(argument["value"]) &&
      (context === undefined || (isValues(context) && isTextMap(context["arguments"]))),
  ),
};
