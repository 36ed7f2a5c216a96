/**
 * Serving MCP over HTTP until a signal comes: what is being answered then is still finished.
 */
import type { Config } from "../../app.ts";
import type { Host } from "../../base/host.ts";
import type { Listener } from "../../serve/http/mod.ts";
import { PRODUCT, type RightsInForce } from "../../base/model.ts";
import { journalOf, type Log } from "./log.ts";

/** How long answers are waited for when the program is to stop. */
const GRACE_MS = 10_000;

/** Serves whoever connects. */
export async function serveHttp(
  host: Host,
  config: Config,
  log: Log,
  rights: RightsInForce,
  listener: Listener,
): Promise<void> {
  const { openHttpService } = await import("../../serve/http/mod.ts");
  host.onStray((error) => void log.bug(error));
  const service = openHttpService(config, host, journalOf(log, config.settings.logLevel));
  listener.answerWith(service.answer, service.refused);
  const stop = Promise.withResolvers<void>();
  host.onStop(stop.resolve);
  log.write("info", `Listening at ${listener.url}/mcp for ${service.projects.join(", ")}`);
  if (host.terminal.stderr) host.writeErr(renderWelcome(config, rights, listener));
  await stop.promise;
  const patience = Promise.withResolvers<void>();
  const calledOff = host.after(GRACE_MS, patience.resolve);
  const closed = listener.close(GRACE_MS);
  await Promise.race([service.idle(), patience.promise]);
  calledOff();
  await service.close();
  await closed;
}

function renderWelcome({ settings }: Config, rights: RightsInForce, { url }: Listener): string {
  return [
    `${PRODUCT.name} ${PRODUCT.version} is serving MCP at ${url}/mcp, and what there is at ${url}/`,
    settings.token === undefined ? "It asks for no token." : "It asks for the token.",
    rights.sandboxed
      ? `It can read only: ${rights.read.join(", ")}`
      : "WARNING: --no-sandbox: it can read and write the whole disk",
    "",
    "To connect a client, add this to its configuration:",
    JSON.stringify({ mcpServers: { bmad: { type: "http", url: `${url}/mcp` } } }, null, 2),
    "",
    "Ctrl-C stops.",
    "",
  ].join("\n");
}
