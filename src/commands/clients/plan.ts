/**
 * Which clients and files does a command line mean, and which rights does that take? Decided before the rights are
 * dropped.
 *
 * `install` and `uninstall` may write the files of the named clients (if none is named, of those installed here) and
 * nothing else; `doctor` may read the files of all of them.
 */
import { hideCredentials } from "../../settings/locations/mod.ts";
import { type Choices, holdsSecret, SETTING_KEYS, SETTINGS } from "../../settings/mod.ts";
import { joinRights, PRODUCT, type WantedRights } from "../../base/model.ts";
import { fail, failUnknown } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { userFolders } from "../../base/paths.ts";
import { checkUserToken, type TokenFault } from "../../process/user_token.ts";
import { suggest } from "../../base/suggestions.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { diskTree } from "../../content/tree/mod.ts";
import { command } from "../../base/text.ts";
import type { Client } from "./client.ts";
import { findHooks, type FoundHook } from "./hook_check.ts";
import { HOOK_ARGS } from "./hook_shapes.ts";
import {
  findProgram,
  isSameProgram,
  type OwnProgram,
  portableLaunch,
  programOf,
  programsIn,
  stableLaunch,
} from "./own_launch.ts";
import { isInstalled, type Machine } from "./paths.ts";
import { planRemote } from "./remote_plan.ts";
import type { Remote } from "./remote_shapes.ts";
import { planRecord, type RecordPlan, withOwnFolders } from "./record.ts";
import type { Launch } from "./shapes.ts";
import { ANY_CLIENT, CLIENTS, findClient, startsAnywhere } from "./table.ts";
import { hookTargetsOf, type Purpose, rightsFor, type Target, targetOf, targetsOf } from "./target.ts";

/** The clients that a command is about. */
export interface ClientsPlan {
  /** Their files, in the order of the clients. */
  readonly targets: readonly Target[];
  /** The clients that have no file and must be configured by hand. */
  readonly manual: readonly Client[];
  /** Whether clients were named, or all requested; else the user must choose. */
  readonly isChosen: boolean;
  /** How to start this program, by a stable path. */
  readonly launch: Launch;
  /** How a project's file, which others use too, starts it: by its name, if that is on the PATH. */
  readonly sharedLaunch: Launch;
  /** The server that entries name instead, with `--http`. */
  readonly remote?: Remote;
  readonly os: Host["os"];
  /** The programs that entries start, as far as they exist, by the words that identify them; only for `doctor`. */
  readonly programs: ReadonlyMap<string, OwnProgram>;
  /** Our hooks; only for `doctor`. */
  readonly hooks?: readonly FoundHook[];
  /** What is wrong with the user's own token, where a server would use it; only for `doctor`. */
  readonly tokenFault?: TokenFault;
  /** Who owns the user's home, where that is known; only for `doctor`. */
  readonly homeOwner?: number;
  /** The BMAD project of the working folder, if the command line names none: clients may have to be told. */
  readonly openProject?: string;
  /** What earlier runs of `install` created and replaced. */
  readonly record?: RecordPlan;
  /** Everything the command must be allowed to do. */
  readonly rights: WantedRights;
}

type PlannedFiles = Omit<ClientsPlan, "launch" | "sharedLaunch" | "os">;

/** The user's choices, and what the start needs for them. */
export interface Start extends Choices {
  /** What the command needs regardless of clients. */
  readonly rights: WantedRights;
  readonly logFiles: readonly string[];
}

/** What planning needs to know about the process. */
export type PlanHost = Machine & Pick<Host, "launch" | "terminal" | "readText">;

/** Decides which files are meant; fails if the command line names an unknown client. */
export function planClients(start: Start, host: PlanHost): ClientsPlan {
  const launch = stableLaunch(host.launch, host);
  const { name, options } = start.invocation;
  const plan = name === "doctor"
    ? planCheck(start, host, launch, installedClients(host))
    : options.list !== undefined
    ? planList(start, host, launch)
    : planChange(start, host);
  return { ...plan, launch, sharedLaunch: shareable(launch, host), os: host.os };
}

/** The same launch by the program's bare name, if that starts this very program, or by the name of its package. */
function shareable(launch: Launch, host: PlanHost): Launch {
  const { name, version } = PRODUCT;
  if (!isSameProgram(findProgram(programOf(launch), host), findProgram(name, host))) {
    return portableLaunch(launch, version) ?? launch;
  }
  return { command: name, args: [] };
}

/** Every file that may have an entry of ours: the user's own, and those in the project. */
function planCheck(
  start: Start,
  host: PlanHost,
  launch: Launch,
  clients: readonly Client[],
): PlannedFiles {
  const own = clients.flatMap((client) => targetsOf(client, undefined, host));
  const shared = CLIENTS.flatMap((client) => start.project ? targetsOf(client, start.project, host) : [])
    .filter(({ exists }) => exists);
  const all = [...own, ...shared];
  // Some clients share a file.
  const isFirst = ({ real, client }: Target, at: number) =>
    all.findIndex((one) => one.real === real && one.client.keys.join() === client.keys.join()) === at;
  const targets = all.filter(isFirst);
  const words = targets.flatMap(({ real }) => programsIn(host.readText(real) ?? ""));
  const programs = new Map<string, OwnProgram>();
  for (const word of [programOf(launch), ...words]) {
    const program = findProgram(word, host);
    if (program !== undefined) programs.set(word, program);
  }
  const hookFiles = [
    ...clients.flatMap((client) => hookTargetsOf(client, undefined, host, false)),
    ...CLIENTS.flatMap((client) => start.project ? hookTargetsOf(client, start.project, host, false) : []),
  ];
  const hooks = findHooks(hookFiles, launch, host);
  const rights = joinRights(start.rights, rightsFor(targets, "read", host));
  const { token, noToken } = start.settings;
  // Checked now: once the rights are dropped, nothing can read it.
  const tokenFault = token === undefined && !noToken ? checkUserToken(userFolders(host).state) : undefined;
  const record = planRecord(host);
  const homeOwner = host.home === undefined ? undefined : host.look(host.home)?.owner?.uid;
  const optional = {
    ...(tokenFault && { tokenFault }),
    ...(homeOwner !== undefined && { homeOwner }),
    ...(record && { record }),
  };
  return { targets, manual: [], isChosen: true, programs, hooks, rights, ...optional };
}

/** The files of the named clients, or of all. */
function planList(start: Start, host: PlanHost, launch: Launch): PlannedFiles {
  const { operands } = start.invocation;
  const named = operands.map((name) => findClient(name) ?? unknownClient(name));
  const clients = named.length > 0 ? CLIENTS.filter((client) => named.includes(client)) : CLIENTS;
  const { targets, ...plan } = planCheck(start, host, launch, clients);
  return {
    ...plan,
    targets: targets.filter(({ client }) => clients.includes(client)),
    manual: clients.filter(({ manualSteps }) => manualSteps !== undefined),
  };
}

/** The files of the named clients or, if none is named, of those installed here. */
function planChange(start: Start, host: PlanHost): PlannedFiles {
  const { invocation: { name: command, operands, options }, logFiles } = start;
  const named = operands.map((name) => findClient(name) ?? unknownClient(name));
  const project = namedProject(start);
  const isRemote = command === "install" && start.provenance.http === SETTINGS.http.flag;
  if (command === "install" && !isRemote) checkFlags(start);
  const isForAny = named.length === 0 && options.print !== undefined && options.all === undefined;
  const isChosen = named.length > 0 || options.all !== undefined || isForAny;
  const clients = (named.length > 0 ? [...new Set(named)] : isForAny ? [ANY_CLIENT] : installedClients(host))
    .filter((client) => !isRemote || client.remote !== undefined || refuseRemote(client, named));
  if (command === "install" && clients.length === 0) noClient();
  const remote = isRemote ? planRemote(start, host) : undefined;
  if (remote !== undefined && project !== undefined) clients.forEach(checkShared);
  const record = planRecord(host);
  const targets = clients.flatMap((client) => {
    // A client without project files gets the entry in the user's file, bound to the project.
    const scope = client.project === undefined ? undefined : project;
    const found = command === "install"
      ? [targetOf(client, scope, host) ?? []].flat()
      : targetsOf(client, scope, host).map((target) => withOwnFolders(target, record?.folders ?? []));
    if (client.manualSteps === undefined && found.length === 0 && named.length > 0) {
      const problem = `${client.title} has no known configuration file on ${host.os}`;
      fail({ code: "invalid-input", problem });
    }
    if (command === "install") {
      return options.hooks === undefined ? found : [...found, ...hookTargetsOf(client, scope, host, true)];
    }
    // Last in, first out: a file that has both becomes what it was.
    const hooks = hookTargetsOf(client, scope, host, false).toReversed();
    return [...hooks.map((target) => withOwnFolders(target, record?.folders ?? [])), ...found];
  });
  const isPreview = options.dryRun !== undefined || options.print !== undefined;
  const canChoose = isChosen || (host.terminal.stdin && host.terminal.stderr && options.json === undefined);
  const purpose: Purpose = isPreview || !canChoose ? "read" : command === "install" ? "add" : "remove";
  const manual = clients.filter(({ manualSteps }) => manualSteps !== undefined);
  const forLog = { read: logFiles, write: logFiles, run: [], net: false };
  const files = record === undefined ? targets : [...targets, record.place];
  // What is served is read, to say whom to talk to.
  const served = {
    read: purpose === "add" && !isRemote ? start.rights.read : [],
    write: [],
    run: [],
    net: false,
  };
  const rights = joinRights(joinRights(rightsFor(files, purpose, host), served), forLog);
  const openProject = command === "install" && project === undefined ? findOpenProject(start) : undefined;
  const optional = {
    ...(remote && { remote }),
    ...(record && { record }),
    ...(openProject !== undefined && { openProject }),
  };
  return { targets, manual, isChosen, programs: new Map(), rights, ...optional };
}

/** Refuses a client that was named; others are left out. */
function refuseRemote({ id, title }: Client, named: readonly Client[]): boolean {
  if (!named.some((client) => client.id === id)) return false;
  const problem = `install knows no entry for HTTP in ${title}`;
  return fail({ code: "invalid-input", field: "--http", problem, hint: "Add it by hand (docs/http.md)" });
}

/** A project's file is shared, so it must name a variable instead of the token. */
function checkShared({ title, project, tokenVariable }: Client): void {
  if (project === undefined || tokenVariable !== undefined) return;
  const problem = `${title} cannot name a variable in a project's file, which must not hold your token`;
  fail({ code: "invalid-input", field: "--http", problem, hint: "Leave out --project" });
}

function installedClients(host: PlanHost): readonly Client[] {
  return CLIENTS.filter((client) => isInstalled(client, host));
}

/** The project whose files are meant: `--project` names it, and `--user` does not overrule that. */
function namedProject({ settings, provenance, invocation }: Start): string | undefined {
  return provenance.project === "--project" && invocation.options.user === undefined
    ? settings.project
    : undefined;
}

/** The working folder's project, if it certainly is one. */
function findOpenProject({ project, provenance }: Start): string | undefined {
  const isOpen = project !== undefined && provenance.project !== SETTINGS.project.flag;
  return isOpen && holdsContent(diskTree(project)) ? project : undefined;
}

/** Refuses flags that make no sense in an entry, and secrets, which others could read there. */
function checkFlags({ settings, provenance, files }: Start): void {
  for (const key of SETTING_KEYS) {
    const { flag } = SETTINGS[key];
    if (flag === undefined || provenance[key] !== flag) continue;
    if (key === "http" || key === "token") {
      const problem = "clients start this server themselves and use stdin and stdout";
      fail({ code: "invalid-input", field: flag, problem });
    }
    if (!holdsSecret(key, settings)) continue;
    const file = files.at(-1)?.path ?? "your settings file";
    fail({
      code: "invalid-input",
      field: flag,
      problem: "it contains a password or token that anyone could read in the client's file",
      hint: `Set it in ${file} as ${key} = ["…"], which every entry uses, and install without it`,
    });
  }
}

/** What an entry should run. */
export function launchFor(
  place: Pick<Target, "client" | "scope">,
  plan: ClientsPlan,
  start: Start,
  /** The project for clients that do not start in one. */
  accepted?: string,
): Launch | Remote {
  if (plan.remote !== undefined) {
    const { tokenVariable = plan.remote.token } = place.scope === "project" ? place.client : {};
    return { ...plan.remote, token: tokenVariable };
  }
  return ownLaunch(place, ["serve"], plan, start, accepted);
}

/** The command line that a hook should run; undefined if a shell cannot be given it. */
export function hookLineFor(
  place: Pick<Target, "client" | "scope">,
  plan: ClientsPlan,
  start: Start,
): string | undefined {
  // A client's own variables are for its entries: hooks are run in the project. Flags that name a server are none of theirs.
  const client = { ...place.client, workspace: undefined };
  const given = plan.remote === undefined ? start : { ...start, flags: [] };
  const launch = ownLaunch({ ...place, client }, HOOK_ARGS, plan, given);
  return command`${{ args: [launch.command, ...launch.args] }}`;
}

function ownLaunch(
  { client, scope }: Pick<Target, "client" | "scope">,
  words: readonly string[],
  plan: ClientsPlan,
  start: Start,
  accepted?: string,
): Launch {
  const { settings: { project }, provenance, flags } = start;
  if (scope === "project") {
    const { command, args } = plan.sharedLaunch;
    const named = client.workspace === "unknown" ? undefined : client.workspace;
    const own = named === undefined ? [] : ["--project", named];
    return { command, args: [...args, ...words, ...own, ...sharedFlags(flags, project, named)] };
  }
  const workspace = provenance.project === "--project"
    ? project
    : startsAnywhere(client)
    ? accepted
    : undefined;
  const own = workspace === undefined ? [] : ["--project", workspace];
  const { command, args } = plan.launch;
  return { command, args: [...args, ...words, ...own, ...flags] };
}

/** Settings for a file that others use, too: what lies in the project is named from there. */
function sharedFlags(
  flags: readonly string[],
  project: string | undefined,
  variable: string = ".",
): readonly string[] {
  return flags.map((word) =>
    project !== undefined && word.startsWith(`${project}/`)
      ? `${variable}${word.slice(project.length)}`
      : word
  );
}

/** The paths of this machine in what an entry of a shared file runs. */
export function ownPathsIn({ command, args }: Launch): readonly string[] {
  return [command, ...args].filter((word) => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(word));
}

const CLIENT_IDS: readonly string[] = CLIENTS.map(({ id }) => id);

/** Says how to connect a client that was not found. */
function noClient(): never {
  const hint =
    `To name yours, one of ${CLIENTS.length}: bmad-mcp install --list. For any other, the entry to paste: ` +
    "bmad-mcp install --print";
  return fail({ code: "invalid-input", problem: "No client found on this machine", hint });
}

function unknownClient(name: string): never {
  const spelt = CLIENTS.map(({ id, aliases = [] }) => ({ label: id, spellings: [id, ...aliases] }));
  return failUnknown("client", hideCredentials(name), CLIENT_IDS, suggest(name.toLowerCase(), spelt));
}
