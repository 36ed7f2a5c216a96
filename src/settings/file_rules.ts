/**
 * The settings files: where they are, and what each may set.
 *
 * The project's file is written by whoever made the repository, so it may set less than the user's own.
 */
import { fail } from "../base/errors.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { check, type Trying } from "./checking.ts";
import { hideCredentials } from "../base/git_location.ts";
import { liesIn, type Place, userFolders } from "../base/paths.ts";
import { type FileSetting, parseSettingsFile } from "./settings_file.ts";
import { SETTING_KEYS, SETTINGS } from "./settings.ts";

/** A settings file, whether it exists or not. */
export interface SettingsFile {
  readonly path: string;
  readonly base: string;
  readonly found: boolean;
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

/** The project's file, then the user's, each checked for keys it may not contain. */
export function readFiles(
  input: FileSource,
  project: string | undefined,
  trying: Trying,
): readonly SettingsFile[] {
  const user = userFolders(input).settings;
  return [
    ...(project === undefined ? [] : [{ ...PROJECT_FILE, base: project, path: `${project}/.bmad-mcp.toml` }]),
    ...(user === undefined ? [] : [{ ...USER_FILE, base: user, path: `${user}/config.toml` }]),
  ].map((file) =>
    trying(() => readFile(input, file), { path: file.path, base: file.base, found: true, rows: [] })
  );
}

interface FileRules {
  readonly owner: "project" | "user";
  readonly links: boolean;
  /** The settings it may set, by what their rows say. */
  readonly allowed: readonly (typeof SETTINGS[keyof typeof SETTINGS]["files"])[];
}

const PROJECT_FILE: FileRules = { owner: "project", links: false, allowed: ["both"] };
const USER_FILE: FileRules = { owner: "user", links: true, allowed: ["both", "user"] };

function readFile(
  input: FileSource,
  { path, base, owner, links, allowed }: FileRules & { readonly path: string; readonly base: string },
): SettingsFile {
  const text = readText(input, path, links);
  const rows = text === undefined ? [] : parseSettingsFile(text, path);
  const inFiles = SETTING_KEYS.filter((known) => allowed.includes(SETTINGS[known].files));
  for (const { key, texts, line } of rows) {
    const source = `${path}:${line}`;
    const setting = SETTING_KEYS.find((known) => known === key);
    const value = setting && SETTINGS[setting].isSecret ? "…" : hideCredentials(texts.join(", "));
    const refuse = (problem: string) =>
      fail({ code: "invalid-config", setting: key, value, source, problem });
    if (setting === undefined) {
      const guess = suggestionOf(suggest(key.toLowerCase(), inFiles).slice(0, 1)) ??
        `Expected one of ${inFiles.join(", ")}`;
      refuse(`unknown setting. ${guess}`);
    } else if (!inFiles.includes(setting)) {
      refuse(
        `${owner === "project" ? "a project's file" : "a settings file"} can only set ${inFiles.join(", ")}`,
      );
    } else if (setting === "paths" && owner === "project") {
      // A cloned repository must not open up the rest of the disk.
      const { value: folders } = check("paths", texts, source, { base, home: input.home, os: input.os });
      const outside = folders.find((folder) => !liesIn(folder, base));
      if (outside !== undefined) {
        refuse(`a project may only name folders inside itself; ${hideCredentials(outside)} is outside`);
      }
    }
  }
  return { path, base, found: text !== undefined, rows };
}
