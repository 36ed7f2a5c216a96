/**
 * Clients: which ones we know, where they keep their servers, and adding this program to them.
 *
 * Only the table and the plan are loaded with this file, because they are needed before the rights are dropped. The
 * code that reads and edits the files, with its parsers, is loaded when it is called.
 */
import type { Edit, EntryRequest } from "./edit.ts";
import { type Change, changeFile, type ChangeOptions } from "./file_change.ts";
import type { Inspection } from "./inspect.ts";
import { type InstallRecord, replacedIn, writtenIn } from "./record.ts";
import type { Remote } from "./remote_shapes.ts";
import type { Launch } from "./shapes.ts";
import type { Target } from "./target.ts";
import type { Client, HookFile } from "./client.ts";
import type { ClientsPlan } from "./plan.ts";
import type { Peer } from "./peers.ts";
import type { Upgrade } from "./upgrade.ts";

export {
  type Client,
  type Format,
  type HookFile,
  type Layout,
  onSystem,
  type PerSystem,
  type System,
} from "./client.ts";
export type { Edit, EntryRequest } from "./edit.ts";
export { type Change, changeFile, type ChangeOptions } from "./file_change.ts";
export type { Inspection } from "./inspect.ts";
export {
  type ClientsPlan,
  hookLineFor,
  launchFor,
  ownPathsIn,
  planClients,
  type PlanHost,
  type Start,
} from "./plan.ts";
export type { FoundHook } from "./hook_check.ts";
export { cachedPackage, type OwnProgram, stableLaunch } from "./own_launch.ts";
export type { Upgrade } from "./upgrade.ts";
export { changeOwnFile, changeText, type ChangeTextOptions } from "./own_settings.ts";
export { HOOK_SHAPES, type HookShapeName } from "./hook_shapes.ts";
export type { Machine } from "./paths.ts";
export { type Entry, type Launch, renderLaunch, type ShapeName, SHAPES } from "./shapes.ts";
export { type Remote, REMOTE_SHAPES, type RemoteShapeName } from "./remote_shapes.ts";
export { CLIENT_VARIABLES, CLIENTS, findClient, startsAnywhere } from "./table.ts";
export { backupOf, type FilePlace, placeOf, type Purpose, rightsFor, type Target } from "./target.ts";
export type { Peer } from "./peers.ts";
export { type InstallRecord, keepRecord, type RecordPlan, type Replaced, type Written } from "./record.ts";

/** How to change a file, and what earlier runs did to it. */
export type RecordedOptions = ChangeOptions & { readonly record?: InstallRecord };

/** Adds an entry to a client's file. */
export async function installEntry(
  target: Target,
  launch: Launch | Remote,
  asked: EntryRequest & { readonly replace?: boolean },
  { record, ...options }: RecordedOptions,
): Promise<Change> {
  const request = { ...asked, ...writtenIn(record, target, asked.name) };
  const { addEntry } = await import("./edit.ts");
  const { replaceEntries } = await import("./replace.ts");
  const edit = request.replace ? replaceEntries : addEntry;
  return changeFile(target, (text) => edit(text, target.client, { ...request, launch }), {
    ...options,
    isPrivate: "token" in launch && launch.token !== target.client.tokenVariable,
  });
}

/** Removes an entry from a client's file, and restores what it had replaced. */
export async function uninstallEntry(
  target: Target,
  asked: EntryRequest,
  { record, ...options }: RecordedOptions,
): Promise<Change> {
  const request = { ...asked, ...writtenIn(record, target, asked.name) };
  const { restoreEntries } = await import("./replace.ts");
  const replaced = replacedIn(record, target, request.name);
  return changeFile(
    target,
    (text, before) =>
      text === undefined
        ? { outcome: "absent" }
        : restoreEntries(text, before, target.client, request, replaced),
    options,
  );
}

/** Adds our hook, which runs a command line, to a client's file of hooks. */
export async function installHook(
  target: Target & { readonly hooks: HookFile },
  line: string,
  options: ChangeOptions,
): Promise<Change> {
  const { addHook } = await import("./hook_edit.ts");
  return changeFile(target, (text) => addHook(text, target.hooks, line), options);
}

/** Removes our hook from a client's file of hooks. */
export async function uninstallHook(
  target: Target & { readonly hooks: HookFile },
  options: ChangeOptions,
): Promise<Change> {
  const { removeHook } = await import("./hook_edit.ts");
  return changeFile(
    target,
    (text, before) => text === undefined ? { outcome: "absent" } : removeHook(text, before, target.hooks),
    options,
  );
}

/** A file of hooks with nothing but ours, to paste by hand. */
export async function renderHook(hooks: HookFile, line: string): Promise<string> {
  const { addHook } = await import("./hook_edit.ts");
  const edit = addHook(undefined, hooks, line);
  return "text" in edit ? edit.text ?? "" : "";
}

/** Other BMAD servers in a client's file. */
export async function findPeersIn(target: Target): Promise<readonly Peer[]> {
  const { findPeers } = await import("./peers.ts");
  let found: readonly Peer[] = [];
  const look = (text: string | undefined): Edit => {
    found = text === undefined ? [] : findPeers(text, target.client);
    return { outcome: "same" };
  };
  changeFile(target, look, { dryRun: true, now: () => 0 });
  return found;
}

/** A client's file with nothing but the entry, to paste by hand. */
export async function renderEntry(client: Client, launch: Launch | Remote, name: string): Promise<string> {
  const { addEntry } = await import("./edit.ts");
  const edit = addEntry(undefined, { ...client, seed: undefined }, { name, launch, force: true });
  return "text" in edit ? edit.text ?? "" : "";
}

/** Inspects the entry in a client's file. */
export async function inspectTarget(target: Target, plan: ClientsPlan, name: string): Promise<Inspection> {
  const { inspectText } = await import("./inspect.ts");
  const own = { ...plan, name, scope: target.scope, ...writtenIn(plan.record, target, name) };
  let found: Inspection = { state: "absent" };
  const look = (text: string | undefined): Edit => {
    found = inspectText(text, target.client, own);
    return { outcome: "same" };
  };
  const { outcome, ...trouble } = changeFile(target, look, { dryRun: true, now: () => 0 });
  return outcome === "invalid" ? { state: "invalid", ...trouble } : found;
}

/** What to do for the next version of the program that a launch starts. */
export async function upgradeOf(launch: Launch): Promise<Upgrade> {
  return (await import("./upgrade.ts")).upgradeOf(launch);
}

/** A change without the secrets of other entries and without tokens, which are not for screens and logs. */
export async function withoutNeighbours(change: Change): Promise<Change> {
  if (!("text" in change) && !("before" in change)) return change;
  const { maskNeighbours } = await import("./neighbours.ts");
  const mask = async (text: string | undefined) =>
    text === undefined ? undefined : await maskNeighbours(text);
  return {
    ...change,
    ...("text" in change && { text: await mask(change.text) }),
    ...("before" in change && { before: await mask(change.before) }),
  };
}

/** Where a problem is in a client's file: `PATH:LINE:COLUMN`, or the path alone. */
export function locationOf({ path }: Target, at: Inspection["at"]): string {
  return at === undefined ? path : `${path}:${at.line}:${at.column}`;
}
