/** Asked in memory: a child would get our rights back (docs/decisions/0016-the-probe-starts-nothing.md). */
import type { App } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { asText, asTexts } from "../../base/values.ts";
import { pause } from "../../base/work.ts";
import { encodeLine, type Fields, fieldsOf, openLineReader, parseLine } from "../../process/lines.ts";
import { type ByteSink, type ByteSource, openPipe } from "../../process/pipes.ts";

export interface Probe {
  readonly era: "2025" | "2026";
  readonly revision?: string;
  readonly tools: number;
  readonly ms: { readonly open?: number; readonly list?: number; readonly call?: number };
  readonly problem?: string;
}

export type Serve = (app: App, input: ByteSource, output: ByteSink) => { close(): Promise<void> };

const CLIENT = { name: `${PRODUCT.name}-doctor`, version: PRODUCT.version };
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Long enough for the first inventory of a very large installation. */
const TIMEOUT_MS = 30_000;

export async function probeEra(app: App, era: Probe["era"], serve: Serve): Promise<Probe> {
  const isOld = era === "2025";
  const [toServer, toClient] = [openPipe(), openPipe()];
  const connection = serve(app, toServer.source, toClient.sink);
  const reader = openLineReader(toClient.source, Infinity);
  const ms: { open?: number; list?: number; call?: number } = {};
  let [asked, revision]: [number, string | undefined] = [0, undefined];
  let tools: readonly { readonly name: string }[] = [];
  const send = (message: Fields) => toServer.sink(encodeLine({ jsonrpc: "2.0", ...message }));
  const request = async (step: keyof typeof ms, method: string, params: Fields): Promise<Fields> => {
    const since = performance.now();
    const done = new AbortController();
    const own = ++asked;
    const limit = pause(TIMEOUT_MS, done.signal);
    await send({ id: own, method, params: isOld ? params : { ...params, _meta: ENVELOPE } });
    for (let line; (line = await reader.next(limit)) !== undefined;) {
      reader.drop();
      const { id, error, result } = parseLine(line);
      if (id !== own) continue;
      done.abort();
      if (error !== undefined) throw new Error(`${method} returned an error: ${fieldsOf(error)["message"]}`);
      const { isError, content } = fieldsOf(result);
      if (isError === true) throw new Error(`${method} failed: ${JSON.stringify(content)}`);
      ms[step] = performance.now() - since;
      return fieldsOf(result);
    }
    const isLate = performance.now() - since >= TIMEOUT_MS;
    throw new Error(
      isLate
        ? `${method} was not answered within ${TIMEOUT_MS / 1_000} s`
        : "the server closed the connection",
    );
  };
  try {
    if (isOld) {
      const opening = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT };
      revision = asText((await request("open", "initialize", opening))["protocolVersion"]);
    } else {
      const { supportedVersions } = await request("open", "server/discover", {});
      revision = asTexts(supportedVersions).find((one) => one === "2026-07-28");
    }
    if (revision === undefined) throw new Error("no protocol version in common");
    if (isOld) await send({ method: "notifications/initialized" });
    tools = (await request("list", "tools/list", {}))["tools"] as typeof tools;
    // A cheap request that reads content, with the tool that is nearly always on.
    if (tools.some(({ name }) => name === "bmad")) {
      await request("call", "tools/call", {
        name: "bmad",
        arguments: { operation: "list", query: "modules" },
      });
    } else await request("call", "resources/templates/list", {});
    return { era, revision, tools: tools.length, ms };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { era, revision, tools: tools.length, ms, problem };
  } finally {
    toServer.end();
    reader.cancel();
    await connection.close();
  }
}
