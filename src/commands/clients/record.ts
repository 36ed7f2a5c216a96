/** What `install` created and replaced, so that `uninstall` undoes exactly that. It may hold secrets. */
import type { Host } from "../../process/host.ts";
import { attempt, unlessMissing } from "../../base/absence.ts";
import { resolvePath, userFolders } from "../../base/paths.ts";
import { asValues, isValues, parseJson } from "../../base/values.ts";
import { type Change, changeFile, type ChangeOptions } from "./file_change.ts";
import { type Entry, isLocal } from "./shapes.ts";
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
  return { ...record, place: withOwnFolders(place, folders), folders };
}

export function withOwnFolders<T extends FilePlace>(place: T, folders: readonly string[]): T {
  return { ...place, parents: place.parents.filter((folder) => folders.includes(folder)) };
}

export function recordedOf(record: InstallRecord | undefined, { real }: Pick<Target, "real">, by: string) {
  const isIt = (row: EntryRecord) => row.file === real && row.by === by;
  const replaced = record?.replaced.filter(isIt).map(({ name, entry }) => [name, entry]) ?? [];
  return { replaced: Object.fromEntries(replaced), url: record?.written.find(isIt)?.url };
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
  const created = changes.flatMap(({ target, change }) =>
    change.outcome !== "removed" && "text" in change && change.before === undefined
      ? missingFolders(target)
      : []
  );
  const folders = [...new Set([...plan.folders, ...created])].filter((folder) => !isGone(folder));
  const missing = missingFolders(place);
  const own = [...missing, ...place.parents];
  const isEmpty = replaced.length + written.length === 0 && folders.every((folder) => own.includes(folder));
  const record: InstallRecord = { folders: [...new Set([...folders, ...missing])], replaced, written };
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
  };
}
