/**
 * What `add` was asked for: one source, or entries of a list in a file, a folder or a repository.
 */
import { fail } from "../../base/errors.ts";
import { moduleNamed } from "../../base/official_modules.ts";
import { findCopyFolder } from "../../content/repositories/mod.ts";
import { isGitLocation } from "../../settings/locations/mod.ts";
import { type ListEntry, type Pin, pinnedLocation } from "../../settings/mod.ts";
import { fetchFirst, fetchLatest, newestRelease } from "./fetch.ts";
import { entriesOf, LIST_FILES, type ListedSource } from "./lists.ts";
import { type GivenSource, listRoot, writtenPath } from "./plan.ts";
import { fetchingOf, type SourcesSession } from "./session.ts";

/** A source that is wanted. */
export interface WantedSource {
  /** What it may be written as, the most likely first. */
  readonly texts: readonly string[];
  /** The entry of a remote list that names it. */
  readonly entry?: ListEntry;
}

/** Every source that is wanted. */
export async function wantedSources(
  session: SourcesSession,
  given: GivenSource,
): Promise<readonly WantedSource[]> {
  const { plan, invocation: { operands: [operand, ...names] } } = session;
  if (given.kind === "list") {
    const { text, path } = readList(given.path);
    const root = listRoot(path);
    const textsOf = textsIn((folder) => writtenPath(`${root}/${folder}`, plan.context));
    return entriesOf(text, names, path).map((source) => ({ texts: textsOf(source) }));
  }
  if (given.kind !== "remote") return [{ texts: [given.text] }];
  const entry = names.length === 0 ? moduleEntry(operand!, given.texts) : undefined;
  if (entry !== undefined) {
    return [{ texts: [await newestRelease(entry.list, fetchingOf(session))], entry }];
  }
  if (names.length === 0) return [{ texts: given.texts }];
  const { location, pin } = await fetchFirst(given.texts, fetchingOf(session));
  const all = await entriesAt(session, location, pin);
  return names.flatMap((name) => all(name).map((texts) => ({ texts, entry: { list: location, name } })));
}

/**
 * A module that is named by its code and lies in a repository, as an entry of the table of modules: with every update it
 * is what its newest release has, like an entry of any other list.
 */
export function moduleEntry(name: string, texts: readonly string[]): ListEntry | undefined {
  const module = moduleNamed(name);
  return module?.source === texts[0] && isGitLocation(texts[0]!)
    ? { list: module!.source, name: module!.code }
    : undefined;
}

/** Where an entry of a list says that a source is now. Of several, `present` is the one that was served so far. */
export async function entryLocations(
  session: SourcesSession,
  { list, name }: ListEntry,
  present: string,
): Promise<readonly string[]> {
  if (moduleNamed(name)?.source === list) return [await newestRelease(list, fetchingOf(session))];
  const found = (await entriesAt(session, list, await fetchLatest(list, fetchingOf(session))))(name);
  const [first = [], ...others] = found;
  if (others.length === 0) return first;
  return found.find((texts) => texts.includes(present)) ??
    fail({
      code: "origin-unavailable",
      origin: present,
      reason: `the entry ${name} of ${list} no longer names it`,
    });
}

/** The entries of a list in a repository or a package, by name: what each of their sources may be written as. */
async function entriesAt(session: SourcesSession, location: string, pin: Pin | undefined) {
  const folder = await copyOf(session, location, pin);
  const { text, path } = readList(folder);
  const shown = `${location}${path.slice(folder.length)}`;
  const textsOf = textsIn((folder) => inside(location, folder));
  return (name: string) => entriesOf(text, [name], shown).map(textsOf);
}

function textsIn(textOf: (folder: string) => string): (source: ListedSource) => readonly string[] {
  return (source) => "folder" in source ? [textOf(source.folder)] : source.locations;
}

async function copyOf({ plan }: SourcesSession, location: string, pin: Pin | undefined): Promise<string> {
  const source = pinnedLocation(location);
  const found = source && pin && await findCopyFolder(plan.fetching, source, pin);
  return found ?? fail({ code: "origin-unavailable", origin: location, reason: "it is not in the cache" });
}

/** Larger than any list. */
const MAX_LIST = 1 << 20;

/** The text of a list: of the file itself, or of the one that a folder has. */
function readList(path: string): { readonly text: string; readonly path: string } {
  for (const file of [path, ...LIST_FILES.map((name) => `${path}/${name}`)]) {
    const text = readPlain(file);
    if (text !== undefined) return { text, path: file };
  }
  return fail({
    code: "not-found",
    what: "list of sources",
    name: path,
    hint: `Expected ${LIST_FILES.join(" or ")}`,
  });
}

/** A plain file; not a link, which could lead anywhere. */
function readPlain(path: string): string | undefined {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    return isFile && size <= MAX_LIST ? new TextDecoder().decode(Deno.readFileSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

/** A folder of a repository or a package. */
function inside(location: string, folder: string): string {
  const source = pinnedLocation(location);
  const { shown, subpath } = source?.kind === "git"
    ? source.repository
    : source?.kind === "npm"
    ? source.location
    : { shown: location };
  const plain = subpath === undefined ? shown : shown.slice(0, shown.lastIndexOf(":/"));
  const path = [subpath, folder].filter(Boolean).join("/").split("/").map(encodeURIComponent).join("/");
  return path === "" ? plain : `${plain}:/${path}`;
}
