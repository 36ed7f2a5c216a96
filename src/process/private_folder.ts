/**
 * A folder that only the user can open, for files that only the user may read, such as tokens.
 *
 * Nothing is read from, or written to, a folder or file that is a link, belongs to somebody else or is open to others. The
 * messages name paths and reasons, never what is in a file.
 */

/** What is wrong with the folder or a file in it, and its fix, as sentences without a full stop. */
export interface PrivateFault {
  readonly problem: string;
  readonly fix: string;
}

/** How messages name what is kept, and what they advise. */
export interface PrivateWords {
  /** What is kept: "token". */
  readonly what: string;
  /** The fix where the file itself is at fault. */
  readonly renew: string;
  /** The fix where the place is. */
  readonly another: string;
  /** The fix where root works in the home of another user. */
  readonly asUser: string;
}

/** The reason why a private file cannot be used. */
export class Refused extends Error {
  /** A reason that a user can read. */
  constructor(readonly fault: PrivateFault) {
    super(fault.problem);
  }
}

/** The result of some work, or what is wrong with the file that it is about. */
export function orFault<T>(path: string, words: PrivateWords, work: () => T): T | PrivateFault {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error.fault;
    return {
      problem: `Cannot use your ${words.what} in ${path}: ${(error as Error).message}`,
      fix: words.another,
    };
  }
}

/** Creates private folders, each in the one before it; what is wrong with one of them, if anything. */
export function preparePrivate(folders: readonly string[], words: PrivateWords): PrivateFault | undefined {
  for (const folder of folders) {
    const fault = orFault(folder, words, () => inPrivateFolder(folder, words, "", () => undefined));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Every right of the group and of others. */
const OTHERS = 0o077;
const ROOT = 0;

/** Works in a private folder, which is created if it is missing; `draft` is a file of the user with a random name. */
export function inPrivateFolder<T>(
  folder: string,
  words: PrivateWords,
  text: string,
  work: (draft: string, user: number | null) => T,
): T {
  const above = nearest(folder);
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return withDraft(folder, text, (draft, user) => {
    if (user === ROOT && above.uid !== ROOT && above.path !== folder) {
      takeBack(folder, above.path, draft, words);
    }
    checkPrivate(folder, words, user, "isDirectory");
    return work(draft, user);
  });
}

/** The owner of a file that was just created is this user. The runtime would need another right to say who that is. */
export function withDraft<T>(
  folder: string,
  text: string,
  work: (draft: string, user: number | null) => T,
): T {
  const draft = `${folder}/.${crypto.randomUUID()}`;
  try {
    return work(draft, createDraft(draft, text));
  } finally {
    remove(draft);
  }
}

function createDraft(draft: string, text: string): number | null {
  using file = Deno.openSync(draft, { write: true, createNew: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncDataSync();
  return file.statSync().uid;
}

/** Reads a private file of at most so many bytes. */
export function readPrivate(
  path: string,
  words: PrivateWords,
  user: number | null,
  maxBytes: number,
): string {
  // Checked before it is opened: opening a pipe would wait for its writer.
  const named = checkPrivate(path, words, user, "isFile");
  using file = Deno.openSync(path);
  const opened = file.statSync();
  if (opened.ino !== named.ino || opened.dev !== named.dev) {
    return refuse(`The ${words.what} file ${path} was replaced while it was read`, words.another);
  }
  if (opened.size > maxBytes) refuse(`The ${words.what} file ${path} is too large`, words.renew);
  const bytes = new Uint8Array(opened.size);
  let length = 0;
  for (let got: number | null = 0; got !== null && length < bytes.length; length += got ?? 0) {
    got = file.readSync(bytes.subarray(length));
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}

/** Checks who can read and replace something. Windows has neither modes nor owners here: profiles are private there. */
export function checkPrivate(
  path: string,
  { what, renew, another }: PrivateWords,
  user: number | null,
  expected: "isFile" | "isDirectory",
): Deno.FileInfo {
  const info = Deno.lstatSync(path);
  const name = expected === "isFile" ? `${what} file` : `folder of the ${what}`;
  if (!info[expected]) refuse(`The ${name} ${path} is a link or not a plain one`, renew);
  if (info.uid !== user) refuse(`The ${name} ${path} belongs to another user`, another);
  if (Deno.build.os !== "windows" && ((info.mode ?? OTHERS) & OTHERS) !== 0) {
    refuse(`The ${name} ${path} is open to other users`, renew);
  }
  return info;
}

/** Says why, and what to do. */
export function refuse(problem: string, fix: string): never {
  throw new Refused({ problem, fix });
}

/** Whether something is there, be it a broken link. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A folder, or the innermost one above it that exists, and its owner. */
function nearest(path: string): { readonly path: string; readonly uid: number | null } {
  for (let at = path;; at = at.slice(0, at.lastIndexOf("/"))) {
    if (at === "" || exists(at)) return { path: at, uid: Deno.lstatSync(at || "/").uid };
  }
}

/** Refuses to keep a secret of root in another user's home: that user could neither read nor replace it. */
function takeBack(folder: string, above: string, draft: string, { what, asUser }: PrivateWords): never {
  remove(draft);
  for (let at = folder; at.length > above.length; at = at.slice(0, at.lastIndexOf("/"))) remove(at);
  return refuse(
    `The folder ${above || "/"} belongs to another user, who could not read a ${what} of root`,
    asUser,
  );
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was never created; or a random name stays behind in a folder that only the user can open.
  }
}
