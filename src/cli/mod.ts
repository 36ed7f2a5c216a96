/**
 * The command line: runs the command that was asked for and returns an exit code.
 */
import { type App, openApp } from "../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import { type Command, type CommandName, COMMANDS, type Config } from "../config/mod.ts";
import type { Host } from "../host.ts";
import type { Listener } from "../listener.ts";
import type { RightsInForce } from "../model.ts";
import { execute, list, search } from "./browse.ts";
import { call } from "./call.ts";
import { complete } from "./complete.ts";
import { completionScript } from "./completions.ts";
import { renderHelp } from "./help.ts";
import { type Log, openLog } from "./log.ts";
import { openProgress } from "./progress.ts";
import { printFailure, printText } from "./output.ts";
import { serve } from "./serve.ts";
import { serveHttp } from "./serve_http.ts";
import { showSettings } from "./settings.ts";
import { show } from "./show.ts";
import { showLicences, showVersion } from "./version.ts";

export { printFailure } from "./output.ts";

/** What the process may still do, on one line. */
function limitsOf({ read, write, run }: RightsInForce): string {
  const kept = Object.entries({ read, write, run }).filter(([, names]) => names.length > 0);
  return kept.map(([right, names]) => `can ${right} only ${names.join(", ")}`).join("; ");
}

/** What could only be prepared while every right was there. */
export interface Prepared {
  /** The socket to serve on; without one, stdin and stdout are served. */
  readonly listener?: Listener;
  /** The files of clients, for commands that have to do with them. */
  readonly clients?: ClientsPlan;
}

/** Runs the program once it is configured and its rights are dropped. */
export async function run(
  terminal: Host,
  config: Config,
  rights: RightsInForce,
  { listener, clients }: Prepared = {},
): Promise<number> {
  const { invocation, settings, warnings } = config;
  const { options, operands } = invocation;
  const progress = openProgress(terminal);
  const { host } = progress;
  const log = openLog(host, settings.logLevel, config.logFiles);
  const served = openApp(config, host, (text) => log.write("warn", text));
  const app = served.watched({ progress: progress.tell });
  for (const warning of warnings) log.write("warn", warning);
  log.write("debug", `Project: ${config.project ?? "none"}; ${limitsOf(rights)}`);
  for (const right of rights.refused) log.write("warn", `Started without the right to ${right}`);
  if (!rights.sandboxed) {
    log.write("warn", "--no-sandbox: the program keeps the right to read and write the whole disk");
  }

  const changing = async () => {
    const { changeClients } = await import("./install.ts");
    return await changeClients(host, config, clients!);
  };
  const commands: Readonly<Record<CommandName, () => void | Promise<number | void>>> = {
    serve: () =>
      listener === undefined
        ? serve(host, served, log, rights)
        : serveHttp(host, config, log, rights, listener),
    list: () => list(host, app, invocation),
    sources: () => list(host, app, { ...invocation, operands: ["sources"] }),
    conflicts: () => list(host, app, { ...invocation, operands: ["conflicts"] }),
    show: () => show(host, app, invocation),
    search: () => search(host, app, invocation),
    execute: () => execute(host, app, invocation),
    call: () => call(host, app, invocation),
    doctor: () => list(host, app, { ...invocation, operands: ["doctor"] }),
    install: changing,
    uninstall: changing,
    cache: async () => (await import("./cache.ts")).cache(host, app, invocation),
    config: () => showSettings(host, config, options.json !== undefined),
    completions: () => printText(host, completionScript(operands[0]!)),
    complete: () => complete(host, app, operands),
    version: () => showVersion(host, options.json !== undefined),
    licenses: () => showLicences(host),
    help: () => printText(host, renderHelp(operands[0])),
  };
  try {
    const { fetches }: Command = COMMANDS[invocation.name];
    if (fetches && invocation.name !== "serve") await fetchCopies(app, log);
    return await commands[invocation.name]() ?? 0;
  } catch (error) {
    return printFailure(host, error);
  } finally {
    progress.end();
  }
}

/** A person who asks for content waits for repositories that are due, and is told where they could not be had. */
async function fetchCopies(app: App, log: Log): Promise<void> {
  if (!app.config.origins.some(({ access }) => access.via === "git")) return;
  for (const { location, update } of await app.updateCopies()) {
    if (update.outcome === "failed" && !update.isNoted) {
      log.write("warn", `Cannot fetch ${location}: ${update.problem}`);
    }
  }
  // The doctor tells it anyway.
  const told = app.config.invocation.name === "doctor" ? [] : await app.diagnostics();
  for (const { level, origin, path, message } of told) {
    if (level !== "info" && path === undefined && origin?.startsWith("git")) log.write("warn", message);
  }
}
