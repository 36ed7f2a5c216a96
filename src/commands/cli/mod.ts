/**
 * The command line: runs a command and returns its exit code. Commands load their code when they are run: a server, which
 * starts most often, needs hardly any of it.
 */
import type { App, Config } from "../../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import type { Greeting } from "../hooks.ts";
import type { SourcesPlan } from "../sources/mod.ts";
import type { SetupPlan } from "../team.ts";
import {
  type CommandName,
  commandNeeds,
  COMMANDS,
  flagOf,
  type Invocation,
  type OptionName,
  type WorkOperation,
} from "../../operations/mod.ts";
import { asksForJson, ignoredText } from "../../settings/mod.ts";
import { asValues } from "../../base/values.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import type { Listener } from "../../serve/http/mod.ts";
import type { RightsInForce } from "../../base/model.ts";
import type { Work } from "../../base/work.ts";
import type { Folded } from "./screen.ts";
import { type Log, openLog } from "./log.ts";
import type { Answer } from "./output.ts";
import { openProgress } from "./progress.ts";
import { serve } from "./serve.ts";

export async function printStartFailure(host: Host, error: unknown): Promise<number> {
  const { printFailure } = await import("./output.ts");
  const json = asksForJson(host.args);
  const code = printFailure(await fitted(host, { out: false, err: !json }), error, { json });
  return isHook(host.args) ? 0 : code;
}

/** Whether a client runs us as its hook: some keep a session from beginning when a hook fails. */
function isHook(args: readonly string[]): boolean {
  return args.includes(COMMANDS.prime.usage) && args.includes(flagOf("hook"));
}

/** What is printed, or the exit code of a command that has printed itself. */
type Outcome = Answer | number | void;

/** What was prepared for the command while the whole disk was visible. */
interface Prepared {
  readonly printVersion: (json: boolean) => void;
  readonly listener?: Listener;
  readonly clients?: ClientsPlan;
  readonly sources?: SourcesPlan;
  readonly setup?: SetupPlan;
  readonly greeting?: Greeting;
}

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

type Runner = (session: Session) => Outcome | Promise<Outcome>;
type ContentCommand = (host: Host, app: App, invocation: Invocation) => Promise<Outcome>;

/** A command over the content: a function of a module that is loaded for it. */
function onContent<N extends string>(
  load: () => Promise<Readonly<Record<N, ContentCommand>>>,
  name: N,
): Runner {
  return async ({ host, open, invocation }) => (await load())[name](host, await open(), invocation);
}

const listCommand = (what: string): Runner => async ({ host, open, invocation }) =>
  (await import("./browse.ts")).list(host, await open(), { ...invocation, operands: [what] });

const work: Runner = onContent(() => import("./work.ts"), "runWork");

/** The commands that are operations on the project's work; scripts have an output of their own. */
type WorkCommand = Exclude<WorkOperation, "show" | "script">;

const RUNNERS: Readonly<Record<Exclude<CommandName, WorkCommand>, Runner>> = {
  serve: async ({ host, config, log, rights, listener, serve: open }) => {
    if (listener === undefined) return serve(host, await open(), log, rights);
    return (await import("./serve_http.ts")).serveHttp(host, config, log, rights, listener);
  },
  list: onContent(() => import("./browse.ts"), "list"),
  sources: listCommand("sources"),
  modules: async ({ host, open }) => (await import("./browse.ts")).modules(host, await open()),
  add: changeSources,
  preview: changeSources,
  remove: changeSources,
  update: changeSources,
  conflicts: listCommand("conflicts"),
  show: onContent(() => import("./browse.ts"), "show"),
  diff: onContent(() => import("./browse.ts"), "diff"),
  search: onContent(() => import("./browse.ts"), "search"),
  execute: async ({ open, invocation }) => (await import("./browse.ts")).execute(await open(), invocation),
  call: onContent(() => import("./call.ts"), "call"),
  script: async ({ host, open, invocation }) =>
    (await import("./script.ts")).script(host, await open(), invocation.operands),
  prime: async ({ host, serve, greeting }) => (await import("./prime.ts")).prime(host, serve, greeting),
  log: async ({ open, invocation }) => (await import("./work.ts")).log(await open(), invocation),
  team: async ({ host, setup, invocation, open }) =>
    (await import("./team.ts")).team(host, setup!, invocation, open),
  "merge-driver": () =>
    fail({
      code: "invalid-input",
      problem: "merge-driver takes no settings, and comes first on the command line",
    }),
  validate: onContent(() => import("./browse.ts"), "validate"),
  new: async ({ open }) => (await import("./browse.ts")).create(await open()),
  export: async ({ open, invocation }) => (await import("./browse.ts")).exportItem(await open(), invocation),
  memory: onContent(() => import("./memory.ts"), "memory"),
  doctor: async ({ host, config, rights, clients, open, log, json }) =>
    (await import("./doctor.ts")).doctor(
      { host, config, rights, clients, app: await open(), bug: log.bug },
      json,
    ),
  install: changeClients,
  uninstall: changeClients,
  cache: onContent(() => import("./cache.ts"), "cache"),
  token: async ({ host, config, invocation }) =>
    (await import("./people.ts")).token(host, config.httpState?.state, invocation),
  record: async ({ config, invocation }) =>
    (await import("./people.ts")).record(config.httpState?.record, invocation),
  config: async ({ host, config }) => (await import("./settings.ts")).config(host, config),
  completions: async ({ invocation }) =>
    textAnswer((await import("./completions.ts")).completionScript(invocation.operands[0]!)),
  complete: onContent(() => import("./complete.ts"), "complete"),
  version: ({ printVersion, json }) => printVersion(json),
  licenses: async ({ host }) => textAnswer((await import("./about.ts")).licencesIn(host)),
  upgrade: async ({ host }) => textAnswer(await (await import("./about.ts")).upgradeText(host)),
  help: async ({ host, invocation }) =>
    textAnswer((await import("./help.ts")).renderHelp(invocation.operands, host.columns)),
};

/** Of a command that has no JSON. */
function textAnswer(text: string): Answer {
  return { text, data: {} };
}

function isWork(name: CommandName): name is WorkCommand {
  return name !== "script" && COMMANDS[name].hint !== undefined;
}

async function changeClients({ host, config, clients, open }: Session): Promise<Outcome> {
  return await (await import("./install.ts")).changeClients(host, config, clients!, open);
}

async function changeSources({ host, config, sources, progress, json }: Session): Promise<Answer> {
  const { printDiff } = await import("./diff.ts");
  const { changeSources } = await import("../sources/mod.ts");
  const show = (text: string) => printDiff(host, text);
  const { invocation } = config;
  const { text, data } = await changeSources({
    host,
    config,
    invocation,
    plan: sources!,
    ...(progress && { progress }),
    ...(!json && { show }),
  });
  const items = Array.isArray(data["items"]) ? data["items"].map(asValues) : [];
  const failed = items.find(({ outcome }) => outcome === "failed");
  if (failed === undefined) return { text, data };
  const { source, problem } = failed;
  return {
    text,
    data,
    failure: { code: "origin-unavailable", origin: String(source), reason: String(problem) },
  };
}

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
    // A word that may be a typo must not make anybody wait for the network.
    if (commandNeeds(invocation.name, "copies") && !invocation.isGuess) {
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
    const run = isWork(invocation.name) ? work : RUNNERS[invocation.name];
    const outcome = await run(session);
    const code = typeof outcome === "object"
      ? await (await import("./output.ts")).printAnswer(host, outcome, json)
      : outcome ?? 0;
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
  return host.columns === undefined ? host : (await import("./screen.ts")).fitted(host, folded);
}

/** Options with which a command prints what is meant for a program or a file. */
const EXACT: readonly OptionName[] = ["json", "raw", "print", "mermaid"];

function isExact({ name, options }: Invocation): boolean {
  return COMMANDS[name].isExact === true || EXACT.some((option) => options[option] !== undefined);
}

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
