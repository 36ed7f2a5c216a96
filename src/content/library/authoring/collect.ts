/**
 * Everything that an agent or a workflow leads to: its activation, its files, and those of the items that it starts.
 *
 * It is read the way a reader reads it: the text of an activation first, then every path in it, then every path in those.
 * So what is collected is what a reader with this server would have opened, rendered and resolved.
 */
import { BmadError } from "../../../base/errors.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import type { Work } from "../../../base/work.ts";
import { resolveName } from "../../catalog/mod.ts";
import { asTexts, parseYaml } from "../../parse.ts";
import { filesOf, uriOf } from "../files/files.ts";
import { type FileContent, rawText } from "../files/reading.ts";
import type { Calls } from "../delivery/calls.ts";
import { type ExecuteRequest, menuOf } from "../delivery/execute.ts";
import { isLauncher } from "../delivery/launcher.ts";
import type { Library } from "../library.ts";
import { referencesAt } from "../health/closure.ts";
import { entryInForce } from "../rows/complete.ts";

/** How the library answers a reader. */
export interface Reader {
  execute(entry: Entry, request: ExecuteRequest): Promise<string>;
  read(reference: string, options: { readonly of: Entry; readonly calls: Calls }): Promise<FileContent>;
}

/** What was collected. */
export interface Collection {
  readonly entry: Entry;
  /** The activation of the entry, then that of every item that it may start. */
  readonly items: readonly { readonly name: string; readonly text: string }[];
  readonly files: readonly FileContent[];
  /** The URIs of the files that some text names; the others only lie in the folder of an item. */
  readonly named: ReadonlySet<string>;
  readonly leftOut: readonly LeftOut[];
}

/** Something that was not collected. */
export interface LeftOut {
  /** A path as a text spells it, or the name of an item. */
  readonly name: string;
  readonly why: string;
}

/** More than any module of BMAD has. */
const MAX_ITEMS = 200;
const MAX_FILES = 5_000;
const MAX_BYTES = 64 << 20;

/** Collects what an entry leads to. */
export async function collect(
  library: Library,
  entry: Entry,
  { reader, calls }: { readonly reader: Reader; readonly calls: Calls },
  { signal }: Work = {},
): Promise<Collection> {
  const started = new Map<string, string>();
  const files = new Map<string, FileContent>();
  const named = new Set<string>();
  const leftOut = new Map<string, string>();
  const ids = new Map(library.effective.map((item) => [item.id, item]));
  const queue = new Map([[qualifiedName(entry), entry]]);
  let bytes = 0;
  const add = (file: FileContent): boolean => {
    const [uri = ""] = file.uri.split("#");
    if (files.has(uri)) return false;
    bytes += file.bytes?.length ?? file.text?.length ?? 0;
    if (files.size >= MAX_FILES || bytes > MAX_BYTES) {
      leftOut.set(uri, "too much for one export");
      return false;
    }
    files.set(uri, { ...file, uri });
    return true;
  };
  const start = (other: Entry | undefined, name: string) => {
    if (other === undefined || other.status === "no-file-found") leftOut.set(name, "it does not exist");
    else if (queue.size >= MAX_ITEMS) leftOut.set(name, "too much for one export");
    else queue.set(qualifiedName(other), other);
  };
  for (const [name, item] of queue) {
    signal?.throwIfAborted();
    const text = await reader.execute(item, { calls });
    started.set(name, text);
    const texts = [{ uri: uriOf(library, item), text }];
    const open = async (reference: string, isNamed = true) => {
      signal?.throwIfAborted();
      try {
        const file = await reader.read(reference, { of: item, calls });
        if (isNamed) named.add(file.uri.split("#")[0]!);
        const other = file.item === undefined ? undefined : itemNamed(library, file.item);
        if (add(file) && other === undefined && file.text !== undefined) {
          texts.push({ uri: file.uri, text: file.text });
        }
        // Its own paths are followed from there.
        if (other !== undefined) start(other, file.item!);
      } catch (error) {
        if (!(error instanceof BmadError)) throw error;
        if (!leftOut.has(reference)) leftOut.set(reference, reasonOf(error));
      }
    };
    // What only the text of the launcher itself needs is done.
    const own = isLauncher(library, item) ? [] : filesOf(library, item);
    for (const { uri } of own) if (uri !== uriOf(library, item)) await open(uri, false);
    for (const target of await targetsOf(library, item)) {
      if (target.includes("/")) await open(target);
      else start(itemNamed(library, target), target);
    }
    const startNamed = (each: string) => {
      for (const [, before, after] of each.matchAll(NAMED_SKILL)) {
        const other = ids.get(before ?? after ?? "");
        if (other !== undefined) start(other, other.id);
      }
    };
    for (const each of texts) {
      startNamed(each.text);
      const uris = each.text.matchAll(URI).map(([uri]) => uri);
      for (const reference of new Set([...referencesAt(each.uri, each.text), ...uris])) {
        if (!reference.startsWith(SKILL)) await open(reference);
        else start(itemNamed(library, reference.slice(SKILL.length)), reference.slice(SKILL.length));
      }
    }
  }
  return {
    entry,
    items: Array.from(started, ([name, text]) => ({ name, text })),
    files: [...files.values()].toSorted((a, b) => a.uri < b.uri ? -1 : 1),
    named,
    leftOut: Array.from(leftOut, ([name, why]) => ({ name, why })),
  };
}

const SKILL = "skill:";

/** A file by its full address. */
const URI = /\bbmad:\/\/[\w./%@+-]{1,300}\.\w{1,10}\b/g;

/** Prose that tells its reader to start a skill: the `x` skill, skill `x`. */
const NAMED_SKILL = /`([a-z][\w-]{1,80})` skill\b|\bskill `([a-z][\w-]{1,80})`/g;

function itemNamed(library: Library, name: string): Entry | undefined {
  const found = resolveName(library.effective, { name });
  return found.outcome === "found" ? found.entry : undefined;
}

/** What the menu of an agent starts; of a team, its agents. */
async function targetsOf(library: Library, entry: Entry): Promise<readonly string[]> {
  if (entry.kind === "team") return membersOf(library, entry);
  const menu = menuOf(library, await entryInForce(library, entry));
  return menu.map(({ target }) => target ?? "").filter((target) => target !== "" && !/^todo/i.test(target));
}

function membersOf(library: Library, entry: Entry): readonly string[] {
  const agents = library.effective.filter(({ kind, module }) => kind === "agent" && module === entry.module);
  const names = asTexts(parseYaml(rawText(library, entry)).value["agents"] ?? []);
  return names.flatMap((name) => name === "*" ? agents.map(({ id }) => id) : [name]);
}

function reasonOf({ failure, message }: BmadError): string {
  if (failure.code === "not-found") return "it does not exist";
  return failure.code === "invalid-input" && message.includes("of your project")
    ? "it is a file of the project"
    : shorten(message);
}
