/**
 * What `install` created and replaced, so that `uninstall` undoes exactly that.
 *
 * Kept in the state folder, closed to other users: an entry that was replaced may hold secrets. Folders that are not
 * in it are never removed.
 */
import type { Host } from "../../process/host.ts";
import { resolvePath, userFolders } from "../../base/paths.ts";
import { asValues, isValues, parseJson } from "../../base/values.ts";
import type { Edit } from "./edit.ts";
import { type Change, changeFile, type ChangeOptions } from "./file_change.ts";
import { isLocal } from "./remote_shapes.ts";
import type { Entry } from "./shapes.ts";
import { type FilePlace, missingFolders, placeOf, type Target } from "./target.ts";

/** An entry that ours replaced. */
export interface Replaced {
  readonly file: string;
  /** The name of our entry. */
  readonly by: string;
  readonly name: string;
  readonly entry: Entry;
}

/** A server elsewhere that an entry of ours names: its address does not show that it is ours. */
export interface Written {
  readonly file: string;
  /** The name of our entry. */
  readonly by: string;
  readonly url: string;
}

/** What `install` created, replaced and wrote. */
export interface InstallRecord {
  readonly folders: readonly string[];
  readonly replaced: readonly Replaced[];
  readonly written: readonly Written[];
}

/** The record, and where it is kept. */
export interface RecordPlan extends InstallRecord {
  readonly place: FilePlace;
}

/** Reads the record, without folders that are gone; undefined without a state folder. */
export function planRecord(
  host: Pick<Host, "home" | "os" | "env" | "look" | "readText">,
): RecordPlan | undefined {
  const { state } = userFolders(host);
  if (state === undefined) return undefined;
  const resolve = (path: string) => resolvePath(path, { ...host, base: "/" });
  const bases = [host.home, host.env("XDG_STATE_HOME"), host.env("LOCALAPPDATA")];
  const place = placeOf(
    `${resolve(state)}/install.json`,
    bases.filter((base) => base !== undefined).map(resolve),
    undefined,
    host,
  );
  const record = parseRecord(host.readText(place.real));
  const folders = record.folders.filter((folder) => host.look(folder) !== undefined);
  return { ...record, place: withOwnFolders(place, folders), folders };
}

/** The same file; of the folders above it, only those that `install` created. */
export function withOwnFolders<T extends FilePlace>(place: T, folders: readonly string[]): T {
  return { ...place, parents: place.parents.filter((folder) => folders.includes(folder)) };
}

/** The entries that ours replaced in a file. */
export function replacedIn(
  plan: InstallRecord | undefined,
  { real }: Pick<Target, "real">,
  by: string,
): Readonly<Record<string, Entry>> {
  const rows = plan?.replaced.filter((row) => row.file === real && row.by === by) ?? [];
  return Object.fromEntries(rows.map(({ name, entry }) => [name, entry]));
}

/** The server elsewhere that our entry in a file names. */
export function writtenIn(
  plan: InstallRecord | undefined,
  { real }: Pick<Target, "real">,
  by: string,
): { readonly url?: string } {
  const row = plan?.written.find((row) => row.file === real && row.by === by);
  return row === undefined ? {} : { url: row.url };
}

/** Adds what changes did to the record, or removes what they undid. Returns why that is impossible. */
export function keepRecord(
  plan: RecordPlan,
  name: string,
  changes: readonly { readonly target: Target; readonly change: Change }[],
  options: ChangeOptions & { readonly url?: string },
): string | undefined {
  const { place } = plan;
  const entries = changes.filter(({ target }) => target.hooks === undefined);
  const isChanged = ({ file, by }: Replaced | Written, isIt: (change: Change) => boolean) =>
    by === name && entries.some(({ target, change }) => target.real === file && isIt(change));
  const isUndone = (row: Replaced) => isChanged(row, ({ outcome }) => outcome === "removed");
  const { url } = options;
  const servers = url === undefined || isLocal(url)
    ? []
    : entries.flatMap(({ target: { real }, change }) =>
      "text" in change ? [{ file: real, by: name, url }] : []
    );
  const written = [
    ...plan.written.filter((row) => !isChanged(row, (change) => "text" in change)),
    ...servers,
  ];
  const isKnown = (row: Replaced) =>
    plan.replaced.some(({ file, by, name }) => file === row.file && by === row.by && name === row.name);
  const created = changes.flatMap(({ target, change }) =>
    change.outcome !== "removed" && "text" in change && change.before === undefined
      ? missingFolders(target)
      : []
  );
  const added = entries.flatMap(({ target: { real }, change }) =>
    "replaced" in change
      ? Object.entries(change.replaced ?? {}).map(([old, entry]) => ({
        file: real,
        by: name,
        name: old,
        entry,
      }))
      : []
  );
  const folders = [...new Set([...plan.folders, ...created])].filter((folder) => !isGone(folder));
  const replaced = [
    ...plan.replaced.filter((row) => !isUndone(row)),
    ...added.filter((row) => !isKnown(row)),
  ];
  const own = [...missingFolders(place), ...place.parents];
  const isEmpty = replaced.length + written.length === 0 && folders.every((folder) => own.includes(folder));
  const next = isEmpty
    ? undefined
    : render({ folders: [...new Set([...folders, ...missingFolders(place)])], replaced, written });
  const edit = (text: string | undefined): Edit => {
    if (text === next) return { outcome: "same" };
    return { outcome: next === undefined ? "removed" : "updated", text: next, needsBackup: false };
  };
  const change = changeFile(place, edit, { ...options, isPrivate: true });
  return change.outcome === "invalid" ? change.problem : undefined;
}

function isGone(folder: string): boolean {
  try {
    Deno.lstatSync(folder);
    return false;
  } catch (error) {
    // Folders that this run cannot have removed cannot be looked at.
    return error instanceof Deno.errors.NotFound;
  }
}

function parseRecord(text: string | undefined): InstallRecord {
  // If it cannot be read, only the entry is undone.
  const { folders, replaced, written } = asValues(parseJson(text ?? ""));
  const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
  return {
    folders: list(folders).filter((folder) => typeof folder === "string"),
    replaced: list(replaced).flatMap((row) => {
      const { file, by, name, entry } = asValues(row);
      return typeof file === "string" && typeof by === "string" && typeof name === "string" && isValues(entry)
        ? [{ file, by, name, entry }]
        : [];
    }),
    written: list(written).flatMap((row) => {
      const { file, by, url } = asValues(row);
      return typeof file === "string" && typeof by === "string" && typeof url === "string"
        ? [{ file, by, url }]
        : [];
    }),
  };
}

function render(record: InstallRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}
