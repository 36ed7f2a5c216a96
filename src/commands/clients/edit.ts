/** Adds, inspects or removes our entry in a text; other BMAD servers give way to it and come back. */
import { asValues, isValues, type Position } from "../../content/parse.ts";
import type { Client, Layout } from "./client.ts";
import {
  confirmEdit,
  type Container,
  countKeys,
  cutItem,
  type Edit,
  indexOf,
  isSame,
  type Opened,
  openText,
  setItem,
  valueAt,
} from "./file_text.ts";
import { checkLaunch, exposureOf, isOwnLaunch, type LaunchState, type OwnProgram } from "./own_launch.ts";
import {
  buildEntry,
  type Entry,
  entryPart,
  type EntryShapes,
  isListed,
  isSwitchedOff,
  type Launch,
  readLaunch,
  readRemote,
  type Remote,
} from "./shapes.ts";

interface Asked {
  readonly name: string;
  /** The server elsewhere that our entry named so far. */
  readonly url?: string;
}

export interface EntryRequest extends Asked {
  readonly force: boolean;
}

export interface NewEntry extends EntryRequest {
  readonly launch: Launch | Remote;
}

export function addEntry(text: string | undefined, client: Client, request: NewEntry): Edit {
  const { name, force, launch } = request;
  const reading = readEntry(text ?? "", client, request);
  if ("outcome" in reading) return reading;
  const { shapes, entry, found, runs, isOurs } = reading;
  const changed = entryPart(shapes, launch);
  if (runs !== undefined ? isSame(runs, launch) : found && isSame({ ...found, ...changed }, found)) {
    return { outcome: "same" };
  }
  if (entry !== undefined && !isOurs && !force) return { outcome: "foreign", runs };
  // An entry that starts a program shares no keys with one that names a server.
  const stays = isOurs && (runs === undefined) === ("url" in launch);
  const next = stays ? { ...found, ...changed } : buildEntry(shapes, name, launch);
  const outcome = entry === undefined ? "added" : isOurs ? "updated" : "replaced";
  const written = setItem(reading, name, next, stays ? changed : undefined);
  return confirmEdit(reading, written, withEntry(reading, name, next), {
    outcome,
    needsBackup: !stays,
    ...(outcome === "replaced" && found && { replaced: { [name]: found } }),
  });
}

type Entries = Readonly<Record<string, Entry>>;

export function replaceEntries(text: string | undefined, client: Client, request: NewEntry): Edit {
  const { name, force } = request;
  const peers = Object.fromEntries(findPeers(text ?? "", client).map((peer) => [peer.name, peer.entry]));
  const { [name]: same, ...others } = peers;
  const added = addEntry(text, client, { ...request, force: force || same !== undefined });
  const names = Object.keys(others);
  if (names.length === 0 || (added.outcome !== "same" && !("text" in added))) return added;
  let left = "text" in added ? added.text! : text!;
  for (const name of names) {
    const cut = cutEntry(left, client, { name });
    if (!("text" in cut)) return cut;
    left = cut.text!;
  }
  const replaced = { ...("replaced" in added && added.replaced), ...others };
  return { outcome: "replaced", text: left, needsBackup: true, replaced };
}

/**
 * Brings back the entries that ours had replaced, unless the user has others of these names. If `before`, the backed-up
 * text, is unchanged apart from our entry, it comes back byte for byte.
 */
export function removeEntry(
  text: string,
  before: string | undefined,
  client: Client,
  request: EntryRequest,
  replaced: Entries = {},
): Edit {
  const { name, force, url } = request;
  const reading = readEntry(text, client, request);
  if ("outcome" in reading) return reading;
  const { shapes, entry, found, runs, isOurs } = reading;
  if (entry === undefined) return { outcome: "absent" };
  if (!isOurs && !force) return { outcome: "foreign", runs };
  const isAlone = Object.keys(replaced).length === 0;
  const launch = runs ?? (found && readRemote(shapes, found, url));
  if (isOurs && launch && (isAlone || before !== undefined)) {
    const add = isAlone ? addEntry : replaceEntries;
    const again = add(before, client, { ...request, launch, force: !isAlone });
    if ("text" in again && again.outcome !== "updated" && again.text === text) {
      return { outcome: "removed", text: before, needsBackup: false, ...(!isAlone && { replaced }) };
    }
  }
  const original = before === undefined ? undefined : readEntry(before, client, request);
  const kept = original && !("outcome" in original) ? countKeys(original.value, reading.spot.keys) : 0;
  const { [name]: same, ...others } = replaced;
  // Ours goes last, so that what holds the entries stays as it is.
  const [filled, back] = putEntries(text, client, others);
  const cut = cutEntry(filled, client, request, kept);
  if (isAlone || !("text" in cut)) return cut;
  const [left, own] = putEntries(cut.text!, client, same === undefined ? {} : { [name]: same });
  return { ...cut, text: left, replaced: { ...back, ...own } };
}

function cutEntry(text: string, client: Client, asked: Asked, kept = 0): Edit {
  const reading = readEntry(text, client, asked);
  if ("outcome" in reading) return reading;
  const { container, isOurs } = reading;
  const { name } = asked;
  const left = Array.isArray(container)
    ? container.toSpliced(indexOf(container, name), 1)
    : Object.fromEntries(Object.entries(container).filter(([other]) => other !== name));
  return confirmEdit(reading, cutItem(reading, name, kept), left, {
    outcome: "removed",
    needsBackup: !isOurs,
  });
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

export function putEntry(text: string, client: Client, name: string, entry: Entry): Edit {
  const reading = readEntry(text, client, { name });
  if ("outcome" in reading) return reading;
  if (reading.entry !== undefined) return { outcome: "same" };
  const written = setItem(reading, name, entry);
  return confirmEdit(reading, written, withEntry(reading, name, entry), {
    outcome: "added",
    needsBackup: true,
  });
}

export function entriesIn(text: string, client: Client) {
  const reading = readEntry(text, client, { name: "" });
  if ("outcome" in reading) return { shapes: client, entries: {} };
  const { container, shapes } = reading;
  const entries = Array.isArray(container)
    ? Object.fromEntries(container.map((entry) => [String(asValues(entry)["name"]), entry]))
    : asValues(container);
  return { shapes, entries };
}

export interface Inspection extends Partial<LaunchState> {
  readonly state: "absent" | "ours" | "foreign" | "invalid";
  readonly runs?: Launch;
  readonly url?: string;
  readonly exposure?: string;
  readonly isOff?: boolean;
  readonly problem?: string;
  readonly at?: Position;
}

/** A program's path, not a name on PATH or in a registry. */
const IS_PATH =
  /^(?!@).*[\\/](?:deno(?:\.exe)?|deno\.json|node(?:\.exe)?|launcher\.(?:[cm]js|sh)|bmad-mcp(?:\.exe)?)$/i;

export function inspectText(
  text: string | undefined,
  client: Client,
  own: Asked & {
    readonly launch: Launch;
    readonly programs: ReadonlyMap<string, OwnProgram>;
  } & Parameters<typeof exposureOf>[1],
): Inspection {
  if (text === undefined) return { state: "absent" };
  const reading = readEntry(text, client, own);
  if ("outcome" in reading) return { state: "invalid", problem: reading.problem, at: reading.at };
  const { found, shapes, runs, isOurs } = reading;
  if (found === undefined) return { state: "absent" };
  if (!isOurs) return { state: "foreign", runs };
  const isOff = isSwitchedOff(found);
  if (runs === undefined) return { state: "ours", url: readRemote(shapes, found, own.url)!.url, isOff };
  const exposure = exposureOf(runs, own);
  const state = checkLaunch(runs, own.launch, {
    find: (word) => own.programs.get(word),
    isMissing: (word) => IS_PATH.test(word) && !own.programs.has(word),
  });
  return { state: "ours", runs, ...(exposure !== undefined && { exposure }), ...state, isOff };
}

function readEntry(whole: string, client: Client, { name, url }: Asked) {
  const { format, seed, newer, remote } = client;
  let layout: Layout = client;
  const opened = openText(whole, format, (value) => {
    if (newer !== undefined && isValues(valueAt(value, newer.keys))) layout = newer;
    return { format, keys: layout.keys, isList: isListed(layout.shape), seed };
  });
  if ("outcome" in opened) return opened;
  const { container } = opened;
  const entry = Array.isArray(container) ? container[indexOf(container, name)] : asValues(container)[name];
  const found = isValues(entry) ? entry : undefined;
  const shapes: EntryShapes = { shape: layout.shape, remote };
  const runs = found && readLaunch(shapes, found);
  const isOurs = runs
    ? isOwnLaunch(runs)
    : found !== undefined && readRemote(shapes, found, url) !== undefined;
  return { ...opened, shapes, entry, found, runs, isOurs };
}

function withEntry({ container }: Opened, name: string, entry: Entry): Container {
  if (!Array.isArray(container)) return { ...container, [name]: entry };
  const at = indexOf(container, name);
  return at < 0 ? [...container, entry] : container.with(at, entry);
}

/**
 * Other BMAD servers: entries whose name is plainly `bmad`, or whose program (package, script, image) says both BMAD
 * and MCP. What a program is given, such as the folder of a file server, does not count.
 */
export type Peer = ReturnType<typeof findPeers>[number];

const NAME = /^bmad(?:[-_ ]?(?:mcp|method|server|agents?))*$/i;

/** Programs that start the one that their arguments name. */
const RUNNER =
  /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx?|node|deno|tsx|uvx?|pipx|python[\d.]*|py|cmd|env)(?:\.cmd|\.exe)?$/i;
const CONTAINER = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/i;
const SHELL = /(?:^|[\\/])(?:sh|bash|zsh|powershell|pwsh)(?:\.exe)?$/i;
const BETWEEN = /^(?:-.*|\/c|dlx|exec|run|tool|x|task|\w+=.*)$/i;

const NAMING = /^(?:--from|--package|-p|-m|--directory|--with)$/;

export function findPeers(text: string, client: Client) {
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

/** Whether a part of the word says both. One package says only BMAD. */
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
