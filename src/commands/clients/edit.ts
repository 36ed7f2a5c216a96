/**
 * One entry put into the text of a client's file, found in it, or taken out of it.
 *
 * The same for every format: understand the text, decide, have the format's own file change as few lines as it can,
 * and understand the result again. What says anything else than the old text with that one entry changed is thrown
 * away: then the file is left alone. Pure: texts in, texts out. Reading and writing files is file_change.ts.
 */
import { asValues, isValues, type Parsed, parseToml, parseYaml, type Position } from "../../content/parse.ts";
import type { Client, Layout } from "./client.ts";
import { cutJson, locateJson, parseJson, setJson } from "./json_text.ts";
import { buildEntry, type Entry, isListed, type Launch, launchPart, readLaunch } from "./shapes.ts";
import { depthIn, entryIn, indexOf, isSame, valueAt, withEntry, withoutEntry } from "./shelf.ts";
import { cutToml, setToml } from "./toml_text.ts";
import { cutYaml, setYaml } from "./yaml_text.ts";

/** What became of a text. */
export type Edit =
  | {
    readonly outcome: "added" | "updated" | "replaced" | "removed";
    /** Undefined when nothing is left that anybody but us has said. */
    readonly text: string | undefined;
    /** Whether what others have said is changed, not only an entry of ours: then the old text is worth a copy. */
    readonly isDelicate: boolean;
  }
  | { readonly outcome: "same" | "absent" }
  /** An entry of that name runs something else. */
  | { readonly outcome: "foreign"; readonly runs: Launch | undefined }
  | { readonly outcome: "invalid"; readonly problem: string; readonly at?: Position };

/** Which entry is meant. */
export interface Wanted {
  readonly name: string;
  /** What it should run. */
  readonly launch: Launch;
  /** Whether something that an entry runs is this program. */
  isOurs(launch: Launch): boolean;
  /** Whether an entry of that name may be changed although it runs something else. */
  readonly force: boolean;
}

/** What a text says: the whole, and the entry that is meant. */
interface Reading {
  /** Without a byte order mark. */
  readonly text: string;
  readonly mark: string;
  readonly value: Entry;
  readonly layout: Layout;
  readonly entry: unknown;
}

/** Puts the entry in, or brings the one that is there up to date; what else it says is kept. */
export function addEntry(text: string | undefined, client: Client, wanted: Wanted): Edit {
  const reading = readText(text ?? "", client, wanted.name);
  if ("outcome" in reading) return reading;
  const { layout: { shape }, entry, value } = reading;
  const isNew = entry === undefined;
  const runs = isValues(entry) ? readLaunch(shape, entry) : undefined;
  if (runs !== undefined && isSame(runs, wanted.launch)) return { outcome: "same" };
  const isKept = runs !== undefined && wanted.isOurs(runs);
  if (!isNew && !isKept && !wanted.force) return { outcome: "foreign", runs };
  const changed = launchPart(shape, wanted.launch);
  const next = isKept ? { ...asValues(entry), ...changed } : buildEntry(shape, wanted.name, wanted.launch);
  const seed = Object.keys(value).length === 0 ? client.seed : undefined;
  const written = write(seeded(reading, client), client, wanted.name, next, isKept ? changed : undefined);
  const target = withEntry({ ...seed, ...value }, reading.layout, wanted.name, next);
  const outcome = isNew ? "added" : isKept ? "updated" : "replaced";
  return confirm(written, reading, client, [target], { outcome, isDelicate: !isKept });
}

/**
 * Takes the entry out. `before` is the text from before the entry came, where one was kept: what still is as it was
 * made from that text becomes that text again, byte for byte.
 */
export function removeEntry(
  text: string,
  before: string | undefined,
  client: Client,
  wanted: Omit<Wanted, "launch">,
): Edit {
  const reading = readText(text, client, wanted.name);
  if ("outcome" in reading) return reading;
  const { layout, entry, value } = reading;
  if (entry === undefined) return { outcome: "absent" };
  const runs = isValues(entry) ? readLaunch(layout.shape, entry) : undefined;
  const isDelicate = runs === undefined || !wanted.isOurs(runs);
  if (isDelicate && !wanted.force) return { outcome: "foreign", runs };

  const old = before === undefined ? undefined : readText(before, client, wanted.name);
  const origin = old === undefined || "outcome" in old ? undefined : old;
  if (before !== undefined && origin !== undefined && origin.entry === undefined && isValues(entry)) {
    const again = write(seeded(origin, client), client, wanted.name, entry);
    if (again !== undefined && origin.mark + again === text) {
      return { outcome: "removed", text: before, isDelicate };
    }
  }
  const kept = origin === undefined ? 0 : depthIn(origin.value, layout.keys);
  const target = withoutEntry(value, layout, wanted.name, kept);
  const isOurFile = before === undefined && isSame(target, { ...client.seed });
  const hasRemarks = client.format !== "json" && /^\s*(?:#|\/\/|\/\*)/m.test(reading.text);
  if (isOurFile && !hasRemarks && !isDelicate) return { outcome: "removed", text: undefined, isDelicate };
  const written = erase(reading, client, wanted.name, kept);
  // A map that holds nothing any more may have been there before us.
  const targets = [target, withoutEntry(value, layout, wanted.name, layout.keys.length)];
  return confirm(written, reading, client, targets, { outcome: "removed", isDelicate });
}

/** The entry of a name, if the text can be read and has one. */
export function findEntry(
  text: string,
  client: Client,
  name: string,
): { readonly entry?: Entry; readonly runs?: Launch; readonly problem?: string; readonly at?: Position } {
  const reading = readText(text, client, name);
  if ("outcome" in reading) return reading;
  const entry = isValues(reading.entry) ? reading.entry : undefined;
  return { entry, runs: entry && readLaunch(reading.layout.shape, entry) };
}

function parse(text: string, { format }: Client): Parsed<unknown> {
  switch (format) {
    case "toml":
      return parseToml(text);
    case "yaml":
      // A file that says nothing is as good as none.
      return text.split("\n").every((line) => /^\s*(#|$)/.test(line)) ? { value: {} } : parseYaml(text);
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
  if (!isValues(value)) return { outcome: "invalid", problem: "it must be a map of keys and values" };
  const layout = layoutFor(client, value);
  for (let depth = 1; depth <= layout.keys.length; depth++) {
    const keys = layout.keys.slice(0, depth);
    const found = valueAt(value, keys);
    const isList = isListed(layout.shape) && depth === layout.keys.length;
    // YAML has an empty value for a key that nothing follows.
    if (found === undefined || (found === null && client.format === "yaml")) break;
    if (isList ? !Array.isArray(found) : !isValues(found)) {
      const position = /^json/.test(client.format) ? locateJson(text, keys) : undefined;
      const kind = isList ? "a list" : "a map";
      return { outcome: "invalid", problem: `${keys.join(".")} must be ${kind}`, at: position };
    }
  }
  return { text, mark, value, layout, entry: entryIn(value, layout, name) };
}

function layoutFor({ keys, shape, newer }: Client, value: Entry): Layout {
  return newer !== undefined && isValues(valueAt(value, newer.keys)) ? newer : { keys, shape };
}

/** A new file begins with what the client wants to read in every file. */
function seeded(reading: Reading, { seed, format }: Client): Reading {
  if (seed === undefined || format !== "yaml" || Object.keys(reading.value).length > 0) return reading;
  const eol = reading.text.includes("\r\n") ? "\r\n" : "\n";
  const lines = Object.entries(seed).map(([key, value]) => `${key}: ${value}${eol}`);
  const text = reading.text === "" || reading.text.endsWith("\n") ? reading.text : `${reading.text}${eol}`;
  return { ...reading, text: text + lines.join("") };
}

/** The text with the entry; `changed` are the only keys of it that differ, where it was there before. */
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
      return setYaml(text, shelfOf(value, layout, name), entry);
    case "json":
    case "jsonc":
      if (changed === undefined) return setJson(text, path, entry);
      return Object.entries(changed).reduce(
        (left, [key, inner]) => setJson(left, [...path, key], inner),
        text,
      );
  }
}

/** The text without the entry, and without what only held it; the first `kept` of the keys stay. */
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
      return cutYaml(text, shelfOf(value, layout, name), kept > 0);
    case "json":
    case "jsonc": {
      let left = cutJson(text, [...keys, name]);
      for (let depth = keys.length; depth > kept; depth--) {
        const holder = valueAt(parse(left, client).value, keys.slice(0, depth));
        if (isValues(holder) && Object.keys(holder).length === 0) left = cutJson(left, keys.slice(0, depth));
      }
      return left;
    }
  }
}

function shelfOf(value: Entry, { keys, shape }: Layout, name: string) {
  const listed = isListed(shape);
  const list = valueAt(value, keys);
  const index = listed && Array.isArray(list) ? indexOf(list, name) : -1;
  return { key: keys[0]!, name, listed, index: index < 0 ? undefined : index };
}

/** Lets a text pass if it says what it should. */
function confirm(
  text: string | undefined,
  { mark }: Reading,
  client: Client,
  targets: readonly Entry[],
  done: Pick<Extract<Edit, { readonly isDelicate: boolean }>, "outcome" | "isDelicate">,
): Edit {
  if (text !== undefined) {
    const { value, problem } = parse(text, client);
    const isRight = problem === undefined && targets.some((target) => isSame(value, target));
    if (isRight) return { ...done, text: mark + text };
  }
  return {
    outcome: "invalid",
    problem: `${client.keys.join(".")} is written in a way that cannot be edited safely`,
  };
}
