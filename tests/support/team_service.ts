/** A server for a team without a socket: people with tokens of their own ask it. */
import assert from "node:assert/strict";
import { denoHost } from "../../src/process/host.ts";
import { prepareHttpState } from "../../src/process/http_state.ts";
import { addToken, type TokenRequest } from "../../src/process/named_tokens.ts";
import { type HttpHost, type HttpService, openHttpService } from "../../src/serve/http/mod.ts";
import { resolveConfig } from "./config.ts";
import { modernRequest } from "./http.ts";
import { arrivalOf } from "./http_service.ts";
import { withTree } from "./trees.ts";

export interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

type Fields = Readonly<Record<string, unknown>>;

export interface Team {
  readonly service: HttpService;
  readonly dir: string;
  readonly state: string;
  readonly problems: readonly string[];
  add(request: Omit<TokenRequest, "added">): Promise<string>;
  ask(token: string | undefined, path: string, message?: unknown, headers?: Fields): Promise<Seen>;
  call(token: string, project: string, method: string, params?: Fields): Promise<Seen>;
  another(): HttpService;
}

export interface TeamOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly projects: readonly string[];
  readonly host?: Partial<HttpHost>;
  /** Adds tokens before the server is opened: it may then write for others. */
  readonly first?: readonly Omit<TokenRequest, "added">[];
}

/** Opens a server that other machines could reach, over folders; `first` are the tokens that were there before it. */
export async function withTeam(
  tree: Parameters<typeof withTree>[0],
  { args, env = {}, projects, host: given, first = [] }: TeamOptions,
  check: (team: Team, first: readonly string[]) => Promise<void>,
): Promise<void> {
  await withTree({ "state/": "", ...tree }, async (dir) => {
    const host = { ...denoHost(dir), ...given };
    const state = `${dir}/state/bmad-mcp`;
    const secret = prepareHttpState(state, true);
    assert.ok(secret);
    const add: Team["add"] = async (request) => (await addToken(state, { ...request, added: 1 })).text;
    const texts: string[] = [];
    for (const request of first) texts.push(await add(request));
    const all = [
      ...["serve", "--http", "0.0.0.0:0", "--pack", "none", ...args],
      ...projects.flatMap((name) => ["--project", `${dir}/${name}`]),
    ];
    const values: Readonly<Record<string, string>> = { XDG_STATE_HOME: `${dir}/state`, ...env };
    const planned = resolveConfig({ ...host, home: dir, args: all, env: (name) => values[name] });
    const config = { ...planned, httpState: { ...planned.httpState!, secret } };
    const problems: string[] = [];
    const journal = {
      bug: (error: unknown) => assert.fail((error as Error).stack),
      info: (text: string) => void problems.push(text),
    };
    const another = () => openHttpService(config, host, journal);
    const service = another();
    const ask: Team["ask"] = async (token, path, message, headers = {}) => {
      const own = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers };
      return await askService(service, path, message, own);
    };
    try {
      await check({
        service,
        dir,
        state,
        problems,
        add,
        ask,
        another,
        call: async (token, project, method, params) => {
          const [message, headers] = modernRequest(method, params);
          return await ask(token, `/mcp?project=${project}`, message, headers);
        },
      }, texts);
    } finally {
      await service.close();
    }
  });
}

export async function askService(
  service: HttpService,
  path: string,
  message: unknown,
  headers: Fields,
  method?: string,
): Promise<Seen> {
  const ended = new AbortController();
  const admission = await service.answer(arrivalOf(path, ended.signal, message, headers, method));
  const body = message === undefined ? undefined : new TextEncoder().encode(JSON.stringify(message));
  const { response, watch } = "answer" in admission ? await admission.answer(body) : admission;
  const isStream = message === undefined &&
    response.headers.get("content-type")?.startsWith("text/event-stream");
  const text = isStream ? "" : await response.text();
  if (!isStream) [new TextEncoder().encode(text), null].forEach((part) => watch?.(part));
  ended.abort();
  if (isStream) await response.body?.cancel();
  return { status: response.status, text, headers: response.headers };
}
