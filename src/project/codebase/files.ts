/**
 * The files of a project that a search looks through.
 *
 * What git ignores, what is no text by its name, and what holds secrets by its name is left out, also where somebody
 * asks for it by name. Whether a text is in them, and what of it is kept, is left to others.
 */
import { baseName, joinPath, type Tree } from "../../content/tree/mod.ts";
import { createRulesReader, type IgnoreRules, NO_RULES, type RulesReader } from "./ignore_rules.ts";

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

/** The paths at or below a path that are looked through, folder by folder; also of a folder that has none. */
export function* codePaths(
  tree: Tree,
  path: string,
  rulesIn: RulesReader = createRulesReader(),
): Generator<readonly string[]> {
  // The rules of the folders above count, too.
  const parts = path === "" ? [] : path.split("/");
  let rules = NO_RULES;
  for (const at of parts.keys()) {
    const above = parts.slice(0, at).join("/"), here = joinPath(above, parts[at]!);
    rules = rulesIn(tree, above, rules);
    if (at === parts.length - 1 && tree.stat(path) !== undefined) {
      if (isLookedThrough(path) && !rules.ignores(path, false)) yield [path];
      return;
    }
    if (FOREIGN.has(parts[at]!) || rules.ignores(here, true)) return;
  }
  yield* walk(tree, path, rules, rulesIn);
}

function* walk(
  tree: Tree,
  folder: string,
  above: IgnoreRules,
  rulesIn: RulesReader,
): Generator<readonly string[]> {
  const items = tree.list(folder);
  // To learn from the system that a file is missing takes longer than to look for its name.
  const rules = items.some(({ name }) => name === ".gitignore") ? rulesIn(tree, folder, above) : above;
  const files: string[] = [], folders: string[] = [];
  for (const { name, isDirectory } of items) {
    const path = joinPath(folder, name);
    if (isDirectory ? FOREIGN.has(name) : !isLookedThrough(path)) continue;
    if (!rules.ignores(path, isDirectory)) (isDirectory ? folders : files).push(path);
  }
  yield files;
  for (const each of folders) yield* walk(tree, each, rules, rulesIn);
}
