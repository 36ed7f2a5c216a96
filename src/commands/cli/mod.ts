/**
 * The command line: runs a command and returns its exit code.
 *
 * Commands load their code when they are run: a server, which starts most often, needs hardly any of it.
 */
import type { App, Config } from "../../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import type { Greeting } from "../hooks/mod.ts";
import type { SourcesPlan } from "../sources/mod.ts";
import type { SetupPlan } from "../team/mod.ts";
import {
  asksForJson,
  type Command,
  type CommandName,
  COMMANDS,
  ignoredText,
  type Invocation,
  type OptionName,
  OPTIONS,
} from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import type { Listener } from "../../serve/http/mod.ts";
import type { RightsInForce } from "../../base/model.ts";
import type { Work } from "../../base/work.ts";
import type { Folded } from "./fold.ts";
import { type Log, openLog } from "./log.ts";
import { openProgress } from "./progress.ts";
import { serve } from "./serve.ts";

/** Prints what kept the program from starting, and returns the exit code. */
export async function printStartFailure(host: Host, error: unknown): Promise<number> {
  const { printFailure } = await import("./output.ts");
  const json = asksForJson(host.args);
  const code = printFailure(await fitted(host, { out: false, err: !json }), error, { json });
  return isHook(host.args) ? 0 : code;
}

/** Whether a client runs us as its hook: some keep a session from beginning when a hook fails. */
function isHook(args: readonly string[]): boolean {
  return args.includes(COMMANDS.prime.usage) && args.includes(OPTIONS.hook.flag);
}

/** The exit code of a command; undefined for success. */
type ExitCode = void | number;

/** What had to be prepared before the rights were dropped. */
export interface Prepared {
  /** Prints the version, for people or as JSON. */
  readonly printVersion: (json: boolean) => void;
  /** The socket to serve on; without one, stdin and stdout are served. */
  readonly listener?: Listener;
  /** The files of clients, for `install`, `uninstall` and `doctor`. */
  readonly clients?: ClientsPlan;
  /** The settings file to change, for `add`, `remove` and `update`, or what to compare, for `preview`. */
  readonly sources?: SourcesPlan;
  /** The files of git to change, for `team`. */
  readonly setup?: SetupPlan;
  /** How a client is answered, for `prime` in a hook. */
  readonly greeting?: Greeting;
}

/** What a command works with. */
interface Session extends Prepared {
  readonly host: Host;
  readonly config: Config;
  readonly rights: RightsInForce;
  readonly log: Log;
  readonly invocation: Invocation;
  readonly json: boolean;
  readonly progress: Work["progress"];
  /** Opens the content for a person who waits: long work shows its progress. */
  open(): Promise<App>;
  /** Opens the content for clients. */
  serve(): Promise<App>;
}

/** A command that reads content. */
type ContentCommand = (host: Host, app: App, invocation: Invocation) => Promise<ExitCode>;

const onContent = (load: () => Promise<ContentCommand>) => async ({ host, open, invocation }: Session) =>
  (await load())(host, await open(), invocation);

/** A list under a command of its own. */
const listCommand = (what: string) =>
  onContent(async () => {
    const { list } = await import("./browse.ts");
    return (host, app, invocation) => list(host, app, { ...invocation, operands: [what] });
  });

const RUNNERS: Readonly<Record<CommandName, (session: Session) => ExitCode | Promise<ExitCode>>> = {
  serve: async ({ host, config, log, rights, listener, serve: open }) => {
    if (listener === undefined) return serve(host, await open(), log, rights);
    return (await import("./serve_http.ts")).serveHttp(host, config, log, rights, listener);
  },
  list: onContent(async () => (await import("./browse.ts")).list),
  sources: listCommand("sources"),
  modules: onContent(async () => (await import("./modules.ts")).modules),
  add: changeSources,
  preview: changeSources,
  remove: changeSources,
  update: changeSources,
  conflicts: listCommand("conflicts"),
  show: onContent(async () => (await import("./show.ts")).show),
  diff: onContent(async () => (await import("./diff.ts")).diff),
  search: onContent(async () => (await import("./browse.ts")).search),
  execute: onContent(async () => (await import("./browse.ts")).execute),
  call: onContent(async () => (await import("./call.ts")).call),
  script: async ({ host, open, invocation }) =>
    (await import("./script.ts")).script(host, await open(), invocation.operands),
  "verify-scripts": onContent(async () => (await import("./verify.ts")).verifyScripts),
  prime: async ({ host, serve, greeting }) => await (await import("./prime.ts")).prime(host, serve, greeting),
  check: async ({ host, open, invocation }) =>
    (await import("./check.ts")).check(host, await open(), invocation),
  trace: onContent(async () => (await import("./check.ts")).trace),
  review: onContent(async () => (await import("./review.ts")).review),
  finding: onContent(async () => (await import("./review.ts")).finding),
  evidence: onContent(async () => (await import("./mark.ts")).evidence),
  ask: onContent(async () => (await import("./question.ts")).ask),
  answer: onContent(async () => (await import("./question.ts")).answer),
  context: onContent(async () => (await import("./check.ts")).context),
  next: onContent(async () => (await import("./board.ts")).next),
  board: onContent(async () => (await import("./board.ts")).board),
  log: onContent(async () => (await import("./board.ts")).log),
  mark: onContent(async () => (await import("./mark.ts")).mark),
  plan: onContent(async () => (await import("./mark.ts")).plan),
  reconcile: onContent(async () => (await import("./mark.ts")).reconcile),
  claim: onContent(async () => (await import("./mark.ts")).claim),
  release: onContent(async () => (await import("./mark.ts")).release),
  team: async ({ host, setup, invocation, open }) =>
    await (await import("./team.ts")).team(host, setup!, invocation, open),
  "merge-driver": () =>
    fail({
      code: "invalid-input",
      problem: "merge-driver takes no settings, and comes first on the command line",
    }),
  validate: onContent(async () => (await import("./authoring.ts")).validate),
  new: onContent(async () => (await import("./authoring.ts")).create),
  export: onContent(async () => (await import("./authoring.ts")).exportItem),
  memory: onContent(async () => (await import("./memory.ts")).memory),
  doctor: async ({ host, config, rights, clients, open, log, json }) =>
    (await import("./doctor.ts")).doctor(
      { host, config, rights, clients, app: await open(), bug: log.bug },
      json,
    ),
  install: changeClients,
  uninstall: changeClients,
  cache: onContent(async () => (await import("./cache.ts")).cache),
  token: async ({ host, config, invocation }) =>
    await (await import("./token.ts")).token(host, config.httpState?.state, invocation),
  record: async ({ host, config, invocation }) =>
    await (await import("./record.ts")).record(host, config.httpState?.record, invocation),
  config: async ({ host, config, json, invocation }) => {
    const [action, key] = invocation.operands;
    const { showSetting, showSettings } = await import("./settings.ts");
    if (action === "get") return showSetting(host, config, key, json);
    if (config.ownChange === undefined) return await showSettings(host, config, json);
    return await (await import("./own_settings.ts")).changeSettings(host, config.ownChange, json);
  },
  completions: async ({ host, invocation }) => {
    const { completionScript } = await import("./completions.ts");
    await print(host, completionScript(invocation.operands[0]!));
  },
  complete: onContent(async () => (await import("./complete.ts")).complete),
  version: ({ printVersion, json }) => printVersion(json),
  licenses: async ({ host }) => (await import("./licences.ts")).showLicences(host),
  upgrade: async ({ host }) => await (await import("./upgrade.ts")).showUpgrade(host),
  help: async ({ host, invocation }) => {
    const { renderHelp } = await import("./help.ts");
    await print(host, renderHelp(invocation.operands, host.columns));
  },
};

async function print(host: Host, text: string): Promise<void> {
  (await import("./output.ts")).printText(host, text);
}

async function changeClients({ host, config, clients, open }: Session): Promise<ExitCode> {
  return await (await import("./install.ts")).changeClients(host, config, clients!, open);
}

async function changeSources({ host, config, sources, progress, json }: Session): Promise<ExitCode> {
  await (await import("./sources.ts")).changeSources(host, config, sources!, { json, progress });
}

/** Runs the command, once the program is configured and its rights are dropped. */
export async function run(
  terminal: Host,
  config: Config,
  rights: RightsInForce,
  prepared: Prepared,
): Promise<number> {
  const { invocation, settings } = config;
  const json = invocation.options.json !== undefined;
  // What a script writes to stderr is its output.
  const isQuiet = settings.quiet && invocation.name !== "script";
  const progress = openProgress(isQuiet ? { ...terminal, canRedraw: false } : terminal);
  const held: string[] = [];
  const shown = await fitted(progress.host, { out: !isExact(invocation), err: !json });
  const writeErr = json ? (text: string) => void held.push(text) : shown.writeErr;
  const host: Host = {
    ...shown,
    writeErr: isQuiet ? () => {} : writeErr,
    ...(settings.noColor && { colours: { stdout: false, stderr: false } }),
  };
  const log = openLog({ ...host, writeErr }, { ...settings, quiet: isQuiet }, config.logFiles);
  if (invocation.name !== "doctor") logStart(log, config, rights, prepared.sources);
  let opened: App | undefined;
  const serve = async () =>
    opened = (await import("../../app.ts")).openApp(config, host, (text) => log.write("warn", text));
  const open = async () => {
    const app = (await serve()).forRequest({ progress: progress.report });
    const { fetches }: Command = COMMANDS[invocation.name];
    // A word that may be a typo must not make anybody wait for the network.
    if (fetches && !invocation.isGuess) {
      await fetchCopies(app, log);
      await warnAboutOrigins(app, log);
    }
    return app;
  };
  try {
    const session = {
      ...prepared,
      host,
      config,
      rights,
      log,
      invocation,
      json,
      progress: progress.report,
      open,
      serve,
    };
    const code = await RUNNERS[invocation.name](session) ?? 0;
    held.forEach(shown.writeErr);
    return code;
  } catch (error) {
    const { printFailure } = await import("./output.ts");
    const { memoryCommands, programOf } = await import("./commands_shown.ts");
    const warnings = held.map((text) => text.trimEnd());
    const [program, wish] = [programOf(config), memoryCommands(config)];
    return printFailure(shown, error, { json, warnings, program, wish });
  } finally {
    await opened?.close();
    progress.end();
  }
}

/** A host whose lines fit its terminal, if it has one. */
async function fitted(host: Host, folded: Folded): Promise<Host> {
  return host.columns === undefined ? host : (await import("./fold.ts")).fitted(host, folded);
}

/** Options with which a command prints what is meant for a program or a file. */
const EXACT: readonly OptionName[] = ["json", "raw", "print", "mermaid"];

function isExact({ name, options }: Invocation): boolean {
  const command: Command = COMMANDS[name];
  return command.isExact === true || EXACT.some((option) => options[option] !== undefined);
}

/** Logs what a person should know about this start; `doctor` reports all of it itself. */
function logStart(
  log: Log,
  { warnings, ignored, refused, project, ownChange }: Config,
  rights: RightsInForce,
  sources: SourcesPlan | undefined,
): void {
  for (const warning of warnings) log.write("warn", warning);
  // The command itself is about to trust the project.
  const isTrusting = sources?.trust !== undefined ||
    (ownChange?.action === "trust" && ownChange.folder === project);
  for (const one of ignored) {
    if (!(isTrusting && one.needsTrust)) log.write("warn", ignoredText(one, project));
  }
  log.write("debug", `Project: ${project ?? "none"}; ${limitsOf(rights)}`);
  for (const { folder, key, reason } of refused) {
    // What the configuration names wrongly, the doctor reports.
    if (key === undefined) log.write("warn", `${folder} ${reason}, so it is not used`);
  }
  for (const right of rights.refused) log.write("warn", `Started without permission to ${right}`);
  if (!rights.sandboxed) {
    log.write("warn", "--no-sandbox: the program can read and write the whole disk");
  }
}

/** The remaining rights, on one line. */
function limitsOf({ read, write, run }: RightsInForce): string {
  const left = Object.entries({ read, write, run }).filter(([, names]) => names.length > 0);
  return left.map(([right, names]) => `can ${right} only ${names.join(", ")}`).join("; ");
}

/** Fetches stale repositories, while the user waits, and warns about those that cannot be fetched. */
async function fetchCopies(app: App, log: Log): Promise<void> {
  if (!app.config.origins.some(({ access }) => access.via === "git")) return;
  for (const { location, update } of await app.updateCopies()) {
    if (update.outcome === "failed" && !update.isNoted) {
      log.write("warn", `Cannot fetch ${location}: ${update.problem}`);
    }
  }
}

/** Warns about sources that the user named and that cannot be served, or only from an old copy. */
async function warnAboutOrigins(app: App, log: Log): Promise<void> {
  for (const { level, path, message } of await app.diagnostics()) {
    if (level !== "info" && path === undefined) log.write("warn", `${message}. Everything else is served`);
  }
}
