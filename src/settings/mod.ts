/**
 * What the user wants: flags over variables over the project's file over the user's file over defaults.
 *
 * `resolveConfig` turns arguments, variables and the texts of two settings files into one plain value, with
 * the provenance of each setting, the command that was asked for, the origins to look in and the rights
 * that they take. Nothing after this reads a flag or a variable.
 */
import { BmadError, fail, type Failure } from "../base/errors.ts";
import type { WantedRights } from "../base/model.ts";
import { parseArguments } from "./arguments.ts";
import { check, type Trying, type Valued } from "./checking.ts";
import type { Choosing } from "./choice.ts";
import type { Invocation } from "./commands.ts";
import { readDraft } from "./draft.ts";
import { type FileSource, readFiles, type SettingsFile } from "./file_rules.ts";
import {
  findKit,
  kitRights,
  type ProjectKit,
  type ScriptVariables,
  scriptVariables,
  withKit,
} from "./plan/kit.ts";
import { type MemoryPlan, memoryRights, planMemory } from "./plan/memory.ts";
import { type Context, isShare, resolvePath, SHARE_ADVICE } from "./paths.ts";
import {
  addsUses,
  type GitRules,
  gitRules,
  joinRights,
  logFiles,
  type OriginPlan,
  ownRights,
  planOrigins,
  projectFolder,
  usageFolder,
  usesProject,
  wantedRights,
} from "./plan/origins.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

export { findFlag, flagsOf } from "./arguments.ts";
export { type Choosing, isChosen } from "./choice.ts";
export {
  CACHE_ACTIONS,
  type Command,
  COMMAND_NAMES,
  type CommandName,
  COMMANDS,
  type Invocation,
  isCommand,
  MEMORY_ACTIONS,
  nearestCommands,
  type Option,
  type OptionName,
  OPTIONS,
} from "./commands.ts";
export { type Draft, readDraft } from "./draft.ts";
export { type Context, isTooWide, liesIn, type Place, resolvePath } from "./paths.ts";
export { type GitLocation, hideCredentials, parseGitLocation } from "./git_location.ts";
export { GIT_VARIABLES, type GitSettings } from "./git_settings.ts";
export { type Access, type GitRules, joinRights, type OriginPlan } from "./plan/origins.ts";
export {
  CONTRACTS_FOLDER,
  type KitFolders,
  KITS,
  type Need,
  NEEDS,
  type ProjectKit,
  RUNS_FOLDER,
  type ScriptVariables,
} from "./plan/kit.ts";
export type { Endpoint, MemoryPlan } from "./plan/memory.ts";
export { MEMORY_TYPES, type MemoryType, shortHash } from "./memory_types.ts";
export type { MemorySettings } from "./memory_settings.ts";
export type { FileSource } from "./file_rules.ts";
export { HTTP_SETTINGS, type HttpAddress, type HttpSettings } from "./http_settings.ts";
export type { LogLevel, Mode, Pack, Toolset } from "./settings.ts";
export { Unfit } from "./values.ts";
export {
  LOG_LEVELS,
  PLACE_VARIABLES,
  type Setting,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  TERMINAL_VARIABLES,
  TOOLSETS,
} from "./settings.ts";

export { holdsSecret, shownValue, shownWords } from "./shown.ts";

/** All that the program was told. */
export interface Config {
  /** Checked, and with absolute paths only. */
  readonly settings: Settings;
  /** Where each value came from, in words: "default", "--mode", "BMAD_MODE", "FILE:3". */
  readonly provenance: Readonly<Record<keyof Settings, string>>;
  /** The command to run, `serve` when none was named. */
  readonly invocation: Invocation;
  /** The settings of the command line, as arguments that mean the same everywhere; the project is not among them. */
  readonly flags: readonly string[];
  /** The folder that counts as the project; undefined when there is none. */
  readonly project: string | undefined;
  /** Whether nobody named a project although the mode wants one: then a root of the client's may be it. */
  readonly isProjectOpen: boolean;
  /** Best first; whether they exist is found out when they are opened. */
  readonly origins: readonly OriginPlan[];
  /** Where the log is kept on disk, absolute: the present file first, then the older ones; empty for no file. */
  readonly logFiles: readonly string[];
  /** The configurations of the other projects that are served beside this one, over HTTP. */
  readonly siblings: readonly Config[];
  /** The project as the tools for its memory and runs see it; undefined when none is served. */
  readonly kit: ProjectKit | undefined;
  /** How memories of the project are kept and found; undefined when no project is served. */
  readonly memory: MemoryPlan | undefined;
  /** What a script of the project is run with; undefined unless `--allow-exec` was said. */
  readonly script: ScriptVariables | undefined;
  /** What stays allowed when the rights are dropped: reading the origins, our own folders and the packs. */
  readonly rights: WantedRights;
  /** Where uses are kept across restarts, as far as they may be written there; undefined when they are not kept. */
  readonly usageFolder: string | undefined;
  /** How repositories are fetched and where their copies are; undefined when there is no place for them. */
  readonly git: GitRules | undefined;
  /** The settings files that were looked for, the one that wins first. */
  readonly files: readonly { readonly path: string; readonly found: boolean }[];
  /** Sentences such as `Ignored the unknown argument --verbose`. */
  readonly warnings: readonly string[];
  /** What is wrong with the settings, which then count as if they were not there. Only `doctor` goes on all the same. */
  readonly faults: readonly Failure[];
}

/** What `resolveConfig` is handed. */
export interface ConfigInput extends FileSource {
  /** The words behind the program's name. */
  readonly args: readonly string[];
  /** The absolute folder that the client calls its project; it counts where nobody named one. */
  readonly clientRoot?: string;
  /** Whether a person types on stdin, and no client speaks there. */
  readonly terminal?: { readonly stdin: boolean };
  /** The real name of a folder, links followed; undefined when there is no such folder. Without it, names are real. */
  findFolder?(path: string): string | undefined;
}

/** Settles the configuration, or fails with invalid-config or invalid-input. */
export function resolveConfig(input: ConfigInput): Config {
  const config = resolveOne(input);
  const { http } = config.settings;
  if (http === undefined || config.invocation.name !== "serve") return config;
  const folders = parseArguments(input.args, () => true).settings.get("project") ?? [];
  const [first = config, ...siblings] = folders.map((project) => resolveOne({ ...input, project }));
  const others = siblings.filter(({ project }) => project !== first.project);
  const all = [first, ...others];
  return {
    ...first,
    siblings: others,
    rights: joinRights(...all.map(({ rights }) => rights)),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
  };
}

function resolveOne(input: ConfigInput & { readonly project?: string }): Config {
  const context: Context = { base: input.cwd, home: input.home, os: input.os };
  const isFolder = (word: string) => input.findFolder?.(resolvePath(word, context)) !== undefined;
  const { invocation, settings: written, warnings } = parseArguments(
    input.args,
    isFolder,
    input.terminal?.stdin,
  );
  // Names are completed with what the line that is being written will serve.
  const given = invocation.name === "complete" ? readDraft(invocation.operands).settings : written;

  const faults: Failure[] = [];
  // Who asks what is wrong is not to be stopped by it.
  const trying: Trying = (work, otherwise) => {
    if (invocation.name !== "doctor") return work();
    try {
      return work();
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
      faults.push(error.failure);
      return otherwise;
    }
  };

  // Help must be had in a place where nothing else works.
  const isHelp = ["help", "version", "licenses", "completions"].includes(invocation.name);
  const valueOf = <K extends keyof Settings>(key: K, files: readonly SettingsFile[]): Valued<Settings[K]> => {
    const { flag, variables, default: standard } = SETTINGS[key];
    const otherwise = { value: standard, from: "default" };
    if (isHelp) return otherwise;
    const fitting = (texts: readonly string[], from: string, context: Context) =>
      trying(() => check(key, texts, from, context), otherwise);
    const texts = key === "project" && input.project !== undefined ? [input.project] : given.get(key);
    if (texts !== undefined) return fitting(texts, flag ?? key, context);
    for (const variable of variables) {
      const text = input.env(variable);
      if (text !== undefined) return fitting([text], variable, context);
    }
    for (const file of files) {
      const row = file.rows.find((row) => row.key === key);
      if (row !== undefined) {
        return fitting(row.texts, `${file.path}:${row.line}`, { ...context, base: file.base });
      }
    }
    return otherwise;
  };

  // The project decides where the project's file is, so no file can set it.
  const named = valueOf("project", []);
  const project = projectFolder({ project: named.value ?? input.clientRoot }, input);
  const files = isHelp ? [] : readFiles(input, project, trying);
  const settings: Partial<Record<keyof Settings, unknown>> = {};
  const provenance: Partial<Record<keyof Settings, string>> = {};
  for (const key of SETTING_KEYS) {
    const { value, from } = valueOf(key, files);
    settings[key] = value;
    provenance[key] = from;
  }
  if (invocation.name === "serve") {
    settleHttp(settings as unknown as Mutable<Settings>, provenance as Record<keyof Settings, string>);
  }
  const settled = settings as unknown as Settings;
  const pathsFromProject = provenance.paths?.startsWith(`${project}/.bmad-mcp.toml:`) ?? false;
  // Nor does it look at the disk: each folder that is not there would cost as much as all the rest.
  const findFolder = (path: string) => isHelp ? undefined : input.findFolder?.(path);
  const realName = (path: string) => findFolder(path) ?? path;
  const origins = planOrigins(settled, input, project, { pathsFromProject, realName });
  const log = logFiles(settled.logFile, realName);
  const git = gitRules(settled, input, origins, findFolder);
  const uses = usageFolder(settled, input, findFolder);
  const writable = uses !== undefined && addsUses(settled, invocation.name) ? [...log, uses] : log;
  const kit = kitOf(origins, findFolder);
  const chosen = withKit({ settings: settled, provenance: provenance as Choosing["provenance"] }, kit);
  const memory = kit && planMemory(chosen, invocation, kit, { ...input, findFolder });
  return {
    ...chosen,
    invocation,
    flags: SETTING_KEYS.flatMap((key) =>
      key === "project" ? [] : flagsFor(key, settled[key], given.get(key))
    ),
    project,
    isProjectOpen: named.value === undefined && usesProject(settled.mode),
    origins,
    logFiles: log,
    usageFolder: uses,
    kit,
    memory,
    script: scriptVariables(settled, input),
    rights: isHelp ? ownRights(input) : joinRights(
      wantedRights(origins, input, invocation, { written: writable, git }),
      kitRights(chosen, invocation, kit, { findFolder, os: input.os }),
      memoryRights(chosen, invocation, memory, context),
    ),
    git,
    siblings: [],
    files: files.map(({ path, found }) => ({ path, found })),
    warnings: [...warnings, ...(isHelp ? [] : shareWarnings(input, named.value))],
    faults,
  };
}

/** The project's memory and runs, where the project is served at all. */
function kitOf(origins: readonly OriginPlan[], findFolder: (path: string) => string | undefined) {
  const project = origins.find(({ origin }) => origin.kind === "project")?.access;
  return project?.via === "folder" ? findKit(project.path, findFolder) : undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What other machines can reach needs a token, and lets nobody write unless it is told to. */
function settleHttp(settings: Mutable<Settings>, provenance: Record<keyof Settings, string>): void {
  const { http, token, tlsCert, tlsKey } = settings;
  if (http === undefined) return;
  const refuse = (setting: keyof Settings, wanted: string) =>
    fail({ code: "invalid-config", setting, value: "", source: provenance[setting], wanted });
  if (!http.isLoopback && token === undefined) {
    refuse("token", `other machines can reach ${http.host}: set BMAD_TOKEN, or listen on 127.0.0.1`);
  }
  if (tlsCert === undefined && tlsKey !== undefined) {
    refuse("tlsCert", "a key needs its certificate (--tls-cert)");
  }
  if (tlsKey === undefined && tlsCert !== undefined) {
    refuse("tlsKey", "a certificate needs its key (--tls-key)");
  }
  if (!http.isLoopback && provenance.readOnly === "default") {
    settings.readOnly = true;
    provenance.readOnly = "default of --http for other machines";
  }
}

/** What cannot be served because it lies on a network share. */
function shareWarnings({ cwd, home, os }: ConfigInput, project: string | undefined): readonly string[] {
  const places = [
    ...(project === undefined ? [["The working folder", cwd]] : []),
    ["The home folder", home],
  ];
  return places.filter(([, folder]) => folder !== undefined && isShare(folder, os)).map(([what, folder]) =>
    `${what} ${folder} lies on a network share and is not looked into: ${SHARE_ADVICE}`
  );
}

/** A setting that was given on the command line, as arguments again: paths have become absolute. */
function flagsFor(
  key: keyof Settings,
  value: unknown,
  texts: readonly string[] | undefined,
): readonly string[] {
  const { flag, value: placeholder } = SETTINGS[key];
  if (flag === undefined || texts === undefined) return [];
  if (placeholder === undefined) return [flag];
  if (!Array.isArray(value)) return [flag, String(value)];
  return placeholder === "DIR" ? value.flatMap((folder: string) => [flag, folder]) : [flag, texts.join(",")];
}
