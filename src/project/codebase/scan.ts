/** Unchanged files are not read again. */
import { type Clock, giveWay, type Work } from "../../base/work.ts";
import {
  baseName,
  decodeText,
  findBytes,
  findText,
  isDatabase,
  isSecretFile,
  joinPath,
  type Tree,
} from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { createMatcher, findMatches } from "./code_terms.ts";
import { createRanking } from "./ranking.ts";
import type { SymbolCache } from "./meaning.ts";
import type { TermCache } from "./term_cache.ts";
import { joinBytes } from "../../process/lines.ts";
import ignore, { type Ignore } from "ignore";

const { code: MOST } = LIMITS;

interface ScanRequest extends Pick<Clock, "now"> {
  readonly tree: Tree;
  readonly path: string;
  readonly stems: readonly string[];
  readonly cache: TermCache;
  readonly rulesIn: RulesReader;
  readonly symbols: SymbolCache | undefined;
  clean(text: string): string;
}

export type Scan = Awaited<ReturnType<typeof scanFiles>>;

export async function scanFiles(request: ScanRequest, { signal, progress }: Work) {
  const { tree, stems, cache, symbols, now, clean } = request;
  const since = now(), isOver = (ms: number) => now() - since > ms;
  const paths = new Set<string>();
  let isComplete = true, rulesLeftOut = 0;
  const onRules = ({ leftOut }: IgnoreRules) => rulesLeftOut = Math.max(rulesLeftOut, leftOut);
  for (const some of codePaths(tree, request.path, request.rulesIn, onRules)) {
    for (const path of some) paths.add(path);
    isComplete = paths.size <= MOST.files && !isOver(MOST.listingMs);
    if (!isComplete) break;
    await giveWay(signal);
  }
  if (isComplete && request.path === "") {
    cache.retain(paths);
    symbols?.retain(paths);
  }

  const matcher = createMatcher(stems),
    findCached = cache.finder(matcher),
    ranking = createRanking(stems.length);
  let files = 0, done = 0, size = 0;
  for (const path of paths) {
    if (done === MOST.files || size > MOST.bytes || isOver(MOST.ms)) {
      return { ranking, files, paths, isComplete: false, rulesLeftOut };
    }
    if (await giveWay(signal)) progress?.(done, paths.size, "searching");
    done++;
    const stamp = tree.stamp(path);
    if (stamp === undefined) continue;
    const cached = cache.find(path, stamp.mark), readAt = now();
    const lacksSymbols = symbols?.lacks(path, stamp.mark) === true && !isOver(MOST.symbolsMs);
    const isRead = cached === undefined ||
      (cached.length !== undefined && (lacksSymbols || cached.terms === undefined));
    const page = isRead ? pageAt(tree, path, clean) : undefined;
    const { length, terms } = cached ?? cache.add(path, stamp, page, readAt);
    if (lacksSymbols) symbols!.add(path, stamp, page, readAt);
    if (length === undefined) continue;
    files++;
    size += length;
    if (terms !== undefined) ranking.add(path, length, (onMatch) => findCached(terms, onMatch));
    else if (page !== undefined) ranking.add(path, length, (onMatch) => findMatches(page, matcher, onMatch));
  }
  return { ranking, files, paths, isComplete, rulesLeftOut };
}

const SKIPPED_FOLDERS = new Set([".git", ".hg", ".svn", "node_modules"]);

const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|o|a|so|dylib|dll|exe|bin|wasm|woff2?|ttf|otf|eot|mp[34]|m4a|wav|ogg|flac|mov|avi|mkv|webm|pyc|lock|min\.js|map)$/i;

/** Paths that are checked at once: with very many rules, each takes milliseconds. */
const BATCH = 50;

export function* codePaths(
  tree: Tree,
  path: string,
  rulesIn: RulesReader = createRulesReader(),
  onRules: (rules: IgnoreRules) => void = () => {},
): Generator<readonly string[]> {
  let folder = "", rules = NO_RULES;
  for (const name of path.split("/").filter((name) => name !== "")) {
    rules = rulesIn(tree, folder, rules);
    folder = joinPath(folder, name);
    if (folder === path && tree.stat(path) !== undefined) {
      if (isSearched(path, rules)) yield [path];
      return;
    }
    if (!isEntered(folder, rules)) return;
  }
  yield* walk(tree, path, rules, rulesIn, onRules);
}

function* walk(
  tree: Tree,
  folder: string,
  above: IgnoreRules,
  rulesIn: RulesReader,
  onRules: (rules: IgnoreRules) => void,
): Generator<readonly string[]> {
  const items = tree.list(folder);
  const pathsOf = (areFolders: boolean) =>
    items.filter((item) => item.isDirectory === areFolders).map(({ name }) => joinPath(folder, name));
  // Asking the system for a missing file takes longer than looking for its name.
  const rules = items.some(({ name }) => name === ".gitignore") ? rulesIn(tree, folder, above) : above;
  onRules(rules);
  const files = pathsOf(false);
  for (let at = 0; at < files.length; at += BATCH) {
    yield files.slice(at, at + BATCH).filter((path) => isSearched(path, rules));
  }
  for (const path of pathsOf(true)) {
    if (isEntered(path, rules)) yield* walk(tree, path, rules, rulesIn, onRules);
    else yield [];
  }
}

function isSearched(path: string, rules: IgnoreRules): boolean {
  const name = baseName(path);
  return !BINARY.test(name) && !isDatabase(name) && !isSecretFile(path) && !rules.ignores(path, false);
}

function isEntered(path: string, rules: IgnoreRules): boolean {
  return !SKIPPED_FOLDERS.has(baseName(path)) && !isSecretFile(path) && !rules.ignores(path, true);
}

/**
 * The bytes of a file that are searched: its path as line 0, then its text; undefined if it is not text. What
 * `clean` hides cannot be found either: a hit would confirm a guess.
 */
export function pageAt(tree: Tree, path: string, clean: (text: string) => string): Uint8Array | undefined {
  const bytes = findBytes(tree, path), text = bytes && decodeText(bytes);
  if (text === undefined) return undefined;
  const cleaned = clean(text), encoder = new TextEncoder();
  return joinBytes([encoder.encode(`${path}\n`), cleaned === text ? bytes! : encoder.encode(cleaned)]);
}

const OPTIONS = { ignorecase: false } as const;
/** Each `**` multiplies the time of a match by the depth of the path; real patterns have no more. */
const MAX_GLOBSTARS = 3;
const MAX_PATTERNS = 1_000;
/** The package compiles a pattern in more than quadratic time; a longer one could block the program. */
const MAX_PATTERN_LENGTH = 500;
/** The package caches verdicts, which later searches profit from, and drops none. */
const MAX_VERDICTS = 100_000;
const MAX_CACHED_TEXT = 1 << 20;

interface IgnoreRules {
  readonly patterns: Ignore;
  readonly count: number;
  readonly leftOut: number;
  ignores(path: string, isDirectory: boolean): boolean;
}

export const NO_RULES: IgnoreRules = {
  patterns: ignore(OPTIONS),
  count: 0,
  leftOut: 0,
  ignores: () => false,
};

type RulesReader = (tree: Tree, folder: string, above: IgnoreRules) => IgnoreRules;

export function createRulesReader(): RulesReader {
  const cache = new Map<string, { above: IgnoreRules; text: string; rules: IgnoreRules }>();
  let cachedText = 0;
  return (tree, folder, above) => {
    const text = findText(tree, joinPath(folder, ".gitignore"));
    if (text === undefined) return above;
    const cached = cache.get(folder);
    if (cached?.above === above && cached.text === text) return cached.rules;
    cachedText += text.length;
    if (cachedText > MAX_CACHED_TEXT) {
      cache.clear();
      cachedText = text.length;
    }
    const { patterns, refused } = parsePatterns(text, folder);
    const rules = rulesOf(patterns, { ...above, leftOut: above.leftOut + refused });
    cache.set(folder, { above, text, rules });
    return rules;
  };
}

function rulesOf(own: readonly string[], above: IgnoreRules): IgnoreRules {
  const added = own.slice(0, MAX_PATTERNS - above.count);
  const patterns = ignore(OPTIONS).add(above.patterns).add(added);
  let verdicts = 0, current = patterns;
  return {
    patterns,
    count: above.count + added.length,
    leftOut: above.leftOut + own.length - added.length,
    ignores(path, isDirectory) {
      // The package throws on a path that is not relative.
      if (!ignore.isPathValid(path)) return false;
      if (verdicts++ % MAX_VERDICTS === 0) current = ignore(OPTIONS).add(patterns);
      return current.ignores(isDirectory ? `${path}/` : path);
    },
  };
}

function parsePatterns(text: string, folder: string) {
  const base = folder === "" ? "" : `/${folder.replaceAll(/[\\*?[]/g, "\\$&")}/`;
  let refused = 0;
  const refuse = () => {
    refused++;
    return [];
  };
  const patterns = text.replace(/^\uFEFF/, "").split(/\r?\n/).flatMap((line) => {
    if (line.startsWith("#")) return [];
    if (line.length > MAX_PATTERN_LENGTH) return refuse();
    const not = line.startsWith("!") ? "!" : "";
    const pattern = line.slice(not.length).replaceAll(/(?<=^|\/)(?:\*\*+\/)+/g, "**/");
    const globstars = pattern.split("/").filter((name) => /^\*\*+$/.test(name));
    if (!/[^ ]/.test(pattern)) return [];
    if (globstars.length > MAX_GLOBSTARS) return refuse();
    if (base === "") return [not + pattern];
    // A slash anywhere but at the end, where only spaces may follow it, ties a pattern to its folder.
    const isTied = /\/.*[^ ]/s.test(pattern);
    return [not + base + (isTied ? pattern.replace(/^\//, "") : `**/${pattern}`)];
  });
  return { patterns, refused };
}
