/**
 * Adds one entry to the text of a client's file, finds it, checks it, or removes it. Pure: file_text.ts changes the text
 * without losing anything else, file_change.ts the file.
 */
import { asValues, isValues, type Position } from "../../content/parse.ts";
import type { Client, Layout } from "./client.ts";
import {
  confirmEdit,
  type Container,
  countKeys,
  cutItem,
  type Edit,
  indexOf,
  type Invalid,
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

export interface EntryRequest {
  readonly name: string;
  readonly force: boolean;
  /** The server elsewhere that an earlier entry of ours named. */
  readonly url?: string;
}

export interface NewEntry extends EntryRequest {
  readonly launch: Launch | Remote;
}

interface Reading extends Opened {
  readonly shapes: EntryShapes;
  readonly entry: unknown;
  /** The same, if it is a map. */
  readonly found?: Entry;
  readonly runs?: Launch;
  readonly isOurs: boolean;
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

/**
 * Removes an entry. `before` is the text from before the entry was added, if it was backed up: a text that has not
 * changed since then becomes that text again, byte for byte.
 */
export function removeEntry(
  text: string,
  before: string | undefined,
  client: Client,
  request: EntryRequest,
): Edit {
  const { name, force, url } = request;
  const reading = readEntry(text, client, request);
  if ("outcome" in reading) return reading;
  const { shapes, entry, found, runs, isOurs, container } = reading;
  if (entry === undefined) return { outcome: "absent" };
  if (!isOurs && !force) return { outcome: "foreign", runs };
  const needsBackup = !isOurs;

  const old = before === undefined ? undefined : readEntry(before, client, request);
  const original = old === undefined || "outcome" in old ? undefined : old;
  if (original?.entry === undefined && original && found) {
    const again = setItem(original, name, found);
    if (again !== undefined && original.mark + again === text) {
      return { outcome: "removed", text: before, needsBackup };
    }
  }
  const launch = runs ?? (found && readRemote(shapes, found, url));
  if (before === undefined && isOurs && launch) {
    const created = addEntry(undefined, client, { name, launch, force: false });
    if ("text" in created && created.text === text) {
      return { outcome: "removed", text: undefined, needsBackup };
    }
  }
  const kept = original === undefined ? 0 : countKeys(original.value, reading.spot.keys);
  const left = Array.isArray(container)
    ? container.toSpliced(indexOf(container, name), 1)
    : Object.fromEntries(Object.entries(container).filter(([other]) => other !== name));
  return confirmEdit(reading, cutItem(reading, name, kept), left, { outcome: "removed", needsBackup });
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

/** All entries of a text by name, and their shapes; none if it cannot be parsed. */
export function entriesIn(
  text: string,
  client: Client,
): { readonly shapes: EntryShapes; readonly entries: Entry } {
  const reading = readEntry(text, client, { name: "" });
  if ("outcome" in reading) return { shapes: client, entries: {} };
  const { container, shapes } = reading;
  const entries = Array.isArray(container)
    ? Object.fromEntries(container.map((entry) => [String(asValues(entry)["name"]), entry]))
    : asValues(container);
  return { shapes, entries };
}

export interface Inspection extends Partial<LaunchState> {
  /** `foreign` runs another program; `invalid` means that the file cannot be parsed. */
  readonly state: "absent" | "ours" | "foreign" | "invalid";
  readonly runs?: Launch;
  readonly url?: string;
  /** Why another program may be started in its place: see `exposureOf`. */
  readonly exposure?: string;
  readonly isOff?: boolean;
  readonly problem?: string;
  readonly at?: Position;
}

/** The path of a program, and not a name on PATH or in a registry. */
const IS_PATH =
  /^(?!@).*[\\/](?:deno(?:\.exe)?|deno\.json|node(?:\.exe)?|launcher\.(?:[cm]js|sh)|bmad-mcp(?:\.exe)?)$/i;

export function inspectText(
  text: string | undefined,
  client: Client,
  own: Pick<EntryRequest, "name" | "url"> & {
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

function readEntry(
  whole: string,
  client: Client,
  { name, url }: Pick<EntryRequest, "name" | "url">,
): Reading | Invalid {
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
  const shapes = { shape: layout.shape, remote };
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
