/**
 * The settings files: where they are, and what each may set.
 *
 * The project's file is written by whoever made the repository, so it may only narrow what the user's own says, unless
 * the user trusts the project.
 */
import { fail } from "../base/errors.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { check, type Trying, type Valued } from "./checking.ts";
import { hideCredentials } from "../base/git_location.ts";
import { type Context, isSameFolder, type Place, userFolders } from "../base/paths.ts";
import { type FileSetting, parseSettingsFile } from "./settings_file.ts";
import { type Setting, SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

/** A settings file, whether it exists or not. */
export interface SettingsFile {
  readonly path: string;
  readonly base: string;
  readonly found: boolean;
  /** Whether it may widen the settings: the user's own file, and that of a trusted project. */
  readonly isTrusted: boolean;
  readonly rows: readonly FileSetting[];
}

/** Where the files are, and how they are read. */
export interface FileSource extends Place {
  /** The text of a settings file; undefined if it does not exist. */
  readSettings(path: string, options: { readonly links: boolean }): string | undefined;
}

function readText(input: FileSource, path: string, links: boolean): string | undefined {
  try {
    return input.readSettings(path, { links });
  } catch (error) {
    return fail({
      code: "invalid-file",
      path,
      problem: error instanceof Error ? error.message : String(error),
    });
  }
}

/** The project's file, then the user's, each checked for keys that it cannot contain. */
export function readFiles(
  input: FileSource & Pick<Context, "findFolder">,
  project: string | undefined,
  trying: Trying,
): readonly SettingsFile[] {
  const folder = userFolders(input).settings;
  const read = (file: FileRules) =>
    trying(() => readFile(input, file), { ...file, found: true, isTrusted: file.owner === "user", rows: [] });
  const own = folder === undefined
    ? undefined
    : read({ owner: "user", base: folder, path: `${folder}/config.toml` });
  if (project === undefined) return own === undefined ? [] : [own];
  const theirs = read({ owner: "project", base: project, path: `${project}/.bmad-mcp.toml` });
  const isTrusted = theirs.rows.length > 0 && trying(() => trusts(own, project, input), false);
  return [{ ...theirs, isTrusted }, ...(own === undefined ? [] : [own])];
}

/** Whether the user's file lists exactly this folder: not one above it, in which anybody may have cloned anything. */
function trusts(
  own: SettingsFile | undefined,
  project: string,
  { home, os, findFolder }: FileSource & Pick<Context, "findFolder">,
): boolean {
  const row = own?.rows.find(({ key }) => key === "trusted");
  if (own === undefined || row === undefined) return false;
  const { value } = check("trusted", row.texts, `${own.path}:${row.line}`, { base: own.base, home, os });
  return value.some((folder) => isSameFolder(folder, project, { os, findFolder }));
}

interface FileRules {
  readonly owner: "project" | "user";
  readonly base: string;
  readonly path: string;
}

function readFile(input: FileSource, { path, base, owner }: FileRules): SettingsFile {
  const isOwn = owner === "user";
  const text = readText(input, path, isOwn);
  const rows = text === undefined ? [] : parseSettingsFile(text, path);
  const inFiles = SETTING_KEYS.filter((known) =>
    SETTINGS[known].files === "user" && (isOwn || SETTINGS[known].narrow !== undefined)
  );
  for (const { key, texts, line } of rows) {
    const setting = SETTING_KEYS.find((known) => known === key);
    const value = setting && SETTINGS[setting].isSecret ? "…" : hideCredentials(texts.join(", "));
    const refuse = (problem: string) =>
      fail({ code: "invalid-config", setting: key, value, source: `${path}:${line}`, problem });
    if (setting === undefined) {
      const guess = suggestionOf(suggest(key.toLowerCase(), inFiles).slice(0, 1)) ??
        `Expected one of ${inFiles.join(", ")}`;
      refuse(`unknown setting. ${guess}`);
    } else if (isOwn && !inFiles.includes(setting)) {
      refuse(`a settings file can only set ${inFiles.join(", ")}`);
    }
  }
  return { path, base, found: text !== undefined, isTrusted: isOwn, rows };
}

/** What a project's file asked for in vain. */
export interface IgnoredSetting {
  readonly setting: keyof Settings;
  /** The file and its line. */
  readonly source: string;
  readonly reason: string;
  /** Whether trust in the project would let it count. */
  readonly needsTrust: boolean;
}

/**
 * The value of a setting that the file of a project asks for, or why it does not count. A cloned repository must not
 * open up the disk, the network or the tools: without trust, its file only narrows `own`, the user's value.
 */
export function narrowed<K extends keyof Settings>(
  key: K,
  own: () => Valued<Settings[K]>,
  theirs: () => Valued<Settings[K]>,
  { isTrusted, context, source }: {
    readonly isTrusted: boolean;
    readonly context: Context;
    readonly source: string;
  },
): Valued<Settings[K]> | IgnoredSetting {
  const { files, narrow } = SETTINGS[key] as Setting<Settings[K]>;
  const ignore = (reason: string, needsTrust = true) => ({ setting: key, source, reason, needsTrust });
  if (files === "none") return ignore("no settings file can set it", false);
  if (isTrusted) return theirs();
  if (narrow === undefined) return ignore("a project that you do not trust cannot set it");
  const { value, from } = theirs();
  const result = narrow(own().value, value, context);
  return result === undefined
    ? ignore(
      key === "paths" ? "it names something outside the project" : "it would widen your own settings",
    )
    : { value: result, from };
}
