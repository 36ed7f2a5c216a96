/**
 * THE table of settings: every setting's flag, variables, file key, default, meaning and check, in one row.
 *
 * Argument parsing, the reading of variables and files, `--help`, `bmad-mcp config` and docs/configuration.md all
 * come from these rows. To add a setting, add a row. deno.json grants `BMAD_*`; another variable needs its own grant.
 */
import { isGitLocation, parseGitLocation } from "./git_location.ts";
import { GIT_SETTINGS, type GitSettings } from "./git_settings.ts";
import { HTTP_SETTINGS, type HttpSettings } from "./http_settings.ts";
import { MEMORY_SETTINGS, type MemorySettings } from "./memory_settings.ts";
import { type Context, isShare, isWholeDisk, resolvePath, SHARE_ADVICE } from "./paths.ts";
import { last, oneOf, type Setting, Unfit, wholeNumber, wordsIn, yesOrNo } from "./values.ts";

export { type Setting, Unfit } from "./values.ts";

/** Which origins are used. */
export type Mode = "auto" | "local" | "user" | "strict";
/** Which embedded content is used. */
export type Pack = "latest" | "v4" | "none";
/** How much is written to the log. */
export type LogLevel = "error" | "warn" | "info" | "debug";

const MODES: readonly Mode[] = ["auto", "local", "user", "strict"];
const PACKS: readonly Pack[] = ["latest", "v4", "none"];
/** From the gravest on. */
export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** Every tool set, in the order in which its tools are listed. */
export const TOOLSETS = ["bmad", "workflows", "agents", "memory", "runs"] as const;
/** The name of a tool set. */
export type Toolset = typeof TOOLSETS[number];

/** Every setting with its value. */
export interface Settings extends GitSettings, MemorySettings, HttpSettings {
  /** Absolute; undefined when nobody named one: then `Config.project` is found from the working folder. */
  readonly project: string | undefined;
  /** Absolute folders and `git+…` addresses, in the order given, with their credentials: not to be shown. */
  readonly paths: readonly string[];
  /** From `BMAD_ROOT`, in the same form as `paths`, which win over them. */
  readonly roots: readonly string[];
  /** All but `auto` leave out the embedded content. */
  readonly mode: Mode;
  /** The embedded content to use: `latest`, `v4`, or `none` to serve only what is on disk. */
  readonly pack: Pack;
  /** The tool sets that are on, each once. */
  readonly toolsets: readonly Toolset[];
  /** Single tools that are on; whether there are such is known only when the content is. */
  readonly tools: readonly string[];
  /** Tools that are off although a set has them, or they were named. */
  readonly excludeTools: readonly string[];
  /** Whether tools that write or run something are off, whatever the other settings say. */
  readonly readOnly: boolean;
  /** Whether the one tool that runs a script of the project may do so. */
  readonly allowExec: boolean;
  /** How long such a script may take, in seconds. */
  readonly execTimeout: number;
  /** Whether the client's model is never asked for an order. */
  readonly noSampling: boolean;
  /** Whether uses are kept in the state folder, for the order of lists in later processes. */
  readonly rememberUsage: boolean;
  /** In bytes, from 1024 to 1048576. */
  readonly maxResult: number;
  /** The largest file that is served, in bytes. */
  readonly maxFile: number;
  /** The most files of one origin that are listed. */
  readonly maxFiles: number;
  /** The chattiest level that still goes to stderr: `info` leaves out only `debug`. */
  readonly logLevel: LogLevel;
  /** Absolute; where the log is also written to. Undefined: to stderr alone. */
  readonly logFile: string | undefined;
  /** False only after `--no-sandbox`: then the program can read the whole disk. */
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
      "The project folder; with --http, several. Without it: the folder the program was started in or, where that " +
      "holds no BMAD content, the client's first root.",
    parse: (texts, context) => {
      const folder = resolvePath(last(texts), context);
      return isWholeDisk(folder)
        ? new Unfit("a project cannot be the whole disk")
        : refuseShare(folder, context) ?? folder;
    },
  },
  paths: {
    flag: "--path",
    value: "DIR",
    variables: [],
    files: "both",
    default: [],
    help:
      "A further folder with BMAD content: a project, a BMAD root or one module; or a git repository, as in " +
      "git+https://example.org/team/bmad.git#main:/folder. May be given several times; plain arguments of serve " +
      "mean the same. A project's own file may only name folders inside the project.",
    parse: (texts, context) => locations(texts, context),
  },
  roots: {
    variables: ["BMAD_ROOT"],
    files: "none",
    default: [],
    help: "Folders and git repositories with BMAD content, separated like PATH.",
    parse: (texts, context) => locations(splitLocations(last(texts), context), context),
  },
  mode: {
    flag: "--mode",
    value: "MODE",
    values: MODES,
    variables: ["BMAD_MODE"],
    files: "both",
    default: "auto",
    help:
      "Which origins count: auto (all), local (the project), user (the home folder), strict (only what is named).",
    // An earlier server called it so when the first origin that has a thing counts, which is always so here.
    parse: (texts) => last(texts).toLowerCase() === "first" ? "auto" : oneOf(...MODES)(texts),
  },
  pack: {
    flag: "--pack",
    value: "PACK",
    values: PACKS,
    variables: ["BMAD_PACK"],
    files: "both",
    default: "latest",
    help: "The embedded content to serve: latest, v4 or none.",
    parse: oneOf(...PACKS),
  },
  toolsets: {
    flag: "--toolsets",
    value: "SETS",
    values: ["all", ...TOOLSETS],
    variables: ["BMAD_TOOLSETS"],
    files: "both",
    default: ["bmad"],
    help: `The tools to offer, by set: ${TOOLSETS.join(", ")} or all, with commas between. ` +
      "agents has a tool for each agent, as far as clients take so many. Without this setting, memory and runs come on " +
      "in a project that has _bmad/_memory or _bmad-output/.runs.",
    parse: (texts) => {
      const words = wordsIn(texts).map((word) => word.toLowerCase());
      const isKnown = (word: string) => word === "all" || (TOOLSETS as readonly string[]).includes(word);
      return words.length > 0 && words.every(isKnown)
        ? TOOLSETS.filter((name) => words.includes("all") || words.includes(name))
        : new Unfit(`it must be all, or some of ${TOOLSETS.join(", ")} with commas between`);
    },
  },
  tools: {
    flag: "--tools",
    value: "NAMES",
    variables: ["BMAD_TOOLS"],
    files: "both",
    default: [],
    help:
      "Single tools to offer, with commas between: in addition to the tool sets that are named, or alone when none is.",
    parse: wordsIn,
  },
  excludeTools: {
    flag: "--exclude-tools",
    value: "NAMES",
    variables: ["BMAD_EXCLUDE_TOOLS"],
    files: "user",
    default: [],
    help: "Tools to leave out, with commas between, also those that other settings name.",
    parse: wordsIn,
  },
  readOnly: {
    flag: "--read-only",
    variables: ["BMAD_READ_ONLY"],
    files: "user",
    default: false,
    help: "Leave out every tool that writes or runs anything, whatever the other settings say.",
    parse: yesOrNo,
  },
  allowExec: {
    flag: "--allow-exec",
    variables: ["BMAD_ALLOW_EXEC"],
    files: "none",
    default: false,
    help:
      "Let run_completion_contract run the project's own cc-verify.sh with bash. No settings file can say so.",
    parse: yesOrNo,
  },
  execTimeout: {
    flag: "--exec-timeout",
    value: "SECONDS",
    variables: ["BMAD_EXEC_TIMEOUT"],
    files: "user",
    default: 600,
    help: "How long that script may take before it and all that it started are ended.",
    parse: wholeNumber(1, 86_400),
  },
  noSampling: {
    flag: "--no-sampling",
    variables: ["BMAD_NO_SAMPLING"],
    files: "both",
    default: false,
    help:
      "Never ask the client's model: what you used decides the order of candidates, and delegate_to_agent hands the " +
      "persona back.",
    parse: yesOrNo,
  },
  rememberUsage: {
    flag: "--remember-usage",
    variables: ["BMAD_REMEMBER_USAGE"],
    files: "user",
    default: false,
    help:
      "Keep which agents and workflows you use, how often and when last, for the order of lists after a restart: " +
      "names and times alone, in the state folder. Not with --read-only.",
    parse: yesOrNo,
  },
  maxResult: {
    flag: "--max-result",
    value: "BYTES",
    variables: ["BMAD_MAX_RESULT"],
    files: "both",
    default: 16_384,
    help:
      "The most bytes in one tool result; longer text comes in parts. The smallest client limit known is 20480.",
    parse: wholeNumber(1_024, 1_048_576),
  },
  maxFile: {
    flag: "--max-file",
    value: "BYTES",
    variables: ["BMAD_MAX_FILE"],
    files: "user",
    default: 8_388_608,
    help: "The largest file that is served.",
    parse: wholeNumber(1_024, 268_435_456),
  },
  maxFiles: {
    flag: "--max-files",
    value: "N",
    variables: ["BMAD_MAX_FILES"],
    files: "user",
    default: 50_000,
    help:
      "The most files of one origin that are listed as resources; what is beyond can still be opened by its URI.",
    parse: wholeNumber(1, 10_000_000),
  },
  logLevel: {
    flag: "--log-level",
    value: "LEVEL",
    values: LOG_LEVELS,
    variables: ["BMAD_LOG"],
    files: "user",
    default: "info",
    help:
      "What is written to the log, on stderr: error, warn, info or debug, which has a line for each request.",
    parse: oneOf(...LOG_LEVELS),
  },
  logFile: {
    flag: "--log-file",
    value: "FILE",
    variables: ["BMAD_LOG_FILE"],
    files: "user",
    default: undefined,
    help:
      "A file that the log is also written to, in a folder that is there. Of 1 MiB, and three older ones beside it.",
    parse: (texts, context) => resolvePath(last(texts), context),
  },
  sandbox: {
    flag: "--no-sandbox",
    variables: [],
    files: "none",
    default: true,
    help: "Do not give up the right to read the rest of the disk. Only for debugging.",
    parse: () => false,
  },
  ...GIT_SETTINGS,
  ...MEMORY_SETTINGS,
  ...HTTP_SETTINGS,
};

/** The keys of the table, in its order. */
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly (keyof Settings)[];

/** Variables that are no settings but tell where a user's folders are. */
export const PLACE_VARIABLES = [
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "INIT_CWD",
] as const;

/** Variables that are no settings but tell how a terminal is to be written to. NO_COLOR and FORCE_COLOR take no right. */
export const TERMINAL_VARIABLES = ["CI", "TERM"] as const;

function locations(texts: readonly string[], context: Context): readonly string[] | Unfit {
  const found = texts.map((text) => asLocation(text, context));
  const wrong = found.filter(isGitLocation).map(parseGitLocation).find((parsed) => parsed instanceof Unfit);
  if (wrong !== undefined) return wrong;
  if (found.some(isWholeDisk)) return new Unfit("name a folder, not the whole disk");
  return found.map((folder) => refuseShare(folder, context)).find(Boolean) ?? found;
}

function asLocation(text: string, context: Context): string {
  return isGitLocation(text) ? text : resolvePath(text, context);
}

function refuseShare(folder: string, { os }: Context): Unfit | undefined {
  return isShare(folder, os)
    ? new Unfit(`folders of a network share cannot be opened: ${SHARE_ADVICE}`)
    : undefined;
}

/** Splits at the path separator, but not inside a `git+…` address: `git+SCHEME://HOST:PORT/PATH#REF:/FOLDER`. */
function splitLocations(text: string, context: Context): readonly string[] {
  const pattern = context.os === "windows" ? /[^;]+/g : /git\+\w*:\/\/[^/]*[^:]*(?::\/[^:]*)?(?=:|$)|[^:]+/g;
  return text.match(pattern) ?? [];
}
