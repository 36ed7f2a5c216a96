/** Stricter than git: no options, traversal or shell characters. Credentials are kept apart from the URL. */
import { attempt } from "../../base/absence.ts";
import { Invalid } from "../../base/invalid.ts";

export interface GitLocation {
  readonly protocol: "https" | "ssh" | "file";
  readonly host: string;
  readonly path: string;
  /** Without credentials. */
  readonly url: string;
  readonly ref?: string;
  readonly subpath?: string;
  readonly credentials?: { readonly user: string; readonly password: string };
  readonly shown: string;
}

export function isGitLocation(location: string): boolean {
  return location.startsWith("git+");
}

export function isUrl(text: string): boolean {
  return /(?:^|[:;,])\s*(?:[a-z][\w+.-]+:\/\/|(?:https?|ssh|ftp):\/)/i.test(text);
}

/** Such as `git@HOST:PATH` or `github:OWNER/NAME`. */
export function isCloneAddress(text: string): boolean {
  return /^git@[\w.-]+:[^/:\s]/.test(text) || /^[\w.+-]+@[\w.-]+:[^/:\s][^:\s]*\.git$/.test(text) ||
    /^(?:github|gitlab|bitbucket):[\w.-]+\/[\w.-]+$/.test(text);
}

const FORM = "git+https://HOST/PATH, git+ssh://USER@HOST/PATH or git+file:///PATH, " +
  "optionally followed by #REF (branch, tag or commit) and :/FOLDER";

const MAX_LENGTH = 2_000;

export function parseGitLocation(text: string): GitLocation | Invalid {
  if (text.length > MAX_LENGTH) return new Invalid(`a URL may have at most ${MAX_LENGTH} characters`);
  if (!/^[!-~]*$/.test(text) || text.includes("\\")) {
    return new Invalid(
      "a URL may not contain spaces, backslashes or non-ASCII characters; write them as %XX",
    );
  }
  const [, protocol, rest] = /^git\+(https|ssh|file):\/\/(.+)$/.exec(text) ?? [];
  if (!isProtocol(protocol) || rest === undefined) return new Invalid(`expected ${FORM}`);
  const { address, ref, folder } = splitParts(rest);
  const slash = address.indexOf("/");
  if (slash < 0) return new Invalid(`missing repository path: expected ${FORM}`);

  const authority = parseAuthority(protocol, address.slice(0, slash));
  if (authority instanceof Invalid) return authority;
  const path = address.slice(slash).replace(/(?<!\/)\/+$/, "");
  const problem = findPathProblem(protocol, path) ?? (ref === undefined ? undefined : findRefProblem(ref)) ??
    (folder === undefined ? undefined : findFolderProblem(folder));
  if (problem !== undefined) return new Invalid(problem);

  const { user, host, credentials } = authority;
  const url = `${protocol}://${user === undefined ? "" : `${user}@`}${host}${path}`;
  const subpath = folder === undefined ? undefined : decodeURIComponent(folder);
  const state = ref === undefined ? "" : `#${ref}`;
  return {
    protocol,
    host,
    path,
    url,
    ...(ref === undefined ? {} : { ref }),
    ...(subpath ? { subpath } : {}),
    ...(credentials === undefined ? {} : { credentials }),
    shown: `git+${url}${state}${folder ? `:/${folder}` : ""}`,
  };
}

export function hideCredentials(text: string): string {
  return text.replace(/\S+/g, (word) => hideQuery(hideLogin(word)));
}

/** An invalid URL may have anything before its last @, and only one slash. */
function hideLogin(word: string): string {
  const at = word.lastIndexOf("@");
  const scheme = at < 0 ? null : /:\/\/|(?:https?|ssh|ftp|git):\/(?!\/)/i.exec(word.slice(0, at));
  if (scheme === null) return word;
  const end = scheme.index + scheme[0].length;
  const head = word.slice(0, end);
  // The ssh user is not a secret.
  const isUser = head.endsWith("git+ssh://") && /^[\w.+-]+$/.test(word.slice(end, at));
  return isUser ? word : `${head}***${word.slice(at)}`;
}

/** A query may contain keys. The # of a repository is only its ref. */
function hideQuery(word: string): string {
  let question = word.indexOf("?");
  for (const { index } of word.matchAll(/:\/\//g)) {
    const from = index + "://".length;
    if (question >= 0 && question < from) question = word.indexOf("?", from);
    const isRepository = /git\+\w*$/.test(word.slice(Math.max(0, index - 20), index));
    const found = isRepository ? question : from + word.slice(from).search(/[?#]|$/);
    if (found >= 0 && found < word.length - 1) return `${word.slice(0, found + 1)}***`;
    if (!isRepository) return word;
  }
  return word;
}

function isProtocol(text: string | undefined): text is GitLocation["protocol"] {
  return text === "https" || text === "ssh" || text === "file";
}

function splitParts(rest: string) {
  const hash = rest.indexOf("#");
  const hashless = hash < 0 ? rest : rest.slice(0, hash);
  // Skip the host's port and Windows drives, which contain a colon too.
  const head = /^(?:\/[A-Za-z]:(?=\/)|[^/]*)/.exec(hashless)![0].length;
  const tail = hash < 0 ? rest.slice(head) : rest.slice(hash + 1);
  const colon = tail.indexOf(":");
  const before = colon < 0 ? tail : tail.slice(0, colon);
  const folder = colon < 0 ? undefined : tail.slice(colon + 1).replace(/^\//, "").replace(/\/$/, "");
  return hash < 0
    ? { address: rest.slice(0, head) + before, ref: undefined, folder }
    : { address: hashless, ref: before, folder };
}

function parseAuthority(protocol: GitLocation["protocol"], text: string) {
  if (protocol === "file") {
    return text === ""
      ? { host: "" }
      : new Invalid("a file URL has no host: write git+file:///PATH, with three slashes");
  }
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  const [, port] = /^(?:\w(?:[\w.-]*\w)?|\[[\dA-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(host) ?? [undefined, "0"];
  if (port === "0" || Number(port ?? 1) > 65_535 || Number(port ?? 1) < 1 || host.includes("..")) {
    return new Invalid("the host must be a name or an IP address, optionally followed by :PORT");
  }
  if (at < 0) return { host };
  const login = text.slice(0, at);
  if (protocol === "ssh") {
    return /^\w[\w.+-]*$/.test(login)
      ? { host, user: login }
      : new Invalid("an ssh URL takes a plain user name before the @, and no password");
  }
  const colon = login.indexOf(":");
  const user = decodeLogin(colon < 0 ? login : login.slice(0, colon));
  const password = decodeLogin(colon < 0 ? "" : login.slice(colon + 1));
  if (!user || user.includes(":") || password === undefined) {
    return new Invalid("expected USER:PASSWORD or a token before the @; write other characters as %XX");
  }
  return { host, credentials: { user, password } };
}

/** Undefined for anything suspicious. */
function decodeLogin(text: string): string | undefined {
  const decoded = /^[\w.~!$&'()*+,;=%-]*$/.test(text) ? decode(text) : undefined;
  return decoded === undefined || /\p{C}/u.test(decoded) ? undefined : decoded;
}

function decode(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text));
}

function isName(text: string): boolean {
  const name = /^[\w.~+@=,%-]+$/.test(text) ? decode(text) : undefined;
  return name !== undefined && name !== "." && name !== ".." && !name.startsWith("-") &&
    !/[\p{C}/\\]/u.test(name);
}

function findPathProblem(protocol: GitLocation["protocol"], path: string): string | undefined {
  const names = path.replace(protocol === "file" ? /^\/[A-Za-z]:(?=\/)/ : "", "").split("/").slice(1);
  if (names.length === 0) return `missing repository path: expected ${FORM}`;
  // Reading these may block or worse, and none of them is a repository.
  if (protocol === "file" && /^\/(dev|proc|sys)(\/|$)/i.test(decode(path) ?? "")) {
    return "devices and system folders are not repositories";
  }
  return names.every(isName)
    ? undefined
    : "a repository path may contain letters, digits and . _ ~ + @ = , - but no segment may be .. or start with -; " +
      "write other characters as %XX";
}

/** Nothing that git could take for more than a name. */
function findRefProblem(ref: string): string | undefined {
  return /^\w[\w./+@=,#-]*$/.test(ref) && !/\.\.|@\{|\/\/|\/[.-]|\.lock(\/|$)|[/.]$/.test(ref)
    ? undefined
    : "#REF must be a branch, tag or commit: letters, digits and . _ / + @ = , # - not starting with -";
}

function findFolderProblem(folder: string): string | undefined {
  if (folder === "") return undefined;
  return folder.split("/").every((name) => isName(name) && decode(name)?.toLowerCase() !== ".git")
    ? undefined
    : ":/FOLDER must be a folder in the repository: letters, digits and . _ ~ + @ = , - but no segment may be .. " +
      "or .git or start with -; write other characters as %XX";
}
