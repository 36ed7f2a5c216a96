/**
 * The command line: runs the command that was asked for and returns an exit code.
 *
 * What reads content is loaded only by the commands that need it.
 */
import type { App, Config } from "../../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import { type Command, type CommandName, COMMANDS, type Invocation } from "../../settings/mod.ts";
import type { Host } from "../../base/host.ts";
import type { Listener } from "../../serve/http/mod.ts";
import type { RightsInForce } from "../../base/model.ts";
import { execute, list, search } from "./browse.ts";
import { call } from "./call.ts";
import { completionScript } from "./completions.ts";
import { doctor } from "./doctor.ts";
import { renderHelp } from "./help.ts";
import { type Log, openLog } from "./log.ts";
import { printFailure, printText } from "./output.ts";
import { openProgress } from "./progress.ts";
import { serve } from "./serve.ts";
import { showSettings } from "./settings.ts";
import { show } from "./show.ts";

export { printFailure } from "./output.ts";

/** An exit code of the command's own; nothing means that it did what was asked. */
type Ending = void | number;

/** What could only be prepared while every right was there. */
export interface Prepared {
  /** Prints which version this is, for people or as JSON. */
  readonly printVersion: (json: boolean) => void;
  /** The socket to serve on; without one, stdin and stdout are served. */
  readonly listener?: Listener;
  /** The files of clients, for commands that have to do with them. */
  readonly clients?: ClientsPlan;
}

/** What a command has to work with. */
interface Session extends Prepared {
  readonly host: Host;
  readonly config: Config;
  readonly rights: RightsInForce;
  readonly log: Log;
  readonly invocation: Invocation;
  /** Whether the result is for a program. */
  readonly json: boolean;
  /** The content, for one who waits in front of it: long work shows how far it is. */
  open(): Promise<App>;
  /** The content, for clients. */
  serve(): Promise<App>;
}

const RUNNERS: Readonly<Record<CommandName, (session: Session) => Ending | Promise<Ending>>> = {
  serve: async ({ host, config, log, rights, listener, serve: open }) => {
    if (listener === undefined) return serve(host, await open(), log, rights);
    return (await import("./serve_http.ts")).serveHttp(host, config, log, rights, listener);
  },
  list: async ({ host, open, invocation }) => list(host, await open(), invocation),
  sources: async ({ host, open, invocation }) =>
    list(host, await open(), { ...invocation, operands: ["sources"] }),
  conflicts: async ({ host, open, invocation }) =>
    list(host, await open(), { ...invocation, operands: ["conflicts"] }),
  show: async ({ host, open, invocation }) => show(host, await open(), invocation),
  search: async ({ host, open, invocation }) => search(host, await open(), invocation),
  execute: async ({ host, open, invocation }) => execute(host, await open(), invocation),
  call: async ({ host, open, invocation }) => call(host, await open(), invocation),
  memory: async ({ host, open, invocation }) =>
    (await import("./memory.ts")).memory(host, await open(), invocation),
  doctor: async ({ host, config, rights, clients, open, log, json }) =>
    doctor({ host, config, rights, clients, app: await open(), bug: log.bug }, json),
  install: changeClients,
  uninstall: changeClients,
  cache: async ({ host, open, invocation }) =>
    (await import("./cache.ts")).cache(host, await open(), invocation),
  config: ({ host, config, json }) => showSettings(host, config, json),
  completions: ({ host, invocation }) => printText(host, completionScript(invocation.operands[0]!)),
  complete: async ({ host, open, invocation }) =>
    (await import("./complete.ts")).complete(host, await open(), invocation.operands),
  version: ({ printVersion, json }) => printVersion(json),
  licenses: async ({ host }) => (await import("./licences.ts")).showLicences(host),
  help: ({ host, invocation }) => printText(host, renderHelp(invocation.operands[0])),
};

async function changeClients({ host, config, clients }: Session): Promise<Ending> {
  return await (await import("./install.ts")).changeClients(host, config, clients!);
}

/** Runs the program once it is configured and its rights are dropped. */
export async function run(
  terminal: Host,
  config: Config,
  rights: RightsInForce,
  prepared: Prepared,
): Promise<number> {
  const { invocation, settings } = config;
  const progress = openProgress(terminal);
  const { host } = progress;
  const log = openLog(host, settings.logLevel, config.logFiles);
  if (invocation.name !== "doctor") tellOfStart(log, config, rights);
  let opened: App | undefined;
  const serve = async () =>
    opened = (await import("../../app.ts")).openApp(config, host, (text) => log.write("warn", text));
  const open = async () => {
    const app = (await serve()).forRequest({ progress: progress.tell });
    const { fetches }: Command = COMMANDS[invocation.name];
    if (fetches) await fetchCopies(app, log);
    // The doctor tells it anyway.
    if (fetches && invocation.name !== "doctor") await tellOfOrigins(app, log);
    return app;
  };
  const json = invocation.options.json !== undefined;
  try {
    const session = {
      ...prepared,
      host,
      config,
      rights,
      log,
      invocation,
      json,
      open,
      serve,
    };
    return await RUNNERS[invocation.name](session) ?? 0;
  } catch (error) {
    return printFailure(host, error);
  } finally {
    await opened?.close();
    progress.end();
  }
}

/** Writes down what a person should know of a start; `doctor` tells all of it and more. */
function tellOfStart(log: Log, { warnings, project }: Config, rights: RightsInForce): void {
  for (const warning of warnings) log.write("warn", warning);
  log.write("debug", `Project: ${project ?? "none"}; ${limitsOf(rights)}`);
  for (const right of rights.refused) log.write("warn", `Started without the right to ${right}`);
  if (!rights.sandboxed) {
    log.write("warn", "--no-sandbox: the program keeps the right to read and write the whole disk");
  }
}

/** What the process may still do, on one line. */
function limitsOf({ read, write, run }: RightsInForce): string {
  const kept = Object.entries({ read, write, run }).filter(([, names]) => names.length > 0);
  return kept.map(([right, names]) => `can ${right} only ${names.join(", ")}`).join("; ");
}

/** A person who asks for content waits for repositories that are due, and is told where they could not be had. */
async function fetchCopies(app: App, log: Log): Promise<void> {
  if (!app.config.origins.some(({ access }) => access.via === "git")) return;
  for (const { location, update } of await app.updateCopies()) {
    if (update.outcome === "failed" && !update.isNoted) {
      log.write("warn", `Cannot fetch ${location}: ${update.problem}`);
    }
  }
}

/** Tells of origins that somebody named and that cannot be served, or only as they were. */
async function tellOfOrigins(app: App, log: Log): Promise<void> {
  for (const { level, path, message } of await app.diagnostics()) {
    if (level !== "info" && path === undefined) log.write("warn", `${message}. Everything else is served`);
  }
}
