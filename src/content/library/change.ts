/**
 * What is different between two libraries of the same origins, as clients see it: which lists, which resources.
 */
import { visibleEntries } from "../catalog/mod.ts";
import { type Diagnostic, type Entry, isOf } from "../../base/model.ts";
import { listFiles, type ServedFile } from "./files/files.ts";
import { listGenerated } from "./generated/resources.ts";
import type { Library } from "./library.ts";
import { withFix } from "./lists/fixes.ts";

/** What a client may want to hear about. */
export interface Change {
  /** Whether the counts of things differ, their modules, or the agents. */
  readonly tools: boolean;
  /** Whether the things that lists show differ, or what they say of themselves. */
  readonly prompts: boolean;
  /** Whether there are other resources than before. */
  readonly resources: boolean;
  /** The URIs of resources that came, went, or may hold something else now. */
  readonly touched: ReadonlySet<string>;
  /** What was not wrong before. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Compares two libraries. */
export function compareLibraries(before: Library, after: Library): Change {
  const [old, present] = [shownIn(before), shownIn(after)];
  const things = !isSame(old, present);
  const { listed, edited } = compareFiles(before, after);
  const isAny = things || listed.length > 0 || edited.length > 0;
  const made = isAny ? madeIn(after) : new Set<string>();
  const replaced = isAny ? madeIn(before).symmetricDifference(made) : made;
  return {
    tools: things && !isSameOffer(old, present),
    prompts: things,
    resources: listed.length > 0 || replaced.size > 0,
    touched: new Set([...listed, ...edited, ...made, ...replaced]),
    diagnostics: newDiagnostics(before, after),
  };
}

/** What may have changed in a library that was read anew, when nobody looked at it in the state before. */
export function assumeChanged(before: Library | undefined, after: Library, since: number): Change {
  const edited = listFiles(after).filter(({ facts }) => (facts.modified ?? 0) >= since);
  return {
    tools: true,
    prompts: true,
    resources: true,
    touched: new Set([...edited.map(({ uri }) => uri), ...madeIn(after)]),
    diagnostics: newDiagnostics(before, after),
  };
}

function shownIn(library: Library): readonly Entry[] {
  return visibleEntries(library.effective);
}

/** What is made when it is read is made from anything. */
function madeIn(library: Library): ReadonlySet<string> {
  return new Set(listGenerated(library).map(({ uri }) => uri));
}

/** The URIs that only one of the libraries lists, and those under which they have different files. */
function compareFiles(before: Library, after: Library): {
  readonly listed: readonly string[];
  readonly edited: readonly string[];
} {
  const old = new Map(listFiles(before).map((file) => [file.uri, file]));
  const listed: string[] = [];
  const edited: string[] = [];
  for (const file of listFiles(after)) {
    const known = old.get(file.uri);
    if (known === undefined) listed.push(file.uri);
    else if (!isSameFile(known, file)) edited.push(file.uri);
    old.delete(file.uri);
  }
  return { listed: [...listed, ...old.keys()], edited };
}

function isSameFile(a: ServedFile, b: ServedFile): boolean {
  return a.facts.size === b.facts.size && a.facts.modified === b.facts.modified && a.path === b.path &&
    a.source.origin.id === b.source.origin.id;
}

function isSame(a: readonly Entry[], b: readonly Entry[]): boolean {
  return a.length === b.length && a.every((entry, at) => isSameThing(entry, b[at]!));
}

/** The fields of an entry that lists show. */
const SHOWN = ["kind", "module", "id", "name", "title", "displayName", "icon", "description"] as const;

function isSameThing(a: Entry, b: Entry): boolean {
  return SHOWN.every((field) => a[field] === b[field]) && a.roles.join() === b.roles.join();
}

/** Whether tools would be described alike: the same agents, as many workflows, in the same modules. */
function isSameOffer(a: readonly Entry[], b: readonly Entry[]): boolean {
  const agents = (entries: readonly Entry[]) => entries.filter((entry) => isOf(entry, "agent"));
  const workflows = (entries: readonly Entry[]) => entries.filter((entry) => isOf(entry, "workflow")).length;
  const modules = (entries: readonly Entry[]) => new Set(entries.map(({ module }) => module));
  return isSame(agents(a), agents(b)) && workflows(a) === workflows(b) &&
    modules(a).symmetricDifference(modules(b)).size === 0;
}

function newDiagnostics(before: Library | undefined, after: Library): readonly Diagnostic[] {
  const known = new Set(before?.diagnostics.map((diagnostic) => JSON.stringify(diagnostic)));
  return after.diagnostics.filter((diagnostic) => !known.has(JSON.stringify(diagnostic)))
    .map((diagnostic) => withFix(after, diagnostic));
}
