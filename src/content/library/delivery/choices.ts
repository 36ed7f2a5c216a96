/** Parts of a skill among which an argument chooses: those that the user names come along with the activation. */
import { asTables } from "../values/merge.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import type { Entry } from "../../../base/model.ts";
import { splitLines } from "../../../base/text.ts";
import { asText, isValues, type Values } from "../../../base/values.ts";
import { joinPath, parentPath } from "../../tree/mod.ts";
import { folderUri } from "../files/files.ts";
import { rawText, readSafely } from "../files/reading.ts";
import { LIMITS } from "../../limits.ts";
import { type Library, perKey, sourceOf } from "../library.ts";
import { customizationOf } from "../values/customize.ts";
import { isLauncher } from "./launcher.ts";

type Choice = ReturnType<typeof findChoices>[number];

const { words: MAX_WORDS, message: MAX_MESSAGE, files: MAX_FILES, line: MAX_LINE } = LIMITS.choices;

type Words = { readonly message?: string; readonly item?: string; readonly params?: Values };

export function choose(library: Library, entry: Entry, request: Words) {
  const chosen = namedIn(library, entry, request);
  const { unknown, known } = listedIn(library, entry, request);
  if (chosen.length + unknown.length === 0) return undefined;
  const sections = readFiles(library, entry, chosen.flatMap(({ files }) => files));
  return {
    names: chosen.map(nameOf),
    unknown,
    known,
    files: new Set(sections.keys()),
    text: [...sections.values()].join("\n\n"),
  };
}

export function namedParts(library: Library, entry: Entry, request: Words): readonly (readonly string[])[] {
  return [namedIn(library, entry, request).map(nameOf), listedIn(library, entry, request).unknown];
}

const LISTED = /(?<![\p{L}\p{N}])(\p{L}{1,40})=([\p{L}\p{N}_-]{1,80}(?:,[\p{L}\p{N}_-]{1,80}){0,20})/gu;

function listedIn(library: Library, entry: Entry, { message = "" }: Words) {
  const lists = message.slice(0, MAX_MESSAGE).matchAll(LISTED).toArray();
  const choices = lists.length === 0 ? [] : findChoices(library, entry);
  const ofKinds = lists.flatMap(([, kind, list]) => {
    const own = choices.filter(({ kinds }) => kinds.includes(kind!.toLowerCase()));
    const unknown = list!.split(",").filter((one) => !own.some((choice) => isNamed(choice, wordsIn(one))));
    return own.length === 0 ? [] : [{ own, unknown }];
  });
  return {
    unknown: ofKinds.flatMap(({ unknown }) => unknown),
    known: ofKinds.flatMap(({ own }) => own.map(nameOf)),
  };
}

function nameOf({ names }: Choice): string {
  return names[0]!.join("-");
}

function namedIn(library: Library, entry: Entry, { message = "", item = "", params = {} }: Words) {
  const given = Object.entries(params).map(([name, value]) => `${name} ${value}`);
  const said = [[message, ...given].join("\n"), item]
    .map((text) => wordsIn(text.slice(0, MAX_MESSAGE).replaceAll(FILE_NAME, " ")).slice(0, MAX_WORDS))
    .filter((words) => words.length > 0);
  if (said.length === 0) return [];
  return findChoices(library, entry).filter((choice) => said.some((words) => isNamed(choice, words)));
}

function wordsIn(text: string): readonly string[] {
  return text.normalize().toLowerCase().match(/[\p{L}\p{N}]{1,100}/gu) ?? [];
}

const FILE_NAME = /[\p{L}\p{N}_-]{1,80}(?:[./\\][\p{L}\p{N}_-]{1,80}){1,20}/gu;

function isNamed({ names, kinds }: Choice, said: readonly string[]): boolean {
  const called = names.flatMap((name) => name.length < 3 ? [name] : [name, name.slice(0, 2)]);
  return called.some((name) => {
    const places = said.keys().filter((at) => name.every((word, i) => said[at + i] === word)).toArray();
    if (places.length === 0) return false;
    // A letter or two are an answer to a menu.
    if (name.join("").length < 3) return said.length === name.length;
    return places[0] === 0 || name.length > 1 || kinds.some((kind) => said.includes(kind));
  });
}

export const findChoices = perKey((library, entry: Entry) => {
  if (!GENERATIONS[entry.generation].isOfSkills || !entry.ownsFolder || isLauncher(library, entry)) return [];
  const isOwn = ownFiles(library, entry);
  const named = Object.values(customizationOf(library, entry)).filter(isValues).flatMap(tablesIn);
  const choices = [...named, ...splitLines(rawText(library, entry)).flatMap(linesIn)];
  return choices.slice(0, LIMITS.choices.choices).map(({ names, kinds, text }) => ({
    names: names.map(wordsIn).filter((words) => words.length > 0),
    kinds,
    files: pathsIn(text).filter(isOwn),
  })).filter(({ names, files }) => names.length > 0 && files.length > 0);
});

function tablesIn(values: Values) {
  return Object.entries(values).flatMap(([key, list]) => {
    const [kind = ""] = wordsIn(key.replaceAll("_", " ")).slice(-1);
    return asTables(list).map((table) => ({
      names: [table["code"] ?? table["id"], table["name"]].flatMap((one) => asText(one) ?? []),
      kinds: [kind, kind.replace(/e?s$/, ""), kind.replace(/s$/, "")],
      text: Object.values(table).map((value) => asText(value) ?? "").join("\n"),
    })).filter(({ names }) => names.length > 0);
  });
}

const KINDS = ["mode", "modes", "intent", "intents"];

/** `- **status** — where are we: load …`, `**If V:** Load …`; what is numbered is a step. */
const BOLD = /^\s{0,12}(?:[-*+]\s{1,4})?\*\*(?:If )?`?([^*`]{1,60})`?\*\*(.{1,2000})$/;
const ARROW = /(?<=^|[—–,;:(]\s{0,2})([\p{L}][\p{L} -]{0,60}) → `([\w./-]{1,200})`/gu;

export function isChoice(line: string): boolean {
  return linesIn(line).length > 0;
}

function linesIn(line: string): ReturnType<typeof tablesIn> {
  const [, bold = "", rest = ""] = BOLD.exec(line) ?? [];
  const load = rest.search(/\bload\b/i);
  if (load >= 0) return [{ names: [bold], kinds: KINDS, text: rest.slice(load) }];
  if (line.startsWith("|")) {
    const [, first = "", ...cells] = line.slice(0, MAX_LINE).split("|");
    const names = first.split("/").filter((name) => /\p{L}/u.test(name));
    return names.length === 0 ? [] : [{ names, kinds: KINDS, text: cells.join("\n") }];
  }
  return Array.from(
    line.slice(0, MAX_LINE).matchAll(ARROW),
    ([, name, path]) => ({ names: [name!], kinds: KINDS, text: path! }),
  );
}

function pathsIn(text: string): readonly string[] {
  const paths = text.slice(0, 4_000).matchAll(
    /(?<![\w./-])(?:\{skill-root\}\/|\.\/)?([\w-]{1,80}(?:\/[\w-]{1,80}){0,4}\.md)\b/g,
  );
  return [...new Set(Array.from(paths, ([, path]) => path!))].slice(0, MAX_FILES);
}

function ownFiles(library: Library, entry: Entry): (path: string) => boolean {
  const { tree } = sourceOf(library, entry);
  return (path) => {
    const full = joinPath(entry.folder, path);
    return full !== entry.file && tree.stat(full) !== undefined;
  };
}

/** What depends on a condition is opened when it holds. */
const LOADED =
  /(?:^|[.!?] {1,2})Load `(?:\{skill-root\}\/)?(?:\.\/)?([\w-]{1,80}(?:\/[\w-]{1,80}){0,4}\.md)`/gm;

function readFiles(library: Library, entry: Entry, paths: readonly string[]): ReadonlyMap<string, string> {
  const source = sourceOf(library, entry);
  const isOwn = ownFiles(library, entry);
  const sections = new Map<string, string>();
  let left: number = LIMITS.choices.bytes;
  const queue = [...paths];
  for (const path of queue) {
    const full = joinPath(entry.folder, path);
    if (sections.has(path) || sections.size >= MAX_FILES) continue;
    left -= source.tree.stat(full)?.size ?? 0;
    const text = left < 0 ? undefined : readSafely({ source, path: full }).text;
    if (text === undefined) continue;
    sections.set(path, `=== chosen: ${folderUri(entry)}${path} ===\n${text.trimEnd()}`);
    const loaded = Array.from(text.matchAll(LOADED), ([, one]) => one!).slice(0, MAX_FILES);
    queue.push(...loaded.map((one) => isOwn(one) ? one : joinPath(parentPath(path), one)).filter(isOwn));
  }
  return sections;
}
