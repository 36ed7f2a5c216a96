/**
 * The settings for git repositories: where they are cached, how long a copy stays fresh, and the limits of a fetch.
 *
 * Rows of THE table of settings, in a file of their own because they concern one kind of origin only.
 */
import { Invalid } from "../base/invalid.ts";
import { isTooWide, type Place, resolvePath } from "../base/paths.ts";
import { duration, last, onlyOn, onOff, setting, smaller, wholeNumber } from "./values.ts";

export const GIT_SETTINGS = {
  gitCache: setting<string | undefined>({
    flag: "--git-cache",
    value: "DIR",
    default: undefined,
    help: "Where git repositories are cached. Default: ~/.bmad/cache/git.",
    parse: (texts, context) => {
      const folder = resolvePath(last(texts), context);
      return isTooWide(folder, context) ? new Invalid("expected a dedicated folder") : folder;
    },
  }),
  gitTtl: setting({
    flag: "--git-ttl",
    value: "TIME",
    default: 86_400,
    help:
      "How long a cached copy of a git repository stays fresh, and how long to wait after a failed fetch: seconds, " +
      "or a number followed by m, h or d.",
    parse: duration(60, 31_536_000),
  }),
  gitTimeout: setting({
    flag: "--git-timeout",
    value: "TIME",
    default: 120,
    narrow: smaller,
    help: "Time limit for fetching a git repository.",
    parse: duration(1, 3_600),
  }),
  gitMaxSize: setting({
    flag: "--git-max-size",
    value: "BYTES",
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
  const names = ["HOME", "USERPROFILE", ...GIT_VARIABLES, ...more];
  return Object.fromEntries(
    names.map((name) => [name, place.env(name)]).filter(([, value]) => value !== undefined),
  );
}
