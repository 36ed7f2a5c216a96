/** The shapes of entries and hooks. No hook has a matcher: `prime` decides for all clients what a session is. */
import { shownWords } from "../../settings/mod.ts";
import { command } from "../../base/text.ts";
import { isValues } from "../../base/values.ts";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** A server by HTTP, on this machine or a team's. In a shared file, the token is the variable that holds it. */
export interface Remote {
  readonly url: string;
  readonly token: string;
}

export type Entry = Readonly<Record<string, unknown>>;

interface Frame {
  readonly named?: true;
  readonly before?: Entry;
  readonly after?: Entry;
}

interface Shape extends Frame {
  readonly command: string;
  /** Without one, the command's key has a list that starts with the command. */
  readonly args?: string;
  readonly listed?: true;
}

interface RemoteShape extends Frame {
  readonly url: string;
  readonly headers: string;
}

const SPLIT = { command: "command", args: "args" } as const;
const SHAPES = {
  plain: SPLIT,
  stdio: { before: { type: "stdio" }, ...SPLIT },
  copilot: { before: { type: "local" }, ...SPLIT, after: { tools: ["*"] } },
  joined: { before: { type: "local" }, command: "command", after: { enabled: true } },
  "joined-bare": { before: { type: "local" }, command: "command" },
  switched: { ...SPLIT, after: { disabled: false } },
  zed: { before: { source: "custom" }, ...SPLIT },
  kimi: { before: { transport: "stdio" }, ...SPLIT },
  goose: {
    named: true,
    before: { description: "The BMAD Method", type: "stdio" },
    command: "cmd",
    args: "args",
    after: { enabled: true, timeout: 300 },
  },
  listed: { named: true, ...SPLIT, listed: true },
} as const satisfies Readonly<Record<string, Shape>>;

const PLAIN = { url: "url", headers: "headers" } as const;
const REMOTE_SHAPES = {
  plain: PLAIN,
  http: { before: { type: "http" }, ...PLAIN },
  copilot: { before: { type: "http" }, ...PLAIN, after: { tools: ["*"] } },
  remote: { before: { type: "remote" }, ...PLAIN },
  cline: { before: { type: "streamableHttp" }, ...PLAIN, after: { disabled: false } },
  roo: { before: { type: "streamable-http" }, ...PLAIN },
  server: { url: "serverUrl", headers: "headers" },
  codex: { url: "url", headers: "http_headers" },
  goose: {
    named: true,
    before: { description: "The BMAD Method", type: "streamable_http" },
    url: "uri",
    headers: "headers",
    after: { enabled: true, timeout: 300 },
  },
} as const satisfies Readonly<Record<string, RemoteShape>>;

export type ShapeName = keyof typeof SHAPES;
type RemoteShapeName = keyof typeof REMOTE_SHAPES;

/** Without `remote`, we know none for servers by HTTP. */
export interface EntryShapes {
  readonly shape: ShapeName;
  readonly remote?: RemoteShapeName;
}

export function buildEntry(shapes: EntryShapes, name: string, launch: Launch | Remote): Entry {
  const frame: Shape | RemoteShape = "url" in launch ? remoteShape(shapes) : SHAPES[shapes.shape];
  const { named, before, after } = frame;
  return { ...(named && { name }), ...before, ...entryPart(shapes, launch), ...after };
}

export function entryPart(shapes: EntryShapes, launch: Launch | Remote): Entry {
  if ("url" in launch) {
    const { url, headers } = remoteShape(shapes);
    return { [url]: launch.url, [headers]: { Authorization: `Bearer ${launch.token}` } };
  }
  const keys: Shape = SHAPES[shapes.shape];
  return keys.args === undefined
    ? { [keys.command]: [launch.command, ...launch.args] }
    : { [keys.command]: launch.command, [keys.args]: launch.args };
}

function remoteShape({ remote }: EntryShapes): RemoteShape {
  if (remote === undefined) throw new Error("This client has no entries for HTTP");
  return REMOTE_SHAPES[remote];
}

export function readLaunch({ shape }: EntryShapes, entry: Entry): Launch | undefined {
  const keys: Shape = SHAPES[shape];
  const command = entry[keys.command];
  const [first, ...rest] = [command, keys.args === undefined ? [] : entry[keys.args] ?? []].flat();
  const args = rest.filter((arg) => typeof arg === "string");
  return typeof first === "string" && args.length === rest.length ? { command: first, args } : undefined;
}

/** One on this machine, at our path, or the one elsewhere that we once wrote. Without a header its token is empty. */
export function readRemote({ remote }: EntryShapes, entry: Entry, written?: string): Remote | undefined {
  if (remote === undefined) return undefined;
  const keys = REMOTE_SHAPES[remote];
  const [url, headers] = [entry[keys.url], entry[keys.headers]];
  if (typeof url !== "string" || (!isLocal(url) && url !== written)) return undefined;
  const header = isValues(headers) ? headers["Authorization"] : undefined;
  return { url, token: typeof header === "string" ? header.replace(/^Bearer /, "") : "" };
}

export function isLocal(url: string): boolean {
  return /^https?:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\]):\d+\/mcp$/.test(url);
}

export function isListed(shape: ShapeName): boolean {
  const { listed }: Shape = SHAPES[shape];
  return listed === true;
}

export function isSwitchedOff(entry: Entry): boolean {
  return entry["disabled"] === true || entry["enabled"] === false;
}

export function renderLaunch(launch: Launch): string {
  const args = shownWords([launch.command, ...launch.args]);
  return command`${{ args }}` ?? JSON.stringify(args);
}

/** Seconds; `prime` itself takes less. */
const LIMIT = 10;

interface HookShape {
  /** Whether each item has the hooks in a list of its own. */
  readonly isGrouped?: true;
  build(line: string): Entry;
}

const grouped = (timeout: number) => ({
  isGrouped: true,
  build: (command: string) => ({ type: "command", command, timeout }),
} as const);

const HOOK_SHAPES = {
  grouped: grouped(LIMIT),
  "grouped-ms": grouped(LIMIT * 1_000),
  flat: { build: (command) => ({ command, timeout: LIMIT }) },
  copilot: {
    build: (line) => ({
      type: "command",
      bash: line,
      // PowerShell would print a quoted path.
      powershell: /^["']/.test(line) ? `& ${line}` : line,
      timeoutSec: LIMIT,
    }),
  },
} as const satisfies Readonly<Record<string, HookShape>>;

export type HookShapeName = keyof typeof HOOK_SHAPES;

export const hookShape = (name: HookShapeName): HookShape => HOOK_SHAPES[name];

export const GROUP_KEY = "hooks";

export function buildHook(shape: HookShapeName, line: string): Entry {
  const { build, isGrouped } = hookShape(shape);
  return isGrouped ? { [GROUP_KEY]: [build(line)] } : build(line);
}

export const HOOK_ARGS: readonly string[] = ["prime", "--hook"];

export const OWN_LINE = new RegExp(` ${HOOK_ARGS.join(" ")}(?: |$)`);
