/**
 * Who holds which story: claims with an owner that expire after two hours.
 *
 * All changes happen under the project's lock, so no story ever has two owners.
 */
import { fail } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import {
  CLAIM_MS,
  type ClaimRecord,
  CLAIMS_FILE,
  FORCED_FILE,
  type ForcedRecord,
  type Found,
  identityOf,
  MAX_FORCED,
  readClaims,
  readForced,
  recordFor,
  recordsBeside,
  type Target,
} from "../board/mod.ts";
import type { FileEdit } from "./edits.ts";
import type { WriterWorld } from "./world.ts";

const MAX_OWNER = 60;

/** The name of an owner, on one line. Fails if it is empty or too long. */
export function nameOfOwner(given: string): string {
  const name = oneLine(given);
  if (name !== "" && name.length <= MAX_OWNER) return name;
  return fail({
    code: "invalid-input",
    problem: `Invalid owner: expected a name of 1 to ${MAX_OWNER} characters`,
  });
}

function claimsIn({ files, now }: WriterWorld): readonly ClaimRecord[] {
  return readClaims(files.tree, files.records, now());
}

export function holderOf(world: WriterWorld, found: Found): ClaimRecord | undefined {
  return recordFor(claimsIn(world))(found);
}

function replaceClaims(world: WriterWorld, found: Found, claims: readonly ClaimRecord[]): void {
  const { files } = world;
  const path = joinPath(files.records, CLAIMS_FILE);
  const all = [...recordsBeside(claimsIn(world), found), ...claims];
  files.replace(path, `${JSON.stringify({ claims: all }, null, 2)}\n`, files.find(path));
}

/** Gives a story to an owner for two hours. */
export function renew(world: WriterWorld, found: Found, by: string): ClaimRecord {
  const until = new Date(world.now() + CLAIM_MS).toISOString();
  const claim = { ledger: found.epic.ledger, story: identityOf(found.epic, found.story), by, until };
  replaceClaims(world, found, [claim]);
  return claim;
}

/** Takes a story from its owner; undefined if it has none. */
export function forget(world: WriterWorld, found: Found): ClaimRecord | undefined {
  const holder = holderOf(world, found);
  if (holder !== undefined) replaceClaims(world, found, []);
  return holder;
}

/** The record of a forced status and of the findings against it. Nobody sees it before the status has changed. */
export function recordOfForce(
  { files, now }: WriterWorld,
  { story, epic }: Target,
  record: Pick<ForcedRecord, "by" | "from" | "to" | "reasons">,
): FileEdit {
  const path = joinPath(files.records, FORCED_FILE);
  const before = files.find(path);
  const name = story === undefined ? `epic-${epic.ref}` : identityOf(epic, story);
  const line = { at: new Date(now()).toISOString(), ledger: epic.ledger, story: name, ...record };
  const kept = readForced(before ?? "").slice(1 - MAX_FORCED);
  return { path, before, text: [...kept, line].map((one) => `${JSON.stringify(one)}\n`).join("") };
}
