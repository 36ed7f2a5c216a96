/**
 * The settings files of a start: which are looked for, and what may stand in each.
 */
import { fail } from "../base/errors.ts";
import { suggest } from "../base/suggestions.ts";
import { check, type Trying } from "./checking.ts";
import { hideCredentials } from "../base/git_location.ts";
import { liesIn, type Place, userFolders } from "../base/paths.ts";
import { type FileSetting, parseSettingsFile } from "./settings_file.ts";
import { SETTING_KEYS, SETTINGS } from "./settings.ts";

/** A settings file that was looked for. */
export interface SettingsFile {
  readonly path: string;
  readonly base: string;
  readonly found: boolean;
  readonly rows: readonly FileSetting[];
}

/** Where files are looked for, and how they are read. */
export interface FileSource extends Place {
  /** A settings file's text; undefined when there is no such file. */
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

/** The project's file and then the user's, each with its rows checked for keys that may not stand there. */
export function readFiles(
  input: FileSource,
  project: string | undefined,
  trying: Trying,
): readonly SettingsFile[] {
  const user = userFolders(input).settings;
  const places = [
    {
      path: project && `${project}/.bmad-mcp.toml`,
      base: project,
      allowed: ["both"],
      whose: "the project's file",
      links: false,
    },
    {
      path: user && `${user}/config.toml`,
      base: user,
      allowed: ["both", "user"],
      whose: "a settings file",
      links: true,
    },
  ];
  return places.flatMap(({ path, base, allowed, whose, links }) => {
    if (path === undefined || base === undefined) return [];
    const read = (): SettingsFile => {
      const text = readText(input, path, links);
      const rows = text === undefined ? [] : parseSettingsFile(text, path);
      for (const { key, texts, line } of rows) {
        const source = `${path}:${line}`;
        const setting = SETTING_KEYS.find((known) => known === key);
        const bad = (wanted: string) =>
          fail({
            code: "invalid-config",
            setting: key,
            value: setting && SETTINGS[setting].isSecret ? "…" : hideCredentials(texts.join(", ")),
            source,
            problem: wanted,
          });
        const inFiles = SETTING_KEYS.filter((known) => allowed.includes(SETTINGS[known].files));
        if (setting === undefined || !inFiles.includes(setting)) {
          const [near] = suggest(key.toLowerCase(), inFiles);
          const guess = setting === undefined && near !== undefined ? `did you mean ${near}? ` : "";
          bad(`${guess}${whose} can set ${inFiles.join(", ")}`);
        }
        // A repository that somebody cloned must not be able to open up the rest of the disk.
        if (key === "paths" && base === project) {
          const { value } = check("paths", texts, source, { base, home: input.home, os: input.os });
          const outside = value.find((folder) => !liesIn(folder, base));
          if (outside !== undefined) {
            bad(`a project may only name folders inside itself, and ${hideCredentials(outside)} is not`);
          }
        }
      }
      return { path, base, found: text !== undefined, rows };
    };
    return [trying(read, { path, base, found: true, rows: [] })];
  });
}
