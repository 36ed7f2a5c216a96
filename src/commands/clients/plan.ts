/**
 * What a command line asks of which clients, settled before the rights are dropped.
 *
 * `install` and `uninstall` get the right to write the files of the clients that are named (or, where none is, of
 * those that are found here), and nothing else on the disk; `doctor` may read them.
 */
import { hideCredentials } from "../../base/git_location.ts";
import { type Choices, holdsSecret, SETTING_KEYS, SETTINGS } from "../../settings/mod.ts";
import { joinRights } from "../../base/rights.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import type { WantedRights } from "../../base/model.ts";
import { suggest } from "../../base/suggestions.ts";
import type { Client } from "./client.ts";
import { findProgram, lastingLaunch, type OwnProgram, programOf, programsIn } from "./own_launch.ts";
import { isPresent, type Surroundings } from "./paths.ts";
import type { Launch } from "./shapes.ts";
import { CLIENTS, findClient } from "./table.ts";
import { type Purpose, rightsFor, type Target, targetOf, targetsOf } from "./target.ts";

/** The clients that a command is about. */
export interface ClientsPlan {
  /** Their files, in the order of the clients. */
  readonly targets: readonly Target[];
  /** Those that have no file and must be told by hand. */
  readonly byHand: readonly Client[];
  /** Whether the clients were named, or all were asked for; else somebody must choose. */
  readonly isChosen: boolean;
  /** What starts this program, by a name that lasts. */
  readonly launch: Launch;
  /** The programs that entries start, by the words that name them, as far as they are there; only for `doctor`. */
  readonly programs: ReadonlyMap<string, OwnProgram>;
  /** All that the command must be allowed to do. */
  readonly rights: WantedRights;
}

/** What the user chose, and what the start is going to need for it. */
export interface Start extends Choices {
  /** What the command needs whatever the clients are. */
  readonly rights: WantedRights;
  /** Where the log is written. */
  readonly logFiles: readonly string[];
}

/** How the process must be known to plan. */
export type PlanHost = Surroundings & Pick<Host, "launch" | "terminal" | "readText">;

/** Settles which files are meant, or fails with a name that no client has. */
export function planClients(start: Start, host: PlanHost): ClientsPlan {
  const launch = lastingLaunch(host.launch, { home: host.home, realName: (path) => host.look(path)?.real });
  const plan = start.invocation.name === "doctor" ? planLook(start, host, launch) : planChange(start, host);
  return { ...plan, launch };
}

/** Every file that may say something of us: the user's own, and those of the project. */
function planLook(start: Start, host: PlanHost, launch: Launch): Omit<ClientsPlan, "launch"> {
  const own = CLIENTS.filter((client) => isPresent(client, host))
    .flatMap((client) => targetsOf(client, undefined, host));
  const shared = CLIENTS.flatMap((client) => start.project ? targetsOf(client, start.project, host) : [])
    .filter(({ exists }) => exists);
  const all = [...own, ...shared];
  // Some clients have a file in common.
  const isFirst = ({ real, client }: Target, at: number) =>
    all.findIndex((one) => one.real === real && one.client.keys.join() === client.keys.join()) === at;
  const targets = all.filter(isFirst);
  const words = targets.flatMap(({ real }) => programsIn(host.readText(real) ?? ""));
  const programs = new Map<string, OwnProgram>();
  for (const word of [programOf(launch), ...words]) {
    const program = findProgram(word, host);
    if (program !== undefined) programs.set(word, program);
  }
  const rights = joinRights(start.rights, rightsFor(targets, "look", host));
  return { targets, byHand: [], isChosen: true, programs, rights };
}

/** The files of the clients that are named or, where none is, of those that are found here. */
function planChange(start: Start, host: PlanHost): Omit<ClientsPlan, "launch"> {
  const { invocation: { name: command, operands, options } } = start;
  const named = operands.map((name) => findClient(name) ?? failToFind(name));
  const project = namedProject(start);
  if (project !== undefined && host.look(project)?.kind !== "folder") failToEnter(project);
  if (command === "install") checkFlags(start);
  const isChosen = named.length > 0 || options.all !== undefined;
  const clients = named.length > 0
    ? [...new Set(named)]
    : CLIENTS.filter((client) => isPresent(client, host));
  if (command === "install" && clients.length === 0 && isChosen) failToChoose();
  const targets = clients.flatMap((client) => {
    // A client without project files gets the entry among the user's, bound to the project.
    const scope = client.project === undefined ? undefined : project;
    const found = command === "install"
      ? targetOf(client, scope, host) ?? []
      : targetsOf(client, scope, host);
    if (client.byHand === undefined && [found].flat().length === 0) failToPlace(client, host.os);
    return found;
  });
  const isSeen = options.dryRun !== undefined || options.print !== undefined;
  const canChoose = isChosen || (host.terminal.stdin && host.terminal.stderr && options.json === undefined);
  const purpose: Purpose = isSeen || !canChoose ? "look" : command === "install" ? "add" : "remove";
  const byHand = clients.filter(({ byHand }) => byHand !== undefined);
  const rights = joinRights(rightsFor(targets, purpose, host), forLog(start));
  return { targets, byHand, isChosen, programs: new Map(), rights };
}

/** Refuses settings that make no sense in an entry, or that would stand in it for others to read. */
function checkFlags({ settings, provenance, files }: Start): void {
  const isGiven = (key: typeof SETTING_KEYS[number]) =>
    provenance[key] !== "default" && provenance[key] === SETTINGS[key].flag;
  if (isGiven("http")) failToServe("--http");
  if (isGiven("token")) failToServe("--token");
  const secret = SETTING_KEYS.find((key) => isGiven(key) && holdsSecret(key, settings));
  if (secret !== undefined) failToKeep(secret, files.at(-1)?.path ?? "your settings file");
}

function forLog({ logFiles }: Start): WantedRights {
  return { read: logFiles, write: logFiles, run: [], net: false };
}

/** The project whose files are meant: named on the command line, and not overruled by `--user`. */
function namedProject({ settings, provenance, invocation }: Start): string | undefined {
  return provenance.project === "--project" && invocation.options.user === undefined
    ? settings.project
    : undefined;
}

/** What an entry should run. */
export function launchFor(
  { client, scope }: Pick<Target, "client" | "scope">,
  { launch }: ClientsPlan,
  start: Start,
): Launch {
  const { settings: { project }, provenance, flags } = start;
  const workspace = scope === "project"
    ? client.workspace === "absolute" ? project : client.workspace
    : provenance.project === "--project"
    ? project
    : undefined;
  const own = workspace === undefined ? [] : ["--project", workspace];
  return { command: launch.command, args: [...launch.args, "serve", ...own, ...flags] };
}

function failToFind(name: string): never {
  const near = suggest(
    name.toLowerCase(),
    CLIENTS.map(({ id, aliases = [] }) => ({ label: id, spellings: [id, ...aliases] })),
  );
  const hint = near.length > 0 ? undefined : `There are ${CLIENTS.map(({ id }) => id).join(", ")}`;
  return fail({ code: "not-found", what: "client", name: hideCredentials(name), suggestions: near, hint });
}

function failToServe(field: string): never {
  const problem = "clients start this server themselves and speak to it over stdin and stdout";
  return fail({ code: "invalid-input", field, problem });
}

/** Clients' files are shared, backed up and shown: no place for what somebody else must not know. */
function failToKeep(key: typeof SETTING_KEYS[number], file: string): never {
  return fail({
    code: "invalid-input",
    field: SETTINGS[key].flag ?? key,
    problem: "it holds a password or a token, which everybody could read in the client's file",
    hint: `Write it into ${file} as ${key} = ["…"], which every entry obeys, and install without it`,
  });
}

function failToPlace({ id, title }: Client, os: string): never {
  return fail({ code: "invalid-input", field: id, problem: `${title} keeps no file that is known on ${os}` });
}

function failToChoose(): never {
  const hint = `There are ${CLIENTS.map(({ id }) => id).join(", ")}`;
  return fail({ code: "invalid-input", field: "--all", problem: "no client was found here", hint });
}

/** `install --project vscode` names a folder, although a client was meant. */
function failToEnter(project: string): never {
  const word = project.slice(project.lastIndexOf("/") + 1);
  const hint = findClient(word) === undefined
    ? "Name the project's folder"
    : `For a client's file in the project that you are in, write: bmad-mcp install ${word} --project .`;
  return fail({ code: "invalid-input", field: "--project", problem: `there is no folder ${project}`, hint });
}
