/**
 * THE table of settings: flag, environment variables, file key, default, help and parser of each, in one row.
 *
 * Argument parsing, environment, settings files, `--help`, `bmad-mcp config` and docs/configuration.md all follow from
 * these rows. To add a setting, add a row. deno.json grants `BMAD_*`; any other variable needs its own grant.
 */
import { Invalid } from "../base/invalid.ts";
import { GIT_SETTINGS, type GitSettings } from "./git_settings.ts";
import { HTTP_SETTINGS, type HttpSettings } from "./http_settings.ts";
import { MEMORY_SETTINGS, type MemorySettings } from "./memory_settings.ts";
import { TEAM_SETTINGS, type TeamSettings } from "./team_settings.ts";
import { locations, refuseShare, splitLocations } from "./locations/mod.ts";
import { isWholeDisk, liesIn, resolvePath } from "../base/paths.ts";
import { SOURCE_SETTINGS, type SourceSettings } from "./source_settings.ts";
import {
  last,
  oneOf,
  onlyOff,
  onlyOn,
  partOf,
  type Setting,
  smaller,
  wholeNumber,
  wordsIn,
  yesOrNo,
} from "./values.ts";

export type { Setting } from "./values.ts";

/** Which origins are used. */
export type Mode = "auto" | "local" | "user" | "strict";
/** Which embedded content is used. */
export type Pack = "latest" | "v4" | "none";
/** How much is written to the log. */
export type LogLevel = "error" | "warn" | "info" | "debug";

const MODES: readonly Mode[] = ["auto", "local", "user", "strict"];
const PACKS: readonly Pack[] = ["latest", "v4", "none"];
/** From the most to the least severe. */
export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** How a line of the log is written. */
export type LogFormat = "text" | "json";

const LOG_FORMATS: readonly LogFormat[] = ["text", "json"];

/** Every tool set, in the order in which its tools are listed. */
export const TOOLSETS = ["bmad", "work", "workflows", "agents", "memory", "runs"] as const;
/** The name of a tool set. */
export type Toolset = typeof TOOLSETS[number];
/** Among tool sets: those that are on by default come as well. */
export const DEFAULT_SETS = "default";

/** Every setting with its value. */
export interface Settings extends SourceSettings, GitSettings, MemorySettings, TeamSettings, HttpSettings {
  /** Absolute; if undefined, the project is found from the working folder. */
  readonly project: string | undefined;
  /** Absolute folders and `git+…` URLs, in the order given. They may contain credentials: never show them. */
  readonly paths: readonly string[];
  /** From `BMAD_ROOT`, in the same form as `paths`, which take precedence. */
  readonly roots: readonly string[];
  /** Every mode except `auto` leaves out the embedded content. */
  readonly mode: Mode;
  readonly pack: Pack;
  readonly toolsets: readonly (Toolset | typeof DEFAULT_SETS)[];
  /** Additional single tools; whether they exist is known only once the content is. */
  readonly tools: readonly string[];
  readonly excludeTools: readonly string[];
  /** Whether every tool that writes or runs something is off, regardless of other settings. */
  readonly readOnly: boolean;
  readonly allowExec: boolean;
  /** The time limit of such a script, in seconds. */
  readonly execTimeout: number;
  readonly allowGit: boolean;
  readonly noSampling: boolean;
  /** Whether usage is kept in the state folder, to order lists after a restart. */
  readonly rememberUsage: boolean;
  /** In bytes. */
  readonly maxResult: number;
  /** In bytes. */
  readonly maxFile: number;
  /** Per origin. */
  readonly maxFiles: number;
  /** The most verbose level that is logged: `info` leaves out only `debug`. */
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Absolute; if undefined, the log goes to stderr alone. */
  readonly logFile: string | undefined;
  readonly noColor: boolean;
  /** Whether only results and errors are printed. */
  readonly quiet: boolean;
  /** Absolute folders of projects whose settings files count like the user's own. */
  readonly trusted: readonly string[];
  /** False only with `--no-sandbox`: the program can then read the whole disk. */
  readonly sandbox: boolean;
}

/** The table itself; its order is the order in which people see the settings. */
export const SETTINGS: { readonly [K in keyof Settings]: Setting<Settings[K]> } = {
  project: {
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
  },
  paths: {
    flag: "--path",
    value: "DIR",
    variables: [],
    files: "user",
    default: [],
    narrow: (_, theirs, { base }) => theirs.every((folder) => liesIn(folder, base)) ? theirs : undefined,
    help:
      "Another source of BMAD content: a folder (project, BMAD root or module) or a git repository such as " +
      "git+https://example.org/team/bmad.git#main:/folder. Repeatable; plain arguments of serve mean the same. " +
      "The settings file of a project that you do not trust may only name folders inside the project.",
    parse: (texts, context) => locations(texts, context),
  },
  roots: {
    value: "DIRS",
    variables: ["BMAD_ROOT"],
    files: "none",
    default: [],
    help: "Folders and git repositories with BMAD content, separated as in PATH.",
    parse: (texts, context) => locations(splitLocations(last(texts), context), context),
  },
  mode: {
    flag: "--mode",
    value: "MODE",
    values: MODES,
    variables: ["BMAD_MODE"],
    files: "user",
    default: "auto",
    narrow: (own, theirs) => own === "auto" || own === theirs ? theirs : undefined,
    help:
      "Which sources to use: auto (all), local (the project), user (the home folder), strict (only those you name).",
    // An earlier server has a mode "first", in which the first source that has an item wins: here that is always so.
    parse: (texts) => last(texts).toLowerCase() === "first" ? "auto" : oneOf(...MODES)(texts),
  },
  pack: {
    flag: "--pack",
    value: "PACK",
    values: PACKS,
    variables: ["BMAD_PACK"],
    files: "user",
    default: "latest",
    narrow: (own, theirs) => own !== "none" || theirs === "none" ? theirs : undefined,
    help: "The embedded content to serve: latest, v4 or none.",
    parse: oneOf(...PACKS),
  },
  toolsets: {
    flag: "--toolsets",
    value: "SETS",
    values: ["all", DEFAULT_SETS, ...TOOLSETS],
    variables: ["BMAD_TOOLSETS"],
    files: "user",
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
  },
  tools: {
    flag: "--tools",
    value: "NAMES",
    variables: ["BMAD_TOOLS"],
    files: "user",
    default: [],
    narrow: partOf,
    help:
      "Single tools to offer, comma-separated: in addition to --toolsets, or alone if no tool set is named.",
    parse: wordsIn,
  },
  excludeTools: {
    flag: "--exclude-tools",
    value: "NAMES",
    variables: ["BMAD_EXCLUDE_TOOLS"],
    files: "user",
    default: [],
    narrow: (own, theirs) => [...new Set([...own, ...theirs])],
    help: "Tools to leave out, comma-separated, even if other settings name them.",
    parse: wordsIn,
  },
  readOnly: {
    flag: "--read-only",
    variables: ["BMAD_READ_ONLY"],
    files: "user",
    default: false,
    narrow: onlyOn,
    help:
      "Leave out every tool, or part of a tool, that writes or runs anything, regardless of other settings.",
    parse: yesOrNo,
  },
  allowExec: {
    flag: "--allow-exec",
    variables: ["BMAD_ALLOW_EXEC"],
    files: "none",
    default: false,
    help:
      "Allow the completion contract and check to run the project's own cc-verify.sh with bash, and evidence to run a story's " +
      "tests. Settings files cannot set this.",
    parse: yesOrNo,
  },
  execTimeout: {
    flag: "--exec-timeout",
    value: "SECONDS",
    variables: ["BMAD_EXEC_TIMEOUT"],
    files: "user",
    default: 600,
    narrow: smaller,
    help: "How long a run may take before it and its children are killed.",
    parse: wholeNumber(1, 86_400),
  },
  allowGit: {
    flag: "--allow-git",
    variables: ["BMAD_ALLOW_GIT"],
    files: "none",
    default: false,
    help:
      "Allow git_evidence.py, board, next, check, trace, review and mark to read the project's commits with git; " +
      "on the command line they always may. " +
      "Also required for --claims remote. " +
      "Settings files cannot set this.",
    parse: yesOrNo,
  },
  noSampling: {
    flag: "--no-sampling",
    variables: ["BMAD_NO_SAMPLING"],
    files: "user",
    default: false,
    narrow: onlyOn,
    help:
      "Never ask the client's model. Candidates are then ordered by usage, and delegation returns the persona " +
      "instead of an answer.",
    parse: yesOrNo,
  },
  rememberUsage: {
    flag: "--remember-usage",
    variables: ["BMAD_REMEMBER_USAGE"],
    files: "user",
    default: false,
    narrow: onlyOff,
    help:
      "Remember across restarts which agents and workflows you use, to list them first. Stores names and times only, " +
      "in the state folder. Has no effect with --read-only.",
    parse: yesOrNo,
  },
  maxResult: {
    flag: "--max-result",
    value: "BYTES",
    variables: ["BMAD_MAX_RESULT"],
    files: "user",
    default: 16_384,
    narrow: smaller,
    help:
      "Maximum size of one tool result; longer text comes in parts. If you do not set it, the first part of an " +
      "activation may have 20400. The smallest known client limit is 20480.",
    parse: wholeNumber(1_024, 1_048_576),
  },
  maxFile: {
    flag: "--max-file",
    value: "BYTES",
    variables: ["BMAD_MAX_FILE"],
    files: "user",
    default: 8_388_608,
    narrow: smaller,
    help: "Maximum size of a file that is served.",
    parse: wholeNumber(1_024, 268_435_456),
  },
  maxFiles: {
    flag: "--max-files",
    value: "N",
    variables: ["BMAD_MAX_FILES"],
    files: "user",
    default: 50_000,
    narrow: smaller,
    help:
      "Maximum number of files per source that are listed as resources; others can still be opened by URI.",
    parse: wholeNumber(1, 10_000_000),
  },
  logLevel: {
    flag: "--log-level",
    value: "LEVEL",
    values: LOG_LEVELS,
    variables: ["BMAD_LOG"],
    files: "user",
    default: "info",
    help: "How much to log on stderr: error, warn, info or debug (one line per request).",
    parse: oneOf(...LOG_LEVELS),
  },
  logFormat: {
    flag: "--log-format",
    value: "FORMAT",
    values: LOG_FORMATS,
    variables: ["BMAD_LOG_FORMAT"],
    files: "user",
    default: "text",
    help: "How to log: text, or json (one object per line, for programs that collect logs).",
    parse: oneOf(...LOG_FORMATS),
  },
  logFile: {
    flag: "--log-file",
    value: "FILE",
    variables: ["BMAD_LOG_FILE"],
    files: "user",
    default: undefined,
    help:
      "Also write the log to this file, in an existing folder. Rotates at 1 MiB and keeps three old files.",
    parse: (texts, context) => resolvePath(last(texts), context),
  },
  noColor: {
    flag: "--no-color",
    variables: [],
    files: "none",
    default: false,
    help: "Print no colours; NO_COLOR does the same.",
    parse: yesOrNo,
  },
  quiet: {
    flag: "--quiet",
    variables: [],
    files: "none",
    default: false,
    help: "Print results and errors, but no warnings, hints or progress.",
    parse: yesOrNo,
  },
  trusted: {
    value: "DIRS",
    variables: [],
    files: "user",
    default: [],
    help: "Projects whose own settings file may widen your settings. Without trust it can only narrow them.",
    parse: (texts, context) => texts.map((folder) => resolvePath(folder, context)),
  },
  sandbox: {
    flag: "--no-sandbox",
    variables: [],
    files: "none",
    default: true,
    help: "Keep the permission to read the whole disk. For debugging only.",
    parse: () => false,
  },
  ...SOURCE_SETTINGS,
  ...GIT_SETTINGS,
  ...MEMORY_SETTINGS,
  ...TEAM_SETTINGS,
  ...HTTP_SETTINGS,
};

/** The keys of the table, in its order. */
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
