/** A project's file comes with the repository: unless it is trusted, it may only narrow the user's own. */
import { BmadError, expectFailure, fail, type Failure } from "../base/errors.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { check, type Trying, type Valued } from "./checking.ts";
import { hideCredentials } from "./locations/mod.ts";
import { type Context, isSameFolder, type PathInfo, type Place, userFolders } from "../base/paths.ts";
import { type FileSetting, readSettingsText } from "./settings_file.ts";
import { type Setting, SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

export type SettingsFile = Omit<ReturnType<typeof readFile>, "faults">;

export interface Listing {
  readonly names: readonly string[];
  /** Without links. */
  readonly folders: readonly string[];
  readonly uid?: number;
  /** Completes "it …". */
  readonly problem?: string;
}

export interface SettingsInput extends Place {
  readSettings(path: string, options: { readonly links: boolean }): string | undefined;
  readonly args: readonly string[];
  /** It counts where no project was named. */
  readonly clientRoot?: string;
  findFolder?(path: string): string | undefined;
  /** Undefined if nothing is there. Without it, names are real. */
  look?(path: string): PathInfo | undefined;
  /** The first 64 KB of a plain file. */
  readHead?(path: string): string | undefined;
  namesIn?(folder: string): readonly string[];
  /** Undefined for files and links. Without it, no projects are searched for. */
  list?(folder: string): Listing | undefined;
  /** Whether a person typed the arguments: entries for other servers need no patience then. */
  readonly terminal?: { readonly stdin: boolean };
}

/** Mistakes in the user's or a trusted file stop the start; those of a cloned repository are `ignored`. */
export function readFiles(
  input: SettingsInput,
  project: string | undefined,
  { trying, ignored }: { readonly trying: Trying; readonly ignored: IgnoredSetting[] },
): readonly SettingsFile[] {
  const refuse = (faults: readonly Failure[]) =>
    faults.forEach((fault) => trying(() => fail(fault), undefined));
  const folder = userFolders(input).settings;
  const own = folder === undefined ? undefined : readFile(input, folder, "config.toml", true);
  refuse(own?.faults ?? []);
  if (project === undefined) return own === undefined ? [] : [own];
  const theirs = readFile(input, project, ".bmad-mcp.toml", false);
  const isTrusted = theirs.found && trying(() => trusts(own, project, input), false);
  if (isTrusted) refuse(theirs.faults);
  else ignored.push(...theirs.faults.map(ignoredFault));
  return [{ ...theirs, isTrusted }, ...(own === undefined ? [] : [own])];
}

/** Not one above it, in which anybody may have cloned anything. */
function trusts(own: SettingsFile | undefined, project: string, { home, os, findFolder }: SettingsInput) {
  const row = own?.rows.find(({ key }) => key === "trusted");
  if (own === undefined || row === undefined) return false;
  const { value } = check("trusted", row.texts, `${own.path}:${row.line}`, { base: own.base, home, os });
  return value.some((folder) => isSameFolder(folder, project, { os, findFolder }));
}

const NOTHING: ReturnType<typeof readSettingsText> = { rows: [], faults: [] };

function readFile(input: SettingsInput, base: string, name: string, isOwn: boolean) {
  const path = `${base}/${name}`;
  const file = { path, base, found: true, isTrusted: isOwn };
  try {
    const text = input.readSettings(path, { links: isOwn });
    const { rows, faults } = text === undefined ? NOTHING : readSettingsText(text, path);
    const judged = rows.map((row) => [row, faultOf(row, path, isOwn)] as const);
    return {
      ...file,
      found: text !== undefined,
      // The rows of a stranger's file that is not even TOML do not count.
      rows: faults.length > 0 && !isOwn
        ? []
        : judged.flatMap(([row, fault]) => fault === undefined ? [row] : []),
      faults: [...faults, ...judged.flatMap(([, fault]) => fault ?? [])],
    };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const fault = error instanceof BmadError
      ? error.failure
      : { code: "invalid-file", path, problem } as const;
    return { ...file, rows: [], faults: [fault] };
  }
}

function faultOf({ key, texts, line }: FileSetting, path: string, isOwn: boolean): Failure | undefined {
  const inFiles = SETTING_KEYS.filter((known) =>
    SETTINGS[known].files === "user" && (isOwn || SETTINGS[known].narrow !== undefined)
  );
  const setting = SETTING_KEYS.find((known) => known === key);
  if (setting !== undefined && (!isOwn || inFiles.includes(setting))) return undefined;
  const guess = suggestionOf(suggest(key.toLowerCase(), inFiles).slice(0, 1)) ??
    `Expected one of ${inFiles.join(", ")}`;
  return {
    code: "invalid-config",
    setting: key,
    value: setting && SETTINGS[setting].isSecret ? "…" : hideCredentials(texts.join(", ")),
    source: `${path}:${line}`,
    problem: setting === undefined
      ? `unknown setting. ${guess}`
      : `a settings file can only set ${inFiles.join(", ")}`,
  };
}

export interface IgnoredSetting {
  readonly setting?: string;
  readonly source: string;
  readonly reason: string;
  /** Whether trust in the project would let it count. */
  readonly needsTrust: boolean;
  readonly isInvalid: boolean;
}

function ignoredFault(fault: Failure): IgnoredSetting {
  const invalid = { needsTrust: false, isInvalid: true };
  if (fault.code === "invalid-config") {
    return { setting: fault.setting, source: fault.source, reason: fault.problem, ...invalid };
  }
  if (fault.code !== "invalid-file") throw new BmadError(fault);
  const { path, line, column, problem } = fault;
  const place = [path, line, column].filter((part) => part !== undefined);
  return { source: place.join(":"), reason: problem, ...invalid };
}

/** From the first file that may set it. Without trust, a project's file only narrows the user's value. */
export function valueInFiles<K extends keyof Settings>(
  key: K,
  [file, ...others]: readonly SettingsFile[],
  fallback: Valued<Settings[K]>,
  reading: { readonly context: Context; readonly trying: Trying; readonly ignored: IgnoredSetting[] },
): Valued<Settings[K]> {
  if (file === undefined) return fallback;
  const next = () => valueInFiles(key, others, fallback, reading);
  const row = file.rows.find((row) => row.key === key);
  if (row === undefined) return next();
  const { files, narrow, join } = SETTINGS[key] as Setting<Settings[K]>;
  const source = `${file.path}:${row.line}`;
  const context = { ...reading.context, base: file.base };
  const checked = () => check(key, row.texts, source, context);
  const skip = (ignored: IgnoredSetting) => {
    reading.ignored.push(ignored);
    return next();
  };
  const refuse = (reason: string, needsTrust = true) =>
    skip({ setting: key, source, reason, needsTrust, isInvalid: false });
  if (files === "none") return refuse("no settings file can set it", false);
  if (file.isTrusted) {
    const found = reading.trying(checked, fallback);
    return join === undefined ? found : { ...found, value: join(found.value, next().value) };
  }
  if (narrow === undefined) return refuse("a project that you do not trust cannot set it");
  let asked;
  try {
    asked = checked();
  } catch (error) {
    return skip(ignoredFault(expectFailure(error)));
  }
  const value = narrow(next().value, asked.value, context);
  if (value !== undefined) return { ...asked, value };
  return refuse(
    key === "paths" || key === "projects"
      ? "it names something outside the project"
      : "it would widen your own settings",
  );
}
