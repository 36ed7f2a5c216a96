/**
 * Releases of BMAD's own modules that are newer than the embedded one: what they added, and what is gone.
 *
 * Their files are served as they are. What this program knows beyond them, such as old names and rules of scripts, is of
 * the embedded release.
 */
import { type Entry, isHidden, isSupporting } from "../../../base/model.ts";
import { compareVersions } from "../../../base/versions.ts";
import { isOwnModule } from "../../catalog/mod.ts";
import type { Library } from "../library.ts";

/** A release that is newer than what is known. */
export interface NewerRelease {
  /** The id of its origin. */
  readonly origin: string;
  readonly version: string;
  /** The embedded release. */
  readonly known: string;
  /** The ids of items that only one of them has. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

/** One for each origin that has a newer release; none without embedded content to compare with. */
export function newerReleases({ whole: { manifest } }: Library): readonly NewerRelease[] {
  const own = manifest.entries.filter(({ module, status }) =>
    isOwnModule(module) && status !== "no-file-found"
  );
  const embedded = own.filter(({ origin }) => origin.kind === "package");
  const known = embedded.find(({ version }) => version !== undefined)?.version;
  if (known === undefined) return [];
  const others = Map.groupBy(
    own.filter(({ origin }) => origin.kind !== "package"),
    ({ origin }) => origin.id,
  );
  return [...others].flatMap(([origin, entries]) => {
    const version = entries.find(({ version }) => version !== undefined)?.version;
    if (version === undefined || compareVersions(version, known) <= 0) return [];
    return [{
      origin,
      version,
      known,
      added: missingFrom(entries, embedded),
      gone: missingFrom(embedded, entries),
    }];
  });
}

/** The ids of skills that others lack; those that only forward to a newer one come and go with a choice of the user's. */
function missingFrom(entries: readonly Entry[], others: readonly Entry[]): readonly string[] {
  const ids = new Set(others.map(({ id }) => id));
  const listed = entries.filter((entry) => !isHidden(entry) && !isSupporting(entry.kind)).map(({ id }) => id);
  return [...new Set(listed)].filter((id) => !ids.has(id)).sort();
}
