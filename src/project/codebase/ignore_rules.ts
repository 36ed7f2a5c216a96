/**
 * Which paths the .gitignore files of a project exclude. Patterns that would take too long to match are left out. git
 * never re-includes anything below an ignored folder, so callers must not enter one.
 */
import ignore, { type Ignore } from "ignore";
import { findText, joinPath, type Tree } from "../../content/tree/mod.ts";

const OPTIONS = { ignorecase: false } as const;
/** Each `**` multiplies the time of a match by the depth of the path; real patterns have no more. */
const MAX_GLOBSTARS = 3;
const MAX_PATTERNS = 1_000;
/** The package compiles a pattern in more than quadratic time; a longer one could block the program. */
const MAX_PATTERN_LENGTH = 500;
/** The package caches verdicts, which later searches profit from, and drops none. */
const MAX_VERDICTS = 100_000;
const MAX_CACHED_TEXT = 1 << 20;

export interface IgnoreRules {
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

export type RulesReader = (tree: Tree, folder: string, above: IgnoreRules) => IgnoreRules;

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

function parsePatterns(
  text: string,
  folder: string,
): { readonly patterns: readonly string[]; readonly refused: number } {
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
