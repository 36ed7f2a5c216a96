/** Our entries and hooks in clients' files; the parsers load here, after the rights are dropped. */
import { loadCleaner } from "../../content/library/mod.ts";
import type { Client, HookFile } from "./client.ts";
import {
  addEntry,
  type EntryRequest,
  findPeers,
  type Inspection,
  inspectText,
  type Peer,
  removeEntry,
  replaceEntries,
} from "./edit.ts";
import { type Change, changeFile, type ChangeOptions, readPlace } from "./file_change.ts";
import type { Edit } from "./file_text.ts";
import { addHook, removeHook } from "./hook_edit.ts";
import type { ClientsPlan } from "./plan.ts";
import { type InstallRecord, recordedOf } from "./record.ts";
import type { Launch, Remote } from "./shapes.ts";
import { addSkill, removeSkill, renderSkill } from "./skill.ts";
import type { Target } from "./target.ts";

export { renderSkill };

export type { Inspection } from "./edit.ts";

type RecordedOptions = ChangeOptions & { readonly record?: InstallRecord };
type HookTarget = Target & { readonly hooks: HookFile };

export function installEntry(
  target: Target,
  launch: Launch | Remote,
  { replace, ...asked }: EntryRequest & { readonly replace?: boolean },
  { record, ...options }: RecordedOptions,
): Change {
  const { url } = recordedOf(record, target, asked.name);
  const edit = replace ? replaceEntries : addEntry;
  return changeFile(target, (text) => edit(text, target.client, { ...asked, url, launch }), {
    ...options,
    isPrivate: "token" in launch && launch.token !== target.client.tokenVariable,
  });
}

export function uninstallEntry(
  target: Target,
  asked: EntryRequest,
  { record, ...options }: RecordedOptions,
): Change {
  const { url, replaced } = recordedOf(record, target, asked.name);
  return changeFile(
    target,
    ifThere((text, before) => removeEntry(text, before, target.client, { ...asked, url }, replaced)),
    options,
  );
}

export function installHook(target: HookTarget, line: string, options: ChangeOptions): Change {
  return changeFile(target, (text) => addHook(text, target.hooks, line), options);
}

export function uninstallHook(target: HookTarget, options: ChangeOptions): Change {
  return changeFile(target, ifThere((text, before) => removeHook(text, before, target.hooks)), options);
}

export function installSkill(target: Target, launch: Launch, options: ChangeOptions): Change {
  return changeFile(target, (text) => addSkill(text, renderSkill(launch)), options);
}

export function uninstallSkill(target: Target, options: ChangeOptions): Change {
  return changeFile(target, removeSkill, options);
}

function ifThere(edit: (text: string, before: string | undefined) => Edit): Parameters<typeof changeFile>[1] {
  return (text, before) => text === undefined ? { outcome: "absent" } : edit(text, before);
}

export function renderHook(hooks: HookFile, line: string): string {
  return textOf(addHook(undefined, hooks, line));
}

export function renderEntry(client: Client, launch: Launch | Remote, name: string): string {
  return textOf(addEntry(undefined, { ...client, seed: undefined }, { name, launch, force: true }));
}

function textOf(edit: Edit): string {
  return "text" in edit ? edit.text ?? "" : "";
}

export function findPeersIn(target: Target): readonly Peer[] {
  const { text } = readPlace(target);
  return text === undefined ? [] : findPeers(text, target.client);
}

export function inspectTarget(target: Target, plan: ClientsPlan, name: string): Inspection {
  const { text, problem } = readPlace(target);
  if (problem !== undefined) return { state: "invalid", problem };
  const { url } = recordedOf(plan.record, target, name);
  return inspectText(text, target.client, { ...plan, name, scope: target.scope, url });
}

const SECRET_TABLES: readonly RegExp[] = [
  /(?<![\w-])(?:env|envs|environment|headers|http_headers)"?\s{0,20}[:=]\s{0,20}\{[^{}]*\}/g,
  /^[ \t]{0,20}\[[^\]\n]{1,200}\.(?:env|headers|http_headers)\][^[]*/gm,
];

const VALUE = /(?<=[:=]\s{0,20})(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g;

/**
 * Without other entries' secrets and without tokens, which are not for screens and logs. Every variable and header of
 * an entry is a secret; elsewhere its key or form tells.
 */
export async function withoutNeighbours(change: Change): Promise<Change> {
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
