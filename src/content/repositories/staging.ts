/**
 * The staging folder of the cache, where copies are prepared before they appear, beside locks and failure notes.
 */
import { reportRefusal } from "../../base/errors.ts";
import { entriesIn, foldersIn, removeTree } from "./folders.ts";
import { tryLock } from "../../process/lock.ts";
import { type CachePaths, lockFile, STAGING } from "./paths.ts";

/** Creates the staging folder, and the cache around it, for this user alone. */
export function makeStaging({ staging }: Pick<CachePaths, "staging">): void {
  reportRefusal(staging, () => Deno.mkdirSync(staging, { recursive: true, mode: 0o700 }));
}

/** Removes what a killed update of this repository left behind. The caller must hold the repository's lock. */
export async function sweep({ staging, name }: Pick<CachePaths, "staging" | "name">): Promise<void> {
  for (const { name: left } of entriesIn(staging)) {
    const isOurs = left.startsWith(`${name}.tmp-`) || left.startsWith(`${name}.draft-`);
    if (isOurs) await removeTree(`${staging}/${left}`);
  }
}

/** Does the same for every repository that is not being updated. */
export async function sweepAll(cache: string): Promise<void> {
  const staging = `${cache}/${STAGING}`;
  const names = new Set(foldersIn(staging).map((left) => left.split(".tmp-", 1)[0]!));
  for (const name of names) {
    await tryLock(lockFile({ staging, name }), () => sweep({ staging, name }));
  }
}
