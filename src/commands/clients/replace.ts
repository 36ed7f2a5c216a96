/**
 * Replaces other BMAD servers in the text of a client's file by our entry, and undoes it.
 *
 * Pure, like edit.ts: texts in, texts out.
 */
import type { Client } from "./client.ts";
import {
  addEntry,
  type Edit,
  entriesIn,
  type EntryRequest,
  type NewEntry,
  putEntry,
  removeEntry,
} from "./edit.ts";
import { findPeers } from "./peers.ts";
import { readRemote } from "./remote_shapes.ts";
import { type Entry, readLaunch } from "./shapes.ts";
import { isValues } from "../../base/values.ts";

type Entries = Readonly<Record<string, Entry>>;

/** Adds our entry and removes other BMAD servers; with `force`, it also replaces another program of our name. */
export function replaceEntries(text: string | undefined, client: Client, request: NewEntry): Edit {
  const peers = text === undefined ? [] : findPeers(text, client);
  const added = addEntry(text, client, {
    ...request,
    force: request.force || peers.some(({ name }) => name === request.name),
  });
  const others = peers.filter(({ name }) => name !== request.name);
  if (others.length === 0 || (added.outcome !== "same" && !("text" in added))) return added;
  const names = others.map(({ name }) => name);
  const left = cutEntries("text" in added ? added.text! : text!, client, names);
  if (typeof left !== "string") return left;
  const replaced = Object.fromEntries(others.map(({ name, entry }) => [name, entry]));
  return {
    outcome: "replaced",
    text: left,
    needsBackup: true,
    replaced: { ...("replaced" in added && added.replaced), ...replaced },
  };
}

/** Removes our entry and adds the ones that it had replaced, unless the user has one of that name again. */
export function restoreEntries(
  text: string,
  before: string | undefined,
  client: Client,
  request: EntryRequest,
  replaced: Entries,
): Edit {
  const names = Object.keys(replaced);
  if (names.length === 0) return removeEntry(text, before, client, request);
  const removed = removeEntry(text, undefined, client, request);
  if (removed.outcome !== "removed") return removed;
  if (before !== undefined && isUnchanged(text, before, client, request, names)) {
    return { ...removed, text: before, replaced };
  }
  const { [request.name]: same, ...others } = replaced;
  // Ours goes once the others are back, so that what holds them stays as it is.
  const [first, back] = putEntries(text, client, others);
  const cut = cutEntries(first, client, [request.name]);
  if (typeof cut !== "string") return cut;
  const [left, own] = same === undefined ? [cut, {}] : putEntries(cut, client, { [request.name]: same });
  return { ...removed, text: left, replaced: { ...back, ...own } };
}

/** The text with entries as they were, and which of them could be added. */
function putEntries(text: string, client: Client, entries: Entries): readonly [string, Entries] {
  let left = text;
  const back: Record<string, Entry> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const put = putEntry(left, client, name, entry);
    if (!("text" in put)) continue;
    left = put.text!;
    back[name] = entry;
  }
  return [left, back];
}

/** Whether a text is what replacing made of the backup. */
function isUnchanged(
  text: string,
  before: string,
  client: Client,
  { name, url }: EntryRequest,
  replaced: readonly string[],
): boolean {
  const { shape, entries } = entriesIn(text, client);
  const entry = entries[name];
  const launch = isValues(entry)
    ? readLaunch(shape, entry) ?? readRemote(client.remote, entry, url)
    : undefined;
  if (launch === undefined) return false;
  const added = addEntry(before, client, { name, launch, force: true });
  if (!("text" in added)) return false;
  return cutEntries(added.text!, client, replaced.filter((other) => other !== name)) === text;
}

/** The text without some entries of others. */
function cutEntries(text: string, client: Client, names: readonly string[]): string | Edit {
  let left = text;
  for (const name of names) {
    const cut = removeEntry(left, undefined, client, { name, force: true });
    if (!("text" in cut)) return cut;
    left = cut.text ?? "";
  }
  return left;
}
