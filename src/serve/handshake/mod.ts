/**
 * The first messages with a client that may know which folder is the project, before the rights are dropped.
 *
 * The project decides what stays readable, so it must be known first; but until the rights are dropped no third-party
 * code may run. So this unit answers `initialize` by itself, asks a 2025 client that offers roots for them, and waits
 * briefly. The SDK then gets the whole conversation from its beginning, and its own answer to `initialize`, which the
 * client already has, is left out. A 2026 client cannot be asked here: docs/decisions/0010-roots-before-rights.md.
 */
import { PRODUCT } from "../../base/model.ts";
import { isTooWide } from "../../base/paths.ts";
import { type Clock, pause } from "../../base/work.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { diskTree } from "../../content/tree/mod.ts";
import type { Host } from "../../process/host.ts";
import {
  createLineSplitter,
  encodeLine,
  type Fields,
  fieldsOf,
  joinBytes,
  type LineReader,
  openLineReader,
  parseLine,
} from "../../process/lines.ts";
import type { ByteSink } from "../../process/pipes.ts";
import type { Config } from "../../settings/plan/mod.ts";
import { instructionsFor } from "./instructions.ts";

export { callsFor, instructionsFor } from "./instructions.ts";

export interface Handshake {
  readonly root: string | undefined;
  readonly warnings: readonly string[];
  /** The conversation from its beginning, to use instead of the host's streams. */
  readonly streams: Pick<Host, "stdin" | "stdout">;
}

const ROOTS_TIMEOUT_MS = 1_500;

const ROOTS_ID = "bmad-mcp-roots";

/** Whether the working folder is clearly the project: it holds BMAD content or one of our settings files. */
export function isProject({ project, files }: Config): boolean {
  if (project === undefined) return false;
  return files.some(({ path, found }) => found && path === `${project}/.bmad-mcp.toml`) ||
    holdsContent(diskTree(project));
}

export async function askForRoot(host: Host, config: Config): Promise<Handshake> {
  const reader = openLineReader(host.stdin());
  const stdin = () => reader.replay();
  const message = parseLine(await reader.next());
  const opening = findOpening(message);
  if (opening === undefined) {
    return { root: undefined, warnings: missedRoots(message), streams: { stdin, stdout: host.stdout } };
  }
  const output = host.stdout();
  const roots = await exchangeRoots(opening, initializeResult(opening, config), reader, output, host);
  const stdout = () => withoutAnswer(output, opening.id);
  return { root: chooseRoot(roots, host), warnings: [], streams: { stdin, stdout } };
}

async function exchangeRoots(
  opening: Opening,
  result: Fields,
  reader: LineReader,
  output: ByteSink,
  clock: Clock,
): Promise<unknown> {
  const send = (message: Fields) =>
    output(encodeLine({ jsonrpc: "2.0", ...message }))
      // The transport will notice that the client has disconnected.
      .catch(() => {});
  await send({ id: opening.id, result });
  const done = new AbortController();
  const limit = pause(ROOTS_TIMEOUT_MS, done.signal, clock);
  let isAsked = false;
  try {
    for (let line; (line = await reader.next(limit)) !== undefined;) {
      const { id, method, result } = parseLine(line);
      if (id === ROOTS_ID && method === undefined) {
        reader.drop();
        return fieldsOf(result)["roots"];
      }
      if (method === "notifications/initialized" && !isAsked) {
        isAsked = true;
        await send({ id: ROOTS_ID, method: "roots/list" });
      }
    }
    if (isAsked) await send({ method: "notifications/cancelled", params: { requestId: ROOTS_ID } });
    return undefined;
  } finally {
    done.abort();
  }
}

interface Opening {
  readonly id: string | number;
  readonly protocolVersion: string;
}

function findOpening({ id, method, params }: Fields): Opening | undefined {
  const { protocolVersion, capabilities, clientInfo, _meta } = fieldsOf(params);
  const { name, version } = fieldsOf(clientInfo);
  const isValid = method === "initialize" && [protocolVersion, name, version].every(isText) &&
    Object.values(fieldsOf(capabilities)).every(isMap) && isMap(fieldsOf(capabilities)["roots"]) &&
    fieldsOf(_meta)[MODERN_VERSION] === undefined;
  return isValid && (isText(id) || Number.isInteger(id)) ? { id, protocolVersion } as Opening : undefined;
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function initializeResult({ protocolVersion }: Opening, config: Config): Fields {
  return {
    protocolVersion: HANDSHAKE_VERSIONS.find((known) => known === protocolVersion) ?? HANDSHAKE_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER_INFO,
    instructions: instructionsFor(config),
  };
}

function missedRoots({ params }: Fields): readonly string[] {
  const { [MODERN_CAPABILITIES]: capabilities } = fieldsOf(fieldsOf(params)["_meta"]);
  if (fieldsOf(capabilities)["roots"] === undefined) return [];
  return [
    "This protocol version does not allow asking for the client's roots: name the project with --project",
  ];
}

const MODERN_VERSION = "io.modelcontextprotocol/protocolVersion";
const MODERN_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const LINE_END = new TextEncoder().encode("\n");

/** A single write may hold several messages. */
function withoutAnswer(output: ByteSink, id: Opening["id"]): ByteSink {
  const splitter = createLineSplitter();
  let isPending = true;
  const filter = (chunk: Uint8Array): Uint8Array => {
    const wanted: Uint8Array[] = [];
    for (const line of splitter.push(chunk)) {
      if (isPending && parseLine(line)["id"] === id) isPending = false;
      else wanted.push(line!, LINE_END);
    }
    return joinBytes(isPending ? wanted : [...wanted, splitter.rest()]);
  };
  return async (bytes) => {
    const left = isPending ? filter(bytes) : bytes;
    if (left.length > 0) await output(left);
  };
}

export const SERVER_INFO = { name: PRODUCT.name, title: PRODUCT.title, version: PRODUCT.version } as const;

export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
};

/** Those that open with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

const MAX_ROOTS = 50;

/**
 * Which of a client's roots is the project: the first with BMAD content, else the first. `roots` is unchecked input. A root
 * counts if it is an existing folder, and neither a whole disk nor the user's home or a folder above it.
 */
export function chooseRoot(
  roots: unknown,
  host: Pick<Host, "findFolder" | "home" | "os">,
): string | undefined {
  const folders = (Array.isArray(roots) ? roots : []).slice(0, MAX_ROOTS)
    .map((root) => folderOf(root?.uri, host.os))
    .map((folder) => folder === undefined ? undefined : host.findFolder(folder))
    .filter((folder) => folder !== undefined)
    .filter((folder) => !isTooWide(folder, host));
  return folders.find((folder) => holdsContent(diskTree(folder))) ?? folders[0];
}

export function folderOf(uri: unknown, os: Host["os"]): string | undefined {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  if (url?.protocol !== "file:" || (url.hostname !== "" && url.hostname !== "localhost")) return undefined;
  // An encoded separator would become a separator only after decoding.
  if (/%(?:2f|5c|00)/i.test(url.pathname)) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    return os === "windows" ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
  } catch {
    return undefined;
  }
}
