/** Which files a story names, and which are code and tests. */
import { cachedWith } from "../../../base/cache.ts";
import { replaceHidden } from "../../../base/hidden.ts";
import { liesIn } from "../../../base/paths.ts";
import { normalizePath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { cellsIn, readStoryText, type StoryText } from "./document.ts";

export interface ListedFile {
  readonly path: string;
  /** What it may be called, as names may have spaces: the longest first. */
  readonly names: readonly string[];
  readonly of: string;
  readonly line: number;
  readonly isGone: boolean;
}

const GONE =
  /\b(?:delet|remov|renam|mov)(?:e|ed|es|ing)?\b|supprim|d[ée]plac|gelöscht|entfernt|verschoben|umbenannt|elimina|eliminad|borrad|удал|删除|移除|削除|삭제/iu;

/** All paths of a line that says what became of them, else the first. */
export const listedFiles: (text: StoryText) => readonly ListedFile[] = cachedWith(({ lines, path: of }) =>
  (lines.get("files") ?? []).flatMap(({ text, line, label }) => {
    const found = (text.startsWith("|") ? cellsIn(text) : [text]).flatMap(pathsIn);
    const isGone = GONE.test(text.replace(found[0]?.path ?? "", "")) || GONE.test(label);
    return found.slice(0, isGone ? undefined : 1).map((one) => ({ ...one, of, line, isGone }));
  }).slice(0, LIMITS.documents.listedFiles)
);

/** A code span with spaces may be a command. */
export function resolveFiles(listed: readonly ListedFile[], isKnown: (path: string) => boolean) {
  return listed.map((one) => ({ ...one, path: one.names.find(isKnown) ?? one.path }))
    .filter(({ path }) => !/\s/.test(path) || isKnown(path));
}

const SPAN = /`[^`\n]{1,300}`/g;

/** Of its lists, and in code spans except documents. */
export function filesNamedIn(path: string, text: string, records: readonly string[]): ReadonlySet<string> {
  const spans = [...text.matchAll(SPAN).take(LIMITS.documents.listedFiles)].flatMap(([span]) =>
    /\s/.test(span) ? [] : pathFrom(span) ?? []
  );
  const listed = listedFiles(readStoryText(path, text)).map((one) => one.path);
  const isChanged = (file: string) => !/\.(?:md|markdown)$/i.test(file) && !isIncidentalFile(file, records);
  return new Set([...listed, ...spans].filter(isChanged));
}

const WORD = /`[^`]{1,300}`|[^\s`'"()[\]<>|,;]+/g;
const MAX_WORDS = 12;

/** Code spans first. */
function pathsIn(text: string) {
  const words = [...text.slice(0, 500).matchAll(WORD).take(MAX_WORDS)];
  const pathOf = (from: RegExpExecArray, to = from) =>
    pathFrom(text.slice(from.index, to.index + to[0].length)) ?? [];
  return [...words.filter(([word]) => word.startsWith("`")), ...words].flatMap((word) => {
    const at = words.indexOf(word);
    const namesFrom = (from: RegExpExecArray) => words.slice(at).flatMap((to) => pathOf(from, to));
    const names = () => words.slice(0, at + 1).flatMap(namesFrom).sort((a, b) => b.length - a.length);
    return [pathOf(word)].flat().map((path) => ({ path, names: names() }));
  });
}

function pathFrom(text: string): string | undefined {
  const plain = text.replaceAll("`", "").replace(/^\{project-root\}/, "").replace(/:\d+(?:-\d+)?$/, "")
    .replace(/[.:*]{1,9}$/, "").replaceAll("\\", "/").replace(/^\/+/, "");
  const isPath = /^[\p{L}\p{N}_@.~$[\]()+-][^{}*?]*$/u.test(plain) &&
    (/\/[^/\s]+$|^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.[A-Za-z]\w{0,7}$/u.test(plain) ||
      /\s/.test(plain) && /\.[A-Za-z]\w{0,7}$/.test(plain)) &&
    !/^https?:|^\.{2,}|\.\.\/|…/.test(plain) && replaceHidden(plain, () => "") === plain;
  return isPath ? normalizePath(plain) || undefined : undefined;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|kts|scala|cs|fs|vb|php|swift|m|mm|c|cc|cpp|cxx|h|hpp|dart|ex|exs|erl|clj|lua|pl|r|jl|vue|svelte|sol|zig|nim|hs|elm|groovy)$/i;
const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress|testing|features)\/|(?:^|[._\/-])(?:tests?|spec|e2e|cy)[._-][^/]*$|(?:Tests?|Spec|IT)\.\w+$|(?:^|\/)test[^/]*$|\.feature$/;

export function isCode(path: string): boolean {
  return CODE.test(path);
}

/** By its name: `tests/a.ts`, `a_test.go`, `a.spec.ts`, `ATest.java`. */
export function isTest(path: string): boolean {
  return TEST.test(path.slice(-300)) && !/\.(?:bak|old|orig|disabled|skip|skipped|off|tmp)$/i.test(path) &&
    !/\.(?:md|txt|json|ya?ml|snap|png|csv)$/i.test(path);
}

/** Languages whose tests are in the code itself. */
const MARK =
  /#\[(?:cfg\(test\)|(?:\w+::)?test)|^\s{0,20}(?:test|unittest)\b[^\n]{0,200}\{|>>> |\bimport\.meta\.vitest\b/m;

export function holdsTests(text: string): boolean {
  return MARK.test(text);
}

/** What people do not list: tools' output, hidden files, records of the work itself. */
export function isIncidentalFile(path: string, records: readonly string[]): boolean {
  return /(?:^|\/)\.[^/]/.test(path) ||
    /(?:^|\/)(?:_bmad|bmad|node_modules|vendor|dist|build|target)\//.test(path) ||
    /(?:^|\/)[^/]*(?:lock(?:file)?(?:\.\w+)?|\.snap|\.sum)$/i.test(path) ||
    /-lock\.(?:json|ya?ml)$/i.test(path) ||
    records.some((folder) => liesIn(path, folder));
}

/** Relative to a folder inside the project, or folders. */
export function fileList(listed: readonly Pick<ListedFile, "path">[]) {
  const known = new Set(listed.map(({ path }) => path));
  const pathFor = (file: string): string | undefined => {
    if (known.has(file) || known.size === 0) return known.has(file) ? file : undefined;
    const parts = file.split("/");
    if (parts.length > LIMITS.documents.fileDepth) return undefined;
    for (let from = 0; from < parts.length; from++) {
      for (let to = parts.length; to > from; to--) {
        const part = parts.slice(from, to).join("/");
        // A single word in the middle of a path does not mean a folder.
        if (known.has(part) && (from === 0 || to === parts.length || to - from > 1)) return part;
      }
    }
    return undefined;
  };
  return { pathFor, has: (file: string): boolean => pathFor(file) !== undefined };
}
