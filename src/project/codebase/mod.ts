/**
 * Search in the project's own files, ranked and with snippets.
 *
 * By words, and by meaning where there is an embedder. Reads only inside the project, through a `Tree`, and writes
 * nothing. Every search sees the files as they are now;
 * the cache of earlier ones only saves reading files that have not changed. A search is bounded in files, bytes and
 * time, and says so when it stopped early.
 */
import { fail } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import type { Clock, Work } from "../../base/work.ts";
import { diskTree, insidePath } from "../../content/tree/mod.ts";
import { blend, type Blended } from "./blend.ts";
import { type Hit, hitAt } from "./hits.ts";
import { createRulesReader } from "./ignore_rules.ts";
import { MAX_STEMS } from "./matcher.ts";
import { createMeaningFinder, type Meaning, type MeaningFinder } from "./meaning.ts";
import { CODE_LIMITS, type Scan, scanFiles } from "./scan.ts";
import { createSymbolCache } from "./symbol_cache.ts";
import { createTermCache } from "./term_cache.ts";

export type { Report as CodeReport } from "../../base/report.ts";
export type { Meaning } from "./meaning.ts";
export { CODE_LIMITS };

/** What to search for. */
export interface CodeRequest {
  readonly query: string;
  readonly path?: string;
  readonly limit?: number;
}

/** What a search needs from others. */
export interface CodeTools extends Clock {
  readonly root: string;
  /** The stems of a query, each with the word that it comes from. */
  stemsOf(query: string): ReadonlyMap<string, string>;
  /** The text of a file without secrets, line for line. */
  clean(text: string): string;
  /** Without it, files are found by words only. */
  readonly meaning?: Meaning;
}

/** A project whose files can be searched. */
export interface Codebase {
  /** Finds the files that match, best first. */
  search(request: CodeRequest, work?: Work): Promise<Report>;
}

const DEFAULT_HITS = 10;
/** Larger files are generated. */
const MAX_FILE_BYTES = 1 << 20;
/** After this many milliseconds without a search the cache is dropped. */
const IDLE_MS = 10 * 60_000;

/** Opens a project for search. Nothing is read yet. */
export function openCodebase({ root, stemsOf, clean, meaning, now, after }: CodeTools): Codebase {
  const createCaches = () => {
    const symbols = createSymbolCache();
    const finder = meaning && createMeaningFinder(symbols, meaning, { now });
    return { cache: createTermCache(), rulesIn: createRulesReader(), symbols, finder };
  };
  let caches: ReturnType<typeof createCaches> | undefined;
  let cancelDrop: (() => void) | undefined;

  /** A search keeps the caches that it began with, even if they are dropped meanwhile. */
  function openCaches() {
    cancelDrop?.();
    cancelDrop = after(IDLE_MS, () => caches = undefined);
    if (caches?.cache.isStale()) caches = undefined;
    return caches ??= createCaches();
  }

  return {
    async search({ query, path = "", limit = DEFAULT_HITS }, work = {}) {
      if (query.length > CODE_LIMITS.query) refuse(`longer than ${CODE_LIMITS.query} characters`);
      const words = stemsOf(query), stems = [...words.keys()].slice(0, MAX_STEMS);
      if (stems.length === 0) refuse("no word to search for");
      const inside = path === "" ? "" : insidePath("path", path, root);
      // A tree remembers which folders are not links, and that may change from one search to the next.
      const tree = diskTree(root, { maxBytes: MAX_FILE_BYTES });
      const { symbols, finder, ...caches } = openCaches();
      const isQuestion = finder !== undefined && query.trim().split(/\s+/).length > 1;
      const request = { tree, path: inside, stems, now, clean, ...caches };
      const scan = await scanFiles({ ...request, symbols: isQuestion ? symbols : undefined }, work);
      if (scan.files === 0) {
        return fail({ code: "not-found", what: "searchable file or folder", name: path || root });
      }
      const weights = scan.ranking.weights();
      const best = isQuestion
        ? await findByMeaning(finder, query, { scan, words, stems, weights, limit }, work)
        : scan.ranking.best(limit);
      const hits = best.map((ranked: Blended) => ({
        ranked,
        hit: hitAt(tree, ranked, stems, weights, clean),
      }))
        .flatMap(({ ranked, hit }) =>
          hit === undefined ? [] : [{
            path: hit.path,
            line: hit.line,
            score: rounded(hit.score),
            words: [...new Set(hit.stems.map((stem) => words.get(stem)!))],
            ...(ranked.meant && { semantic: rounded(ranked.meant.closeness) }),
            snippet: hit.snippet,
          }]
        );
      return reportHits(query, hits, scan);
    },
  };
}

/** Of how many files the line to look at is chosen among more of their symbols. */
const MOST_PINPOINTED = 5;

interface Wanted {
  readonly scan: Scan;
  readonly words: ReadonlyMap<string, string>;
  readonly stems: readonly string[];
  readonly weights: readonly number[];
  readonly limit: number;
}

async function findByMeaning(
  finder: MeaningFinder,
  query: string,
  { scan, words, stems, weights, limit }: Wanted,
  work: Work,
): Promise<readonly Blended[]> {
  const { meant, pinpoint } = await finder.find(query, scan.paths, work);
  const best = blend(scan.ranking.best(MOST_RANKED), weightOf(words, stems, weights), meant, limit);
  const shown = best.filter((file) => file.meant !== undefined).slice(0, MOST_PINPOINTED);
  const lines = await pinpoint(shown.map(({ path }) => path));
  return best.map((file) => {
    const line = lines.get(file.path);
    return line === undefined ? file : { ...file, meant: { ...file.meant!, line } };
  });
}

/** How many files ranked by words are considered beside those ranked by meaning. */
const MOST_RANKED = 100;

/** Of all words in the query; of the stems that a word may mean, the rarest counts. */
function weightOf(
  words: ReadonlyMap<string, string>,
  stems: readonly string[],
  weights: readonly number[],
): number {
  const most = new Map<string, number>();
  for (const [at, stem] of stems.entries()) {
    const word = words.get(stem)!;
    most.set(word, Math.max(most.get(word) ?? 0, weights[at]!));
  }
  return most.values().reduce((sum, weight) => sum + weight, 0);
}

function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}

/** A hit, the words of the query that it contains, and how close its symbol is in meaning. */
type CodeHit = Omit<Hit, "stems"> & { readonly words: readonly string[]; readonly semantic?: number };

function reportHits(query: string, hits: readonly CodeHit[], scan: Scan): Report {
  const { files, isComplete, rulesLeftOut } = scan;
  const limit = isComplete ? "" : ", then stopped at a limit: narrow it to one folder";
  const rules = rulesLeftOut === 0
    ? ""
    : `; .gitignore: ${counted(rulesLeftOut, "rule")} beyond the limit ignored`;
  const searched = `${counted(files, "file")} searched${limit}${rules}`;
  const head = hits.length === 0
    ? `No file matches ${JSON.stringify(query)} (${searched}). Try other words.`
    : `${counted(hits.length, "file")} for ${JSON.stringify(query)}, best first (${searched})`;
  const blocks = hits.map(({ path, line, words, snippet, semantic }) => {
    const reasons = [
      ...(words.length === 0 ? [] : [`contains ${words.join(", ")}`]),
      ...(semantic === undefined ? [] : ["close in meaning"]),
    ];
    return `\n${path}:${line} (${reasons.join("; ")})\n${snippet}`;
  });
  return { text: [head, ...blocks].join("\n"), data: { query, files, complete: isComplete, hits } };
}

function refuse(problem: string): never {
  const hint = "Describe in a few words what to find";
  return fail({ code: "invalid-input", field: "query", problem, hint });
}
