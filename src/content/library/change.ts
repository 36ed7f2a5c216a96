/** What changed between two libraries of the same origins, as clients see it. No file is read. */
import { type Diagnostic, type Entry, hasKind } from "../../base/model.ts";
import { listFiles, type ServedFile } from "./files/files.ts";
import { listGenerated } from "./delivery/resources.ts";
import type { Library } from "./library.ts";
import { withFix } from "./health/diagnose.ts";

export interface Change {
  readonly overview: boolean;
  readonly entries: boolean;
  readonly resources: boolean;
  readonly touched: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

export function compareLibraries(before: Library, after: Library): Change {
  const [old, present] = [before.visible, after.visible];
  const entries = !areSame(old, present);
  const { listed, edited } = compareFiles(before, after);
  // A generated resource may depend on anything.
  const isAny = entries || listed.length > 0 || edited.length > 0;
  const generated = isAny ? generatedUris(after) : new Set<string>();
  const replaced = isAny ? generatedUris(before).symmetricDifference(generated) : generated;
  return {
    overview: entries && !isSameOverview(old, present),
    entries,
    resources: listed.length > 0 || replaced.size > 0,
    touched: new Set([...listed, ...edited, ...generated, ...replaced]),
    diagnostics: newDiagnostics(before, after),
  };
}

export function assumeChanged(before: Library | undefined, after: Library, since: number): Change {
  const edited = listFiles(after).filter(({ facts }) => (facts.modified ?? 0) >= since);
  return {
    overview: true,
    entries: true,
    resources: true,
    touched: new Set([...edited.map(({ uri }) => uri), ...generatedUris(after)]),
    diagnostics: newDiagnostics(before, after),
  };
}

function generatedUris(library: Library): ReadonlySet<string> {
  return new Set(listGenerated(library).map(({ uri }) => uri));
}

function compareFiles(before: Library, after: Library) {
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

const SHOWN = ["kind", "module", "id", "name", "title", "displayName", "icon", "description"] as const;

function areSame(some: readonly Entry[], others: readonly Entry[]): boolean {
  const isSame = (a: Entry, b: Entry) =>
    SHOWN.every((field) => a[field] === b[field]) && a.roles.join() === b.roles.join();
  return some.length === others.length && some.every((entry, at) => isSame(entry, others[at]!));
}

function isSameOverview(a: readonly Entry[], b: readonly Entry[]): boolean {
  const agents = (entries: readonly Entry[]) => entries.filter((entry) => hasKind(entry, "agent"));
  const workflows = (entries: readonly Entry[]) =>
    entries.filter((entry) => hasKind(entry, "workflow")).length;
  const modules = (entries: readonly Entry[]) => new Set(entries.map(({ module }) => module));
  return areSame(agents(a), agents(b)) && workflows(a) === workflows(b) &&
    modules(a).symmetricDifference(modules(b)).size === 0;
}

function newDiagnostics(before: Library | undefined, after: Library): readonly Diagnostic[] {
  const known = new Set(before?.diagnostics.map((diagnostic) => JSON.stringify(diagnostic)));
  return after.diagnostics.filter((diagnostic) => !known.has(JSON.stringify(diagnostic)))
    .map((diagnostic) => withFix(after, diagnostic));
}
