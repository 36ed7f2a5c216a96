/** Each command is loaded only when it runs, because servers start most often. */
import type { App, Config } from "../../app.ts";
import {
  type CommandName,
  commandNeeds,
  describeCommand,
  flagOf,
  type OptionName,
  type WorkOperation,
} from "../../operations/mod.ts";
import { asksForJson, ignoredText, placeText } from "../../settings/mod.ts";
import { asValues } from "../../base/values.ts";
import { failInput } from "../../base/errors.ts";
import { safeText } from "../../base/text.ts";
import { expectRequests } from "../../base/work.ts";
import type { Host } from "../../process/host.ts";
import type { RightsInForce } from "../../base/model.ts";
import type { SourcesPlan } from "../sources/mod.ts";
import type { Folded } from "./screen.ts";
import { type Log, openLog } from "./log.ts";
import { openProgress } from "./progress.ts";
import { serve } from "./serve.ts";
import type { Answer, Outcome, Prepared, Session } from "./session.ts";

export type { CommandPlan } from "./session.ts";

export async function printStartFailure(host: Host, error: unknown): Promise<number> {
  const { printFailure } = await import("./output.ts");
  const json = asksForJson(host.args);
  const code = printFailure(await fitted(host, { out: false, err: !json }), error, { json });
  return isHook(host.args) ? 0 : code;
}

/** Some clients keep a session from beginning when a hook fails. */
function isHook(args: readonly string[]): boolean {
  return args.includes(describeCommand("prime").usage) && args.includes(flagOf("hook"));
}

/** Scripts have an output of their own. */
type WorkCommand = Exclude<WorkOperation, "show" | "script">;

type Runner = (session: Session) => Outcome | Promise<Outcome>;

const browse = () => import("./browse.ts");
const install = async () => (await import("./install.ts")).changeClients;

const RUNNERS: Readonly<
  Record<Exclude<CommandName, WorkCommand>, (session: Session) => Runner | Promise<Runner>>
> = {
  serve: async ({ listener }) => listener === undefined ? serve : (await import("./serve_http.ts")).serveHttp,
  list: async () => (await browse()).list,
  sources: () => listSources,
  modules: async () => (await browse()).modules,
  add: () => changeSources,
  preview: () => changeSources,
  remove: () => changeSources,
  update: () => changeSources,
  conflicts: () => listSources,
  show: async () => (await browse()).show,
  diff: async () => (await browse()).diff,
  search: async () => (await browse()).search,
  execute: async () => (await browse()).execute,
  call: async () => (await import("./call.ts")).call,
  script: async () => (await import("./script.ts")).script,
  prime: async () => (await import("./prime.ts")).prime,
  log: async () => (await import("./work.ts")).log,
  team: async () => (await import("./team.ts")).team,
  "merge-driver": () => () => failInput(NOT_ALONE),
  validate: async () => (await browse()).validate,
  new: async () => (await browse()).create,
  export: async () => (await browse()).exportItem,
  memory: async () => (await import("./memory.ts")).memory,
  doctor: async () => (await import("./doctor.ts")).doctor,
  install,
  uninstall: install,
  cache: async () => (await import("./cache.ts")).cache,
  token: async () => (await import("./people.ts")).token,
  record: async () => (await import("./people.ts")).record,
  config: async () => (await import("./settings.ts")).config,
  completions: async () => (await import("./completions.ts")).completions,
  complete: async () => (await import("./complete.ts")).complete,
  version: () => ({ printVersion, json }) => printVersion(json),
  licenses: async () => (await import("./help.ts")).licenses,
  upgrade: async () => (await import("./help.ts")).upgrade,
  help: async () => (await import("./help.ts")).help,
};

const NOT_ALONE = "merge-driver takes no settings, and comes first on the command line";

function isWork(name: CommandName): name is WorkCommand {
  return name !== "script" && describeCommand(name).hint !== undefined;
}

async function listSources({ invocation, ...session }: Session): Promise<Answer> {
  const { list } = await browse();
  return await list({ ...session, invocation: { ...invocation, operands: [invocation.name] } });
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
  expectRequests(invocation.name === "serve");
  const json = invocation.options.json !== undefined;
  // What a script writes to stderr is its output.
  const isQuiet = settings.quiet && invocation.name !== "script";
  const progress = openProgress(terminal, { isSilent: isQuiet || json && !terminal.canRedraw });
  const held: string[] = [];
  const isExact = describeCommand(invocation.name).isExact ||
    EXACT.some((option) => invocation.options[option] !== undefined);
  const shown = await fitted(progress.host, { out: !isExact, err: !json });
  const writeErr = json ? (text: string) => void held.push(text) : shown.writeErr;
  const host: Host = {
    ...shown,
    writeErr: isQuiet ? () => {} : writeErr,
    ...(settings.noColor && { colours: { stdout: false, stderr: false } }),
  };
  const log = openLog({ ...host, writeErr }, { ...settings, quiet: isQuiet }, config.logFiles);
  if (invocation.name !== "doctor") logStart(log, config, rights, prepared.sources);
  if (!json) tellPlace(config, host, log);
  let opened: Pick<App, "close"> | undefined;
  const warn = (text: string) => log.write("warn", text);
  const serve = async () => {
    const { siblings } = config;
    if (siblings.length === 0) {
      const app = (await import("../../app.ts")).openApp(config, host, warn);
      opened = app;
      return app;
    }
    const place = (await import("../../projects.ts")).openPlace(config, host, warn);
    opened = place;
    return place.app;
  };
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
    const { name } = invocation;
    if (describeCommand(name).needsProject) await demandProject(config, serve);
    const run = isWork(name) ? (await import("./work.ts")).runWork : await RUNNERS[name](session);
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

async function demandProject(
  { isCurrent, siblings, invocation: { name } }: Config,
  serve: () => Promise<App>,
): Promise<void> {
  if (isCurrent || siblings.length === 0) return;
  const { failUndecided } = await import("../../projects.ts");
  failUndecided((await serve()).projects!, name);
}

async function fitted(host: Host, folded: Folded): Promise<Host> {
  return host.columns === undefined ? host : (await import("./screen.ts")).fitted(host, folded);
}

const EXACT: readonly OptionName[] = ["json", "raw", "print", "mermaid"];

/** An answer about another folder than the one somebody stands in says so. */
function tellPlace({ place, kit, invocation: { name, options }, settings }: Config, host: Host, log: Log) {
  const text = kit && placeText(place);
  if (text === undefined || name === "complete" || options.hook !== undefined) return;
  if (name !== "serve") host.writeErr(`${safeText(text)}\n`);
  // What a server over HTTP prints for people has it; where clients start theirs is nobody's folder.
  else if (place?.isAbove && (settings.http === undefined || !host.terminal.stderr)) log.write("info", text);
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
    if (!(isTrusting && one.needsTrust)) log.write("warn", ignoredText(one));
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

async function fetchCopies(app: App, log: Log): Promise<void> {
  if (!app.config.origins.some(({ access }) => access.via === "git")) return;
  for (const { location, update } of await app.updateCopies()) {
    if (update.outcome === "failed" && !update.isNoted) {
      log.write("warn", `Cannot fetch ${location}: ${update.problem}`);
    }
  }
}

async function warnAboutOrigins(app: App, log: Log): Promise<void> {
  for (const { level, code, path, message } of await app.diagnostics()) {
    if (code === "stand-in") log.write("warn", message);
    else if (level !== "info" && path === undefined) {
      log.write("warn", `${message}. Everything else is served`);
    }
  }
}
