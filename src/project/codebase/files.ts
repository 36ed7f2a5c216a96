/**
 * Which files of a project a search reads, and as what.
 *
 * Skips whatever git ignores, binary files, and files that hold secrets by their name, even when the caller asks for
 * one by its path. Paths come folder by folder, so that a caller can stop early.
 */
import { joinBytes } from "../../process/lines.ts";
import {
  baseName,
  decodeText,
  findBytes,
  isDatabase,
  isSecretFile,
  joinPath,
  type Tree,
} from "../../content/tree/mod.ts";
import { createRulesReader, type IgnoreRules, NO_RULES, type RulesReader } from "./ignore_rules.ts";

const SKIPPED_FOLDERS = new Set([".git", ".hg", ".svn", "node_modules"]);

const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|o|a|so|dylib|dll|exe|bin|wasm|woff2?|ttf|otf|eot|mp[34]|m4a|wav|ogg|flac|mov|avi|mkv|webm|pyc|lock|min\.js|map)$/i;

/** Paths that are checked at once: with very many rules, each takes milliseconds. */
const BATCH = 50;

/** The searchable paths at or below a path, some at a time; `onRules` is given the rules of each folder. */
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
 * The bytes of a file that are searched: its path as line 0, then its text; undefined if it is not text. What `clean`
 * hides cannot be found either: a hit would confirm a guess.
 */
export function pageAt(tree: Tree, path: string, clean: (text: string) => string): Uint8Array | undefined {
  const bytes = findBytes(tree, path), text = bytes && decodeText(bytes);
  if (text === undefined) return undefined;
  const cleaned = clean(text), encoder = new TextEncoder();
  return joinBytes([encoder.encode(`${path}\n`), cleaned === text ? bytes! : encoder.encode(cleaned)]);
}
