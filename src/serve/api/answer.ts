/** From an address and arguments to what the command line prints with `--json`. */
import { type App, type BoardState, type Calls, LISTABLE, type Report } from "../../app.ts";
import { attempt } from "../../base/absence.ts";
import { failInput } from "../../base/errors.ts";
import { qualifiedName } from "../../base/model.ts";
import { hasRight } from "../../base/roles.ts";
import { markHidden, oneLine, shorten } from "../../base/text.ts";
import { isValues, type Values } from "../../base/values.ts";
import {
  dataOf,
  findGroups,
  itemsIn,
  listRows,
  placeOfItem,
  readLog,
  runOperation,
  spellCalls,
  type WorkCalls,
} from "../../handlers.ts";
import {
  type Arguments,
  changes,
  isWorkOperation,
  type OperationName,
  OPERATIONS,
  text,
  type WorkOperation,
} from "../../operations/mod.ts";
import {
  callWords,
  FIXES,
  kindIn,
  OF_CALL,
  readParams,
  refuse as refuseWith,
  refuseFailure,
  unknownArgs,
} from "../mcp/mod.ts";
import { type Address, addressesOf } from "./addresses.ts";

export const API_PATH = "/api/v1";

interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
  /** Whether there was one that is not JSON. */
  readonly isUnread: boolean;
  /** In its address or as a parameter. */
  open(named: string | undefined): Promise<{ readonly app: App; record(deed: string): void }>;
}

interface Found {
  readonly address: Address;
  readonly args: Readonly<Record<string, string>>;
}

export const ADDRESSES = addressesOf(LISTABLE);

function addressesAt(pathname: string): readonly Found[] {
  const words = pathname.slice(API_PATH.length).split("/").map((word) =>
    attempt(() => decodeURIComponent(word))
  );
  return ADDRESSES.flatMap((address) => {
    const args = match(address.path.split("/"), words);
    return args === undefined ? [] : [{ address, args }];
  });
}

function match(parts: readonly string[], words: readonly (string | undefined)[]): Found["args"] | undefined {
  if (parts.length !== words.length) return undefined;
  const args: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const word = words[at];
    if (!part.startsWith("{")) {
      if (part !== word) return undefined;
    } else if (!word) return undefined;
    else args[part.slice(1, -1)] = word;
  }
  return args;
}

export async function answerApi(request: ApiRequest): Promise<Response> {
  const { method, url: { pathname } } = request;
  const wanted = method === "HEAD" ? "GET" : method;
  const found = addressesAt(pathname).find(({ address }) => address.method === wanted);
  if (found !== undefined) {
    const answer = async () => Response.json(await answerFound(request, found), { headers: NOT_KEPT });
    return await answer().catch(refuseHere);
  }
  return refuse(404, `Nothing at ${pathname}: ${API_PATH}/openapi.json has every address`);
}

/** Undefined where nothing is. */
export function methodsAt(pathname: string): readonly string[] | undefined {
  const all = addressesAt(pathname).map(({ address }) =>
    address.method === "GET" ? ["GET", "HEAD"] : ["POST"]
  );
  return all.length === 0 ? undefined : all.flat();
}

/** Named as failures are, where nothing has failed yet. */
const CODES: Readonly<Record<number, string>> = {
  401: "not-signed-in",
  403: "not-allowed",
  404: "not-found",
  405: "wrong-method",
  413: "too-large",
  415: "wrong-type",
  429: "too-many",
  503: "unavailable",
};

export function refuse(status: number, message: string, headers?: Readonly<Record<string, string>>) {
  return refuseWith(status, message, headers, { data: { code: CODES[status] } });
}

const NOT_KEPT = { "cache-control": "no-store" };

const WAYS = { board: `GET ${API_PATH}/board`, fixes: { ...FIXES, plan: `POST ${API_PATH}/plan` } };

export function refuseHere(error: unknown): Response {
  return refuseFailure(error, WAYS);
}

export interface BoardEvent {
  readonly event: string;
  readonly data: unknown;
}

/** All counts first, then each change, as `board --watch --json` does. */
export function eventsOf({ isFirst, changes, report }: BoardState): readonly BoardEvent[] {
  if (!isFirst) return changes().map(({ data }) => ({ event: "change", data }));
  const { items: _, ...counted } = dataOf("board", report());
  return [{ event: "board", data: counted }];
}

async function answerFound(request: ApiRequest, { address, args: inPath }: Found): Promise<unknown> {
  const { operation, params, notTaken, method, list } = address;
  const { project, ...given } = argumentsOf(request);
  const isStrange = (name: string) =>
    Object.hasOwn(inPath, name) || OF_CALL.includes(name) && !Object.hasOwn(params, name);
  const strange = [...unknownArgs(params, given), ...Object.keys(given).filter(isStrange)];
  if (strange.length > 0) {
    const problem = `Unknown parameter ${strange.map((name) => shorten(oneLine(name), 40)).join(", ")}`;
    const taken = Object.keys(params).filter((key) => !Object.hasOwn(inPath, key));
    failInput(problem, `${operation} takes ${[...taken, "project"].join(", ")}`);
  }
  const all = { ...given, ...inPath };
  const args = readParams({ ...notTaken, ...params }, all);
  const { app, record } = await request.open(readParams({ project: text("") }, { project }).project);
  const changing = method === "POST" ? await app.recording(callWords(operation, all), record) : app;
  if (isWorkOperation(operation)) return await answerWork(changing, operation, args as never);
  return await CONTENT[operation as keyof typeof CONTENT](
    app,
    { ...args, ...(list && { query: list }) } as never,
  );
}

function argumentsOf({ url: { searchParams }, body = {}, isUnread }: ApiRequest): Values {
  if (isUnread || !isValues(body)) return failInput("Expected a JSON object");
  const keys = [...new Set([...searchParams.keys(), ...Object.keys(body)])];
  return Object.fromEntries(keys.map((key) => {
    const inAddress = searchParams.getAll(key);
    const isOther = Object.hasOwn(body, key) && body[key] !== inAddress[0];
    const [first, ...others] = isOther ? [...inAddress, body[key]] : inAddress;
    return [key, others.length === 0 ? first : [first, ...others]];
  }));
}

async function answerWork<N extends WorkOperation>(app: App, operation: N, args: Arguments<N>) {
  const answer: unknown = await runOperation(operation, { app, callsOn }, args);
  if (Array.isArray(answer)) return { items: answer, total: answer.length };
  return dataOf(operation, answer as Report);
}

const CONTENT = {
  list: async (app: App, { query, limit, ...filters }: Arguments<"list">) => {
    const { rows, data } = await listRows({ app, callsOn }, { what: query!, ...filters });
    return { ...data, ...itemsIn(rows, limit) };
  },
  search: async (app: App, { q, type, limit, ...filters }: Arguments<"search"> & { readonly q: string }) =>
    (await findGroups(app, { ...filters, words: q, kind: kindIn(type) })).data(limit),
  read: async (caller: App, args: Arguments<"read">) => {
    const { uri, raw, origin } = args;
    const query = args.name === undefined ? undefined : queryOf(args);
    const app = query === undefined ? caller : await placeOfItem(caller, "read", query);
    const entry = query && await app.resolve(query);
    if (entry === undefined || uri !== undefined) {
      const file = await app.open(uri!, { of: entry, raw, origin, calls: contentCalls(app) });
      return { uri: file.uri, mimeType: file.mimeType, text: file.text, blob: file.bytes?.toBase64() };
    }
    return raw
      ? { name: qualifiedName(entry), text: await app.raw(entry) }
      : (await app.read(entry, args.name)).data;
  },
  execute: async (caller: App, args: Arguments<"execute">) => {
    const app = await placeOfItem(caller, "execute", queryOf(args));
    const entry = await app.resolve(queryOf(args));
    const { message, item, raw } = args;
    const calls = { calls: contentCalls(app), steps: callsOn(app) };
    const text = await app.execute(entry, { message, item, raw, asked: args.name, ...calls });
    return { name: qualifiedName(entry), text: markHidden(text) };
  },
  diff: async (app: App, args: Arguments<"diff">) =>
    (await app.compare(await app.resolve(queryOf(args)))).data,
  log: async (app: App, { story, limit }: Arguments<"log">) => (await readLog(app, story, limit)).data,
};

function queryOf(
  { name, module, origin, type }: Pick<Arguments<"read">, "name" | "module" | "origin" | "type">,
) {
  return { name: name!, module, origin, kind: kindIn(type) };
}

function contentCalls({ config }: Pick<App, "config">): Calls {
  return {
    open: `GET ${API_PATH}/file?uri=URI`,
    start: `GET ${API_PATH}/items/NAME/execute`,
    script: config.settings.readOnly ? undefined : `POST ${API_PATH}/script {"script":LINE}`,
    next: `GET ${API_PATH}/next?all=true`,
  };
}

function spellRequest(operation: OperationName, args: Values): string {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const isGiven = (key: string) => given.some(([name]) => name === key);
  const method = changes(OPERATIONS[operation], args) ? "POST" : "GET";
  const { path } = ADDRESSES.findLast((one) =>
    one.operation === operation && one.method === method &&
    [...one.path.matchAll(/\{(\w+)\}/g)].every(([, key]) => isGiven(key!))
  )!;
  const rest = Object.fromEntries(given.filter(([key]) => !path.includes(`{${key}}`)));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key) => encodeURIComponent(String(args[key])));
  const line = `${method} ${API_PATH}${filled}`;
  if (Object.keys(rest).length === 0) return line;
  if (method === "POST") return `${line} ${JSON.stringify(rest)}`;
  return `${line}?${new URLSearchParams(Object.entries(rest).map(([key, value]) => [key, String(value)]))}`;
}

function callsOn({ config, named: project }: Pick<App, "config" | "named">): WorkCalls {
  return spellCalls((operation, args) => spellRequest(operation, { ...args, project }), {
    execute: ({ entry, item, message }) =>
      spellRequest("execute", { name: qualifiedName(entry), item, message, project }),
    force: hasRight(config.person?.role ?? "owner", "force") ? FIXES.force : "",
    reads: true,
    writes: !config.settings.readOnly,
  });
}
