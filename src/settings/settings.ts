/**
 * THE table of settings. Arguments, environment, settings files, `--help`, `bmad-mcp config` and docs/configuration.md
 * all follow from its rows. deno.json grants `BMAD_*`; any other variable needs its own grant.
 */
import { Invalid } from "../base/invalid.ts";
import { HTTP_SETTINGS } from "./http_settings.ts";
import { locations, refuseShare, sources, splitLocations } from "./locations/mod.ts";
import { isTooWide, isWholeDisk, liesIn, type Place, resolvePath } from "../base/paths.ts";
import {
  choice,
  duration,
  filePath,
  last,
  list,
  oneOf,
  onlyOff,
  onlyOn,
  onOff,
  optional,
  partOf,
  type Setting,
  setting,
  smaller,
  wholeNumber,
  wordsIn,
  yesOrNo,
} from "./values.ts";

export type { Setting } from "./values.ts";

const MODES = ["auto", "local", "user", "strict"] as const;
export type Mode = typeof MODES[number];
const PACKS = ["latest", "v4", "none"] as const;
export type Pack = typeof PACKS[number];
/** From the most to the least severe. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

export const TOOLSETS = ["bmad", "work", "workflows", "agents", "memory", "runs"] as const;
export type Toolset = typeof TOOLSETS[number];
/** Among tool sets: those that are on by default come as well. */
export const DEFAULT_SETS = "default";

/** Where git repositories are cached, how long a copy stays fresh, and the limits of a fetch. */
export const GIT_SETTINGS = {
  gitCache: optional({
    flag: "--git-cache DIR",
    help: "Where git repositories are cached. Default: ~/.bmad/cache/git.",
    parse: (texts, context) => {
      const folder = resolvePath(last(texts), context);
      return isTooWide(folder, context) ? new Invalid("expected a dedicated folder") : folder;
    },
  }),
  gitTtl: setting({
    flag: "--git-ttl TIME",
    default: 86_400,
    help:
      "How long a cached copy of a git repository stays fresh, and how long to wait after a failed fetch: seconds, " +
      "or a number followed by m, h or d.",
    parse: duration(60, 31_536_000),
  }),
  gitTimeout: setting({
    flag: "--git-timeout TIME",
    default: 120,
    narrow: smaller,
    help: "Time limit for fetching a git repository.",
    parse: duration(1, 3_600),
  }),
  gitMaxSize: setting({
    flag: "--git-max-size BYTES",
    default: 536_870_912,
    narrow: smaller,
    help: "Maximum size of a git repository.",
    parse: wholeNumber(1_024, 1_099_511_627_776),
  }),
  offline: onOff({
    flag: "--offline",
    narrow: onlyOn,
    help: "Never call git: serve cached copies only.",
  }),
};

/**
 * Where memories are stored, and what finds them by meaning. They leave the machine only for a URL named here, so no
 * project's file can name one.
 */
export const MEMORY_SETTINGS = {
  qdrantUrl: optional({
    flag: "--qdrant-url URL",
    help: "A Qdrant server for project memory, which a team can share. Default: a file in the project.",
    parse: parseUrl,
  }),
  qdrantKey: optional({
    isSecret: true,
    variables: ["BMAD_QDRANT_API_KEY"],
    help: "The API key for that server.",
    parse: parseKey,
  }),
  embedder: setting({
    flag: "--no-embedder",
    files: "none",
    default: true,
    help: "Find memories by words alone, without the embedder that finds them by meaning.",
    parse: (texts) => {
      const isOff = yesOrNo(texts);
      return isOff instanceof Invalid ? isOff : !isOff;
    },
  }),
  embeddingsUrl: optional({
    flag: "--embeddings-url URL",
    help:
      "A server with OpenAI's embeddings API, such as Ollama's http://localhost:11434/v1, instead of the built-in " +
      "embedder. It receives the text of every memory and question.",
    parse: parseUrl,
  }),
  embeddingsModel: optional({
    flag: "--embeddings-model NAME",
    help: "The model to use on that server, such as nomic-embed-text.",
  }),
  embeddingsKey: optional({
    isSecret: true,
    variables: ["BMAD_EMBEDDINGS_API_KEY"],
    help: "The API key for that server.",
    parse: parseKey,
  }),
};

/** For several people and agents on one project. */
export const TEAM_SETTINGS = {
  claims: choice({
    flag: "--claims WHERE",
    values: ["local", "remote"],
    default: "local",
    help:
      "Who sees which stories are held: the worktrees of this clone (local), or all clones of a repository (remote), " +
      "which requires --allow-git.",
  }),
  claimsRemote: setting({
    flag: "--claims-remote NAME",
    default: "origin",
    help: "The git remote that holds the claims of all clones.",
    parse: (texts) => {
      const name = last(texts);
      return /^\w[\w.-]{0,99}$/.test(name) ? name : new Invalid("expected the name of a git remote");
    },
  }),
  claimTime: setting({
    flag: "--claim-time TIME",
    default: 7_200,
    narrow: smaller,
    help: "How long a claimed story is held, unless it is claimed or marked again: up to a day.",
    parse: duration(10, 86_400),
  }),
};

const ROWS = {
  project: optional({
    flag: "--project DIR",
    variables: ["BMAD_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"],
    files: "none",
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
  paths: list({
    flag: "--path DIR",
    variables: [],
    narrow: (_, theirs, { base }) => theirs.every((folder) => liesIn(folder, base)) ? theirs : undefined,
    help:
      "Another source of BMAD content: a folder (project, BMAD root or module) or a git repository such as " +
      "git+https://example.org/team/bmad.git#main:/folder. Repeatable; plain arguments of serve mean the same. " +
      "The settings file of a project that you do not trust may only name folders inside the project.",
    parse: locations,
  }),
  roots: list({
    value: "DIRS",
    variables: ["BMAD_ROOT"],
    files: "none",
    help: "Folders and git repositories with BMAD content, separated as in PATH.",
    parse: (texts, context) => locations(splitLocations(last(texts), context), context),
  }),
  mode: setting<Mode>({
    flag: "--mode MODE",
    values: MODES,
    default: "auto",
    narrow: (own, theirs) => own === "auto" || own === theirs ? theirs : undefined,
    help:
      "Which sources to use: auto (all), local (the project), user (the home folder), strict (only those you name).",
    // An earlier server has a mode "first", in which the first source that has an item wins: here that is always so.
    parse: (texts) => last(texts).toLowerCase() === "first" ? "auto" : oneOf(...MODES)(texts),
  }),
  pack: choice({
    flag: "--pack PACK",
    values: PACKS,
    default: "latest",
    narrow: (own, theirs) => own !== "none" || theirs === "none" ? theirs : undefined,
    help: "The embedded content to serve: latest, v4 or none.",
  }),
  toolsets: setting<readonly (Toolset | typeof DEFAULT_SETS)[]>({
    flag: "--toolsets SETS",
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
  tools: list({
    flag: "--tools NAMES",
    narrow: partOf,
    help:
      "Single tools to offer, comma-separated: in addition to --toolsets, or alone if no tool set is named.",
  }),
  excludeTools: list({
    flag: "--exclude-tools NAMES",
    narrow: (own, theirs) => [...new Set([...own, ...theirs])],
    help: "Tools to leave out, comma-separated, even if other settings name them.",
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
    flag: "--exec-timeout SECONDS",
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
    flag: "--max-result BYTES",
    default: 16_384,
    narrow: smaller,
    help:
      "Maximum size of one tool result; longer text comes in parts. If you do not set it, the first part of an " +
      "activation may have 20400. The smallest known client limit is 20480.",
    parse: wholeNumber(1_024, 1_048_576),
  }),
  maxFile: setting({
    flag: "--max-file BYTES",
    default: 8_388_608,
    narrow: smaller,
    help: "Maximum size of a file that is served.",
    parse: wholeNumber(1_024, 268_435_456),
  }),
  maxFiles: setting({
    flag: "--max-files N",
    default: 50_000,
    narrow: smaller,
    help:
      "Maximum number of files per source that are listed as resources; others can still be opened by URI.",
    parse: wholeNumber(1, 10_000_000),
  }),
  logLevel: choice({
    flag: "--log-level LEVEL",
    values: LOG_LEVELS,
    variables: ["BMAD_LOG"],
    default: "info",
    help: "How much to log on stderr: error, warn, info or debug (one line per request).",
  }),
  logFormat: choice({
    flag: "--log-format FORMAT",
    values: ["text", "json"],
    default: "text",
    help: "How to log: text, or json (one object per line, for programs that collect logs).",
  }),
  logFile: optional({
    flag: "--log-file FILE",
    help:
      "Also write the log to this file, in an existing folder. Rotates at 1 MiB and keeps three old files.",
    parse: filePath,
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
  trusted: list({
    value: "DIRS",
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
  sources: list({
    value: "DIRS",
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

/** Whether a value is one or several paths, by its placeholder. */
export function isPath(key: keyof Settings): boolean {
  return /^(?:DIR|DIRS|FILE)$/.test(SETTINGS[key].value ?? "");
}

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

/** Variables passed on to git: its path, proxies, certificates, the ssh agent. Read only if a repository is used. */
export const GIT_VARIABLES = [
  "PATH",
  "SYSTEMROOT",
  "SSH_AUTH_SOCK",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
  "GIT_SSL_CAINFO",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
] as const;

/** Where else git finds the user's own configuration and credentials. */
export const GIT_USER_VARIABLES = ["XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"] as const;

export function gitEnvironment(
  place: Pick<Place, "env">,
  more: readonly string[] = [],
): Readonly<Record<string, string>> {
  return variablesOf(place, ["HOME", "USERPROFILE", ...GIT_VARIABLES, ...more]);
}

/** Those of the variables that are set, for a program that is run. */
export function variablesOf(
  { env }: Pick<Place, "env">,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.map((name) => [name, env(name)]).filter(([, value]) => value !== undefined),
  );
}

function parseUrl(texts: readonly string[]): string | Invalid {
  const url = URL.parse(last(texts));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return new Invalid("expected a URL such as http://localhost:6333");
  }
  if (url.username !== "" || url.password !== "") {
    return new Invalid("the URL must not contain a user or password: pass the key in its own variable");
  }
  // A key in the query would end up in clients' files, and the query in the middle of request URLs.
  if (/[?#]/.test(url.href)) {
    return new Invalid("the URL must not contain ? or #: pass the key in its own variable");
  }
  return url.href.replace(/\/$/, "");
}

/** A key is sent in a header, so only printable ASCII is allowed. */
function parseKey(texts: readonly string[]): string | Invalid {
  return /^[\x21-\x7e]{1,4096}$/.test(last(texts))
    ? last(texts)
    : new Invalid("expected printable ASCII characters without spaces");
}
