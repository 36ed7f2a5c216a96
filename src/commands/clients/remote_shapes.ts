/**
 * The shape of an entry for a server that is reached by HTTP: which keys hold its address and the headers.
 *
 * Only for clients whose keys are known. The entry holds the user's token, so its file must be closed to others.
 */
import { isValues } from "../../base/values.ts";
import type { Entry } from "./shapes.ts";

/** A server on this machine, or a team's. */
export interface Remote {
  readonly url: string;
  /** The token, or in a shared file the variable that holds it. */
  readonly token: string;
}

interface RemoteShape {
  /** Keys before the address; `name` is the entry's own name. */
  before?(name: string): Entry;
  readonly url: string;
  readonly headers: string;
  /** Keys after the headers. */
  readonly after?: Entry;
}

const PLAIN = { url: "url", headers: "headers" } as const;

/** Every shape, by its name. */
export const REMOTE_SHAPES = {
  plain: PLAIN,
  http: { before: () => ({ type: "http" }), ...PLAIN },
  copilot: { before: () => ({ type: "http" }), ...PLAIN, after: { tools: ["*"] } },
  remote: { before: () => ({ type: "remote" }), ...PLAIN },
  cline: { before: () => ({ type: "streamableHttp" }), ...PLAIN, after: { disabled: false } },
  roo: { before: () => ({ type: "streamable-http" }), ...PLAIN },
  server: { url: "serverUrl", headers: "headers" },
  codex: { url: "url", headers: "http_headers" },
  goose: {
    before: (name) => ({ name, description: "The BMAD Method", type: "streamable_http" }),
    url: "uri",
    headers: "headers",
    after: { enabled: true, timeout: 300 },
  },
} satisfies Readonly<Record<string, RemoteShape>>;

/** The name of a shape. */
export type RemoteShapeName = keyof typeof REMOTE_SHAPES;

const shapeNamed = (name: RemoteShapeName): RemoteShape => REMOTE_SHAPES[name];

/** Builds an entry that names a server. */
export function buildRemote(shape: RemoteShapeName, name: string, remote: Remote): Entry {
  const { before, after } = shapeNamed(shape);
  return { ...before?.(name), ...remotePart(shape, remote), ...after };
}

/** The part of an entry that names the server. The rest may be the user's own. */
export function remotePart(shape: RemoteShapeName, { url, token }: Remote): Entry {
  const keys = shapeNamed(shape);
  return { [keys.url]: url, [keys.headers]: { Authorization: `Bearer ${token}` } };
}

/**
 * The server of ours that an entry names: one on this machine, at our path, or the one elsewhere that we once wrote.
 * Without a header its token is empty.
 */
export function readRemote(
  shape: RemoteShapeName | undefined,
  entry: Entry,
  written?: string,
): Remote | undefined {
  if (shape === undefined) return undefined;
  const keys = shapeNamed(shape);
  const [url, headers] = [entry[keys.url], entry[keys.headers]];
  if (typeof url !== "string" || (!isLocal(url) && url !== written)) return undefined;
  const header = isValues(headers) ? headers["Authorization"] : undefined;
  return { url, token: typeof header === "string" ? header.replace(/^Bearer /, "") : "" };
}

/** Whether a server is on this machine, at our path. */
export function isLocal(url: string): boolean {
  return OWN_ADDRESS.test(url);
}

const OWN_ADDRESS = /^https?:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\]):\d+\/mcp$/;
