/**
 * What another version of a source changes: its instructions, and the customizations that then have no effect.
 *
 * Both versions are origins of one library, beside everything else that is served, because customizations lie in other
 * origins.
 */
import { GENERATIONS } from "../../../base/generations.ts";
import { type Entry, isHidden, isOf, qualifiedName } from "../../../base/model.ts";
import { asText, asTexts, isValues, parseToml, type Values } from "../../parse.ts";
import { findFile } from "../files/references.ts";
import { findText, joinPath } from "../../tree/mod.ts";
import { type Library, type SourceFile, sourceOf } from "../library.ts";
import { changeLayers } from "../values/customize.ts";
import { readLayer } from "../values/layers.ts";
import { overrideFiles } from "../values/override_files.ts";
import { compareFiles, diffBudget, type Difference, MAIN } from "./differences.ts";

/** One item that differs. */
export interface ItemChange {
  readonly name: string;
  readonly kind: string;
  readonly change: "added" | "removed" | "changed";
  /** The files that differ; empty for an item that was added or removed. */
  readonly files: readonly Difference[];
}

/** A customization that has no effect on the new version. */
export interface LostCustomization {
  /** The file that holds it, absolute if it is on disk. */
  readonly file: string;
  readonly name: string;
  readonly reason: string;
}

/** What a version changes. */
export interface VersionChanges {
  readonly items: readonly ItemChange[];
  readonly customizations: readonly LostCustomization[];
}

/** Compares two versions of a source, by the ids of their origins. */
export function compareVersions({ whole: library }: Library, before: string, after: string): VersionChanges {
  const entriesOf = (id: string) =>
    new Map(
      library.manifest.entries.filter(({ origin, status }) => origin.id === id && status !== "no-file-found")
        .map((entry) => [`${entry.kind} ${qualifiedName(entry)}`, entry]),
    );
  const [old, now] = [entriesOf(before), entriesOf(after)];
  const items: ItemChange[] = [];
  const budget = diffBudget();
  const customizations: LostCustomization[] = [];
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(key), now.get(key)];
    const entry = (b ?? a)!;
    const own = entry.file.split("/").at(-1)!;
    const files = a === undefined || b === undefined
      ? []
      : compareFiles(library, a, b, budget).map((one) => one.file === MAIN ? { ...one, file: own } : one)
        .toArray();
    const change = a === undefined ? "added" : b === undefined ? "removed" : "changed";
    if (change !== "changed" || files.length > 0) {
      items.push({ name: qualifiedName(entry), kind: entry.kind, change, files });
    }
    if (a !== undefined) customizations.push(...lostCustomizations(library, a, b));
  }
  return { items, customizations };
}

/** The customizations of an item that have no effect any more; `now` is what does its work, where that is known. */
export function* lostCustomizations(
  library: Library,
  before: Entry,
  after: Entry | undefined,
  now?: string,
): Generator<LostCustomization> {
  const name = qualifiedName(before);
  const renamed = after ?? library.manifest.entries.find(({ formerIds }) => formerIds?.includes(before.id));
  const gone = renamed !== undefined && renamed !== after
    ? `it is now called ${renamed.id}`
    : now === undefined
    ? "it is gone"
    : `${now} does its work now`;
  if (isOf(before, "agent")) yield* lostChanges(library, before, after, { name, gone });
  if (before.kind !== "skill") return;
  const [was, is] = [before, after].map((entry) => entry && ownValues(library, entry));
  // One that had no effect before is not lost.
  if (was === undefined) return;
  for (const file of overrideFiles(library, before)) {
    const lost = (reason: string) => ({ file: shownFile(file), name, reason });
    if (after === undefined) yield lost(gone);
    else if (is === undefined) {
      yield lost(
        isHidden(after) ? `it only forwards to ${now ?? "another one"}` : "it has no customize.toml any more",
      );
    } else {
      const asked = readLayer(file, parseToml, [])?.values ?? {};
      for (const key of keysOf(asked)) {
        if (has(was, key) && !has(is, key)) yield lost(`it has no ${key.join(".")} any more`);
      }
    }
  }
}

/** What is lost of the customization of a compiled agent: all of it, or items of the menu whose targets are gone. */
function* lostChanges(
  library: Library,
  before: Entry,
  after: Entry | undefined,
  { name, gone }: { readonly name: string; readonly gone: string },
): Generator<LostCustomization> {
  const own = sourceOf(library, before);
  for (const { values, file } of changeLayers(library, before, [])) {
    // What the source brings along itself is not the user's.
    if (file.source === own) continue;
    const lost = (reason: string) => ({ file: shownFile(file), name, reason });
    if (after === undefined) yield lost(gone);
    else if (!isCompiled(library, after)) yield lost("it is no longer a compiled agent");
    else {
      const prompts = asValuesList(values["prompts"]).map(({ id }) => asText(id));
      const hasPrompt = (entry: Entry, id: string) =>
        prompts.includes(id) || promptIds(library, entry).includes(id);
      const isGone = (target: string) =>
        target.startsWith("#")
          ? hasPrompt(before, target.slice(1)) && !hasPrompt(after, target.slice(1))
          : /[/.]/.test(target) && findFile(library, target, file)?.source === own;
      for (const item of asValuesList(values["menu"])) {
        const action = asTexts(item["action"]).filter((text) => text.startsWith("#"));
        const target = [...MENU_TARGETS.flatMap((key) => asTexts(item[key])), ...action].find(isGone);
        if (target === undefined) continue;
        yield lost(`the menu item ${asText(item["trigger"]) ?? ""} starts ${target}, which is gone`);
      }
    }
  }
}

/** What an item of a compiled menu may start. */
const MENU_TARGETS = ["workflow", "exec", "validate-workflow", "tmpl", "data"];

function asValuesList(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter(isValues) : [];
}

/** Whether a customization can be applied to an agent. */
function isCompiled(library: Library, entry: Entry): boolean {
  return GENERATIONS[entry.generation].compilesAgents && (entry.file.endsWith(".agent.yaml") ||
    /<agent[\s>]/.test(findText(sourceOf(library, entry).tree, entry.file) ?? ""));
}

/** The ids of the prompts that an agent has, compiled or not. */
function promptIds(library: Library, entry: Entry): readonly string[] {
  const text = findText(sourceOf(library, entry).tree, entry.file) ?? "";
  const found = text.matchAll(
    /<prompt id="([^"\n]{1,100})"|^[ \t]{0,20}-[ \t]{1,9}id:[ \t]{0,9}["']?([\w.-]{1,100})/gm,
  );
  return Array.from(found, ([, compiled, source]) => compiled ?? source!);
}

/** The values that a skill offers to be customized; undefined if it offers none. */
function ownValues(library: Library, entry: Entry): Values | undefined {
  const file = { source: sourceOf(library, entry), path: joinPath(entry.folder, "customize.toml") };
  return readLayer(file, parseToml, [])?.values;
}

/** Deeper tables are data of one key. */
const MAX_DEPTH = 4;

/** The names of all values in tables, each as its path. */
function keysOf(values: Values, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isValues(value) && path.length < MAX_DEPTH ? keysOf(value, [...path, key]) : [[...path, key]]
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
