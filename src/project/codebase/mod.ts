/** Bounded in files, bytes and time; by meaning only with an embedder. */
import { failField, failMissing } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import { type Clock, giveWay, type Work } from "../../base/work.ts";
import { diskTree, insidePath, type Tree } from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { createMatcher, findMatches, MAX_STEMS } from "./code_terms.ts";
import { createRulesReader, pageAt, type Scan, scanFiles } from "./scan.ts";
import { createMeaningFinder, createSymbolCache, type Meaning, type MeaningFinder } from "./meaning.ts";
import { type Ranked, withMeaning } from "./ranking.ts";
import { createTermCache } from "./term_cache.ts";

export type { Meaning } from "./meaning.ts";

export interface CodeRequest {
  readonly query: string;
  readonly path?: string;
  readonly limit?: number;
}

interface CodeTools extends Clock {
  readonly root: string;
  stemsOf(query: string): ReadonlyMap<string, string>;
  clean(text: string): string;
  readonly meaning?: Meaning;
}

export type Codebase = ReturnType<typeof openCodebase>;

const DEFAULT_HITS = 10;

export function openCodebase({ root, stemsOf, clean, meaning, now, after }: CodeTools) {
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
    cancelDrop = after(LIMITS.code.idleMs, () => caches = undefined);
    if (caches?.cache.isStale()) caches = undefined;
    return caches ??= createCaches();
  }

  return {
    async search({ query, path = "", limit = DEFAULT_HITS }: CodeRequest, work: Work = {}): Promise<Report> {
      if (query.length > LIMITS.code.queryChars) refuse(`longer than ${LIMITS.code.queryChars} characters`);
      const words = stemsOf(query), stems = [...words.keys()].slice(0, MAX_STEMS);
      if (stems.length === 0) refuse("no word to search for");
      const inside = path === "" ? "" : insidePath("path", path, root);
      // A tree remembers which folders are not links, and that may change from one search to the next.
      const tree = diskTree(root, { maxBytes: LIMITS.code.fileBytes });
      const { symbols, finder, ...caches } = openCaches();
      const isQuestion = finder !== undefined && query.trim().split(/\s+/).length > 1;
      const request = { tree, path: inside, stems, now, clean, ...caches };
      const scan = await scanFiles({ ...request, symbols: isQuestion ? symbols : undefined }, work);
      if (scan.files === 0) {
        return failMissing("searchable file or folder", path || root);
      }
      const question = { words, stems, weights: scan.ranking.weights(), limit };
      const best = isQuestion
        ? await findByMeaning(finder, query, scan, question, work)
        : scan.ranking.best(limit);
      await giveWay(work.signal);
      const hits = best.flatMap((ranked) => hitAt(tree, ranked, question, clean) ?? []);
      return reportHits(query, hits, scan);
    },
  };
}

interface Question {
  readonly words: ReadonlyMap<string, string>;
  readonly stems: readonly string[];
  readonly weights: readonly number[];
  readonly limit: number;
}

const MOST_PINPOINTED = 5;
const MOST_RANKED = 100;

async function findByMeaning(
  finder: MeaningFinder,
  query: string,
  { ranking, paths }: Scan,
  question: Question,
  work: Work,
): Promise<readonly Ranked[]> {
  const { meant, pinpoint } = await finder(query, paths, work);
  const best = withMeaning(ranking.best(MOST_RANKED), weightOf(question), meant, question.limit);
  const shown = best.filter((file) => file.meant !== undefined).slice(0, MOST_PINPOINTED);
  const lines = await pinpoint(shown.map(({ path }) => path));
  return best.map((file) => {
    const line = lines.get(file.path);
    return line === undefined ? file : { ...file, meant: { ...file.meant!, line } };
  });
}

function weightOf({ words, stems, weights }: Question): number {
  const byWord = Map.groupBy(stems.keys(), (at) => words.get(stems[at]!)!);
  return byWord.values().reduce((sum, own) => sum + Math.max(...own.map((at) => weights[at]!)), 0);
}

type Hit = NonNullable<ReturnType<typeof hitAt>>;

function reportHits(query: string, hits: readonly Hit[], scan: Scan): Report {
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
  return failField("query", problem, "Describe in a few words what to find");
}

const CONTEXT = 2;
const MAX_LINE = 200;

function hitAt(
  tree: Tree,
  { path, score, lines: [first, last], meant }: Ranked,
  { words, stems, weights }: Question,
  clean: (text: string) => string,
) {
  const page = pageAt(tree, path, clean);
  if (page === undefined) return undefined;
  const stemsOn = new Map<number, Set<number>>();
  findMatches(page, createMatcher(stems), (line, stem) => {
    if (line > 0 && (line < first || line > last)) return;
    stemsOn.getOrInsertComputed(line, () => new Set()).add(stem);
  });
  const found = stemsOn.values().reduce((all, some) => all.union(some), new Set<number>());
  stemsOn.delete(0);
  // A symbol says better where to look, unless the words are together in one place.
  const line = meant !== undefined && found.size < stems.length
    ? meant.line
    : weightiestLine(stemsOn, weights);
  const lines = new TextDecoder().decode(page).split("\n");
  const begin = Math.max(1, line - CONTEXT);
  const snippet = lines.slice(begin, line + CONTEXT + 1).map((text, at) =>
    `${begin + at}: ${shortened(text)}`
  );
  return {
    path,
    line,
    score: Number(score.toFixed(2)),
    words: [...new Set(Array.from(found, (stem) => words.get(stems[stem]!)!))],
    ...(meant && { semantic: Number(meant.closeness.toFixed(2)) }),
    snippet: snippet.join("\n"),
  };
}

function weightiestLine(stemsOn: Map<number, Set<number>>, weights: readonly number[]): number {
  const weigh = (stems: Iterable<number>) => [...stems].reduce((sum, stem) => sum + weights[stem]!, 0);
  let best = { line: 1, weight: 0 };
  for (const [line, own] of stemsOn) {
    const around = [-2, -1, 0, 1, 2].flatMap((away) => [...stemsOn.get(line + away) ?? []]);
    const weight = weigh(own) + weigh(new Set(around));
    if (weight > best.weight) best = { line, weight };
  }
  return best.line;
}

function shortened(line: string): string {
  const text = line.trimEnd();
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE).toWellFormed()}…` : text;
}
