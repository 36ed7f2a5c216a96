/**
 * The first words with a client that may know which folder is the project, spoken before the rights are dropped.
 *
 * The folder decides what stays readable, so it must be known first; and until the rights are dropped no third-party
 * code may run. So these few lines are our own: they read the client's opening and, where it is one of 2025 that
 * offers roots, answer it, ask for the roots and wait a moment. Afterwards the protocol code is given the whole
 * conversation from its beginning, and its own answer to the opening, which the client has already, is left out.
 *
 * A client of 2026 cannot be asked here: docs/decisions/0010-roots-before-rights.md says why.
 */
import type { Config } from "../../settings/plan/mod.ts";
import type { Host } from "../../base/host.ts";
import {
  createLineSplitter,
  encodeLine,
  type Fields,
  fieldsOf,
  joinBytes,
  type LineReader,
  openLineReader,
  parseLine,
} from "../../base/lines.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { CAPABILITIES, HANDSHAKE_VERSIONS, SERVER_INFO } from "./identity.ts";
import { instructionsFor } from "./instructions.ts";
import { diskTree } from "../../content/tree/mod.ts";
import { chooseRoot } from "./client_roots.ts";

export { callsFor } from "./choice.ts";
export { CAPABILITIES, SERVER_INFO } from "./identity.ts";
export { instructionsFor } from "./instructions.ts";

/** What came of it. */
export interface Meeting {
  /** The folder that the client calls its project; undefined when it did not say. */
  readonly root: string | undefined;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
  /** The conversation from its beginning, in place of the host's streams. */
  readonly streams: Pick<Host, "stdin" | "stdout">;
}

/** How long a client may take to tell its roots, once it has our answer. */
const PATIENCE_MS = 1_500;

const ROOTS_ID = "bmad-mcp-roots";

/** Whether the working folder is plainly the project: it holds BMAD content or a settings file of ours. */
export function isProject({ project, files }: Config): boolean {
  if (project === undefined) return false;
  return files.some(({ path, found }) => found && path === `${project}/.bmad-mcp.toml`) ||
    holdsContent(diskTree(project));
}

/** Finds out whether the client knows the project. */
export async function meetClient(host: Host, config: Config): Promise<Meeting> {
  const reader = openLineReader(host.stdin());
  const stdin = () => reader.replay();
  const message = parseLine(await reader.next());
  const opening = findOpening(message);
  if (opening === undefined) {
    return { root: undefined, warnings: missedRoots(message), streams: { stdin, stdout: host.stdout } };
  }
  const output = host.stdout().getWriter();
  const roots = await askRoots(opening.id, introductionFor(opening.protocolVersion, config), reader, output);
  const stdout = () => withoutAnswer(output, opening.id);
  return { root: chooseRoot(roots, host), warnings: [], streams: { stdin, stdout } };
}

/** Answers an opening and asks for roots; undefined when they do not come in time. */
async function askRoots(
  openingId: Opening["id"],
  introduction: Fields,
  reader: LineReader,
  output: WritableStreamDefaultWriter<Uint8Array>,
): Promise<unknown> {
  const say = (message: Fields) =>
    output.write(encodeLine({ jsonrpc: "2.0", ...message }))
      // A client that has gone is noticed by those who serve it.
      .catch(() => {});
  await say({ id: openingId, result: introduction });
  let isAsked = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise((resolve) => timer = setTimeout(resolve, PATIENCE_MS));
  try {
    for (let line; (line = await reader.next(limit)) !== undefined;) {
      const { id, method, result } = parseLine(line);
      if (id === ROOTS_ID && method === undefined) {
        reader.drop();
        return fieldsOf(result)["roots"];
      }
      if (method === "notifications/initialized" && !isAsked) {
        isAsked = true;
        await say({ id: ROOTS_ID, method: "roots/list" });
      }
    }
    if (isAsked) await say({ method: "notifications/cancelled", params: { requestId: ROOTS_ID } });
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The opening of a client of 2025 that offers roots. */
interface Opening {
  readonly id: string | number;
  readonly protocolVersion: string;
}

/** The opening that a message is; undefined for what we leave to the protocol code, such as a wrong one. */
function findOpening({ id, method, params }: Fields): Opening | undefined {
  const { protocolVersion, capabilities, clientInfo, _meta } = fieldsOf(params);
  const { name, version } = fieldsOf(clientInfo);
  // What is wrong with an opening is for those to say who serve it.
  const isWhole = method === "initialize" && [protocolVersion, name, version].every(isText) &&
    Object.values(fieldsOf(capabilities)).every(isMap) && isMap(fieldsOf(capabilities)["roots"]) &&
    fieldsOf(_meta)[MODERN_VERSION] === undefined;
  return isWhole && (isText(id) || Number.isInteger(id)) ? { id, protocolVersion } as Opening : undefined;
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is answered to an opening. */
function introductionFor(version: string, config: Config): Fields {
  return {
    protocolVersion: HANDSHAKE_VERSIONS.find((known) => known === version) ?? HANDSHAKE_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER_INFO,
    instructions: instructionsFor(config),
  };
}

/** Says so where roots are offered in a way in which they cannot be had. */
function missedRoots({ params }: Fields): readonly string[] {
  const { [MODERN_CAPABILITIES]: capabilities } = fieldsOf(fieldsOf(params)["_meta"]);
  if (fieldsOf(capabilities)["roots"] === undefined) return [];
  return ["The client's roots cannot be used as project in this protocol revision: name it with --project"];
}

/** What every request of the era of 2026 says of its client. */
const MODERN_VERSION = "io.modelcontextprotocol/protocolVersion";
const MODERN_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** A stream that leaves out the answer to a request that was answered before. One write may hold several messages. */
function withoutAnswer(
  output: WritableStreamDefaultWriter<Uint8Array>,
  id: Opening["id"],
): WritableStream<Uint8Array> {
  const splitter = createLineSplitter();
  let isDue = true;
  const filter = (chunk: Uint8Array): Uint8Array => {
    const wanted: Uint8Array[] = [];
    for (const line of splitter.push(chunk)) {
      if (isDue && parseLine(line)["id"] === id) isDue = false;
      else wanted.push(line!, LINE_END);
    }
    return joinBytes(isDue ? wanted : [...wanted, splitter.rest()]);
  };
  return new WritableStream({
    write: async (chunk) => {
      const left = isDue ? filter(chunk) : chunk;
      if (left.length > 0) await output.write(left);
    },
    close: () => output.close(),
    abort: (reason) => output.abort(reason),
  });
}

const LINE_END = new TextEncoder().encode("\n");

function isText(value: unknown): value is string {
  return typeof value === "string";
}
