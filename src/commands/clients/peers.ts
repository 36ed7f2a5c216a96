/**
 * Recognises other BMAD servers among the entries of a client's file, replaces them by our entry, and undoes it. What
 * counts is the program that an entry starts (the package, script or image whose name says both BMAD and MCP) or a plain
 * `bmad` as its name, not what a program is given, such as the folder of a file server.
 */
import { isValues } from "../../base/values.ts";
import type { Client } from "./client.ts";
import { addEntry, entriesIn, type EntryRequest, type NewEntry, putEntry, removeEntry } from "./edit.ts";
import type { Edit } from "./file_text.ts";
import { isOwnLaunch } from "./own_launch.ts";
import { type Entry, type EntryShapes, type Launch, readLaunch, readRemote } from "./shapes.ts";

export interface Peer {
  readonly name: string;
  readonly entry: Entry;
  readonly runs?: Launch;
}

const NAME = /^bmad(?:[-_ ]?(?:mcp|method|server|agents?))*$/i;

/** Programs that start the one that their arguments name, and the words between. */
const RUNNER =
  /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx?|node|deno|tsx|uvx?|pipx|python[\d.]*|py|cmd|env)(?:\.cmd|\.exe)?$/i;
const CONTAINER = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/i;
const SHELL = /(?:^|[\\/])(?:sh|bash|zsh|powershell|pwsh)(?:\.exe)?$/i;
const BETWEEN = /^(?:-.*|\/c|dlx|exec|run|tool|x|task|\w+=.*)$/i;

/** Flags whose next word belongs to the program's name. */
const NAMING = /^(?:--from|--package|-p|-m|--directory|--with)$/;

export function findPeers(text: string, client: Client): readonly Peer[] {
  const { shapes, entries } = entriesIn(text, client);
  return Object.entries(entries).flatMap(([name, entry]) => {
    if (!isValues(entry)) return [];
    const runs = readLaunch(shapes, entry);
    if (!isPeer(name, entry, runs, shapes)) return [];
    return [{ name, entry, ...(runs && { runs }) }];
  });
}

function isPeer(name: string, entry: Entry, runs: Launch | undefined, shapes: EntryShapes): boolean {
  if (runs === undefined) return NAME.test(name) && readRemote(shapes, entry) === undefined;
  return !isOwnLaunch(runs) && (NAME.test(name) || namingWords(runs).some(isServer));
}

/** Whether a part of a path, a package or an image says both words. One package says only the first. */
function isServer(word: string): boolean {
  return word.split(/[\\/@+:#]/).some((part) =>
    (/bmad/i.test(part) && /mcp/i.test(part)) || part === "istd-bmad"
  );
}

function namingWords({ command, args }: Launch): readonly string[] {
  if (SHELL.test(command)) return args.flatMap((word) => word.split(/\s+/)).slice(0, 20);
  if (CONTAINER.test(command)) return args.filter((word) => /^[a-z\d][\w./:-]*$/.test(word));
  if (!RUNNER.test(command)) return [command];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (NAMING.test(word)) words.push(args[++at] ?? "");
    else if (/^--(?:from|package|directory)=/.test(word)) words.push(word.slice(word.indexOf("=") + 1));
    else if (!BETWEEN.test(word) && !RUNNER.test(word)) return [...words, word];
  }
  return words;
}

type Entries = Readonly<Record<string, Entry>>;

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
  if (Object.keys(replaced).length === 0) return removeEntry(text, before, client, request);
  const removed = removeEntry(text, undefined, client, request);
  if (removed.outcome !== "removed") return removed;
  if (before !== undefined && isUnchanged(text, before, client, request)) {
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

/** Whether a file is still what replacing made of the text from before. */
function isUnchanged(text: string, before: string, client: Client, { name, url }: EntryRequest): boolean {
  const { shapes, entries } = entriesIn(text, client);
  const entry = entries[name];
  const launch = isValues(entry) ? readLaunch(shapes, entry) ?? readRemote(shapes, entry, url) : undefined;
  const again = launch && replaceEntries(before, client, { name, launch, force: true });
  return again !== undefined && "text" in again && again.text === text;
}

function cutEntries(text: string, client: Client, names: readonly string[]): string | Edit {
  let left = text;
  for (const name of names) {
    const cut = removeEntry(left, undefined, client, { name, force: true });
    if (!("text" in cut)) return cut;
    left = cut.text ?? "";
  }
  return left;
}
