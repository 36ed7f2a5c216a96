/** Which clients and files a command line means: only these stay writable once the rights are dropped. */
import { hideCredentials } from "../../settings/locations/mod.ts";
import { type Choices, holdsSecret, HTTP_SETTINGS, SETTING_KEYS, SETTINGS } from "../../settings/mod.ts";
import { joinRights, PRODUCT, type WantedRights } from "../../base/model.ts";
import { failField, failInput, failUnknown } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { userFolders } from "../../base/paths.ts";
import { checkUserToken, readUserToken, type TokenFault } from "../../process/user_token.ts";
import { suggest } from "../../base/suggestions.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { diskTree } from "../../content/tree/mod.ts";
import { command } from "../../base/text.ts";
import type { Client } from "./client.ts";
import {
  findHooks,
  findProgram,
  type FoundHook,
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
  skillTargetsOf,
  type Target,
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
  /** By the words in entries that identify them; only for `doctor`. */
  readonly programs: ReadonlyMap<string, OwnProgram>;
  readonly hooks?: readonly FoundHook[];
  readonly tokenFault?: TokenFault;
  readonly homeOwner?: number;
  /** The working folder's BMAD project, if the command line names none: clients may have to be told. */
  readonly openProject?: string;
  readonly record?: RecordPlan;
  readonly rights: WantedRights;
}

export interface Start extends Choices {
  readonly rights: WantedRights;
  readonly logFiles: readonly string[];
}

type UserPlace = Parameters<typeof userFolders>[0];

type PlannedFiles = Omit<ClientsPlan, "launch" | "sharedLaunch" | "os">;

type PlanHost = Machine & Pick<Host, "launch" | "terminal" | "readText">;

export function planClients(start: Start, host: PlanHost): ClientsPlan {
  const launch = stableLaunch(host.launch, host);
  const { name, operands, options } = start.invocation;
  const listed = operands.length === 0 ? CLIENTS : clientsNamed(start.invocation);
  const plan = name === "doctor"
    ? planCheck(start, host, launch, installedClients(host), CLIENTS)
    : options.list !== undefined
    ? planCheck(start, host, launch, listed, listed)
    : planChange(start, host);
  return { ...plan, launch, sharedLaunch: shareable(launch, host), os: host.os };
}

/** By the program's bare name, if that starts this very program, or by its package's name. */
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
  ofUser: readonly Client[],
  ofProject: readonly Client[],
): PlannedFiles {
  const { project, settings: { token, noToken } } = start;
  const inProject = project === undefined ? [] : ofProject;
  const filesOf = (find: typeof targetsOf) => [
    ...ofUser.flatMap((client) => find(client, undefined, host, false)),
    ...inProject.flatMap((client) => find(client, project, host, false)),
  ];
  const all = filesOf(targetsOf).filter(({ exists, scope }) => exists || scope === "user");
  // Some clients share a file.
  const byPlace = Map.groupBy(all, ({ real, client }) => `${real} ${client.keys}`);
  const targets = byPlace.values().map(([first]) => first!).toArray();
  const words = targets.flatMap(({ real }) => programsIn(host.readText(real) ?? ""));
  const programs = [programOf(launch), ...words].flatMap((word) => {
    const program = findProgram(word, host);
    return program === undefined ? [] : [[word, program] as const];
  });
  return {
    targets,
    manual: ofUser.filter(isManual),
    isChosen: true,
    programs: new Map(programs),
    hooks: findHooks(filesOf(hookTargetsOf), launch, host),
    // Once the rights are dropped, nothing can read it.
    tokenFault: token === undefined && !noToken ? checkUserToken(userFolders(host).state) : undefined,
    homeOwner: host.home === undefined ? undefined : host.look(host.home)?.owner?.uid,
    record: planRecord(host),
    rights: joinRights(start.rights, rightsFor(targets, "read", host)),
  };
}

function planChange(start: Start, host: PlanHost): PlannedFiles {
  const { invocation, provenance, logFiles } = start;
  const { operands, options } = invocation;
  const isInstall = invocation.name === "install";
  const isRemote = isInstall && provenance.http === SETTINGS.http.flag;
  const isSkill = options.skill !== undefined;
  if (isSkill && options.hooks !== undefined) {
    failField("--hooks", "it names calls of the server", "Install it without --skill");
  }
  if (isInstall && (isSkill || !isRemote)) checkFlags(start, isSkill);
  const named = clientsNamed(invocation);
  const isForAny = named.length === 0 && options.print !== undefined && options.all === undefined;
  const isChosen = operands.length > 0 || options.all !== undefined || isForAny;
  const fits = ({ remote, skills }: Client) =>
    isSkill ? skills !== undefined : !isRemote || remote !== undefined;
  const unfit = named.find((client) => !fits(client));
  if (unfit !== undefined && isSkill) {
    failField("--skill", `${unfit.title} has no folder of skills that we know`, "Leave it out");
  } else if (unfit !== undefined) {
    failField("--http", `install knows no entry for HTTP in ${unfit.title}`, "Add it by hand (docs/http.md)");
  }
  const clients = (named.length > 0 ? named : isForAny ? [ANY_CLIENT] : installedClients(host)).filter(fits);
  if (isInstall && clients.length === 0) {
    const hint = `To name yours, one of ${CLIENTS.length}: bmad-mcp install --list. ` +
      "For any other, the entry to paste: bmad-mcp install --print";
    failInput("No client found on this machine", hint);
  }
  const project = isOfProject(start) ? start.settings.project : undefined;
  const remote = isRemote ? planRemote(start, host) : undefined;
  if (remote !== undefined && project !== undefined) clients.forEach(checkShared);
  const record = planRecord(host);
  const targets = clients.flatMap((client) => {
    // Without project files, the entry goes to the user's file, bound to the project.
    const scope = client.project === undefined ? undefined : project;
    const skill = skillTargetsOf(client, project, host, isInstall);
    if (isSkill) return skill;
    const found = targetsOf(client, scope, host, isInstall);
    if (!isManual(client) && found.length === 0 && named.length > 0) {
      failInput(`${client.title} has no known configuration file on ${host.os}`);
    }
    const hooks = isInstall && options.hooks === undefined
      ? []
      : hookTargetsOf(client, scope, host, isInstall);
    // Last in, first out: a file that has both becomes what it was.
    return isInstall
      ? [...found, ...hooks]
      : [...skill, ...hooks.toReversed(), ...found].map((one) => withOwnFolders(one, record?.folders ?? []));
  });
  const canChoose = isChosen || (host.terminal.stdin && host.terminal.stderr && options.json === undefined);
  const purpose: Purpose = isPreview(invocation) || !canChoose ? "read" : isInstall ? "add" : "remove";
  const files = record === undefined ? targets : [...targets, record.place];
  return {
    targets,
    manual: isSkill ? [] : clients.filter(isManual),
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

/** The flag that names a project also binds an entry in the user's own file. */
function isOfProject({ provenance, invocation }: Choices): boolean {
  return provenance.project === SETTINGS.project.flag && invocation.options.user === undefined;
}

function isPreview({ options }: Start["invocation"]): boolean {
  return options.dryRun !== undefined || options.print !== undefined;
}

const isManual = ({ manualSteps }: Client) => manualSteps !== undefined;

/** It must name a variable instead of the token. */
function checkShared({ title, project, tokenVariable }: Client): void {
  if (project === undefined || tokenVariable !== undefined) return;
  const problem = `${title} cannot name a variable in a project's file, which must not hold your token`;
  failField("--http", problem, "Leave out --project");
}

function installedClients(host: PlanHost): readonly Client[] {
  return CLIENTS.filter((client) => isInstalled(client, host));
}

function findOpenProject({ project, provenance }: Start): string | undefined {
  if (project === undefined || provenance.project === SETTINGS.project.flag) return undefined;
  return holdsContent(diskTree(project)) ? project : undefined;
}

function checkFlags(start: Start, isSkill: boolean): void {
  for (const [key, flag] of givenFlags(start)) {
    if (isSkill && NOT_FOR_SKILLS.includes(key)) failField(flag, "a skill needs no server", "Leave it out");
    if (key === "http" || key === "token") {
      failField(flag, "clients start this server themselves and use stdin and stdout");
    }
    if (!holdsSecret(key, start.settings)) continue;
    const file = start.files.at(-1)?.path ?? "your settings file";
    failField(
      flag,
      "it contains a password or token that anyone could read in the client's file",
      `Set it in ${file} as ${key} = ["…"], which every entry uses, and install without it`,
    );
  }
}

function givenFlags({ provenance }: Choices) {
  return SETTING_KEYS.flatMap((key) => {
    const { flag } = SETTINGS[key];
    return flag !== undefined && provenance[key] === flag ? [[key, flag] as const] : [];
  });
}

/** With `readOnly`, a skill's own commands would be refused; the others mean nothing to commands. */
export const NOT_FOR_SKILLS: readonly string[] = Object.keys(HTTP_SETTINGS)
  .concat("toolsets tools excludeTools readOnly noSampling maxResult".split(" "));

const YOUR_TOKEN = "YOUR-TOKEN";

function planRemote(start: Choices, host: UserPlace): Remote | undefined {
  const { http, tlsCert } = start.settings;
  if (http === undefined) return undefined;
  const isElsewhere = !http.isLoopback;
  if (isElsewhere && http.url === undefined) {
    const hint = "Give the address as clients see it: https://HOST/mcp";
    failField("--http", `${http.host} is where a server listens`, hint);
  }
  if (isElsewhere && !http.url!.startsWith("https:")) {
    failField(
      "--http",
      "your token would cross the network unencrypted",
      "Use an https address (docs/http.md)",
    );
  }
  if (http.port === 0) failField("--http", "an entry needs a port");
  refuseServerFlags(start, isElsewhere);
  const address = http.host.includes(":") ? `[${http.host}]` : http.host;
  const url = http.url ?? `${tlsCert === undefined ? "http" : "https"}://${address}:${http.port}/mcp`;
  return { url, token: tokenFor(start, url, isElsewhere, host) };
}

/** While the state folder can still be seen. */
function tokenFor(start: Choices, url: string, isElsewhere: boolean, host: UserPlace): string {
  // Screens have a history.
  if (isPreview(start.invocation)) return YOUR_TOKEN;
  const { token } = start.settings;
  if (token !== undefined) return token;
  // The user's own token is for this machine's servers alone.
  if (!isElsewhere) return readUserToken(userFolders(host).state);
  if (isOfProject(start)) return YOUR_TOKEN;
  return failField("--http", `the token of ${url} is missing`, "Set BMAD_TOKEN to it");
}

function refuseServerFlags(start: Choices, isElsewhere: boolean): void {
  // There, a variable is named instead of the token.
  const held = ["http", "tlsCert", "tlsKey", ...(isElsewhere ? ["project"] : [])];
  for (const [key, flag] of givenFlags(start)) {
    if (held.includes(key)) continue;
    const [problem, hint] = OWN_REFUSALS[key] ?? ["it belongs to the server", "Use it with serve --http"];
    failField(flag, problem, hint);
  }
}

const OWN_REFUSALS: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  project: ["the entry holds your token, and a project's file is shared", "Leave it out"],
  token: ["other users of the machine can see it", "Set BMAD_TOKEN, or leave it out to use your own token"],
  noToken: ["install --http writes your token, and a server without one lets everybody in", "Leave it out"],
};

type EntryPlace = Pick<Target, "client" | "scope">;

export function launchFor(
  place: EntryPlace,
  plan: ClientsPlan,
  start: Start,
  accepted?: string,
): Launch | Remote {
  if (plan.remote === undefined) return ownLaunch(place, ["serve"], plan, start, accepted);
  const { tokenVariable = plan.remote.token } = place.scope === "project" ? place.client : {};
  return { ...plan.remote, token: tokenVariable };
}

export function hookLineFor(place: EntryPlace, plan: ClientsPlan, start: Start): string | undefined {
  // A client's variables are for entries: hooks run in the project. Flags that name a server are not for them.
  const client = { ...place.client, workspace: undefined };
  const given = plan.remote === undefined ? start : { ...start, flags: [] };
  const launch = ownLaunch({ ...place, client }, HOOK_ARGS, plan, given);
  return command`${{ args: [launch.command, ...launch.args] }}`;
}

/** The bare name in the user's own file, too: a model runs it in a shell. */
export function skillLaunchFor(place: EntryPlace, plan: ClientsPlan, start: Start): Launch {
  const { launch, sharedLaunch } = plan;
  const client = { ...place.client, workspace: undefined };
  const own = sharedLaunch.args.length === 0 ? sharedLaunch : launch;
  return ownLaunch({ ...place, client }, [], { ...plan, launch: own }, start);
}

function ownLaunch(
  { client, scope }: EntryPlace,
  words: readonly string[],
  plan: ClientsPlan,
  start: Start,
  accepted?: string,
): Launch {
  const { settings: { project }, provenance, flags } = start;
  const isShared = scope === "project";
  const named = provenance.project === SETTINGS.project.flag ? project : undefined;
  const workspace = isShared
    ? client.workspace === "unknown" ? undefined : client.workspace
    : named ?? (startsAnywhere(client) ? accepted : undefined);
  const isInside = (word: string) => isShared && project !== undefined && word.startsWith(`${project}/`);
  const { command, args } = isShared ? plan.sharedLaunch : plan.launch;
  return {
    command,
    args: [
      ...args,
      ...words,
      ...(workspace === undefined ? [] : ["--project", workspace]),
      ...flags.map((word) => isInside(word) ? (workspace ?? ".") + word.slice(project!.length) : word),
    ],
  };
}

export function ownPathsIn({ command, args }: Launch): readonly string[] {
  return [command, ...args].filter((word) => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(word));
}

function clientsNamed({ operands }: Start["invocation"]): readonly Client[] {
  const ids = CLIENTS.map(({ id }) => id);
  const spelt = CLIENTS.map(({ id, aliases = [] }) => ({ label: id, spellings: [id, ...aliases] }));
  const unknown = (name: string) =>
    failUnknown("client", hideCredentials(name), ids, suggest(name.toLowerCase(), spelt));
  return [...new Set(operands.map((name) => findClient(name) ?? unknown(name)))];
}
