/**
 * The setting for sources that `add` keeps: pinned in a lock file beside the settings file, and served from the cache.
 */
import { sources } from "./locations/mod.ts";
import type { Setting } from "./values.ts";

/** Its value. */
export interface SourceSettings {
  /** Absolute folders and archives, `git+…` URLs and `npm:…` packages: the project's before the user's own. */
  readonly sources: readonly string[];
}

/** Its row. */
export const SOURCE_SETTINGS: { readonly [K in keyof SourceSettings]: Setting<SourceSettings[K]> } = {
  sources: {
    value: "DIRS",
    variables: [],
    files: "user",
    default: [],
    join: (theirs, own) => [...new Set([...theirs, ...own])],
    help:
      "Sources that bmad-mcp add has added: folders, git repositories, npm packages and .tgz archives, pinned in the lock " +
      "file beside the settings file. Those of a trusted project are served together with your own.",
    parse: sources,
  },
};
