/** Until a signal arrives; requests under way are still answered. */
import type { Config } from "../../app.ts";
import type { Listener } from "../../serve/http/mod.ts";
import { PRODUCT } from "../../base/model.ts";
import { ignoredText, placeText } from "../../settings/mod.ts";
import { type Place, userFolders } from "../../base/paths.ts";
import { command, NO_COMMAND, withCommand } from "../../base/text.ts";
import { tokenFile, USER_TOKEN } from "../../process/user_token.ts";
import { stableLaunch } from "../clients/mod.ts";
import { LIMITS } from "../limits.ts";
import { journalOf } from "./log.ts";
import { watch } from "./serve.ts";
import type { Session } from "./session.ts";

const { graceMs, watchAfterMs } = LIMITS.http;

export async function serveHttp({ host, config, log, listener: opened }: Session): Promise<number> {
  const listener = opened!;
  const { openHttpService } = await import("../../serve/http/mod.ts");
  host.onStray((error) => void log.bug(error));
  const launch = stableLaunch(host.launch, host);
  const service = openHttpService(config, { ...host, launch }, journalOf(log, config.settings.logLevel));
  for (const one of await service.checkTools()) log.write("warn", ignoredText(one));
  listener.answerWith(service.answer, service.refused);
  const stop = Promise.withResolvers<number>();
  host.onStop(stop.resolve);
  if (config.settings.http?.isLoopback === false && listener.url.startsWith("http:")) {
    log.write("warn", CLEAR);
  }
  const isShown = host.terminal.stderr;
  log.write(
    isShown && config.logFiles.length === 0 ? "debug" : "info",
    `Listening at ${listener.url}/mcp for ${service.projects.join(", ")}`,
  );
  if (isShown) host.writeErr(renderWelcome(config, listener));
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

/** Says where the token is, never the token. */
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

function renderWelcome(config: Config, { url }: Listener): string {
  const { settings: { token }, provenance } = config;
  // The user who started the server may see the token: it is in a file of theirs.
  const own = provenance.token === USER_TOKEN ? `?token=${token}` : "";
  const { port } = new URL(url);
  return [
    `${PRODUCT.name} ${PRODUCT.version}. ${renderProjects(config, port)}`,
    `${withCommand("To connect your clients", command`bmad-mcp install --http ${port}`)}. Ctrl-C stops.`,
    // At the end: terminals make it a link, and nothing else gets into it.
    `Open: ${url}/${own}`,
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
  if (project !== undefined) return found;
  const why = notProject === undefined ? "" : ` (the working folder ${notProject})`;
  return `Project: none${why}\nName one: ${name}`;
}
