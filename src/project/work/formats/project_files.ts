/** Which files a story names, and which are code and tests. */
import { cachedWith } from "../../../base/cache.ts";
import { replaceHidden } from "../../../base/hidden.ts";
import { liesIn } from "../../../base/paths.ts";
import { normalizePath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { cellsIn, readStoryText, type StoryText } from "./document.ts";

export interface ListedFile {
  readonly path: string;
  readonly of: string;
  readonly line: number;
  readonly isGone: boolean;
}

const GONE =
  /\b(?:delet|remov|renam|mov)(?:e|ed|es|ing)?\b|supprim|d[ée]plac|gelöscht|entfernt|verschoben|umbenannt|elimina|eliminad|borrad|удал|删除|移除|削除|삭제/iu;
const WORD = /[^\s`'"()[\]<>|,;]+/g;

export const listedFiles: (text: StoryText) => readonly ListedFile[] = cachedWith(({ lines, path: of }) =>
  (lines.get("files") ?? []).flatMap(({ text, line, label }) => {
    const cells = text.startsWith("|") ? cellsIn(text) : [text];
    const path = cells.map(pathIn).find((path) => path !== undefined);
    if (path === undefined) return [];
    const rest = text.replace(path, "");
    return [{ path, of, line, isGone: GONE.test(rest) || GONE.test(label) }];
  }).slice(0, LIMITS.documents.listedFiles)
);

const SPAN = /`[^`\n]{1,300}`/g;

/** Of its lists, and in code spans except documents. */
export function filesNamedIn(path: string, text: string, records: readonly string[]): ReadonlySet<string> {
  const spans = [...text.matchAll(SPAN).take(LIMITS.documents.listedFiles)].flatMap(([span]) =>
    pathIn(span) ?? []
  );
  const listed = listedFiles(readStoryText(path, text)).map((one) => one.path);
  const isChanged = (file: string) => !/\.(?:md|markdown)$/i.test(file) && !isIncidentalFile(file, records);
  return new Set([...listed, ...spans].filter(isChanged));
}

function pathIn(text: string): string | undefined {
  const start = text.slice(0, 500);
  const [, code] = /`([^`]{1,300})`/.exec(start) ?? [];
  const words = code === undefined ? start.match(WORD) ?? [] : [code];
  for (const word of words.slice(0, 8)) {
    const plain = word.replace(/^\{project-root\}/, "").replace(/:\d+(?:-\d+)?$/, "")
      .replace(/[.:*]{1,9}$/, "").replaceAll("\\", "/").replace(/^\/+/, "");
    const isPath = /^[\w@.~$[\]()+-][^\s{}*?]*$/u.test(plain) &&
      (/\/[^/]+$/.test(plain) || /^[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}$/.test(plain)) &&
      !/^https?:|^\.{2,}|\.\.\/|…/.test(plain) && replaceHidden(plain, () => "") === plain;
    if (isPath) return normalizePath(plain) || undefined;
  }
  return undefined;
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
