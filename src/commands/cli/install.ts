/**
 * `bmad-mcp install` and `uninstall`: this server in the configuration of clients.
 *
 * Decides which clients are meant, has each file changed, and tells what came of it. One client's trouble does not
 * keep the others from being served.
 */
import {
  type Change,
  type Client,
  CLIENTS,
  type ClientsPlan,
  inspectTarget,
  installEntry,
  launchFor,
  renderEntry,
  type Target,
  uninstallEntry,
} from "../clients/mod.ts";
import type { Config } from "../../app.ts";
import {
  holdsSecret,
  HTTP_SETTINGS,
  type Invocation,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
} from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import {
  asData,
  isTrouble,
  report,
  reportSnippet,
  type Result,
  type Snippet,
  snippetData,
} from "./install_report.ts";
import { printJson } from "./output.ts";

/** Some file was left alone: the exit code of what is refused or out of reach. */
const LEFT_ALONE = 3;

/** Runs `install` or `uninstall` and returns the exit code. */
export async function changeClients(host: Host, config: Config, plan: ClientsPlan): Promise<number> {
  const { invocation } = config;
  const { options } = invocation;
  const name = nameOf(options);
  const { targets, byHand } = plan.isChosen ? plan : await choose(host, invocation, plan, name);
  if (options.print) {
    const places = [...byHand.map((client) => ({ client, scope: "user" as const })), ...targets];
    return tell(host, invocation, name, [], await snippetsFor(places, config, plan, name));
  }
  const results: Result[] = [];
  for (const target of targets) {
    results.push({ target, change: await change(host, config, plan, target, name) });
  }
  if (invocation.name === "install") tellOfVariables(host, config);
  const places = byHand.map((client) => ({ client, scope: "user" as const }));
  return tell(host, invocation, name, results, await snippetsFor(places, config, plan, name));
}

/** What only the shell says does not reach a program that a client starts: not every client hands its variables on. */
function tellOfVariables(host: Host, config: Config): void {
  for (const key of SETTING_KEYS) {
    const variable = config.provenance[key];
    // A client names the project itself, and an entry serves stdin and stdout.
    if (key === "project" || key in HTTP_SETTINGS || !SETTINGS[key].variables.includes(variable)) continue;
    const missing = `Not in the entry: ${variable}, which this shell has and a client may not`;
    host.writeErr(`${missing}. ${insteadOf(key, config)}.\n`);
  }
}

/** Where else a setting can be said so that a client's program knows of it. */
function insteadOf(key: keyof Settings, { settings, files }: Config): string {
  // What the variable names can be named by the other setting alone.
  const said = key === "roots" ? "paths" : key;
  const { flag, files: where } = SETTINGS[said];
  const ways = [
    ...(flag === undefined || holdsSecret(key, settings) ? [] : [`give ${flag} behind install`]),
    ...(where === "none" ? [] : [`write ${said} into ${files.at(-1)?.path ?? "your settings file"}`]),
  ].join(", or ");
  return ways.charAt(0).toUpperCase() + ways.slice(1);
}

/** Changes one file as the command line wants it. */
async function change(
  host: Host,
  config: Config,
  plan: ClientsPlan,
  target: Target,
  name: string,
): Promise<Change> {
  const { name: command, options } = config.invocation;
  const request = { name, force: options.force !== undefined };
  const doing = { dryRun: options.dryRun !== undefined, now: () => host.now() };
  return command === "install"
    ? await installEntry(target, launchFor(target, plan, config), request, doing)
    : await uninstallEntry(target, request, doing);
}

/** What belongs into files, for people who put it there themselves. */
async function snippetsFor(
  places: readonly (Pick<Target, "client" | "scope"> & { readonly path?: string })[],
  config: Config,
  plan: ClientsPlan,
  name: string,
): Promise<readonly Snippet[]> {
  return await Promise.all(places.map(async (place) => ({
    client: place.client,
    place: place.client.byHand ?? `Put this into ${place.path}:`,
    text: await renderEntry(place.client, launchFor(place, plan, config), name),
  })));
}

/** Says what came of it all, and returns the exit code. */
function tell(
  host: Host,
  { name: command, operands, options }: Invocation,
  name: string,
  results: readonly Result[],
  snippets: readonly Snippet[],
): number {
  // Where all clients were asked, only those that knew us are worth a word.
  const told = operands.length > 0 ? results : results.filter(({ change }) => change.outcome !== "absent");
  if (options.json) printJson(host, { clients: [...told.map(asData), ...snippets.map(snippetData)] });
  else {
    const doing = { name, dryRun: options.dryRun !== undefined, isInstall: command === "install" };
    for (const result of told) report(host, result, doing);
    for (const snippet of snippets) {
      if (command === "install") reportSnippet(host, snippet);
      else host.writeErr(`${snippet.client.title}: remove "${name}" by hand\n`);
    }
    if (told.length + snippets.length === 0) host.writeErr("Nothing was changed.\n");
  }
  return results.some(isTrouble) ? LEFT_ALONE : 0;
}

function nameOf({ name = "bmad" }: Invocation["options"]): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) return name;
  return fail({
    code: "invalid-input",
    field: "--name",
    problem: `"${name}" is no name that every client takes`,
    hint: "Use letters, digits and dashes",
  });
}

/** Lets somebody choose at a terminal; elsewhere, says what there is to choose from. */
async function choose(
  host: Host,
  { name: command, options }: Invocation,
  plan: ClientsPlan,
  name: string,
): Promise<Pick<ClientsPlan, "targets" | "byHand">> {
  const found = await Promise.all(
    plan.targets.map(async (target) => ({ target, state: (await inspectTarget(target, plan, name)).state })),
  );
  const offered = command === "install" ? found : found.filter(({ state }) => state === "ours");
  const canAsk = host.terminal.stdin && host.terminal.stderr && options.json === undefined;
  if (!canAsk || offered.length === 0) refuseToGuess(command, offered.map(({ target }) => target.client));
  const { pick } = await import("./picker.ts");
  const targets = await pick(
    command === "install"
      ? "Which clients should know this server?"
      : "Which clients should forget this server?",
    offered.map(({ target, state }) => ({
      value: target,
      label: target.client.title,
      hint: `${target.path}${state === "ours" && command === "install" ? ", already there" : ""}`,
      isChosen: command === "install" && state === "absent",
    })),
  );
  return { targets, byHand: [] };
}

function refuseToGuess(command: string, clients: readonly Client[]): never {
  const ids = [...new Set(clients.map(({ id }) => id))].join(" ");
  const hint = ids !== ""
    ? `Found here: ${ids}. Write: bmad-mcp ${command} ${ids}, or: bmad-mcp ${command} --all`
    : command === "install"
    ? `None was found here. There are ${CLIENTS.map(({ id }) => id).join(", ")}`
    : "None that was found here has this server";
  return fail({ code: "invalid-input", field: command, problem: "no client was named", hint });
}
