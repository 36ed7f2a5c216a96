/**
 * Paths inside a tree: relative, with forward slashes, and never above the tree's root.
 *
 * Pure text work. Whether a name exists, and where a link points, is for the tree to find out.
 */

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

const DATABASE = /\.(?:db|sqlite3?)(?:-(?:wal|shm|journal))?$/i;

/**
 * Whether a path names a database or what SQLite keeps beside one. Nothing but SQLite may open these: on POSIX systems,
 * a process that closes any descriptor of a file loses all its locks on it, and other programs write over what it wrote.
 */
export function isDatabase(path: string): boolean {
  return DATABASE.test(path);
}
