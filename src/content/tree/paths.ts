/** Paths inside a tree: relative, with forward slashes, never above its root; and the names that are not served. */
import { failField } from "../../base/errors.ts";
import { isPortableName } from "../../base/paths.ts";
import { LIMITS } from "../limits.ts";

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

export function joinPath(...parts: readonly string[]): string {
  let path = "";
  for (const part of parts) if (part !== "") path = path === "" ? part : `${path}/${part}`;
  return path;
}

export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Only SQLite may open these: on POSIX, a process that closes any descriptor of a file loses all its locks on it. */
export function isDatabase(path: string): boolean {
  return /\.(?:db|sqlite3?)(?:-(?:wal|shm|journal))?$/i.test(path);
}

export const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

/** Relative to the project, after `{project-root}`, or absolute. Fails for a path outside. */
export function insidePath(field: string, given: string, root: string): string {
  const hint = "Use a path relative to the project";
  const refuse = (problem: string) => failField(field, `${quoteShort(given, 80)} ${problem}`, hint);
  if (given.length > LIMITS.tree.pathLength) refuse(`has more than ${LIMITS.tree.pathLength} characters`);
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(given)) refuse("contains control characters");
  const path = given.trim().replace(/^\{project-root\}(?=\/|$)/, root);
  const [placeholder] = /^\{[\w.-]+\}/.exec(path) ?? [];
  if (placeholder !== undefined) refuse(`starts with ${placeholder}, which is not filled in`);
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:)/.test(path);
  if (isAbsolute && !isInside(path, root)) refuse("is outside the project");
  const clean = normalizePath(isAbsolute ? path.slice(root.length) : path);
  return clean ?? refuse("is outside the project");
}

export function checkName(field: string, given: string): string {
  const name = given.normalize("NFC");
  const isName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) && isPortableName(name);
  if (isName && new TextEncoder().encode(name).length <= LIMITS.tree.nameBytes) return name;
  return failField(
    field,
    `${quoteShort(given, 60)} is not a valid name`,
    `Use letters, digits, dots, dashes and underscores, starting with a letter or digit, ` +
      `at most ${LIMITS.tree.nameBytes} bytes`,
  );
}

function quoteShort(text: string, max: number): string {
  return JSON.stringify(text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text);
}

/** THE table of files that hold secrets by their name: nothing serves, lists or searches them. */
const SECRET_NAMES: readonly string[] = [
  String.raw`\.env(?:\..+)?|[^/]*\.env|\.envrc`,
  String.raw`\.?\w*_history|\.(?:zhistory|histfile|lesshst|viminfo)`,
  String
    .raw`[._]netrc|\.(?:npmrc|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|boto|s3cfg|vault-token)`,
  String.raw`pgpass\.conf|kubeconfig|htpasswd|rclone\.conf`,
  // Data, not code: credentials.ts is searched.
  String
    .raw`(?:[^/]*[._-])?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|txt|enc|db))?`,
  String.raw`[^/]*\.tfstate(?:\.backup)?`,
  String
    .raw`id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[^/]*\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx?|asc|gpg)`,
];

const SECRET_PLACES: readonly string[] = [
  String.raw`\.(?:ssh|gnupg|aws|azure|kube|password-store)(?:/.*)?`,
  String.raw`\.config/(?:gcloud|gh|op)(?:/.*)?`,
  String.raw`\.docker/config\.json|\.m2/settings(?:-security)?\.xml|\.gradle/gradle\.properties`,
];

const SECRET = new RegExp(`(?:^|/)(?:${[...SECRET_NAMES, ...SECRET_PLACES].join("|")})$`, "is");
/** Accounts of cloud programs, also below a folder of that name; looked for from the end, once. */
const ACCOUNT =
  /\.json$(?<=(?:^|\/)(?:service[-_]?account|client_secret|application_default_credentials).*)/is;

export function isSecretFile(path: string): boolean {
  return (SECRET.test(path) || ACCOUNT.test(path)) && !/\.(?:example|sample|template|dist)$/i.test(path);
}

const UNSERVED: readonly (readonly [why: string, fits: (name: string) => boolean])[] = [
  ["its name says that it holds secrets", isSecretFile],
  ["it is hidden", (name) => name.startsWith(".")],
  ["it is a database", isDatabase],
  ["a program keeps it", (name) => /^(?:__pycache__|node_modules)$|\.pyc$/.test(name)],
  ["it tests scripts", (name) => name === "tests"],
  ["it is rendered from skills", (name) => name === "render"],
];

export function whyUnserved(name: string): string | undefined {
  return UNSERVED.find(([, fits]) => fits(name))?.[0];
}

export function isUnserved(name: string): boolean {
  return whyUnserved(name) !== undefined;
}
