/** What `install` created and replaced, so that `uninstall` undoes exactly that. It may hold secrets. */
import type { Host } from "../../process/host.ts";
import { attempt, unlessMissing } from "../../base/absence.ts";
import { resolvePath, userFolders } from "../../base/paths.ts";
import { asValues, isValues, parseJson } from "../../base/values.ts";
import { type Change, changeFile, type ChangeOptions } from "./file_change.ts";
import { type Entry, isLocal } from "./shapes.ts";
import { findClient } from "./table.ts";
import { type FilePlace, isEntry, missingFolders, placeOf, type Target } from "./target.ts";

interface EntryRecord {
  readonly file: string;
  readonly by: string;
}

interface Replaced extends EntryRecord {
  readonly name: string;
  readonly entry: Entry;
}

/** A server elsewhere: its address does not show that it is ours. */
interface Written extends EntryRecord {
  readonly url: string;
}

export type InstallRecord = ReturnType<typeof parseRecord>;

export interface RecordPlan extends InstallRecord {
  readonly place: FilePlace;
}

export function planRecord(
  host: Pick<Host, "home" | "os" | "env" | "look" | "readText">,
): RecordPlan | undefined {
  const { state } = userFolders(host);
  if (state === undefined) return undefined;
  const resolve = (path: string) => resolvePath(path, { ...host, base: "/" });
  const bases = [host.home, host.env("XDG_STATE_HOME"), host.env("LOCALAPPDATA")]
    .flatMap((base) => base === undefined ? [] : resolve(base));
  const place = placeOf(`${resolve(state)}/install.json`, bases, undefined, host);
  const record = parseRecord(host.readText(place.real));
  const folders = record.folders.filter((folder) => host.look(folder) !== undefined);
  const skills = record.skills.filter(({ file }) => host.look(file) !== undefined);
  return { ...record, place: withOwnFolders(place, folders), folders, skills };
}

export function withOwnFolders<T extends FilePlace>(place: T, folders: readonly string[]): T {
  return { ...place, parents: place.parents.filter((folder) => folders.includes(folder)) };
}

export function recordedOf(record: InstallRecord | undefined, { real }: Pick<Target, "real">, by: string) {
  const isIt = (row: EntryRecord) => row.file === real && row.by === by;
  const replaced = record?.replaced.filter(isIt).map(({ name, entry }) => [name, entry]) ?? [];
  return { replaced: Object.fromEntries(replaced), url: record?.written.find(isIt)?.url };
}

/** Several clients read one folder of skills, each of them in a row: those that are not `going`. */
export function skillUsers(record: InstallRecord | undefined, { real }: Target, going: readonly Target[]) {
  const isGoing = (id: string) => going.some((target) => target.real === real && target.client.id === id);
  const users = (record?.skills ?? []).filter(({ file, by }) => file === real && !isGoing(by));
  return users.flatMap(({ by }) => findClient(by) ?? []);
}

export function keepRecord(
  plan: RecordPlan,
  name: string,
  changes: readonly { readonly target: Target; readonly change: Change }[],
  options: ChangeOptions & { readonly url?: string },
): string | undefined {
  const { place } = plan;
  const { url } = options;
  const entries = changes.filter(({ target }) => isEntry(target));
  const isChanged = ({ file, by }: EntryRecord, isIt: (change: Change) => boolean) =>
    by === name && entries.some(({ target, change }) => target.real === file && isIt(change));
  const written = plan.written.filter((row) => !isChanged(row, (change) => "text" in change));
  const replaced = plan.replaced.filter((row) => !isChanged(row, ({ outcome }) => outcome === "removed"));
  for (const { target, change } of entries) {
    if (!("text" in change)) continue;
    const row = { file: target.real, by: name };
    if (url !== undefined && !isLocal(url)) written.push({ ...row, url });
    const known = recordedOf(plan, target, name).replaced;
    const others = Object.entries(change.replaced ?? {}).filter(([old]) => !Object.hasOwn(known, old));
    replaced.push(...others.map(([old, entry]) => ({ ...row, name: old, entry })));
  }
  const isTold = ({ file, by }: EntryRecord) =>
    changes.some(({ target }) => target.real === file && target.client.id === by);
  const reading = changes.filter(({ target, change: { outcome } }) =>
    target.isSkill && ["added", "updated", "same"].includes(outcome)
  ).map(({ target }) => ({ file: target.real, by: target.client.id }));
  const skills = [...plan.skills.filter((row) => !isTold(row)), ...reading];
  const created = changes.flatMap(({ target, change }) =>
    change.outcome !== "removed" && "text" in change && change.before === undefined
      ? missingFolders(target)
      : []
  );
  const folders = [...new Set([...plan.folders, ...created])].filter((folder) => !isGone(folder));
  const missing = missingFolders(place);
  const own = [...missing, ...place.parents];
  const rows = { replaced, written, skills };
  const isEmpty = Object.values(rows).flat().length === 0 && folders.every((folder) => own.includes(folder));
  const record: InstallRecord = { folders: [...new Set([...folders, ...missing])], ...rows };
  const next = isEmpty ? undefined : `${JSON.stringify(record, null, 2)}\n`;
  const change = changeFile(place, (text) => {
    if (text === next) return { outcome: "same" };
    return { outcome: next === undefined ? "removed" : "updated", text: next, needsBackup: false };
  }, { ...options, isPrivate: true });
  return change.outcome === "invalid" ? change.problem : undefined;
}

function isGone(folder: string): boolean {
  // Folders that this run cannot have removed cannot be looked at.
  return attempt(() => unlessMissing(() => Deno.lstatSync(folder)) === undefined) === true;
}

function parseRecord(text: string | undefined) {
  // Unreadable, it undoes the entry alone.
  const record = asValues(parseJson(text ?? ""));
  const listAt = (key: string): readonly unknown[] => [record[key] ?? []].flat();
  const rowsAt = <T>(key: string, ...texts: readonly string[]) =>
    listAt(key).map(asValues).filter((row) => texts.every((text) => typeof row[text] === "string")) as T[];
  return {
    folders: listAt("folders").filter((folder) => typeof folder === "string"),
    replaced: rowsAt<Replaced>("replaced", "file", "by", "name").filter(({ entry }) => isValues(entry)),
    written: rowsAt<Written>("written", "file", "by", "url"),
    skills: rowsAt<EntryRecord>("skills", "file", "by"),
  };
}
