/**
 * What `add` was asked for: one source, or entries of a list in a file, a folder or a repository.
 */
import { fail } from "../../../base/errors.ts";
import { findCopyFolder } from "../../../content/repositories/mod.ts";
import { type Pin, pinnedLocation } from "../../../settings/mod.ts";
import { fetchFirst } from "./fetch.ts";
import { entriesOf, LIST_FILES, type ListedSource } from "./lists.ts";
import { type GivenSource, listRoot, writtenPath } from "./plan.ts";
import { fetchingOf, type SourcesSession } from "./session.ts";

/** Every source that is wanted, each with the texts that it may be written as, the most likely first. */
export async function wantedSources(
  session: SourcesSession,
  given: GivenSource,
): Promise<readonly (readonly string[])[]> {
  const { plan, invocation: { operands: [, ...names] } } = session;
  if (given.kind === "list") {
    const { text, path } = readList(given.path);
    const root = listRoot(path);
    return textsOf(entriesOf(text, names, path), (folder) => writtenPath(`${root}/${folder}`, plan.context));
  }
  if (given.kind !== "remote") return [[given.text]];
  if (names.length === 0) return [given.texts];
  const { location, pin } = await fetchFirst(given.texts, fetchingOf(session));
  const folder = await copyOf(session, location, pin);
  const { text, path } = readList(folder);
  const shown = `${location}${path.slice(folder.length)}`;
  return textsOf(entriesOf(text, names, shown), (folder) => inside(location, folder));
}

function textsOf(sources: readonly ListedSource[], textOf: (folder: string) => string) {
  return sources.map((source) => "folder" in source ? [textOf(source.folder)] : source.locations);
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
