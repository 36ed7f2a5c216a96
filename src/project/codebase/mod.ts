/**
 * Search in the project's own files, ranked, with snippets; nothing is written.
 *
 * Reads only inside the project, through a `Tree`. Every search looks at the files as they are; what earlier ones have
 * kept in memory only spares it reading those that are the same. A search is bounded in files, bytes and time, and
 * says so when it stopped early.
 */
import { fail } from "../../base/errors.ts";
import { diskTree, insidePath } from "../../content/tree/mod.ts";
import { hitAt } from "./hits.ts";
import { CODE_LIMITS, type CodeWatch, lookThrough, MOST_FILE_BYTES } from "./look.ts";
import { MOST_STEMS } from "./matches.ts";
import { type CodeReport, report } from "./report.ts";
import { createShelf, type Shelf } from "./shelf.ts";

export { CODE_LIMITS, type CodeReport, type CodeWatch };

/** What is looked for. */
export interface CodeRequest {
  /** A question or words. */
  readonly query: string;
  /** A folder of the project, or a file. */
  readonly path?: string;
  /** So many files at most. */
  readonly limit?: number;
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
  /** Calls back once after so many milliseconds; returns how to call that off. */
  after(ms: number, call: () => void): () => void;
}

/** A project whose files can be searched. */
export interface Codebase {
  /** The files that fit, best first, with snippets. */
  search(request: CodeRequest, watch?: CodeWatch): Promise<CodeReport>;
}

/** What is kept for the next search is let go when none comes for so long. */
const IDLE_MS = 10 * 60_000;

/** Opens a project for search. Nothing is read yet. */
export function openCodebase({ root, stemsOf, clean, now, after }: CodeTools): Codebase {
  let shelf: Shelf | undefined;
  let callOff: (() => void) | undefined;

  /** What earlier searches have kept. A search goes on with the one that it began with. */
  function openShelf(): Shelf {
    callOff?.();
    callOff = after(IDLE_MS, () => shelf = undefined);
    if (shelf === undefined || shelf.isWorn()) shelf = createShelf();
    return shelf;
  }

  return {
    async search({ query, path = "", limit = CODE_LIMITS.usualHits }, watch = {}) {
      if (query.length > CODE_LIMITS.query) {
        refuse("query", `it has more than ${CODE_LIMITS.query} characters`);
      }
      const words = stemsOf(query), stems = [...words.keys()].slice(0, MOST_STEMS);
      if (stems.length === 0) refuse("query", "it has no word to look for");
      const inside = path === "" ? "" : insidePath("path", path, root);
      // A tree remembers which folders are no links: each search looks anew.
      const tree = diskTree(root, { maxBytes: MOST_FILE_BYTES });
      const looking = { tree, path: inside, stems, shelf: openShelf(), now };
      const { scan, files, isWhole } = await lookThrough(looking, watch);
      if (files === 0) {
        return fail({
          code: "not-found",
          what: "files to search in",
          name: path === "" ? root : path,
        });
      }
      const hits = scan.best(limit).flatMap((ranked) => {
        const hit = hitAt(tree, ranked, scan, stems);
        const found = hit?.stems.map((stem) => words.get(stem)!);
        return hit === undefined ? [] : [{ ...hit, words: [...new Set(found)], snippet: clean(hit.snippet) }];
      });
      return report(query, hits, { files, isWhole });
    },
  };
}

function refuse(field: string, problem: string): never {
  return fail({ code: "invalid-input", field, problem, hint: "Say in a few words what to look for" });
}
