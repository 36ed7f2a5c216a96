/** What an override or another version changes, and which customizations then have no effect. */
import { asTables } from "../values/merge.ts";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { type Entry, hasKind, isHidden, qualifiedName } from "../../../base/model.ts";
import type { Report } from "../../../base/report.ts";
import { asText, asTexts, formatYaml, isValues, parseToml, type Values } from "../../parse.ts";
import { LIMITS } from "../../limits.ts";
import { recordsOf } from "../../catalog/mod.ts";
import { filesOf, type ServedFile } from "../files/files.ts";
import { readSafely } from "../files/reading.ts";
import { changedEntry } from "../delivery/agent_changes.ts";
import { fileOf, type Library, libraryFor, type SourceFile, sourceOf } from "../library.ts";
import { hasEqualBytes } from "../health/conflicts.ts";
import { changeLayers, customizationSteps } from "../values/customize.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { findFile } from "../files/references.ts";
import { baseName, findText } from "../../tree/mod.ts";
import { readLayer } from "../values/layers.ts";
import { overrideFiles } from "../values/override_files.ts";

export interface Difference {
  readonly file: string;
  readonly change: "changed" | "added" | "removed";
  readonly diff: string;
}

/** For all comparisons of one request: each costs the square of the lines that differ. */
const diffBudget = (): { left: number } => ({ left: LIMITS.comparison.steps });

export function reportDifferences(library: Library, entry: Entry): Report {
  const data = compareRecords(libraryFor(library, entry), entry);
  const { name, origin, overridden, differences } = data;
  const isSame = differences.length === 0;
  const head = overridden === undefined
    ? `${name}: only ${origin} has it, and ${isSame ? "nothing customizes it" : "it is customized"}`
    : `${name}: ${origin} overrides ${overridden.name} of ${overridden.origin}${
      isSame ? "; both are the same" : ""
    }`;
  return { text: [`${head}\n`, ...differences.map(({ diff }) => diff)].join("\n"), data };
}

function compareRecords(library: Library, entry: Entry) {
  const { served: records } = recordsOf(library.manifest, entry);
  const served = records[0] ?? entry;
  const other = served.key === entry.key ? records[1] : entry;
  const facts = { name: qualifiedName(served), origin: served.origin.id };
  const own = [...customized(library, served)];
  if (other === undefined) return { ...facts, overridden: undefined, differences: own };
  const overridden = { name: qualifiedName(other), origin: other.origin.id };
  return { ...facts, overridden, differences: [...compareFiles(library, other, served), ...own] };
}

export function* compareFiles(
  library: Library,
  before: Entry,
  after: Entry,
  budget = diffBudget(),
): Generator<Difference> {
  for (const { place, change, old, now } of differingFiles(library, before, after)) {
    const label = (entry: Entry, one: typeof old) =>
      one === undefined ? "/dev/null" : `${entry.origin.id}/${one.file.path}`;
    const [from, to] = [label(before, old), label(after, now)];
    const isText = [old, now].every((one) => one === undefined || one.content.text !== undefined);
    const diff = isText
      ? formatDiff(from, to, old?.content.text, now?.content.text, budget)
      : `Binary files ${from} and ${to} differ\n`;
    yield { file: place, change, diff };
  }
}

export function* differingFiles(library: Library, before: Entry, after: Entry) {
  const [olds, nows] = [filesByPlace(library, before), filesByPlace(library, after)];
  const findVersion = (file: ServedFile | undefined) => file && { file, content: readSafely(file) };
  for (const place of new Set([...olds.keys(), ...nows.keys()])) {
    const [old, now] = [findVersion(olds.get(place)), findVersion(nows.get(place))];
    const [was, is] = [old?.content.bytes, now?.content.bytes];
    if (was !== undefined && is !== undefined && hasEqualBytes(was, is)) continue;
    yield { place, change: changeOf(old, now), old, now };
  }
}

function changeOf(old: unknown, now: unknown): Difference["change"] {
  return old === undefined ? "added" : now === undefined ? "removed" : "changed";
}

/** Generations use different names, so files are compared by their place in the item. */
function filesByPlace(library: Library, entry: Entry): ReadonlyMap<string, ServedFile> {
  const placeOf = (path: string) => path === entry.file ? MAIN : path.slice(entry.folder.length + 1);
  return new Map(filesOf(library, entry).map((file) => [placeOf(file.path), file]));
}

/** The place of an item's own file, which has another name in each generation. */
export const MAIN = "its own file";

function* customized(library: Library, entry: Entry): Generator<Difference> {
  if (hasKind(entry, "agent")) {
    const text = changedEntry(library, entry);
    const was = text === undefined ? undefined : readSafely(fileOf(library, entry)).text;
    if (was !== undefined && was !== text) {
      yield { file: CUSTOMIZED, change: "changed", diff: formatDiff(entry.file, CUSTOMIZED, was, text) };
    }
  }
  const { base, merged } = customizationSteps(library, entry);
  const [was, is] = [formatYaml(base), formatYaml(merged)];
  if (was !== is) {
    yield { file: VALUES, change: "changed", diff: formatDiff("customize.toml", VALUES, was, is) };
  }
}

const CUSTOMIZED = "the customized text";
const VALUES = "the customized values";

export function formatDiff(from: string, to: string, was?: string, is?: string, budget = diffBudget()) {
  const isNew = was === undefined || is === undefined;
  const { lines, ms } = LIMITS.comparison;
  const maxEditLength = Math.floor(Math.min(lines, Math.sqrt(budget.left)));
  const diff = createTwoFilesPatch(from, to, was ?? "", is ?? "", undefined, undefined, {
    context: 3,
    timeout: ms,
    headerOptions: FILE_HEADERS_ONLY,
    ...(isNew ? {} : { maxEditLength }),
  });
  const differing = diff === undefined ? maxEditLength : diff.match(/^[+-]/gm)?.length ?? 0;
  if (!isNew) budget.left = Math.max(0, budget.left - differing ** 2);
  return diff ?? `${from} and ${to} are too different to be compared\n`;
}

export type LostCustomization = Readonly<Record<"file" | "name" | "reason", string>>;

export type VersionChanges = ReturnType<typeof compareVersions>;

export function compareVersions({ whole: library }: Library, before: string, after: string) {
  const entriesOf = (id: string) =>
    new Map(
      library.manifest.entries.filter(({ origin, status }) => origin.id === id && status !== "no-file-found")
        .map((entry) => [`${entry.kind} ${qualifiedName(entry)}`, entry]),
    );
  const [old, now] = [entriesOf(before), entriesOf(after)];
  const budget = diffBudget();
  const items = [...new Set([...old.keys(), ...now.keys()])].map((key) => {
    const [a, b] = [old.get(key), now.get(key)];
    const entry = (b ?? a)!;
    const named = (one: Difference) => one.file === MAIN ? { ...one, file: baseName(entry.file) } : one;
    const files = a && b ? compareFiles(library, a, b, budget).map(named).toArray() : [];
    return { name: qualifiedName(entry), kind: entry.kind, change: changeOf(a, b), files };
  }).filter(({ change, files }) => change !== "changed" || files.length > 0);
  const customizations = [...old].flatMap(([key, entry]) => [
    ...lostCustomizations(library, entry, now.get(key)),
  ]);
  return { items, customizations };
}

export function* lostCustomizations(library: Library, before: Entry, after: Entry | undefined, now?: string) {
  const name = qualifiedName(before);
  const renamed = after ?? library.manifest.entries.find(({ formerIds }) => formerIds?.includes(before.id));
  const gone = renamed !== undefined && renamed !== after
    ? `it is now called ${renamed.id}`
    : now === undefined
    ? "it is gone"
    : `${now} does its work now`;
  if (hasKind(before, "agent")) yield* lostChanges(library, before, after, { name, gone });
  if (before.kind !== "skill") return;
  const [was, is] = [before, after].map((entry) =>
    entry && readLayer(fileOf(library, entry, "customize.toml"), parseToml)?.values
  );
  if (was === undefined) return;
  for (const file of overrideFiles(library, before)) {
    const lost = (reason: string) => ({ file: shownFile(file), name, reason });
    if (after === undefined) yield lost(gone);
    else if (is === undefined) {
      yield lost(
        isHidden(after) ? `it only forwards to ${now ?? "another one"}` : "it has no customize.toml any more",
      );
    } else {
      const asked = readLayer(file, parseToml)?.values ?? {};
      for (const key of keysOf(asked)) {
        if (has(was, key) && !has(is, key)) yield lost(`it has no ${key.join(".")} any more`);
      }
    }
  }
}

function* lostChanges(
  library: Library,
  before: Entry,
  after: Entry | undefined,
  { name, gone }: Record<"name" | "gone", string>,
): Generator<LostCustomization> {
  const own = sourceOf(library, before);
  for (const { values, file } of changeLayers(library, before)) {
    // What the source brings along itself is not the user's.
    if (file.source === own) continue;
    const lost = (reason: string) => ({ file: shownFile(file), name, reason });
    if (after === undefined || !isCompiled(library, after)) {
      yield lost(after === undefined ? gone : "it is no longer a compiled agent");
      continue;
    }
    const prompts = asTables(values["prompts"]).map(({ id }) => asText(id));
    const hasPrompt = (entry: Entry, id: string) =>
      prompts.includes(id) || promptIds(library, entry).includes(id);
    const isGone = (target: string) =>
      target.startsWith("#")
        ? hasPrompt(before, target.slice(1)) && !hasPrompt(after, target.slice(1))
        : /[/.]/.test(target) && findFile(library, target, file)?.source === own;
    for (const item of asTables(values["menu"])) {
      const action = asTexts(item["action"]).filter((text) => text.startsWith("#"));
      const target = [...MENU_TARGETS.flatMap((key) => asTexts(item[key])), ...action].find(isGone);
      if (target === undefined) continue;
      yield lost(`the menu item ${asText(item["trigger"]) ?? ""} starts ${target}, which is gone`);
    }
  }
}

const MENU_TARGETS = ["workflow", "exec", "validate-workflow", "tmpl", "data"];

function isCompiled(library: Library, entry: Entry): boolean {
  return GENERATIONS[entry.generation].compilesAgents && (entry.file.endsWith(".agent.yaml") ||
    /<agent[\s>]/.test(findText(sourceOf(library, entry).tree, entry.file) ?? ""));
}

function promptIds(library: Library, entry: Entry): readonly string[] {
  const text = findText(sourceOf(library, entry).tree, entry.file) ?? "";
  const found = text.matchAll(
    /<prompt id="([^"\n]{1,100})"|^[ \t]{0,20}-[ \t]{1,9}id:[ \t]{0,9}["']?([\w.-]{1,100})/gm,
  );
  return Array.from(found, ([, compiled, source]) => compiled ?? source!);
}

/** Tables below the fourth level are data of one key. */
function keysOf(values: Values, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isValues(value) && path.length < 4 ? keysOf(value, [...path, key]) : [[...path, key]]
  );
}

function has(values: Values, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!Object.hasOwn(values, key)) return false;
  const inner = values[key];
  // A table may be filled with any key, unless it has some of its own.
  return rest.length === 0 || !isValues(inner) || Object.keys(inner).length === 0 || has(inner, rest);
}

function shownFile({ source, path }: SourceFile): string {
  return source.origin.kind === "package" ? path : `${source.origin.location}/${path}`;
}
