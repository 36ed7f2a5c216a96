/** Serves MCP over HTTP until a signal arrives; requests under way are still answered. */
import type { Config } from "../../app.ts";
import type { Listener } from "../../serve/http/mod.ts";
import { PRODUCT, type RightsInForce } from "../../base/model.ts";
import { ignoredText, placeText } from "../../settings/mod.ts";
import { type Place, userFolders } from "../../base/paths.ts";
import { command, NO_COMMAND } from "../../base/text.ts";
import { tokenFile, USER_TOKEN } from "../../process/user_token.ts";
import { LIMITS } from "../limits.ts";
import { journalOf } from "./log.ts";
import { renderRights, watch } from "./serve.ts";
import type { Session } from "./session.ts";

const { graceMs, watchAfterMs } = LIMITS.http;

export async function serveHttp({ host, config, log, rights, listener: opened }: Session): Promise<number> {
  const listener = opened!;
  const { openHttpService } = await import("../../serve/http/mod.ts");
  host.onStray((error) => void log.bug(error));
  const service = openHttpService(config, host, journalOf(log, config.settings.logLevel));
  for (const one of await service.checkTools()) log.write("warn", ignoredText(one));
  listener.answerWith(service.answer, service.refused);
  const stop = Promise.withResolvers<number>();
  host.onStop(stop.resolve);
  log.write("info", `Listening at ${listener.url}/mcp for ${service.projects.join(", ")}`);
  if (config.settings.http?.isLoopback === false && listener.url.startsWith("http:")) {
    log.write("warn", CLEAR);
  }
  if (host.terminal.stderr) host.writeErr(renderWelcome(config, rights, listener));
  else log.write("info", `Authentication: ${renderAccess(config, host)}`);
  const cancelWatch = host.after(watchAfterMs, () => void watch(host, log));
  const code = await stop.promise;
  cancelWatch();
  service.stop();
  const timeout = Promise.withResolvers<void>();
  const cancelTimeout = host.after(graceMs, timeout.resolve);
  const closed = listener.close(graceMs);
  await Promise.race([service.idle(), timeout.promise]);
  cancelTimeout();
  await service.close();
  await closed;
  return code;
}

const CLEAR =
  "Tokens cross the network in clear, where others can read them. Use --tls-cert and --tls-key, or listen on " +
  "127.0.0.1 behind a proxy that encrypts";

/** How clients get in, for a log: where the token is, never the token. */
export function renderAccess(
  { settings, provenance, httpState }: Pick<Config, "settings" | "provenance" | "httpState">,
  place: Place,
): string {
  const { token, noToken, oidcIssuer, proxyFrom } = settings;
  if (noToken) return "none";
  const { state } = userFolders(place);
  const isOwn = provenance.token === USER_TOKEN && state !== undefined;
  const ways = [
    token !== undefined && (isOwn ? `the token in ${tokenFile(state)}` : `the token of ${provenance.token}`),
    httpState?.isNamed && "tokens of bmad-mcp token add",
    oidcIssuer !== undefined && `tokens of ${oidcIssuer}`,
    proxyFrom.length > 0 && `the proxy at ${proxyFrom.join(", ")}`,
  ];
  return ways.filter(Boolean).join("; ");
}

function renderWelcome(config: Config, rights: RightsInForce, { url }: Listener): string {
  const { settings: { token, noToken }, provenance } = config;
  // The user who started the server may see the token: it is in a file of theirs.
  const own = provenance.token === USER_TOKEN ? token : undefined;
  const entry = {
    type: "http",
    url: `${url}/mcp`,
    ...(!noToken && { headers: { Authorization: `Bearer ${own ?? "TOKEN"}` } }),
  };
  return [
    `${PRODUCT.name} ${PRODUCT.version}`,
    renderProjects(config, new URL(url).port),
    "",
    "Dashboard, to open in a browser:",
    // Alone on its line: terminals make it a link, and nothing else gets into it.
    own === undefined ? `${url}/` : `${url}/?token=${own}`,
    "",
    `MCP endpoint: ${url}/mcp`,
    `Authentication: ${noToken ? "none" : own === undefined ? "token" : USER_TOKEN}`,
    ...renderRights(rights),
    "",
    "To connect a client, add this to its configuration:",
    JSON.stringify({ mcpServers: { bmad: entry } }, null, 2),
    "",
    "Ctrl-C stops.",
    "",
  ].join("\n");
}

type Projects = Pick<Config, "project" | "place" | "notProject" | "settings" | "siblings">;

export function renderProjects(
  { project, place, notProject, settings, siblings }: Projects,
  port: string,
): string {
  const folders = [project, ...siblings.map((one) => one.project)].filter((folder) => folder !== undefined);
  if (settings.project !== undefined) {
    return `${folders.length === 1 ? "Project" : "Projects"}: ${folders.join(", ")}`;
  }
  const name = command`bmad-mcp serve --http ${port} --project DIR` ?? NO_COMMAND;
  const found = placeText(place) ?? `Project: ${project} (the working folder)`;
  if (project !== undefined) return `${found}\nAnother one: ${name}`;
  const why = notProject === undefined ? "" : ` (the working folder ${notProject})`;
  return `Project: none${why}\nName one: ${name}`;
}
