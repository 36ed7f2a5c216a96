/**
 * The settings of fetching git repositories: where copies are kept, for how long, and within which limits.
 *
 * Rows of THE table of settings, in a file of their own because they concern one kind of origin alone.
 */
import { Invalid } from "../base/invalid.ts";
import { isTooWide, resolvePath } from "../base/paths.ts";
import { duration, last, type Setting, wholeNumber, yesOrNo } from "./values.ts";

/** Settings of repositories with their values. */
export interface GitSettings {
  /** Absolute; undefined when nobody named one: then it is below the user's BMAD folder. */
  readonly gitCache: string | undefined;
  /** In seconds: how old a copy of a repository gets before it is fetched again. */
  readonly gitTtl: number;
  /** In seconds: how long fetching a repository may take. */
  readonly gitTimeout: number;
  /** In bytes: how large a repository may be, as it is sent and as it lies on disk. */
  readonly gitMaxSize: number;
  /** Whether git is never called: then only copies that are there are served. */
  readonly offline: boolean;
}

/** The rows. */
export const GIT_SETTINGS: { readonly [K in keyof GitSettings]: Setting<GitSettings[K]> } = {
  gitCache: {
    flag: "--git-cache",
    value: "DIR",
    variables: ["BMAD_GIT_CACHE"],
    files: "user",
    default: undefined,
    help: "Where copies of git repositories are kept. Without it: ~/.bmad/cache/git.",
    parse: (texts, context) => {
      const folder = resolvePath(last(texts), context);
      return isTooWide(folder, context) ? new Invalid("it must be a folder of its own") : folder;
    },
  },
  gitTtl: {
    flag: "--git-ttl",
    value: "TIME",
    variables: ["BMAD_GIT_TTL"],
    files: "user",
    default: 86_400,
    help:
      "How old a copy of a git repository gets before it is fetched again, and how long a repository that could " +
      "not be fetched is left alone: seconds, or a number with m, h or d behind it.",
    parse: duration(60, 31_536_000),
  },
  gitTimeout: {
    flag: "--git-timeout",
    value: "TIME",
    variables: ["BMAD_GIT_TIMEOUT"],
    files: "user",
    default: 120,
    help: "How long fetching a git repository may take.",
    parse: duration(1, 3_600),
  },
  gitMaxSize: {
    flag: "--git-max-size",
    value: "BYTES",
    variables: ["BMAD_GIT_MAX_SIZE"],
    files: "user",
    default: 536_870_912,
    help: "The largest git repository that is fetched.",
    parse: wholeNumber(1_024, 1_099_511_627_776),
  },
  offline: {
    flag: "--offline",
    variables: ["BMAD_OFFLINE"],
    files: "user",
    default: false,
    help: "Never call git: serve the copies of repositories that are there.",
    parse: yesOrNo,
  },
};

/**
 * Variables that are no settings but handed on to git: where it and its helpers are, how the network is reached, whom
 * to trust there, and who signs in over ssh. They are read only where there is a repository to fetch.
 */
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
