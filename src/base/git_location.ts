/**
 * What a `git+…` address means: which repository, which state of it, which folder in it.
 *
 * A strict grammar in front of git: what is not understood here never reaches it. Options, traversal, other
 * transports, control characters and whatever a shell or a terminal might take for more than text are refused with
 * the reason. Credentials are kept apart from the address, so that nobody shows them by accident.
 */
import { Invalid } from "./invalid.ts";

/** A repository, and what of it is wanted. */
export interface GitLocation {
  /** The only transport that may be used for it. */
  readonly protocol: "https" | "ssh" | "file";
  /** The host with its port, if one was given; empty for `file`. */
  readonly host: string;
  /** The repository's path on its host, with a slash before it, as it was written. */
  readonly path: string;
  /** What git is told: `https://example.org/team/bmad.git`. Never holds credentials. */
  readonly url: string;
  /** A branch, a tag or a commit; undefined means the repository's default branch. */
  readonly ref?: string;
  /** A folder in the repository, with single slashes between its parts; undefined means all of it. */
  readonly subpath?: string;
  /** For https alone, decoded: who asks, and the password or token. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** The address as people may see it: without credentials. */
  readonly shown: string;
}

/** Whether a location is a repository and not a folder. */
export function isGitLocation(location: string): boolean {
  return location.startsWith("git+");
}

/** The form of an address, for people. */
const FORM = "git+https://HOST/PATH, git+ssh://USER@HOST/PATH or git+file:///PATH, " +
  "with #REF (branch, tag or commit) and :/FOLDER behind it where they are wanted";

const MAX_LENGTH = 2_000;

/** Understands an address, or says what is wrong with it. */
export function parseGitLocation(text: string): GitLocation | Invalid {
  if (text.length > MAX_LENGTH) return new Invalid(`an address has at most ${MAX_LENGTH} characters`);
  if (!/^[!-~]*$/.test(text) || text.includes("\\")) {
    return new Invalid("an address has no spaces, backslashes or characters beyond ASCII; write them as %XX");
  }
  const [, protocol, rest] = /^git\+(https|ssh|file):\/\/(.+)$/.exec(text) ?? [];
  if (!isProtocol(protocol) || rest === undefined) return new Invalid(`write it as ${FORM}`);
  const { address, ref, folder } = splitParts(rest);
  const slash = address.indexOf("/");
  if (slash < 0) return new Invalid(`the repository's path is missing: write it as ${FORM}`);

  const authority = parseAuthority(protocol, address.slice(0, slash));
  if (authority instanceof Invalid) return authority;
  const path = address.slice(slash).replace(/\/+$/, "");
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

/** A text in which an address of any kind may stand, right or wrong, without the credentials in it. */
export function hideCredentials(text: string): string {
  // A wrong address may have anything before its last @.
  const nameless = text.replace(/:\/\/\S*@/g, (whole, at: number) =>
    // The user of ssh is no secret.
    text.slice(0, at).endsWith("git+ssh") && /^:\/\/[\w.+-]+@$/.test(whole) ? whole : "://***@");
  // Keys stand behind a question mark, too. Behind the # of a repository stands which state of it is wanted.
  return nameless.replace(/((?<!git\+\w*):\/\/[^\s?#]*[?#]|:\/\/[^\s?]*\?)\S+/g, "$1***");
}

function isProtocol(text: string | undefined): text is GitLocation["protocol"] {
  return text === "https" || text === "ssh" || text === "file";
}

/** Takes `HOST/PATH#REF:/FOLDER` apart. The folder comes without slashes around it. */
function splitParts(rest: string): {
  readonly address: string;
  readonly ref: string | undefined;
  readonly folder: string | undefined;
} {
  const hash = rest.indexOf("#");
  const hashless = hash < 0 ? rest : rest.slice(0, hash);
  // The host's port and the drives of Windows come before the repository's path ends.
  const head = /^(?:\/[A-Za-z]:(?=\/)|[^/]*)/.exec(hashless)![0].length;
  const tail = hash < 0 ? rest.slice(head) : rest.slice(hash + 1);
  const colon = tail.indexOf(":");
  const before = colon < 0 ? tail : tail.slice(0, colon);
  const folder = colon < 0 ? undefined : tail.slice(colon + 1).replace(/^\//, "").replace(/\/$/, "");
  return hash < 0
    ? { address: rest.slice(0, head) + before, ref: undefined, folder }
    : { address: hashless, ref: before, folder };
}

interface Authority {
  readonly host: string;
  /** Of ssh, where it belongs to the address. */
  readonly user?: string;
  readonly credentials?: GitLocation["credentials"];
}

function parseAuthority(protocol: GitLocation["protocol"], text: string): Authority | Invalid {
  if (protocol === "file") {
    return text === ""
      ? { host: "" }
      : new Invalid("a file address names no host: git+file:///PATH, with three slashes");
  }
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  const [, port] = /^(?:\w(?:[\w.-]*\w)?|\[[\dA-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(host) ?? [undefined, "0"];
  if (port === "0" || Number(port ?? 1) > 65_535 || Number(port ?? 1) < 1 || host.includes("..")) {
    return new Invalid("its host is a name or a number, with :PORT behind it where one is wanted");
  }
  if (at < 0) return { host };
  const login = text.slice(0, at);
  if (protocol === "ssh") {
    return /^\w[\w.+-]*$/.test(login)
      ? { host, user: login }
      : new Invalid("before the @ of an ssh address stands a plain user name; passwords are not taken");
  }
  const colon = login.indexOf(":");
  const user = decodeLogin(colon < 0 ? login : login.slice(0, colon));
  const password = decodeLogin(colon < 0 ? "" : login.slice(colon + 1));
  if (!user || user.includes(":") || password === undefined) {
    return new Invalid("before the @ stands USER:PASSWORD or a token; write other characters as %XX");
  }
  return { host, credentials: { user, password } };
}

/** A user's name or password, decoded; undefined when it could be more than that. */
function decodeLogin(text: string): string | undefined {
  const decoded = /^[\w.~!$&'()*+,;=%-]*$/.test(text) ? decode(text) : undefined;
  return decoded === undefined || /\p{C}/u.test(decoded) ? undefined : decoded;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is one name in a path, also once it is decoded. */
function isName(text: string): boolean {
  const name = /^[\w.~+@=,%-]+$/.test(text) ? decode(text) : undefined;
  return name !== undefined && name !== "." && name !== ".." && !name.startsWith("-") &&
    !/[\p{C}/\\]/u.test(name);
}

function findPathProblem(protocol: GitLocation["protocol"], path: string): string | undefined {
  const names = path.replace(protocol === "file" ? /^\/[A-Za-z]:(?=\/)/ : "", "").split("/").slice(1);
  if (names.length === 0) return `the repository's path is missing: write it as ${FORM}`;
  // There may be anything behind these, and none of it is a repository.
  if (protocol === "file" && /^\/(dev|proc|sys)(\/|$)/i.test(decode(path) ?? "")) {
    return "devices and the system's own folders hold no repositories";
  }
  return names.every(isName)
    ? undefined
    : "the names in a repository's path have letters, digits and . _ ~ + @ = , - in them, do not begin with - " +
      "and are not .. ; write other characters as %XX";
}

/** What git itself wants of a name, and less: nothing that it would take for more than a name. */
function findRefProblem(ref: string): string | undefined {
  return /^\w[\w./+@=,#-]*$/.test(ref) && !/\.\.|@\{|\/\/|\/[.-]|\.lock(\/|$)|[/.]$/.test(ref)
    ? undefined
    : "behind # stands a branch, a tag or a commit: letters, digits and . _ / + @ = , # - which do not begin with -";
}

function findFolderProblem(folder: string): string | undefined {
  if (folder === "") return undefined;
  return folder.split("/").every((name) => isName(name) && decode(name)?.toLowerCase() !== ".git")
    ? undefined
    : "behind :/ stands a folder of the repository, in names with letters, digits and . _ ~ + @ = , - which do not " +
      "begin with - and are neither .. nor .git; write other characters as %XX";
}
