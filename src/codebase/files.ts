/**
 * The files of a project that a search looks through, and their texts.
 *
 * What git ignores, what is no text, what is very large, and what holds secrets by its name is left out. Texts are kept
 * as long as time and size of their files are the same, up to a bound; nothing is written to the disk.
 */
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { type IgnoreRules, NO_RULES } from "./ignore_rules.ts";

/** A file with its text. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
}

/** Larger files are made by programs. */
export const MOST_FILE_BYTES = 1 << 20;
/** In characters. */
const MOST_KEPT = 64 << 20;

/** Folders that hold nothing of the project's own. */
const FOREIGN = new Set([".git", ".hg", ".svn", "node_modules"]);

/** Endings of files that are no text. */
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|o|a|so|dylib|dll|exe|bin|wasm|woff2?|ttf|otf|eot|mp[34]|m4a|wav|ogg|flac|mov|avi|mkv|webm|db|sqlite3?|pyc|lock|min\.js|map)$/i;

/** Files that are there to hold secrets. */
const SECRET =
  /^(?:\.env(?:\..+)?|.+\.env|\.netrc|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials|credentials(?:\..+)?|secrets?\..+|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg))$/i;
/** Of those, what is an example for others to fill in. */
const EXAMPLE = /\.(?:example|sample|template|dist)$/i;

/** Whether a file is looked through, by its name. */
export function isLookedThrough(path: string): boolean {
  const name = baseName(path);
  return !BINARY.test(name) && (!SECRET.test(name) || EXAMPLE.test(name));
}

/** Every path below a folder that is looked through, in order. */
export function* codePaths(tree: Tree, folder: string): Generator<string> {
  // The rules of the folders above count, too.
  const parts = folder === "" ? [] : folder.split("/");
  let rules = rulesIn(tree, "", NO_RULES);
  for (const at of parts.keys()) {
    const above = parts.slice(0, at + 1).join("/");
    if (FOREIGN.has(parts[at]!) || rules.ignores(above, true)) return;
    if (at < parts.length - 1) rules = rulesIn(tree, above, rules);
  }
  yield* walk(tree, folder, rules, parts.length > 0);
}

function* walk(tree: Tree, folder: string, above: IgnoreRules, isBelow: boolean): Generator<string> {
  const rules = isBelow ? rulesIn(tree, folder, above) : above;
  for (const { name, isDirectory } of tree.list(folder)) {
    const path = joinPath(folder, name);
    if (isDirectory) {
      if (!FOREIGN.has(name) && !rules.ignores(path, true)) yield* walk(tree, path, rules, true);
    } else if (isLookedThrough(path) && !rules.ignores(path, false)) yield path;
  }
}

function rulesIn(tree: Tree, folder: string, above: IgnoreRules): IgnoreRules {
  return above.below(folder, findText(tree, joinPath(folder, ".gitignore")));
}

/** Texts by their paths, kept while their files stay the same. */
export interface Texts {
  /** The text of a file; undefined when it is no text, or there is none. */
  read(path: string): string | undefined;
}

/** Texts of a tree; none are kept yet. */
export function createTexts(tree: Tree): Texts {
  const kept = new Map<string, { readonly mark: string; readonly text: string | undefined }>();
  let size = 0;
  return {
    read(path) {
      const stamp = tree.stamp(path);
      if (stamp === undefined) return undefined;
      const before = kept.get(path);
      if (before?.mark === stamp.mark) return before.text;
      const text = textAt(tree, path);
      size += (text?.length ?? 0) - (before?.text?.length ?? 0);
      if (size > MOST_KEPT) {
        kept.clear();
        size = text?.length ?? 0;
      }
      kept.set(path, { mark: stamp.mark, text });
      return text;
    },
  };
}

function textAt(tree: Tree, path: string): string | undefined {
  const facts = tree.stat(path);
  if (facts === undefined || facts.size > MOST_FILE_BYTES) return undefined;
  return findText(tree, path);
}
