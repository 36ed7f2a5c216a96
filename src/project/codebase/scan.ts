/** One pass over a project's files as they are now. Unchanged files are not read again. */
import { type Clock, type Work, yieldToEventLoop } from "../../base/work.ts";
import {
  baseName,
  decodeText,
  findBytes,
  isDatabase,
  isSecretFile,
  joinPath,
  type Tree,
} from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { createRulesReader, type IgnoreRules, NO_RULES, type RulesReader } from "./ignore_rules.ts";
import { createMatcher, findMatches } from "./code_terms.ts";
import { createRanking } from "./ranking.ts";
import type { SymbolCache } from "./symbols.ts";
import type { TermCache } from "./term_cache.ts";
import { joinBytes } from "../../process/lines.ts";

const { code: MOST } = LIMITS;

const TURN_MS = 50;

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
  let turn = since;
  const isTurnOver = () => now() - turn > TURN_MS;
  const giveTurn = async () => {
    await yieldToEventLoop(signal);
    turn = now();
  };

  const paths = new Set<string>();
  let isComplete = true, rulesLeftOut = 0;
  const onRules = ({ leftOut }: IgnoreRules) => rulesLeftOut = Math.max(rulesLeftOut, leftOut);
  for (const some of codePaths(tree, request.path, request.rulesIn, onRules)) {
    for (const path of some) paths.add(path);
    isComplete = paths.size <= MOST.files && !isOver(MOST.listingMs);
    if (!isComplete) break;
    if (isTurnOver()) await giveTurn();
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
    if (isTurnOver()) {
      progress?.(done, paths.size, "searching");
      await giveTurn();
    }
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
