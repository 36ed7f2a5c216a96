/**
 * Paths inside a tree: relative, with forward slashes, and never above the tree's root; and the check of paths and names
 * that a caller gives.
 *
 * Pure text work. Whether a name exists, and where a link points, is for the tree to find out.
 */
import { fail } from "../../base/errors.ts";

/** What the system puts between the parts of a path. */
export const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)|[\\\0]/;

/** What Windows reads as more than a name: streams of a file (`a.md::$DATA`), and final dots and spaces, which it drops. */
const WINDOWS_ODD = /:|[. ](?:[\\/]|$)/;

/** `a/./b/../c` → `a/c`; undefined for a path that leaves its root or cannot be one at all. */
export function normalizePath(path: string, os = Deno.build.os): string | undefined {
  // Nearly every path is clean already.
  if (!UNTIDY.test(path)) return os === "windows" && WINDOWS_ODD.test(path) ? undefined : path;
  if (path.includes("\0")) return undefined;
  const parts: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  const clean = parts.join("/");
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

/** Whether a resolved absolute path is a folder or lies below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

const MAX_PATH_LENGTH = 500;

/** A path inside the project, given relative to it, after `{project-root}`, or absolute. Fails for any other. */
export function insidePath(field: string, given: string, root: string): string {
  const refuse = (problem: string) =>
    fail({
      code: "invalid-input",
      field,
      problem: `${quoteShort(given, 80)} ${problem}`,
      hint: "Use a path relative to the project",
    });
  if (given.length > MAX_PATH_LENGTH) refuse(`has more than ${MAX_PATH_LENGTH} characters`);
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(given)) refuse("contains control characters");
  const path = given.trim().replace(/^\{project-root\}(?=\/|$)/, root);
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:)/.test(path);
  if (isAbsolute && !isInside(path, root)) refuse("is outside the project");
  const clean = normalizePath(isAbsolute ? path.slice(root.length) : path);
  return clean ?? refuse("is outside the project");
}

const MAX_NAME_BYTES = 100;
/** Names that Windows reserves for devices. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A name that becomes one part of a path: an agent, a run, a branch, a team, a key. Letters of any script, digits, dots,
 * dashes and underscores; nothing that a system could take for more than a name.
 */
export function checkName(field: string, given: string): string {
  const name = given.normalize("NFC");
  const isName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) && !name.endsWith(".") && !DEVICES.test(name);
  if (isName && new TextEncoder().encode(name).length <= MAX_NAME_BYTES) return name;
  return fail({
    code: "invalid-input",
    field,
    problem: `${quoteShort(given, 60)} is not a valid name`,
    hint: `Use letters, digits, dots, dashes and underscores, starting with a letter or digit, ` +
      `at most ${MAX_NAME_BYTES} bytes`,
  });
}

function quoteShort(text: string, max: number): string {
  return JSON.stringify(text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text);
}
