/**
 * Clients: which ones we know, where they keep their servers, and adding this program to them.
 *
 * Only the table and the plan are loaded with this file, because they are needed before the rights are dropped. The
 * code that reads and edits the files, with its parsers, is loaded when it is called.
 */
import type { Client, HookFile } from "./client.ts";
import type { EntryRequest, Inspection } from "./edit.ts";
import { type Change, changeFile, type ChangeOptions, readPlace } from "./file_change.ts";
import type { Peer } from "./peers.ts";
import type { ClientsPlan } from "./plan.ts";
import { type InstallRecord, replacedIn, writtenIn } from "./record.ts";
import type { Launch, Remote } from "./shapes.ts";
import type { Target } from "./target.ts";

export { type Client, onSystem } from "./client.ts";
export type { Inspection } from "./edit.ts";
export type { Edit } from "./file_text.ts";
export { type Change, changeFile, type ChangeOptions, changeOwnFile, changeText } from "./file_change.ts";
export type { FoundHook } from "./hooks.ts";
export { cachedPackage, stableLaunch, upgradeOf } from "./own_launch.ts";
export type { Peer } from "./peers.ts";
export { type ClientsPlan, hookLineFor, launchFor, ownPathsIn, planClients, type Start } from "./plan.ts";
export { keepRecord } from "./record.ts";
export { type Launch, renderLaunch } from "./shapes.ts";
export { CLIENT_VARIABLES, CLIENTS, findClient, startsAnywhere } from "./table.ts";
export { type FilePlace, placeOf, rightsFor, type Target } from "./target.ts";

type RecordedOptions = ChangeOptions & { readonly record?: InstallRecord };
type HookTarget = Target & { readonly hooks: HookFile };

export async function installEntry(
  target: Target,
  launch: Launch | Remote,
  asked: EntryRequest & { readonly replace?: boolean },
  { record, ...options }: RecordedOptions,
): Promise<Change> {
  const request = { ...asked, ...writtenIn(record, target, asked.name), launch };
  const { addEntry } = await import("./edit.ts");
  const { replaceEntries } = await import("./peers.ts");
  const edit = request.replace ? replaceEntries : addEntry;
  return changeFile(target, (text) => edit(text, target.client, request), {
    ...options,
    isPrivate: "token" in launch && launch.token !== target.client.tokenVariable,
  });
}

export async function uninstallEntry(
  target: Target,
  asked: EntryRequest,
  { record, ...options }: RecordedOptions,
): Promise<Change> {
  const request = { ...asked, ...writtenIn(record, target, asked.name) };
  const { restoreEntries } = await import("./peers.ts");
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

export async function installHook(target: HookTarget, line: string, options: ChangeOptions): Promise<Change> {
  const { addHook } = await import("./hook_edit.ts");
  return changeFile(target, (text) => addHook(text, target.hooks, line), options);
}

export async function uninstallHook(target: HookTarget, options: ChangeOptions): Promise<Change> {
  const { removeHook } = await import("./hook_edit.ts");
  return changeFile(
    target,
    (text, before) => text === undefined ? { outcome: "absent" } : removeHook(text, before, target.hooks),
    options,
  );
}

export async function renderHook(hooks: HookFile, line: string): Promise<string> {
  const { addHook } = await import("./hook_edit.ts");
  const edit = addHook(undefined, hooks, line);
  return "text" in edit ? edit.text ?? "" : "";
}

export async function renderEntry(client: Client, launch: Launch | Remote, name: string): Promise<string> {
  const { addEntry } = await import("./edit.ts");
  const edit = addEntry(undefined, { ...client, seed: undefined }, { name, launch, force: true });
  return "text" in edit ? edit.text ?? "" : "";
}

export async function findPeersIn(target: Target): Promise<readonly Peer[]> {
  const { findPeers } = await import("./peers.ts");
  const { text } = readPlace(target);
  return text === undefined ? [] : findPeers(text, target.client);
}

export async function inspectTarget(target: Target, plan: ClientsPlan, name: string): Promise<Inspection> {
  const { inspectText } = await import("./edit.ts");
  const { text, problem } = readPlace(target);
  if (problem !== undefined) return { state: "invalid", problem };
  const own = { ...plan, name, scope: target.scope, ...writtenIn(plan.record, target, name) };
  return inspectText(text, target.client, own);
}

/** The variables and headers of an entry: a table in braces, or a section in TOML. */
const SECRET_TABLES: readonly RegExp[] = [
  /(?<![\w-])(?:env|envs|environment|headers|http_headers)"?\s{0,20}[:=]\s{0,20}\{[^{}]*\}/g,
  /^[ \t]{0,20}\[[^\]\n]{1,200}\.(?:env|headers|http_headers)\][^[]*/gm,
];

const VALUE = /(?<=[:=]\s{0,20})(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g;

/**
 * A change without the secrets of other entries and without tokens, which are not for screens and logs. Every variable
 * and header of an entry counts as a secret, whatever its name; anywhere else a secret is recognised by its key or form.
 */
export async function withoutNeighbours(change: Change): Promise<Change> {
  const { loadCleaner } = await import("../../content/library/mod.ts");
  const { longText } = await loadCleaner();
  const mask = (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const masked = SECRET_TABLES.reduce(
      (rest, table) => rest.replaceAll(table, (found) => found.replaceAll(VALUE, '"[removed]"')),
      text,
    );
    return longText(masked).replaceAll(/\bBearer [^\s"']+/g, "Bearer ***");
  };
  return {
    ...change,
    ...("text" in change && { text: mask(change.text) }),
    ...("before" in change && { before: mask(change.before) }),
  };
}

export function locationOf({ path }: Target, at: Inspection["at"]): string {
  return at === undefined ? path : `${path}:${at.line}:${at.column}`;
}
