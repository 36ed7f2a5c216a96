/**
 * Search in the project's own files, ranked and with snippets.
 *
 * Reads only inside the project, through a `Tree`, and writes nothing. Every search sees the files as they are now;
 * the cache of earlier ones only saves reading files that have not changed. A search is bounded in files, bytes and
 * time, and says so when it stopped early.
 */
import { fail } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import type { Clock, Work } from "../../base/work.ts";
import { diskTree, insidePath } from "../../content/tree/mod.ts";
import { type Hit, hitAt } from "./hits.ts";
import { createRulesReader } from "./ignore_rules.ts";
import { MAX_STEMS } from "./matcher.ts";
import { CODE_LIMITS, type Scan, scanFiles } from "./scan.ts";
import { createTermCache } from "./term_cache.ts";

export type { Report as CodeReport } from "../../base/report.ts";
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
}

/** A project whose files can be searched. */
export interface Codebase {
  /** Finds the files that match, best first. */
  search(request: CodeRequest, work?: Work): Promise<Report>;
}

const DEFAULT_HITS = 10;
/** Larger files are generated. */
const MAX_FILE_BYTES = 1 << 20;
/** After so many milliseconds without a search the cache is dropped. */
const IDLE_MS = 10 * 60_000;

/** Opens a project for search. Nothing is read yet. */
export function openCodebase({ root, stemsOf, clean, now, after }: CodeTools): Codebase {
  const createCaches = () => ({ cache: createTermCache(), rulesIn: createRulesReader() });
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
      const scan = await scanFiles({ tree, path: inside, stems, now, clean, ...openCaches() }, work);
      if (scan.files === 0) {
        return fail({ code: "not-found", what: "searchable file or folder", name: path || root });
      }
      const weights = scan.ranking.weights();
      const hits = scan.ranking.best(limit).map((ranked) => hitAt(tree, ranked, stems, weights, clean))
        .filter((hit) => hit !== undefined).map(({ path, line, score, stems, snippet }) => ({
          path,
          line,
          score: Math.round(score * 100) / 100,
          words: [...new Set(stems.map((stem) => words.get(stem)!))],
          snippet,
        }));
      return reportHits(query, hits, scan);
    },
  };
}

/** A hit, and the words of the query that it contains. */
type CodeHit = Omit<Hit, "stems"> & { readonly words: readonly string[] };

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
  const blocks = hits.map(({ path, line, words, snippet }) =>
    `\n${path}:${line} (contains ${words.join(", ")})\n${snippet}`
  );
  return { text: [head, ...blocks].join("\n"), data: { query, files, complete: isComplete, hits } };
}

function refuse(problem: string): never {
  const hint = "Describe in a few words what to find";
  return fail({ code: "invalid-input", field: "query", problem, hint });
}
