/** A failure for one client does not affect the others. */
import {
  findPeersIn,
  installEntry,
  installHook,
  installSkill,
  renderEntry,
  renderHook,
  renderSkill,
  uninstallEntry,
  uninstallHook,
  uninstallSkill,
  withoutNeighbours,
} from "../clients/entries.ts";
import {
  cachedPackage,
  type Change,
  type Client,
  type ClientsPlan,
  hookLineFor,
  isEntry,
  keepRecord,
  type Launch,
  launchFor,
  NOT_FOR_SKILLS,
  ownPathsIn,
  renderLaunch,
  skillLaunchFor,
  skillUsers,
  startsAnywhere,
  type Target,
} from "../clients/mod.ts";
import type { App, Config } from "../../app.ts";
import type { Invocation } from "../../operations/mod.ts";
import { holdsSecret, HTTP_SETTINGS, SETTING_KEYS, SETTINGS, type Settings } from "../../settings/mod.ts";
import { failField } from "../../base/errors.ts";
import { type Host, INTERRUPTED } from "../../process/host.ts";
import { PRODUCT } from "../../base/model.ts";
import { command, NO_COMMAND, oneLine, withCommand } from "../../base/text.ts";
import type { Choice } from "./install_choice.ts";
import {
  listClients,
  NOTHING_CHANGED,
  printResults,
  printSaying,
  type Result,
  type Snippet,
} from "./install_report.ts";
import type { Answer, Session } from "./session.ts";

const REFUSED = 3;

export async function changeClients(
  { host, config, clients, open, invocation, json }: Session,
): Promise<Answer | number> {
  const plan = clients!;
  const { options } = invocation;
  const isInstall = invocation.name === "install";
  const name = nameOf(options);
  if (options.list) {
    return await listClients(host, plan, name, json);
  }
  const choice: Choice | undefined = plan.isChosen
    ? { targets: plan.targets, manual: plan.manual, replace: options.replace !== undefined }
    : await (await import("./install_choice.ts")).choose(host, invocation, plan, name);
  if (choice === undefined) {
    host.writeErr(NOTHING_CHANGED);
    return INTERRUPTED;
  }
  const { targets, manual } = choice;
  const results: Result[] = [];
  if (!options.print) {
    for (const target of targets) {
      const users = isInstall ? [] : skillUsers(plan.record, target, targets);
      const changed = users.length > 0
        ? { outcome: "absent" } as const
        : await withoutNeighbours(change(host, config, plan, choice, target, name));
      const notes = isInstall && isEntry(target)
        ? notesOn(target, plan, config, choice, name)
        : users.map(({ id, title }) =>
          withCommand(`${title} still uses it. To remove it`, command`bmad-mcp uninstall ${id}`)
        );
      results.push({ target, change: changed, notes });
    }
    if (isInstall && plan.remote === undefined) warnAboutVariables(host, config);
    if (!options.dryRun) record(host, plan, name, results);
  }
  const places: readonly Place[] = manual.map((client) => ({ client, scope: "user" }));
  const snippets = (options.print ? [...places, ...targets] : places)
    .map((place) => snippetFor(place, config, plan, name));
  printResults(host, invocation, name, withLastBackup(invocation, results), snippets);
  const isDone = isInstall && !options.print && !options.dryRun && !json;
  if (isDone && plan.remote === undefined) {
    await printSaying(host, results, snippets, () => sayingFor(plan, open));
  }
  const isRefused = ({ change: { outcome } }: Result) => outcome === "invalid" || outcome === "foreign";
  return results.some(isRefused) ? REFUSED : 0;
}

/** Of a file from which a hook and an entry are removed, only the last result knows whether a backup stays. */
function withLastBackup({ name }: Invocation, results: readonly Result[]): readonly Result[] {
  if (name !== "uninstall") return results;
  return results.map((result, at) => {
    const isLast = !results.slice(at + 1).some(({ target }) => target.real === result.target.real);
    return isLast ? result : { ...result, change: { ...result.change, backup: undefined } };
  });
}

async function sayingFor({ openProject }: ClientsPlan, open: () => Promise<App>) {
  if (openProject !== undefined) return "What is next in this project?";
  try {
    const agents = (await (await open()).list({ what: "agents" })).map(({ data }) => data["displayName"]);
    const agent = agents.find((name) => typeof name === "string");
    return agent && `Talk to ${oneLine(agent)} about my idea`;
  } catch {
    // The entry is written; content that cannot be read is for `doctor`.
    return undefined;
  }
}

function record(host: Host, plan: ClientsPlan, name: string, results: readonly Result[]): void {
  const { remote } = plan;
  const how = { dryRun: false, now: () => host.now(), ...(remote && { url: remote.url }) };
  const problem = plan.record && keepRecord(plan.record, name, results, how);
  if (problem === undefined) return;
  const effect = "uninstall will leave empty folders, and entries that were replaced only in the backups";
  host.writeErr(`Cannot write ${plan.record!.place.path}: ${problem}. Therefore ${effect}.\n`);
}

function notesOn(target: Target, plan: ClientsPlan, config: Config, choice: Choice, own: string) {
  const { client, scope } = target;
  const { openProject } = plan;
  const isLocal = plan.remote === undefined;
  const notes = isLocal && scope === "project" ? sharingNotes(client, plan, config) : [];
  const cached = isLocal && scope === "user" ? cachedPackage(plan.launch) : undefined;
  if (cached !== undefined) {
    const keep = command`npm install --global ${`${cached}@${PRODUCT.version}`}`;
    const again = command`bmad-mcp install ${client.id}`;
    const problem = "The entry starts the copy of npx, which npm may clear";
    notes.push(`${problem}. ${withCommand("To keep one", keep)}. ${withCommand("Then", again)}`);
  }
  if (config.invocation.options.hooks !== undefined && client.hooks === undefined) {
    notes.push(`${client.title} has no hook for the start of a session.`);
  }
  if (openProject !== undefined && choice.project === undefined && startsAnywhere(client)) {
    const serve = command`bmad-mcp install ${client.id} --project ${openProject}`;
    notes.push(`${client.title} does not start in a project. ${withCommand("To serve this one", serve)}`);
  }
  const peers = choice.replace ? [] : findPeersIn(target);
  for (const { name, runs } of peers.filter(({ name }) => isLocal || name !== own)) {
    const program = runs === undefined ? "" : `, which runs ${renderLaunch(runs)}`;
    notes.push(`Another BMAD server is in the same file: "${name}"${program}. To replace it: --replace`);
  }
  return notes;
}

function sharingNotes(client: Client, plan: ClientsPlan, config: Config): string[] {
  const { launch, sharedLaunch } = plan;
  const entry = launchFor({ client, scope: "project" }, plan, config) as Launch;
  const [path] = ownPathsIn(entry);
  const advice = sharedLaunch === launch
    ? `put ${PRODUCT.name} on your PATH and install again`
    : "name only folders in the project, and install again";
  const notes = path === undefined
    ? []
    : [`This file names ${path} on this machine. To share it, ${advice}.`];
  if (client.workspace !== "unknown") return notes;
  const bind = command`bmad-mcp install ${client.id} --user --project ${config.settings.project ?? "."}`;
  const problem = `If ${client.title} does not start it in the project`;
  return [...notes, withCommand(`${problem}, bind your own file to the project`, bind)];
}

/** Not every client passes variables on to the programs that it starts. */
function warnAboutVariables(host: Host, config: Config): void {
  const isSkill = config.invocation.options.skill !== undefined;
  for (const key of SETTING_KEYS) {
    if (isSkill && NOT_FOR_SKILLS.includes(key)) continue;
    const variable = config.provenance[key];
    // A client names the project itself, and an entry uses stdin and stdout.
    if (key === "project" || key in HTTP_SETTINGS || !SETTINGS[key].variables.includes(variable)) continue;
    const problem = `Not in the ${isSkill ? "skill" : "entry"}: ${variable}, which clients may not pass on`;
    host.writeErr(`${problem}. ${alternativeTo(key, config)}.\n`);
  }
}

function alternativeTo(key: keyof Settings, { settings, files }: Config): string {
  // `roots` can only be set by its variable, but `paths` means the same.
  const other = key === "roots" ? "paths" : key;
  const { flag, files: where } = SETTINGS[other];
  const ways = [
    ...(flag === undefined || holdsSecret(key, settings) ? [] : [`add ${flag} to install`]),
    ...(where === "none" ? [] : [`set ${other} in ${files.at(-1)?.path ?? "your settings file"}`]),
  ].join(", or ");
  return ways.charAt(0).toUpperCase() + ways.slice(1);
}

function change(
  host: Host,
  config: Config,
  plan: ClientsPlan,
  { replace, project }: Choice,
  target: Target,
  name: string,
): Change {
  const { name: command, options } = config.invocation;
  const request = { name, force: options.force !== undefined };
  const how = { dryRun: options.dryRun !== undefined, now: () => host.now(), record: plan.record };
  const { hooks, isSkill } = target;
  if (isSkill) {
    return command === "uninstall"
      ? uninstallSkill(target, how)
      : installSkill(target, skillLaunchFor(target, plan, config), how);
  }
  if (hooks !== undefined) {
    const hook = { ...target, hooks };
    if (command === "uninstall") return uninstallHook(hook, how);
    const line = hookLineFor(target, plan, config);
    return line === undefined
      ? { outcome: "invalid", problem: "the path of this program has characters that shells interpret" }
      : installHook(hook, line, how);
  }
  if (command === "uninstall") return uninstallEntry(target, request, how);
  const launch = launchFor(target, plan, config, project);
  return installEntry(target, launch, { ...request, replace }, how);
}

type Place = Pick<Target, "client" | "scope" | "hooks" | "isSkill"> & { readonly path?: string };

function snippetFor(place: Place, config: Config, plan: ClientsPlan, name: string): Snippet {
  const { client, path, hooks, isSkill } = place;
  return {
    client,
    place: isSkill ? `Save this as ${path}:` : client.manualSteps ?? `Add this to ${path}:`,
    text: isSkill
      ? renderSkill(skillLaunchFor(place, plan, config))
      : hooks === undefined
      ? renderEntry(client, launchFor(place, plan, config), name)
      : renderHook(hooks, hookLineFor(place, plan, config) ?? NO_COMMAND),
  };
}

function nameOf({ name = "bmad" }: Invocation["options"]): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) return name;
  return failField("--name", `not every client accepts "${name}"`, "Use letters, digits and dashes");
}
