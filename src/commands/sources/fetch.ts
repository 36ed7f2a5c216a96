/**
 * Fetching sources: what a location means now, and the copy of exactly that in the cache.
 */
import { BmadError } from "../../base/errors.ts";
import type { Clock, Work } from "../../base/work.ts";
import {
  fetchCommitCopy,
  fetchPackage,
  findRelease,
  resolveCommit,
  type UpdateOptions,
} from "../../content/repositories/mod.ts";
import { type Pin, pinnedLocation } from "../../settings/mod.ts";

/** What fetching needs. */
export interface Fetching {
  readonly rules: UpdateOptions["rules"];
  readonly clock: Clock;
  readonly progress?: Work["progress"];
}

/** Pins what a location means now, with its copy in the cache; undefined for a folder, which has no versions. */
export async function fetchLatest(location: string, fetching: Fetching): Promise<Pin | undefined> {
  const source = pinnedLocation(location);
  if (source === undefined) return undefined;
  const options = optionsOf(fetching);
  if (source.kind !== "git") return await fetchPackage(source, undefined, options);
  const commit = await resolveCommit(source.repository, options);
  await fetchCommitCopy(source.repository, commit, options);
  return { commit };
}

/** The first of several locations that exists: the name of a branch may have slashes in it. */
export async function fetchFirst(
  locations: readonly string[],
  fetching: Fetching,
): Promise<{ readonly location: string; readonly pin: Pin | undefined }> {
  const [location, ...others] = locations;
  try {
    return { location: location!, pin: await fetchLatest(location!, fetching) };
  } catch (error) {
    const isOther = error instanceof BmadError && /no branch or tag named/.test(error.message);
    if (!isOther || others.length === 0) throw error;
    return await fetchFirst(others, fetching);
  }
}

/** Where a repository is at its newest release; where it has none, as it is. */
export async function newestRelease(location: string, fetching: Fetching): Promise<string> {
  const source = pinnedLocation(location);
  const release = source?.kind === "git"
    ? await findRelease(source.repository, optionsOf(fetching))
    : undefined;
  return release === undefined ? location : `${location}#${release}`;
}

/** Brings what is pinned into the cache; nothing if it is there. */
export async function fetchPinned(location: string, pin: Pin, fetching: Fetching): Promise<void> {
  const source = pinnedLocation(location);
  const options = optionsOf(fetching);
  if (source === undefined) return;
  if (source.kind !== "git") await fetchPackage(source, pin, options);
  else if (pin.commit !== undefined) await fetchCommitCopy(source.repository, pin.commit, options);
}

function optionsOf({ rules, clock, progress }: Fetching) {
  return { rules, now: clock.now, ...(progress && { progress }) };
}
