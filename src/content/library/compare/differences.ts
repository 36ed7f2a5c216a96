/**
 * What an override changes: the record that is served against the one below it, and the effect of customizations.
 *
 * The two may have other names and folders, because generations use different names, so files are compared by their
 * place in the item. Texts are compared as they are delivered, without secrets.
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { type Entry, isOf, qualifiedName } from "../../../base/model.ts";
import type { Report } from "../../../base/report.ts";
import { formatYaml } from "../../parse.ts";
import { recordsOf } from "../../catalog/mod.ts";
import { filesOf, type ServedFile } from "../files/files.ts";
import { readSafely } from "../files/reading.ts";
import { changedEntry } from "../delivery/agent_changes.ts";
import { fileOf, type Library } from "../library.ts";
import { hasEqualBytes } from "../health/conflicts.ts";
import { customizationSteps } from "../values/customize.ts";

/** One file of which there are two versions. */
export interface Difference {
  /** Its place in the item. */
  readonly file: string;
  readonly change: "changed" | "added" | "removed";
  /** A unified diff; for a file that is not text, one line. */
  readonly diff: string;
}

/** How an item differs from what it overrides. */
interface Comparison {
  readonly name: string;
  /** The source that is served. */
  readonly origin: string;
  /** What it overrides; missing if no other source has the item. */
  readonly overridden?: { readonly name: string; readonly origin: string };
  readonly differences: readonly Difference[];
}

/** A longer comparison is not worth reading, so it stops here. */
const LIMIT_MS = 2_000;
const MAX_LINES = 5_000;

/** What all comparisons of one request may cost together: each takes the square of the lines that differ. */
export interface DiffBudget {
  left: number;
}

/** About ten seconds of the slowest comparisons; that of two releases takes a tenth of it. */
export function diffBudget(): DiffBudget {
  return { left: 100_000_000 };
}

/** Compares what is served with an overridden record: with the entry itself, or with the next one below it. */
export function reportDifferences(library: Library, entry: Entry): Report {
  const data = compareRecords(library, entry);
  const { name, origin, overridden, differences } = data;
  const isSame = differences.length === 0;
  const head = overridden === undefined
    ? `${name}: only ${origin} has it, and ${isSame ? "nothing customizes it" : "it is customized"}`
    : `${name}: ${origin} overrides ${overridden.name} of ${overridden.origin}${
      isSame ? "; both are the same" : ""
    }`;
  return { text: [`${head}\n`, ...differences.map(({ diff }) => diff)].join("\n"), data: { ...data } };
}

function compareRecords(library: Library, entry: Entry): Comparison {
  const { served: records } = recordsOf(library.manifest, entry);
  const served = records[0] ?? entry;
  const other = served.key === entry.key ? records[1] : entry;
  const facts = { name: qualifiedName(served), origin: served.origin.id };
  const own = [...customized(library, served)];
  if (other === undefined) return { ...facts, differences: own };
  return {
    ...facts,
    overridden: { name: qualifiedName(other), origin: other.origin.id },
    differences: [...compareFiles(library, other, served), ...own],
  };
}

/** The files of an item that differ between two records of it. */
export function* compareFiles(
  library: Library,
  before: Entry,
  after: Entry,
  budget = diffBudget(),
): Generator<Difference> {
  for (const { place, change, old, now } of differingFiles(library, before, after)) {
    const label = (entry: Entry, one: Version | undefined) =>
      one === undefined ? "/dev/null" : `${entry.origin.id}/${one.file.path}`;
    const [from, to] = [label(before, old), label(after, now)];
    const isText = [old, now].every((one) => one === undefined || one.content.text !== undefined);
    const diff = isText
      ? diffOf(from, to, old?.content.text, now?.content.text, budget)
      : `Binary files ${from} and ${to} differ\n`;
    yield { file: place, change, diff };
  }
}

/** A file as one of the two records has it. */
interface Version {
  readonly file: ServedFile;
  readonly content: ReturnType<typeof readSafely>;
}

/** The places in an item whose files differ between two records of it. */
export function* differingFiles(library: Library, before: Entry, after: Entry): Generator<{
  readonly place: string;
  readonly change: Difference["change"];
  readonly old?: Version;
  readonly now?: Version;
}> {
  const [olds, nows] = [before, after].map((entry) => filesByPlace(library, entry)) as [Places, Places];
  const versionOf = (file: ServedFile | undefined) => file && { file, content: readSafely(file) };
  for (const place of new Set([...olds.keys(), ...nows.keys()])) {
    const [old, now] = [versionOf(olds.get(place)), versionOf(nows.get(place))];
    const [was, is] = [old?.content.bytes, now?.content.bytes];
    if (was !== undefined && is !== undefined && hasEqualBytes(was, is)) continue;
    const change = old === undefined ? "added" : now === undefined ? "removed" : "changed";
    yield { place, change, ...(old && { old }), ...(now && { now }) };
  }
}

type Places = ReadonlyMap<string, ServedFile>;

/** An item's files by their place in it. Its own file has the same place in every generation. */
function filesByPlace(library: Library, entry: Entry): Places {
  return new Map(
    filesOf(library, entry).map((file) => {
      const isOwn = file.path === entry.file;
      return [isOwn ? MAIN : file.path.slice(entry.folder.length + 1), file];
    }),
  );
}

/** The place of an item's own file, which has another name in each generation. */
export const MAIN = "its own file";

/** What teams and users changed in an item, as far as that shows in its text or its values. */
function* customized(library: Library, entry: Entry): Generator<Difference> {
  if (isOf(entry, "agent")) {
    const text = changedEntry(library, entry);
    const was = text === undefined ? undefined : readSafely(fileOf(library, entry)).text;
    if (was !== undefined && was !== text) {
      yield { file: CUSTOMIZED, change: "changed", diff: diffOf(entry.file, CUSTOMIZED, was, text) };
    }
  }
  const { base, merged } = customizationSteps(library, entry);
  const [was, is] = [base, merged].map((values) => formatYaml(values)) as [string, string];
  if (was !== is) {
    yield { file: VALUES, change: "changed", diff: diffOf("customize.toml", VALUES, was, is) };
  }
}

const CUSTOMIZED = "the customized text";
const VALUES = "the customized values";

/** A unified diff of two texts, of which one may be missing. */
export function diffOf(from: string, to: string, was?: string, is?: string, budget = diffBudget()): string {
  const isNew = was === undefined || is === undefined;
  const maxEditLength = Math.floor(Math.min(MAX_LINES, Math.sqrt(budget.left)));
  const diff = createTwoFilesPatch(from, to, was ?? "", is ?? "", undefined, undefined, {
    context: 3,
    timeout: LIMIT_MS,
    headerOptions: FILE_HEADERS_ONLY,
    // What is new is not searched for differences.
    ...(isNew ? {} : { maxEditLength }),
  });
  const differing = diff === undefined ? maxEditLength : diff.match(/^[+-]/gm)?.length ?? 0;
  if (!isNew) budget.left = Math.max(0, budget.left - differing ** 2);
  return diff ?? `${from} and ${to} are too different to be compared\n`;
}
