/**
 * Search in the project's own files, ranked, with snippets; nothing is indexed or written.
 *
 * Reads only inside the project, through a `Tree`. A search is bounded in files, bytes and time, and says so when it
 * stopped early.
 */
import { fail } from "../errors.ts";
import { diskTree, insidePath } from "../tree/mod.ts";
import { codePaths, createTexts, MOST_FILE_BYTES } from "./files.ts";
import { type CodeHit, createScan } from "./search.ts";

/** What is looked for. */
export interface CodeRequest {
  /** A question or words. */
  readonly query: string;
  /** A folder of the project, or a file. */
  readonly path?: string;
  /** So many files at most. */
  readonly limit?: number;
}

/** An answer, for a model to read and for a program. */
export interface CodeReport {
  /** Short, in lines. */
  readonly text: string;
  /** The same facts. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a search needs from outside. */
export interface CodeTools {
  /** The project's folder, absolute. */
  readonly root: string;
  /** The stems that a question is looked up by, each with the word that it is from. */
  stemsOf(question: string): ReadonlyMap<string, string>;
  /** Replaces secrets. */
  clean(text: string): string;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Who waits. */
export interface CodeWatch {
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
  /** Told how many files are done, out of how many. */
  progress?(done: number, total: number, phase: string): void;
}

/** A project whose files can be searched. */
export interface Codebase {
  /** The files that fit, best first, with snippets. */
  search(request: CodeRequest, watch?: CodeWatch): Promise<CodeReport>;
}

/** The limits of one search. */
export const CODE_LIMITS = {
  files: 50_000,
  /** In characters. */
  text: 256 << 20,
  milliseconds: 20_000,
  /** Of an answer. */
  hits: 50,
  usualHits: 10,
  query: 2_000,
} as const;

/** After so many files others have their turn. */
const TURN = 200;
/** Lines around the one that fits, and characters of each. */
const AROUND = 2;
const MOST_OF_LINE = 200;

/** Opens a project for search. Nothing is read yet. */
export function openCodebase({ root, stemsOf, clean, now }: CodeTools): Codebase {
  const tree = diskTree(root, { maxBytes: MOST_FILE_BYTES });
  const texts = createTexts(tree);

  async function look(folder: string, stems: readonly string[], { signal, progress }: CodeWatch) {
    const scan = createScan(stems);
    const paths = tree.stat(folder) === undefined ? codePaths(tree, folder) : [folder];
    const since = now();
    let files = 0, size = 0;
    for (const path of paths) {
      if (files >= CODE_LIMITS.files || size > CODE_LIMITS.text || now() - since > CODE_LIMITS.milliseconds) {
        return { scan, files, isWhole: false };
      }
      const text = texts.read(path);
      if (text === undefined) continue;
      scan.add(path, text);
      size += text.length;
      if (++files % TURN === 0) {
        progress?.(files, CODE_LIMITS.files, "searching");
        await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
      }
    }
    return { scan, files, isWhole: true };
  }

  return {
    async search({ query, path = "", limit = CODE_LIMITS.usualHits }, watch = {}) {
      if (query.length > CODE_LIMITS.query) {
        refuse("query", `it has more than ${CODE_LIMITS.query} characters`);
      }
      const words = stemsOf(query), stems = [...words.keys()];
      if (stems.length === 0) refuse("query", "it has no word to look for");
      const folder = path === "" ? "" : insidePath("path", path, root);
      const { scan, files, isWhole } = await look(folder, stems, watch);
      if (files === 0) {
        return fail({
          code: "not-found",
          what: "files to search in",
          name: path === "" ? root : path,
          near: [],
        });
      }
      const hits = scan.best(limit).map((hit) => ({
        ...hit,
        words: [...new Set(hit.stems.map((stem) => words.get(stems[stem]!)!))],
        snippet: clean(snippetOf(texts.read(hit.path) ?? "", hit)),
      }));
      return report(query, hits, { files, isWhole });
    },
  };
}

interface Shown extends CodeHit {
  readonly words: readonly string[];
  readonly snippet: string;
}

function report(
  query: string,
  hits: readonly Shown[],
  { files, isWhole }: { readonly files: number; readonly isWhole: boolean },
): CodeReport {
  const looked = `looked through ${files} files${
    isWhole ? "" : " and stopped there: name a path to look in"
  }`;
  const head = hits.length === 0
    ? `Nothing fits ${JSON.stringify(query)}; ${looked}. Try other words.`
    : `${hits.length} files for ${JSON.stringify(query)}, best first; ${looked}`;
  const blocks = hits.map(({ path, line, words, snippet }) =>
    `\n${path}:${line} (has ${words.join(", ")})\n${snippet}`
  );
  return {
    text: [head, ...blocks].join("\n"),
    data: {
      query,
      files,
      complete: isWhole,
      hits: hits.map(({ path, line, score, words, snippet }) => ({
        path,
        line,
        score: Math.round(score * 100) / 100,
        words,
        snippet,
      })),
    },
  };
}

function snippetOf(text: string, { line }: CodeHit): string {
  const first = Math.max(1, line - AROUND);
  const lines = text.split("\n").slice(first - 1, line + AROUND);
  return lines.map((each, at) => {
    const plain = each.trimEnd();
    const cut = plain.length > MOST_OF_LINE ? `${plain.slice(0, MOST_OF_LINE).toWellFormed()}…` : plain;
    return `${first + at}: ${cut}`;
  }).join("\n");
}

function refuse(field: string, problem: string): never {
  return fail({ code: "invalid-input", field, problem, hint: "Say in a few words what to look for" });
}
