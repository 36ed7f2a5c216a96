/**
 * Paths inside a tree: relative, with forward slashes, and never above the tree's root.
 *
 * Pure text work. Whether a name is there, and where it leads, is for the tree to find out.
 */
import { fail } from "../../base/errors.ts";

const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)|[\\\0]/;

/** What Windows takes for more than a name: streams of a file (`a.md::$DATA`), and dots and blanks that it drops. */
const WINDOWS_ODD = /:|[. ](?:[\\/]|$)/;

/** `a/./b/../c` → `a/c`; undefined when the path leads above its root or can be no path at all. */
export function normalizePath(path: string, os = Deno.build.os): string | undefined {
  // Nearly every path is clean already.
  if (!UNTIDY.test(path)) return os === "windows" && WINDOWS_ODD.test(path) ? undefined : path;
  if (path.includes("\0")) return undefined;
  const kept: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.pop() === undefined) return undefined;
  }
  const clean = kept.join("/");
  return os === "windows" && WINDOWS_ODD.test(clean) ? undefined : clean;
}

/** Joins parts of a path inside a tree. Empty parts vanish. */
export function joinPath(...parts: readonly string[]): string {
  let path = "";
  for (const part of parts) if (part !== "") path = path === "" ? part : `${path}/${part}`;
  return path;
}

/** The folder part of a path inside a tree; "" for a name at the top. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Of a name. */
const MOST_BYTES = 100;
/** Names that Windows keeps for devices. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A name that becomes a part of a path: an agent, a run, a branch, a team, a key. Letters of any script, digits, dots,
 * dashes and underscores; nothing that a system could take for more than a name.
 */
export function checkName(field: string, given: string): string {
  const name = given.normalize("NFC");
  const isName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) && !name.endsWith(".") && !DEVICES.test(name);
  if (isName && new TextEncoder().encode(name).length <= MOST_BYTES) return name;
  const shown = JSON.stringify(given.length > 60 ? `${given.slice(0, 60).toWellFormed()}…` : given);
  return fail({
    code: "invalid-input",
    field,
    problem: `${shown} is no name`,
    hint: `Use letters, digits, dots, dashes and underscores, beginning with a letter or digit, ` +
      `at most ${MOST_BYTES} bytes`,
  });
}
