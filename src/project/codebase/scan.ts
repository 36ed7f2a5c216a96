/**
 * One pass over a project's files as they are now.
 *
 * Bounded in files, bytes and time; it yields on the way and stops when it is cancelled. Files that have not
 * changed since an earlier search are not read again.
 */
import { type Clock, type Work, yieldTurn } from "../../base/work.ts";
import type { Tree } from "../../content/tree/mod.ts";
import { codePaths, pageAt } from "./files.ts";
import type { IgnoreRules, RulesReader } from "./ignore_rules.ts";
import { createMatcher, findMatches } from "./matcher.ts";
import { createRanking, type Ranking } from "./ranking.ts";
import type { SymbolCache } from "./symbol_cache.ts";
import type { TermCache } from "./term_cache.ts";

/** The limits of one search. */
export const CODE_LIMITS = {
  files: 50_000,
  /** In bytes. */
  text: 256 << 20,
  milliseconds: 20_000,
  /** The part of them that listing the files may take. */
  listing: 10_000,
  /** In characters. */
  query: 2_000,
} as const;

/** After this many milliseconds, the symbols of further files are left to the next search. */
const SYMBOLS_MS = 4_000;

/** In milliseconds, between two turns of other work. */
const TURN_MS = 50;

export interface ScanRequest extends Pick<Clock, "now"> {
  readonly tree: Tree;
  readonly path: string;
  readonly stems: readonly string[];
  readonly cache: TermCache;
  readonly rulesIn: RulesReader;
  /** Where to collect the symbols of files, if they are wanted. */
  readonly symbols: SymbolCache | undefined;
  clean(text: string): string;
}

export interface Scan {
  readonly ranking: Ranking;
  readonly files: number;
  readonly paths: ReadonlySet<string>;
  readonly isComplete: boolean;
  /** The most patterns of .gitignore files that were not applied in a folder. */
  readonly rulesLeftOut: number;
}

export async function scanFiles(request: ScanRequest, { signal, progress }: Work): Promise<Scan> {
  const { tree, stems, cache, symbols, now, clean } = request;
  const since = now(), isOver = (ms: number) => now() - since > ms;
  let turn = since;
  const isTurnOver = () => now() - turn > TURN_MS;
  const giveTurn = async () => {
    await yieldTurn(signal);
    turn = now();
  };

  const paths = new Set<string>();
  let isComplete = true, rulesLeftOut = 0;
  const onRules = ({ leftOut }: IgnoreRules) => rulesLeftOut = Math.max(rulesLeftOut, leftOut);
  for (const some of codePaths(tree, request.path, request.rulesIn, onRules)) {
    for (const path of some) paths.add(path);
    isComplete = paths.size <= CODE_LIMITS.files && !isOver(CODE_LIMITS.listing);
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
    if (done === CODE_LIMITS.files || size > CODE_LIMITS.text || isOver(CODE_LIMITS.milliseconds)) {
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
    const lacksSymbols = symbols?.lacks(path, stamp.mark) === true && !isOver(SYMBOLS_MS);
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
