/**
 * Adds one entry to the text of a client's file, finds it, or removes it.
 *
 * The same steps for every format: parse the text, decide, let the format's own file change as few lines as possible,
 * and parse the result. Unless that is the old value with just this entry changed, the edit is refused. Pure: texts
 * in, texts out; file_change.ts reads and writes files.
 */
import { splitLines } from "../../base/text.ts";
import { asValues, isValues, type Parsed, parseToml, parseYaml, type Position } from "../../content/parse.ts";
import type { Client, Layout } from "./client.ts";
import { losesComment } from "./comments.ts";
import { depthIn, entryIn, indexOf, isSame, valueAt, withEntry, withoutEntry } from "./entries.ts";
import { cutJson, isEmptyJson, locateJson, parseJson, setJson } from "./json_text.ts";
import { isOwnLaunch } from "./own_launch.ts";
import { buildRemote, readRemote, type Remote, remotePart } from "./remote_shapes.ts";
import { buildEntry, type Entry, isListed, type Launch, launchPart, readLaunch } from "./shapes.ts";
import { cutToml, setToml } from "./toml_text.ts";
import { cutYaml, setYaml } from "./yaml_text.ts";

/** The result of an edit. */
export type Edit =
  | {
    readonly outcome: "added" | "updated" | "replaced" | "removed";
    /** Undefined if it is the very text that `install` creates: the file can go. */
    readonly text: string | undefined;
    /** Whether the edit touches more than an entry of ours, or comments in it: the old text is worth a backup. */
    readonly needsBackup: boolean;
    /** The entries that ours replaced, by name; with "removed", those that are back. They may hold secrets. */
    readonly replaced?: Readonly<Record<string, Entry>>;
  }
  | { readonly outcome: "same" | "absent" }
  /** The entry of that name runs another program. */
  | { readonly outcome: "foreign"; readonly runs: Launch | undefined }
  | { readonly outcome: "invalid"; readonly problem: string; readonly at?: Position };

/** Which entry to change. */
export interface EntryRequest {
  readonly name: string;
  /** Whether to change it even if it runs another program. */
  readonly force: boolean;
  /** The server elsewhere that an earlier entry of ours named. */
  readonly url?: string;
}

/** An entry to add. */
export interface NewEntry extends EntryRequest {
  /** What it starts, or the server that it names. */
  readonly launch: Launch | Remote;
}

/** A parsed text, and the entry in it. */
interface Reading {
  /** Without a byte order mark. */
  readonly text: string;
  readonly mark: string;
  readonly value: Entry;
  readonly layout: Layout;
  readonly entry: unknown;
}

/** Adds an entry, or updates the one of that name; other keys of an entry of ours stay. */
export function addEntry(text: string | undefined, client: Client, request: NewEntry): Edit {
  const { name, force, launch } = request;
  const reading = readText(text ?? "", client, name);
  if ("outcome" in reading) return reading;
  const { layout: { shape }, entry, value } = reading;
  const isNew = entry === undefined;
  const found = isValues(entry) ? entry : undefined;
  const runs = found && readLaunch(shape, found);
  const isOurs = found !== undefined && isOwnEntry(found, runs, client, request.url);
  const changed = "url" in launch ? remotePart(remoteOf(client), launch) : launchPart(shape, launch);
  if (runs !== undefined ? isSame(runs, launch) : found && isSame({ ...found, ...changed }, found)) {
    return { outcome: "same" };
  }
  if (!isNew && !isOurs && !force) return { outcome: "foreign", runs };
  // An entry that starts a program shares no keys with one that names a server.
  const stays = isOurs && (runs === undefined) === ("url" in launch);
  const next = stays
    ? { ...found, ...changed }
    : "url" in launch
    ? buildRemote(remoteOf(client), name, launch)
    : buildEntry(shape, name, launch);
  const seed = Object.keys(value).length === 0 ? client.seed : undefined;
  const written = write(seeded(reading, client), client, name, next, stays ? changed : undefined);
  const target = withEntry({ ...seed, ...value }, reading.layout, name, next);
  const outcome = isNew ? "added" : isOurs ? "updated" : "replaced";
  const replaced = outcome === "replaced" && found !== undefined ? { [name]: found } : undefined;
  return confirm(written, reading, client, [target], {
    outcome,
    needsBackup: !stays,
    ...(replaced && { replaced }),
  });
}

/**
 * Removes an entry. `before` is the text from before the entry was added, if it was backed up: a text that has not
 * changed since then becomes that text again, byte for byte.
 */
export function removeEntry(
  text: string,
  before: string | undefined,
  client: Client,
  { name, force, url }: EntryRequest,
): Edit {
  const reading = readText(text, client, name);
  if ("outcome" in reading) return reading;
  const { layout, entry, value } = reading;
  if (entry === undefined) return { outcome: "absent" };
  const runs = isValues(entry) ? readLaunch(layout.shape, entry) : undefined;
  const needsBackup = !isValues(entry) || !isOwnEntry(entry, runs, client, url);
  if (needsBackup && !force) return { outcome: "foreign", runs };

  const old = before === undefined ? undefined : readText(before, client, name);
  const original = old === undefined || "outcome" in old ? undefined : old;
  if (before !== undefined && original !== undefined && original.entry === undefined && isValues(entry)) {
    const again = write(seeded(original, client), client, name, entry);
    if (again !== undefined && original.mark + again === text) {
      return { outcome: "removed", text: before, needsBackup };
    }
  }
  const kept = original === undefined ? 0 : depthIn(original.value, layout.keys);
  const launch = runs ?? (isValues(entry) ? readRemote(client.remote, entry, url) : undefined);
  if (before === undefined && !needsBackup && launch && text === createdText(client, name, launch)) {
    return { outcome: "removed", text: undefined, needsBackup };
  }
  const written = erase(reading, client, name, kept);
  // A map that is empty now may have been there, empty, before us, and stays if it has comments.
  const targets = Array.from(
    { length: layout.keys.length - kept + 1 },
    (_, more) => withoutEntry(value, layout, name, kept + more),
  );
  return confirm(written, reading, client, targets, { outcome: "removed", needsBackup });
}

/** The text of a file that `install` creates. */
function createdText(client: Client, name: string, launch: Launch | Remote): string | undefined {
  const created = addEntry(undefined, client, { name, launch, force: false });
  return "text" in created ? created.text : undefined;
}

/** Whether an entry starts this program, or names a server of it. */
function isOwnEntry(entry: Entry, runs: Launch | undefined, { remote }: Client, url?: string): boolean {
  return runs === undefined ? readRemote(remote, entry, url) !== undefined : isOwnLaunch(runs);
}

function remoteOf({ remote, title }: Client): NonNullable<Client["remote"]> {
  if (remote === undefined) throw new Error(`${title} has no entries for HTTP`);
  return remote;
}

/** Finds an entry and what it runs, or the problem of a text that cannot be parsed. */
export function findEntry(
  text: string,
  client: Client,
  name: string,
  /** The server elsewhere that an entry of ours named. */
  written?: string,
): {
  readonly entry?: Entry;
  readonly runs?: Launch;
  /** The address of the server of ours that it names. */
  readonly url?: string;
  readonly problem?: string;
  readonly at?: Position;
} {
  const reading = readText(text, client, name);
  if ("outcome" in reading) return reading;
  const entry = isValues(reading.entry) ? reading.entry : undefined;
  const runs = entry && readLaunch(reading.layout.shape, entry);
  return { entry, runs, url: entry && !runs ? readRemote(client.remote, entry, written)?.url : undefined };
}

/** All entries of a text by name, and their shape; none if it cannot be parsed. */
export function entriesIn(
  text: string,
  client: Client,
): { readonly shape: Layout["shape"]; readonly entries: Entry } {
  const reading = readText(text, client, "");
  if ("outcome" in reading) return { shape: client.shape, entries: {} };
  const { value, layout: { keys, shape } } = reading;
  const found = valueAt(value, keys);
  const entries = Array.isArray(found)
    ? Object.fromEntries(found.map((entry) => [String(asValues(entry)["name"]), entry]))
    : asValues(found);
  return { shape, entries };
}

/** Adds an entry as it is, unless there is one of that name. */
export function putEntry(text: string, client: Client, name: string, entry: Entry): Edit {
  const reading = readText(text, client, name);
  if ("outcome" in reading) return reading;
  if (reading.entry !== undefined) return { outcome: "same" };
  const target = withEntry(reading.value, reading.layout, name, entry);
  return confirm(write(reading, client, name, entry), reading, client, [target], {
    outcome: "added",
    needsBackup: true,
  });
}

function parse(text: string, { format }: Client): Parsed<unknown> {
  switch (format) {
    case "toml":
      return parseToml(text);
    case "yaml":
      // Comments alone are not valid YAML, but as good as an empty file.
      return splitLines(text).every((line) => /^\s*(#|$)/.test(line)) ? { value: {} } : parseYaml(text);
    case "json":
    case "jsonc":
      return parseJson(text, { comments: format === "jsonc" });
  }
}

type Invalid = Extract<Edit, { readonly outcome: "invalid" }>;

function readText(whole: string, client: Client, name: string): Reading | Invalid {
  const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = whole.slice(mark.length);
  const { value, problem, at } = parse(text, client);
  if (problem !== undefined) {
    return { outcome: "invalid", problem: problem.replace(/ \(\d+:\d+\)$/, ""), at };
  }
  if (!isValues(value)) return { outcome: "invalid", problem: "expected a map of keys and values" };
  const layout = layoutFor(client, value);
  for (let depth = 1; depth <= layout.keys.length; depth++) {
    const keys = layout.keys.slice(0, depth);
    const found = valueAt(value, keys);
    const isList = isListed(layout.shape) && depth === layout.keys.length;
    // In YAML a key without a value is null.
    if (found === undefined || (found === null && client.format === "yaml")) break;
    if (isList ? !Array.isArray(found) : !isValues(found)) {
      const position = /^json/.test(client.format) ? locateJson(text, keys) : undefined;
      const problem = `${keys.join(".")} must be ${isList ? "a list" : "a map"}`;
      return { outcome: "invalid", problem, at: position };
    }
  }
  return { text, mark, value, layout, entry: entryIn(value, layout, name) };
}

function layoutFor({ keys, shape, newer }: Client, value: Entry): Layout {
  return newer !== undefined && isValues(valueAt(value, newer.keys)) ? newer : { keys, shape };
}

/** A new file starts with the keys that the client needs in every file. */
function seeded(reading: Reading, { seed, format }: Client): Reading {
  if (seed === undefined || format !== "yaml" || Object.keys(reading.value).length > 0) return reading;
  const eol = reading.text.includes("\r\n") ? "\r\n" : "\n";
  const lines = Object.entries(seed).map(([key, value]) => `${key}: ${value}${eol}`);
  const text = reading.text === "" || reading.text.endsWith("\n") ? reading.text : `${reading.text}${eol}`;
  return { ...reading, text: text + lines.join("") };
}

/** The text with the entry; `changed` are the only keys that differ from an existing entry. */
function write(
  { text, layout, value }: Reading,
  client: Client,
  name: string,
  entry: Entry,
  changed?: Entry,
): string | undefined {
  const path = [...layout.keys, name];
  switch (client.format) {
    case "toml":
      return setToml(text, path, entry);
    case "yaml":
      return setYaml(text, slotOf(value, layout, name), entry);
    case "json":
    case "jsonc":
      if (changed === undefined) return setJson(text, path, entry);
      return Object.entries(changed).reduce(
        (left, [key, inner]) => setJson(left, [...path, key], inner),
        text,
      );
  }
}

/** The text without the entry and without containers that become empty; the first `kept` keys stay. */
function erase(
  { text, layout, value }: Reading,
  client: Client,
  name: string,
  kept: number,
): string | undefined {
  const { keys } = layout;
  switch (client.format) {
    case "toml":
      return cutToml(text, [...keys, name]);
    case "yaml":
      return cutYaml(text, slotOf(value, layout, name), kept > 0);
    case "json":
    case "jsonc": {
      let left = cutJson(text, [...keys, name]);
      for (let depth = keys.length; depth > kept && isEmptyJson(left, keys.slice(0, depth)); depth--) {
        left = cutJson(left, keys.slice(0, depth));
      }
      return left;
    }
  }
}

function slotOf(value: Entry, { keys, shape }: Layout, name: string) {
  const listed = isListed(shape);
  const list = valueAt(value, keys);
  const index = listed && Array.isArray(list) ? indexOf(list, name) : -1;
  return { key: keys[0]!, name, listed, index: index < 0 ? undefined : index };
}

/** Accepts an edited text only if it parses to one of the expected values. */
function confirm(
  text: string | undefined,
  { mark, text: old }: Reading,
  client: Client,
  targets: readonly Entry[],
  done: Omit<Extract<Edit, { readonly needsBackup: boolean }>, "text">,
): Edit {
  if (text !== undefined) {
    const { value, problem } = parse(text, client);
    const isRight = problem === undefined && targets.some((target) => isSame(value, target));
    const needsBackup = done.needsBackup || losesComment(client.format, old, text);
    if (isRight) return { ...done, text: mark + text, needsBackup };
  }
  return {
    outcome: "invalid",
    problem: `${client.keys.join(".")} is written in a way that cannot be edited safely`,
  };
}
