/**
 * THE table of settings: flag, environment variables, file key, default, help and parser of each, in one row.
 *
 * Argument parsing, environment, settings files, `--help`, `bmad-mcp config` and docs/configuration.md all follow from
 * these rows. To add a setting, add a row. deno.json grants `BMAD_*`; any other variable needs its own grant.
 */
import { Invalid } from "../base/invalid.ts";
import { GIT_SETTINGS } from "./git_settings.ts";
import { HTTP_SETTINGS } from "./http_settings.ts";
import { MEMORY_SETTINGS } from "./memory_settings.ts";
import { TEAM_SETTINGS } from "./team_settings.ts";
import { locations, refuseShare, sources, splitLocations } from "./locations/mod.ts";
import { isWholeDisk, liesIn, resolvePath } from "../base/paths.ts";
import {
  last,
  oneOf,
  onlyOff,
  onlyOn,
  onOff,
  partOf,
  type Setting,
  setting,
  smaller,
  wholeNumber,
  wordsIn,
} from "./values.ts";

export type { Setting } from "./values.ts";

export type Mode = "auto" | "local" | "user" | "strict";
export type Pack = "latest" | "v4" | "none";
export type LogLevel = "error" | "warn" | "info" | "debug";

const MODES: readonly Mode[] = ["auto", "local", "user", "strict"];
const PACKS: readonly Pack[] = ["latest", "v4", "none"];
/** From the most to the least severe. */
export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

type LogFormat = "text" | "json";

const LOG_FORMATS: readonly LogFormat[] = ["text", "json"];

export const TOOLSETS = ["bmad", "work", "workflows", "agents", "memory", "runs"] as const;
export type Toolset = typeof TOOLSETS[number];
/** Among tool sets: those that are on by default come as well. */
export const DEFAULT_SETS = "default";

const ROWS = {
  project: setting<string | undefined>({
    flag: "--project",
    value: "DIR",
    variables: ["BMAD_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"],
    files: "none",
    default: undefined,
    help:
      "The project folder. Repeat it with --http to serve several. Default: the working folder or, if that has no " +
      "BMAD content, the client's first root.",
    parse: (texts, context) => {
      const folder = resolvePath(last(texts), context);
      return isWholeDisk(folder, context)
        ? new Invalid("a project cannot be a whole disk")
        : refuseShare(folder, context) ?? folder;
    },
  }),
  paths: setting<readonly string[]>({
    flag: "--path",
    value: "DIR",
    variables: [],
    default: [],
    narrow: (_, theirs, { base }) => theirs.every((folder) => liesIn(folder, base)) ? theirs : undefined,
    help:
      "Another source of BMAD content: a folder (project, BMAD root or module) or a git repository such as " +
      "git+https://example.org/team/bmad.git#main:/folder. Repeatable; plain arguments of serve mean the same. " +
      "The settings file of a project that you do not trust may only name folders inside the project.",
    parse: (texts, context) => locations(texts, context),
  }),
  roots: setting<readonly string[]>({
    value: "DIRS",
    variables: ["BMAD_ROOT"],
    files: "none",
    default: [],
    help: "Folders and git repositories with BMAD content, separated as in PATH.",
    parse: (texts, context) => locations(splitLocations(last(texts), context), context),
  }),
  mode: setting<Mode>({
    flag: "--mode",
    value: "MODE",
    values: MODES,
    default: "auto",
    narrow: (own, theirs) => own === "auto" || own === theirs ? theirs : undefined,
    help:
      "Which sources to use: auto (all), local (the project), user (the home folder), strict (only those you name).",
    // An earlier server has a mode "first", in which the first source that has an item wins: here that is always so.
    parse: (texts) => last(texts).toLowerCase() === "first" ? "auto" : oneOf(...MODES)(texts),
  }),
  pack: setting<Pack>({
    flag: "--pack",
    value: "PACK",
    values: PACKS,
    default: "latest",
    narrow: (own, theirs) => own !== "none" || theirs === "none" ? theirs : undefined,
    help: "The embedded content to serve: latest, v4 or none.",
    parse: oneOf(...PACKS),
  }),
  toolsets: setting<readonly (Toolset | typeof DEFAULT_SETS)[]>({
    flag: "--toolsets",
    value: "SETS",
    values: ["all", DEFAULT_SETS, ...TOOLSETS],
    default: ["bmad"],
    narrow: partOf,
    help:
      `Tool sets to offer, comma-separated: ${
        TOOLSETS.join(", ")
      } or all; +memory adds memory to the defaults. ` +
      "The set agents has one tool per agent, up to the number clients accept. By default, memory and runs are added " +
      "in a project that keeps files of the memory kit or runs (docs/memory.md), and work in a folder that is certainly " +
      "a project: named, a client's root, under version control or with BMAD in it.",
    parse: (texts) => {
      const given = wordsIn(texts).map((word) => word.toLowerCase());
      const words = given.map((word) => word.replace(/^\+/, ""));
      const isAdded = words.includes(DEFAULT_SETS) || given.some((word) => word.startsWith("+"));
      const isKnown = (word: string) => ["all", DEFAULT_SETS, ...TOOLSETS].includes(word);
      if (words.length === 0 || !words.every(isKnown)) {
        return new Invalid(`expected all, or a comma-separated list of ${TOOLSETS.join(", ")}`);
      }
      const isNamed = (name: string) =>
        words.includes("all") || words.includes(name) || isAdded && name === "bmad";
      return [...(isAdded ? [DEFAULT_SETS] as const : []), ...TOOLSETS.filter(isNamed)];
    },
  }),
  tools: setting<readonly string[]>({
    flag: "--tools",
    value: "NAMES",
    default: [],
    narrow: partOf,
    help:
      "Single tools to offer, comma-separated: in addition to --toolsets, or alone if no tool set is named.",
    parse: wordsIn,
  }),
  excludeTools: setting<readonly string[]>({
    flag: "--exclude-tools",
    value: "NAMES",
    default: [],
    narrow: (own, theirs) => [...new Set([...own, ...theirs])],
    help: "Tools to leave out, comma-separated, even if other settings name them.",
    parse: wordsIn,
  }),
  readOnly: onOff({
    flag: "--read-only",
    narrow: onlyOn,
    help:
      "Leave out every tool, or part of a tool, that writes or runs anything, regardless of other settings.",
  }),
  allowExec: onOff({
    flag: "--allow-exec",
    files: "none",
    help:
      "Allow the completion contract and check to run the project's own cc-verify.sh with bash. Settings files cannot set this.",
  }),
  execTimeout: setting({
    flag: "--exec-timeout",
    value: "SECONDS",
    default: 600,
    narrow: smaller,
    help: "How long a run may take before it and its children are killed.",
    parse: wholeNumber(1, 86_400),
  }),
  allowGit: onOff({
    flag: "--allow-git",
    files: "none",
    help:
      "Allow git_evidence.py, board, next, check, trace, review and mark to read the project's commits with git; " +
      "on the command line they always may. " +
      "Also required for --claims remote. " +
      "Settings files cannot set this.",
  }),
  noSampling: onOff({
    flag: "--no-sampling",
    narrow: onlyOn,
    help:
      "Never ask the client's model. Candidates are then ordered by usage, and delegation returns the persona " +
      "instead of an answer.",
  }),
  rememberUsage: onOff({
    flag: "--remember-usage",
    narrow: onlyOff,
    help:
      "Remember across restarts which agents and workflows you use, to list them first. Stores names and times only, " +
      "in the state folder. Has no effect with --read-only.",
  }),
  maxResult: setting({
    flag: "--max-result",
    value: "BYTES",
    default: 16_384,
    narrow: smaller,
    help:
      "Maximum size of one tool result; longer text comes in parts. If you do not set it, the first part of an " +
      "activation may have 20400. The smallest known client limit is 20480.",
    parse: wholeNumber(1_024, 1_048_576),
  }),
  maxFile: setting({
    flag: "--max-file",
    value: "BYTES",
    default: 8_388_608,
    narrow: smaller,
    help: "Maximum size of a file that is served.",
    parse: wholeNumber(1_024, 268_435_456),
  }),
  maxFiles: setting({
    flag: "--max-files",
    value: "N",
    default: 50_000,
    narrow: smaller,
    help:
      "Maximum number of files per source that are listed as resources; others can still be opened by URI.",
    parse: wholeNumber(1, 10_000_000),
  }),
  logLevel: setting<LogLevel>({
    flag: "--log-level",
    value: "LEVEL",
    values: LOG_LEVELS,
    variables: ["BMAD_LOG"],
    default: "info",
    help: "How much to log on stderr: error, warn, info or debug (one line per request).",
    parse: oneOf(...LOG_LEVELS),
  }),
  logFormat: setting<LogFormat>({
    flag: "--log-format",
    value: "FORMAT",
    values: LOG_FORMATS,
    default: "text",
    help: "How to log: text, or json (one object per line, for programs that collect logs).",
    parse: oneOf(...LOG_FORMATS),
  }),
  logFile: setting<string | undefined>({
    flag: "--log-file",
    value: "FILE",
    default: undefined,
    help:
      "Also write the log to this file, in an existing folder. Rotates at 1 MiB and keeps three old files.",
    parse: (texts, context) => resolvePath(last(texts), context),
  }),
  noColor: onOff({
    flag: "--no-color",
    variables: [],
    files: "none",
    help: "Print no colours; NO_COLOR does the same.",
  }),
  quiet: onOff({
    flag: "--quiet",
    variables: [],
    files: "none",
    help: "Print results and errors, but no warnings, hints or progress.",
  }),
  trusted: setting<readonly string[]>({
    value: "DIRS",
    default: [],
    help: "Projects whose own settings file may widen your settings. Without trust it can only narrow them.",
    parse: (texts, context) => texts.map((folder) => resolvePath(folder, context)),
  }),
  sandbox: setting({
    flag: "--no-sandbox",
    variables: [],
    files: "none",
    default: true,
    help: "Keep the permission to read the whole disk. For debugging only.",
    parse: () => false,
  }),
  sources: setting<readonly string[]>({
    value: "DIRS",
    default: [],
    join: (theirs, own) => [...new Set([...theirs, ...own])],
    help:
      "Sources that bmad-mcp add has added: folders, git repositories, npm packages and .tgz archives, pinned in the lock " +
      "file beside the settings file. Those of a trusted project are served together with your own.",
    parse: sources,
  }),
  ...GIT_SETTINGS,
  ...MEMORY_SETTINGS,
  ...TEAM_SETTINGS,
  ...HTTP_SETTINGS,
};

export type Settings = {
  readonly [K in keyof typeof ROWS]: typeof ROWS[K] extends Setting<infer T> ? T : never;
};

/** The table itself; its order is the order in which people see the settings. */
export const SETTINGS: { readonly [K in keyof Settings]: Setting<Settings[K]> } = ROWS;

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly (keyof Settings)[];

/** Variables beside settings: where the user's folders are. */
export const PLACE_VARIABLES = [
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "INIT_CWD",
] as const;

/** Variables beside settings: what the user's account is called. The first that is set counts. */
export const ACCOUNT_VARIABLES = ["USER", "LOGNAME"] as const;

/** Variables beside settings: how to write to a terminal. NO_COLOR and FORCE_COLOR need no permission. */
export const TERMINAL_VARIABLES = ["CI", "TERM"] as const;
