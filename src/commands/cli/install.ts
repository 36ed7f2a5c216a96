/**
 * `bmad-mcp install` and `uninstall`: this server in the configuration of clients.
 *
 * Decides which clients are meant, has each file changed, and reports the results. A failure for one client does not
 * affect the others.
 */
import {
  ALL_CLIENTS,
  type Change,
  type Client,
  type ClientsPlan,
  inspectTarget,
  installEntry,
  launchFor,
  renderEntry,
  type Target,
  uninstallEntry,
  withoutNeighbours,
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
import { PRODUCT } from "../../base/model.ts";
import { printResults, type Result, type Snippet } from "./install_report.ts";

/** The exit code if a file could not be changed. */
const REFUSED = 3;

/** Runs `install` or `uninstall` and returns the exit code. */
export async function changeClients(host: Host, config: Config, plan: ClientsPlan): Promise<number> {
  const { invocation } = config;
  const { options } = invocation;
  const name = nameOf(options);
  const { targets, manual } = plan.isChosen ? plan : await choose(host, invocation, plan, name);
  const results: Result[] = [];
  if (!options.print) {
    for (const target of targets) {
      const changed = await withoutNeighbours(await change(host, config, plan, target, name));
      results.push({ target, change: changed, note: noteFor(target, invocation, plan) });
    }
    if (invocation.name === "install" && plan.remote === undefined) warnAboutVariables(host, config);
  }
  const places: readonly Place[] = manual.map((client) => ({ client, scope: "user" }));
  const snippets = await snippetsFor(options.print ? [...places, ...targets] : places, config, plan, name);
  printResults(host, invocation, name, results, snippets);
  return results.some(({ change: { outcome } }) => outcome === "invalid" || outcome === "foreign")
    ? REFUSED
    : 0;
}

/** Others use a project's file, too. */
function noteFor({ scope }: Target, { name }: Invocation, { launch, sharedLaunch }: ClientsPlan) {
  if (name !== "install" || scope !== "project" || sharedLaunch !== launch) return undefined;
  return `This file names ${launch.command} on this machine. To share it, put ${PRODUCT.name} on your PATH and install again.`;
}

/** Settings from variables may not reach a program that a client starts: not every client passes them on. */
function warnAboutVariables(host: Host, config: Config): void {
  for (const key of SETTING_KEYS) {
    const variable = config.provenance[key];
    // A client names the project itself, and an entry uses stdin and stdout.
    if (key === "project" || key in HTTP_SETTINGS || !SETTINGS[key].variables.includes(variable)) continue;
    const problem = `Not in the entry: ${variable}, which clients may not pass on`;
    host.writeErr(`${problem}. ${alternativeTo(key, config)}.\n`);
  }
}

/** Where else to set something so that the program sees it when a client starts it. */
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

async function change(
  host: Host,
  config: Config,
  plan: ClientsPlan,
  target: Target,
  name: string,
): Promise<Change> {
  const { name: command, options } = config.invocation;
  const request = { name, force: options.force !== undefined };
  const how = { dryRun: options.dryRun !== undefined, now: () => host.now() };
  return command === "install"
    ? await installEntry(target, launchFor(target, plan, config), request, how)
    : await uninstallEntry(target, request, how);
}

/** Where a snippet belongs; without a path for a client that is configured by hand. */
type Place = Pick<Target, "client" | "scope"> & { readonly path?: string };

async function snippetsFor(
  places: readonly Place[],
  config: Config,
  plan: ClientsPlan,
  name: string,
): Promise<readonly Snippet[]> {
  return await Promise.all(places.map(async (place) => ({
    client: place.client,
    place: place.client.manualSteps ?? `Add this to ${place.path}:`,
    text: await renderEntry(place.client, launchFor(place, plan, config), name),
  })));
}

function nameOf({ name = "bmad" }: Invocation["options"]): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) return name;
  const problem = `not every client accepts "${name}"`;
  return fail({ code: "invalid-input", field: "--name", problem, hint: "Use letters, digits and dashes" });
}

/** Asks the user which clients are meant; without a terminal, fails with the possible ones. */
async function choose(
  host: Host,
  { name: command, options }: Invocation,
  plan: ClientsPlan,
  name: string,
): Promise<Pick<ClientsPlan, "targets" | "manual">> {
  const isInstall = command === "install";
  const found = await Promise.all(
    plan.targets.map(async (target) => ({ target, state: (await inspectTarget(target, plan, name)).state })),
  );
  const offered = isInstall ? found : found.filter(({ state }) => state === "ours");
  const canAsk = host.terminal.stdin && host.terminal.stderr && options.json === undefined;
  if (!canAsk || offered.length === 0) refuseToGuess(command, offered.map(({ target }) => target.client));
  const { pick } = await import("./picker.ts");
  const targets = await pick(
    isInstall ? "Which clients should use this server?" : "Which clients should stop using this server?",
    offered.map(({ target, state }) => ({
      value: target,
      label: target.client.title,
      hint: `${target.path}${isInstall && state === "ours" ? ", already there" : ""}`,
      isChosen: isInstall && state === "absent",
    })),
  );
  return { targets, manual: [] };
}

function refuseToGuess(command: string, clients: readonly Client[]): never {
  const ids = [...new Set(clients.map(({ id }) => id))].join(" ");
  const hint = ids !== ""
    ? `Found here: ${ids}. Run: bmad-mcp ${command} ${ids}, or: bmad-mcp ${command} --all`
    : command === "install"
    ? `No client was found here. ${ALL_CLIENTS}`
    : "No client found here has this server";
  return fail({ code: "invalid-input", problem: "Missing CLIENT", hint });
}
