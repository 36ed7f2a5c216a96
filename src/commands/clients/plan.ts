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
import { checkUserToken, readUserToken, type TokenFault } from "../../process/user_token.ts";
import { suggest } from "../../base/suggestions.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { diskTree } from "../../content/tree/mod.ts";
import { command } from "../../base/text.ts";
import type { Client } from "./client.ts";
import { findHooks, type FoundHook } from "./hooks.ts";
import {
  findProgram,
  isSameProgram,
  type OwnProgram,
  portableLaunch,
  programOf,
  programsIn,
  stableLaunch,
} from "./own_launch.ts";
import { planRecord, type RecordPlan, withOwnFolders } from "./record.ts";
import { HOOK_ARGS, type Launch, type Remote } from "./shapes.ts";
import { ANY_CLIENT, CLIENTS, findClient, startsAnywhere } from "./table.ts";
import {
  hookTargetsOf,
  isInstalled,
  type Machine,
  type Purpose,
  rightsFor,
  type Target,
  targetOf,
  targetsOf,
} from "./target.ts";

export interface ClientsPlan {
  readonly targets: readonly Target[];
  readonly manual: readonly Client[];
  readonly isChosen: boolean;
  readonly launch: Launch;
  readonly sharedLaunch: Launch;
  readonly remote?: Remote;
  readonly os: Host["os"];
  /** The programs that entries start, as far as they exist, by the words that identify them; only for `doctor`. */
  readonly programs: ReadonlyMap<string, OwnProgram>;
  readonly hooks?: readonly FoundHook[];
  readonly tokenFault?: TokenFault;
  readonly homeOwner?: number;
  /** The BMAD project of the working folder, if the command line names none: clients may have to be told. */
  readonly openProject?: string;
  readonly record?: RecordPlan;
  readonly rights: WantedRights;
}

type PlannedFiles = Omit<ClientsPlan, "launch" | "sharedLaunch" | "os">;

export interface Start extends Choices {
  readonly rights: WantedRights;
  readonly logFiles: readonly string[];
}

type PlanHost = Machine & Pick<Host, "launch" | "terminal" | "readText">;

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

function planCheck(
  start: Start,
  host: PlanHost,
  launch: Launch,
  clients: readonly Client[],
): PlannedFiles {
  const { project, settings: { token, noToken } } = start;
  const inProject = project === undefined ? [] : CLIENTS;
  const all = [
    ...clients.flatMap((client) => targetsOf(client, undefined, host)),
    ...inProject.flatMap((client) => targetsOf(client, project, host)).filter(({ exists }) => exists),
  ];
  // Some clients share a file.
  const targets = all.filter(({ real, client }, at) =>
    all.findIndex((one) => one.real === real && one.client.keys.join() === client.keys.join()) === at
  );
  const words = targets.flatMap(({ real }) => programsIn(host.readText(real) ?? ""));
  const programs = new Map<string, OwnProgram>();
  for (const word of [programOf(launch), ...words]) {
    const program = findProgram(word, host);
    if (program !== undefined) programs.set(word, program);
  }
  const hookFiles = [
    ...clients.flatMap((client) => hookTargetsOf(client, undefined, host, false)),
    ...inProject.flatMap((client) => hookTargetsOf(client, project, host, false)),
  ];
  return {
    targets,
    manual: [],
    isChosen: true,
    programs,
    hooks: findHooks(hookFiles, launch, host),
    // Checked now: once the rights are dropped, nothing can read it.
    tokenFault: token === undefined && !noToken ? checkUserToken(userFolders(host).state) : undefined,
    homeOwner: host.home === undefined ? undefined : host.look(host.home)?.owner?.uid,
    record: planRecord(host),
    rights: joinRights(start.rights, rightsFor(targets, "read", host)),
  };
}

function planList(start: Start, host: PlanHost, launch: Launch): PlannedFiles {
  const named = clientsNamed(start.invocation);
  const clients = named.length > 0 ? CLIENTS.filter((client) => named.includes(client)) : CLIENTS;
  const { targets, ...plan } = planCheck(start, host, launch, clients);
  return {
    ...plan,
    targets: targets.filter(({ client }) => clients.includes(client)),
    manual: clients.filter(isManual),
  };
}

/** The files of the named clients or, if none is named, of those installed here. */
function planChange(start: Start, host: PlanHost): PlannedFiles {
  const { invocation, provenance, logFiles } = start;
  const { operands, options } = invocation;
  const isInstall = invocation.name === "install";
  const named = clientsNamed(invocation);
  // `--user` does not overrule the flag that names a project.
  const project = provenance.project === "--project" && options.user === undefined
    ? start.settings.project
    : undefined;
  const isRemote = isInstall && provenance.http === SETTINGS.http.flag;
  if (isInstall && !isRemote) checkFlags(start);
  const isForAny = named.length === 0 && options.print !== undefined && options.all === undefined;
  const isChosen = operands.length > 0 || options.all !== undefined || isForAny;
  const clients = (named.length > 0 ? named : isForAny ? [ANY_CLIENT] : installedClients(host))
    .filter((client) => !isRemote || client.remote !== undefined || refuseRemote(client, named));
  if (isInstall && clients.length === 0) noClient();
  const remote = isRemote ? planRemote(start, host) : undefined;
  if (remote !== undefined && project !== undefined) clients.forEach(checkShared);
  const record = planRecord(host);
  const owned = (targets: readonly Target[]) =>
    targets.map((target) => withOwnFolders(target, record?.folders ?? []));
  const targets = clients.flatMap((client) => {
    // A client without project files gets the entry in the user's file, bound to the project.
    const scope = client.project === undefined ? undefined : project;
    const found = isInstall
      ? [targetOf(client, scope, host) ?? []].flat()
      : owned(targetsOf(client, scope, host));
    if (!isManual(client) && found.length === 0 && named.length > 0) {
      const problem = `${client.title} has no known configuration file on ${host.os}`;
      fail({ code: "invalid-input", problem });
    }
    if (isInstall) {
      return options.hooks === undefined ? found : [...found, ...hookTargetsOf(client, scope, host, true)];
    }
    // Last in, first out: a file that has both becomes what it was.
    return [...owned(hookTargetsOf(client, scope, host, false).toReversed()), ...found];
  });
  const isPreview = options.dryRun !== undefined || options.print !== undefined;
  const canChoose = isChosen || (host.terminal.stdin && host.terminal.stderr && options.json === undefined);
  const purpose: Purpose = isPreview || !canChoose ? "read" : isInstall ? "add" : "remove";
  const files = record === undefined ? targets : [...targets, record.place];
  return {
    targets,
    manual: clients.filter(isManual),
    isChosen,
    programs: new Map(),
    remote,
    record,
    openProject: isInstall && project === undefined ? findOpenProject(start) : undefined,
    rights: joinRights(
      rightsFor(files, purpose, host),
      // What is served is read, to say whom to talk to.
      { read: purpose === "add" && !isRemote ? start.rights.read : [] },
      { read: logFiles, write: logFiles },
    ),
  };
}

const isManual = ({ manualSteps }: Client) => manualSteps !== undefined;

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

function findOpenProject({ project, provenance }: Start): string | undefined {
  const isOpen = project !== undefined && provenance.project !== SETTINGS.project.flag;
  return isOpen && holdsContent(diskTree(project)) ? project : undefined;
}

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

/** Stands for the token in an entry to paste by hand. */
const YOUR_TOKEN = "YOUR-TOKEN";

const OF_ADDRESS: readonly string[] = ["http", "tlsCert", "tlsKey"];

/**
 * The server that `--http` names. The token is read, or created, while the state folder can still be seen. A preview
 * leaves it out: what is shown on a screen stays in its history.
 */
function planRemote(
  { settings, provenance, invocation: { options } }: Choices,
  host: Pick<Host, "home" | "os" | "env">,
): Remote | undefined {
  const { http, tlsCert, token } = settings;
  if (http === undefined) return undefined;
  const refuse = (field: string, problem: string, hint?: string) =>
    fail({ code: "invalid-input", field, problem, hint });
  const isElsewhere = http.url !== undefined && !http.isLoopback;
  if (!http.isLoopback && !isElsewhere) {
    refuse(
      "--http",
      `${http.host} is where a server listens`,
      "Give the address as clients see it: https://HOST/mcp",
    );
  }
  if (isElsewhere && !http.url!.startsWith("https:")) {
    refuse("--http", "your token would cross the network unencrypted", "Use an https address (docs/http.md)");
  }
  if (http.port === 0) refuse("--http", "an entry needs a port");
  for (const key of SETTING_KEYS) {
    const { flag } = SETTINGS[key];
    if (flag === undefined || provenance[key] !== flag || OF_ADDRESS.includes(key)) continue;
    // A project's file names a variable instead of the token.
    if (key === "project" && isElsewhere) continue;
    const [problem, hint] = OWN_REFUSALS[key] ?? ["it belongs to the server", "Use it with serve --http"];
    refuse(flag, problem!, hint);
  }
  const address = http.host.includes(":") ? `[${http.host}]` : http.host;
  const url = http.url ?? `${tlsCert === undefined ? "http" : "https"}://${address}:${http.port}/mcp`;
  const isPreview = options.dryRun !== undefined || options.print !== undefined;
  if (isPreview) return { url, token: YOUR_TOKEN };
  // The user's own token is for servers on this machine alone.
  if (!isElsewhere) return { url, token: token ?? readUserToken(userFolders(host).state) };
  const isShared = provenance.project === SETTINGS.project.flag && options.user === undefined;
  if (token !== undefined || isShared) return { url, token: token ?? YOUR_TOKEN };
  return refuse("--http", `the token of ${url} is missing`, "Set BMAD_TOKEN to it");
}

const OWN_REFUSALS: Readonly<Record<string, readonly string[]>> = {
  project: ["the entry holds your token, and a project's file is shared", "Leave it out"],
  token: ["other users of the machine can see it", "Set BMAD_TOKEN, or leave it out to use your own token"],
  noToken: ["install --http writes your token, and a server without one lets everybody in", "Leave it out"],
};

export function launchFor(
  place: Pick<Target, "client" | "scope">,
  plan: ClientsPlan,
  start: Start,
  accepted?: string,
): Launch | Remote {
  if (plan.remote !== undefined) {
    const { tokenVariable = plan.remote.token } = place.scope === "project" ? place.client : {};
    return { ...plan.remote, token: tokenVariable };
  }
  return ownLaunch(place, ["serve"], plan, start, accepted);
}

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

function noClient(): never {
  const hint =
    `To name yours, one of ${CLIENTS.length}: bmad-mcp install --list. For any other, the entry to paste: ` +
    "bmad-mcp install --print";
  return fail({ code: "invalid-input", problem: "No client found on this machine", hint });
}

function clientsNamed({ operands }: Start["invocation"]): readonly Client[] {
  const spelt = CLIENTS.map(({ id, aliases = [] }) => ({ label: id, spellings: [id, ...aliases] }));
  const found = operands.map((name) =>
    findClient(name) ??
      failUnknown(
        "client",
        hideCredentials(name),
        CLIENTS.map(({ id }) => id),
        suggest(name.toLowerCase(), spelt),
      )
  );
  return [...new Set(found)];
}
