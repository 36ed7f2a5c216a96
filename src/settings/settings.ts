/** THE table of settings. deno.json grants `BMAD_*`; any other variable needs its own grant. */
import { Invalid } from "../base/invalid.ts";
import { HTTP_SETTINGS } from "./http_settings.ts";
import { locations, refuseShare, sources, splitLocations } from "./locations/mod.ts";
import { type Context, isTooWide, isWholeDisk, liesIn, type Place, resolvePath } from "../base/paths.ts";
import {
  choice,
  filePath,
  last,
  limit,
  list,
  matching,
  oneOf,
  onlyOff,
  onlyOn,
  onOff,
  optional,
  partOf,
  type Setting,
  setting,
  smaller,
  time,
  wordsIn,
  yesOrNo,
} from "./values.ts";

export type { Setting } from "./values.ts";

const MODES = ["auto", "local", "user", "strict"] as const;
export type Mode = typeof MODES[number];
const PACKS = ["latest", "v4", "none"] as const;
export type Pack = typeof PACKS[number];
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

export const TOOLSETS = ["bmad", "work", "workflows", "agents", "memory", "runs"] as const;
export type Toolset = typeof TOOLSETS[number];
/** Among tool sets: those that are on by default come as well. */
export const DEFAULT_SETS = "default";

export const GIT_SETTINGS = {
  gitCache: optional("--git-cache DIR", "Where git repositories are cached. Default: ~/.bmad/cache/git.", {
    parse: (texts, context) => {
      const folder = resolvePath(last(texts), context);
      return isTooWide(folder, context) ? new Invalid("expected a dedicated folder") : folder;
    },
  }),
  gitTtl: time(
    "--git-ttl TIME",
    "How long a copy of a git repository stays fresh, and the wait after a failed fetch: seconds, 5m, 24h or " +
      "7d.",
    { default: 86_400, range: [60, 31_536_000] },
  ),
  gitTimeout: time("--git-timeout TIME", "Time limit for fetching a git repository.", {
    default: 120,
    range: [1, 3_600],
    narrow: smaller,
  }),
  gitMaxSize: limit("--git-max-size BYTES", "Maximum size of a git repository.", {
    default: 536_870_912,
    range: [1_024, 1_099_511_627_776],
    narrow: smaller,
  }),
  offline: onOff("--offline", "Never call git: serve cached copies only.", { narrow: onlyOn }),
};

/** Memories leave the machine only for a URL named here, so no project's file can name one. */
export const MEMORY_SETTINGS = {
  qdrantUrl: optional(
    "--qdrant-url URL",
    "A Qdrant server for project memory, which a team can share. Default: a file in the project.",
    { parse: parseUrl },
  ),
  qdrantKey: apiKey("BMAD_QDRANT_API_KEY"),
  embedder: setting(
    "--no-embedder",
    "Find memories by words alone, not by meaning.",
    {
      files: "none",
      default: true,
      parse: (texts) => {
        const isOff = yesOrNo(texts);
        return isOff instanceof Invalid ? isOff : !isOff;
      },
    },
  ),
  embeddingsUrl: optional(
    "--embeddings-url URL",
    "A server with OpenAI's embeddings API, such as Ollama's http://localhost:11434/v1. It receives the text " +
      "of every memory and question. Default: the built-in embedder.",
    { parse: parseUrl },
  ),
  embeddingsModel: optional(
    "--embeddings-model NAME",
    "The model to use on that server, such as nomic-embed-text.",
  ),
  embeddingsKey: apiKey("BMAD_EMBEDDINGS_API_KEY"),
};

export const TEAM_SETTINGS = {
  claims: choice(
    "--claims WHERE",
    "Who sees which stories are held: the worktrees of this clone (local), or all clones (remote), which " +
      "requires --allow-git.",
    { values: ["local", "remote"], default: "local" },
  ),
  claimsRemote: setting("--claims-remote NAME", "The git remote that holds the claims of all clones.", {
    default: "origin",
    parse: matching(/^\w[\w.-]{0,99}$/, "the name of a git remote"),
  }),
  claimTime: time(
    "--claim-time TIME",
    "How long a claimed story is held, unless it is claimed or marked again.",
    { default: 7_200, range: [10, 86_400], narrow: smaller },
  ),
};

const ROWS = {
  project: optional(
    "--project DIR",
    "The project folder. Repeat it with --http to serve several. Default: the project in which the working " +
      "folder lies or, if that has no BMAD content, the client's first root. CLAUDE_PROJECT_DIR may be any folder " +
      "in the project.",
    {
      variables: ["BMAD_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"],
      files: "none",
      parse: (texts, context) => {
        const folder = resolvePath(last(texts), context);
        return isWholeDisk(folder, context)
          ? new Invalid("a project cannot be a whole disk")
          : refuseShare(folder, context) ?? folder;
      },
    },
  ),
  paths: list(
    "--path DIR",
    "Another source of BMAD content: a folder (project, BMAD root or module) or a git repository such as " +
      "git+https://example.org/team/bmad.git#main:/folder. Repeatable; plain arguments of serve mean the same. A" +
      " project that you do not trust may only name folders inside itself.",
    {
      variables: [],
      narrow: ownFolders,
      parse: locations,
    },
  ),
  roots: list(undefined, "Folders and git repositories with BMAD content, separated as in PATH.", {
    value: "DIRS",
    variables: ["BMAD_ROOT"],
    files: "none",
    parse: (texts, context) => locations(splitLocations(last(texts), context), context),
  }),
  mode: setting<Mode>(
    "--mode MODE",
    "Which sources to use: auto (all), local (the project), user (the home folder), strict (only those you name).",
    {
      values: MODES,
      default: "auto",
      narrow: (own, theirs) => own === "auto" || own === theirs ? theirs : undefined,
      // The mode "first" of an earlier server, in which the first source of an item wins, is always on here.
      parse: (texts) => last(texts).toLowerCase() === "first" ? "auto" : oneOf(...MODES)(texts),
    },
  ),
  pack: choice("--pack PACK", "The embedded content to serve: latest, v4 or none.", {
    values: PACKS,
    default: "latest",
    narrow: (own, theirs) => own !== "none" || theirs === "none" ? theirs : undefined,
  }),
  toolsets: setting<readonly (Toolset | typeof DEFAULT_SETS)[]>(
    "--toolsets SETS",
    `Tool sets to offer, comma-separated: ${
      TOOLSETS.join(", ")
    } or all; +memory adds memory to the defaults. ` +
      "The set agents has one tool per agent, up to the number clients accept. By default, memory and runs are added " +
      "in a project that keeps files of the memory kit or runs (docs/memory.md), and work in a folder that is certainly " +
      "a project: named, a client's root, under version control or with BMAD in it.",
    {
      values: ["all", DEFAULT_SETS, ...TOOLSETS],
      default: ["bmad"],
      narrow: partOf,
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
  ),
  tools: list(
    "--tools NAMES",
    "Single tools to offer, comma-separated: in addition to --toolsets, or alone if no tool set is named.",
    { narrow: partOf },
  ),
  excludeTools: list(
    "--exclude-tools NAMES",
    "Tools to leave out, comma-separated, or operations of one: bmad.search.",
    { narrow: (own, theirs) => [...new Set([...own, ...theirs])] },
  ),
  readOnly: onOff(
    "--read-only",
    "Leave out everything that writes or runs anything, regardless of other settings.",
    { narrow: onlyOn },
  ),
  allowExec: onOff(
    "--allow-exec",
    "Let the completion contract and check run the project's own cc-verify.sh with bash.",
    { files: "none" },
  ),
  execTimeout: limit(
    "--exec-timeout SECONDS",
    "How long a run may take before it and its children are killed.",
    { default: 600, range: [1, 86_400], narrow: smaller },
  ),
  allowGit: onOff(
    "--allow-git",
    "Let git_evidence.py, board, next, check, trace, review and mark read the project's commits with git; on " +
      "the command line they always may. Also required for --claims remote.",
    { files: "none" },
  ),
  noSampling: onOff(
    "--no-sampling",
    "Never ask the client's model. Candidates are then ordered by usage, and delegation returns the persona.",
    { narrow: onlyOn },
  ),
  rememberUsage: onOff(
    "--remember-usage",
    "Remember across restarts which agents and workflows you use, to list them first: names and times only, in" +
      " the state folder. Has no effect with --read-only.",
    { narrow: onlyOff },
  ),
  maxResult: limit(
    "--max-result BYTES",
    "Maximum size of one tool result; longer text comes in parts. If you do not set it, the first part of an " +
      "activation may have 20400. The smallest known client limit is 20480.",
    { default: 16_384, range: [1_024, 1_048_576], narrow: smaller },
  ),
  maxFile: limit("--max-file BYTES", "Maximum size of a file that is served.", {
    default: 8_388_608,
    range: [1_024, 268_435_456],
    narrow: smaller,
  }),
  maxFiles: limit(
    "--max-files N",
    "Maximum number of files per source that are listed; others can still be opened by URI.",
    { default: 50_000, range: [1, 10_000_000], narrow: smaller },
  ),
  logLevel: choice(
    "--log-level LEVEL",
    "How much to log on stderr: error, warn, info or debug (one line per request, and what the program may read and write). --verbose means debug.",
    { values: LOG_LEVELS, variables: ["BMAD_LOG"], default: "info" },
  ),
  logFormat: choice(
    "--log-format FORMAT",
    "How to log: text, or json (one object per line).",
    { values: ["text", "json"], default: "text" },
  ),
  logFile: optional(
    "--log-file FILE",
    "Also write the log to this file, in an existing folder. Rotates at 1 MiB and keeps three old files.",
    { parse: filePath },
  ),
  noColor: onOff("--no-color", "Print no colours; NO_COLOR does the same.", { variables: [], files: "none" }),
  quiet: onOff("--quiet", "Print results and errors, but no warnings, hints or progress.", {
    variables: [],
    files: "none",
  }),
  trusted: list(
    undefined,
    "Projects whose own settings file may widen your settings, not only narrow them.",
    { value: "DIRS", parse: (texts, context) => texts.map((folder) => resolvePath(folder, context)) },
  ),
  sandbox: setting("--no-sandbox", "Keep the permission to read the whole disk. For debugging only.", {
    variables: [],
    files: "none",
    default: true,
    parse: () => false,
  }),
  projects: list(
    undefined,
    "The projects of a place with several: folders, instead of those that are found below it. A project that you " +
      "do not trust may only name folders inside itself.",
    {
      value: "DIRS",
      narrow: ownFolders,
      parse: (texts, context) => texts.map((folder) => resolvePath(folder, context)),
    },
  ),
  sources: list(
    undefined,
    "Sources that bmad-mcp add has added, pinned in the lock file beside the settings file. Those of a trusted" +
      " project are served together with your own.",
    { value: "DIRS", join: (theirs, own) => [...new Set([...theirs, ...own])], parse: sources },
  ),
  ...GIT_SETTINGS,
  ...MEMORY_SETTINGS,
  ...TEAM_SETTINGS,
  ...HTTP_SETTINGS,
};

export type Settings = {
  readonly [K in keyof typeof ROWS]: typeof ROWS[K] extends Setting<infer T> ? T : never;
};

export const SETTINGS: { readonly [K in keyof Settings]: Setting<Settings[K]> } = ROWS;

export function isPath(key: keyof Settings): boolean {
  return /^(?:DIR|DIRS|FILE)$/.test(SETTINGS[key].value ?? "");
}

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly (keyof Settings)[];

export const PLACE_VARIABLES = [
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "INIT_CWD",
] as const;

/** The first that is set counts. */
export const ACCOUNT_VARIABLES = ["USER", "LOGNAME"] as const;

/** What clients set for their children, and what the client is called. */
export const SESSION_VARIABLES: Readonly<Record<string, string | undefined>> = {
  BMAD_SEAT: undefined,
  CLAUDE_CODE_SESSION_ID: "claude-code",
  CODEX_THREAD_ID: "codex",
  COPILOT_AGENT_SESSION_ID: "copilot",
};

/** NO_COLOR and FORCE_COLOR need no permission. */
export const TERMINAL_VARIABLES = ["CI", "TERM"] as const;

/** Passed on to git, and read only if a repository is used. */
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

/** Where git finds the user's own configuration and credentials. */
export const GIT_USER_VARIABLES = ["XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"] as const;

export function gitEnvironment(
  place: Pick<Place, "env">,
  more: readonly string[] = [],
): Readonly<Record<string, string>> {
  return variablesOf(place, ["HOME", "USERPROFILE", ...GIT_VARIABLES, ...more]);
}

export function variablesOf(
  { env }: Pick<Place, "env">,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.map((name) => [name, env(name)]).filter(([, value]) => value !== undefined),
  );
}

function ownFolders(_: readonly string[], theirs: readonly string[], { base }: Context) {
  return theirs.every((folder) => liesIn(folder, base)) ? theirs : undefined;
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

function apiKey(variable: string) {
  return optional(undefined, "The API key for that server.", {
    isSecret: true,
    variables: [variable],
    // It is sent in a header.
    parse: matching(/^[\x21-\x7e]{1,4096}$/, "printable ASCII characters without spaces"),
  });
}
