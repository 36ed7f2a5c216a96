/** Files that only the user may read. A link, or a file that others own or can open, is refused. */
import { attempt, recover, unlessMissing } from "../base/absence.ts";
import { failureIn, reportRefusal, systemCode } from "../base/errors.ts";
import { firstOf } from "../base/values.ts";

export interface PrivateFault {
  readonly problem: string;
  readonly fix: string;
}

export interface PrivateWords {
  readonly what: string;
  /** The fix if the file itself is at fault. */
  readonly renew: string;
  /** The fix if its location is. */
  readonly another: string;
  /** The fix if root works in the home of another user. */
  readonly asUser: string;
}

export const STATE_WORDS = {
  another: "Use another state folder (XDG_STATE_HOME)",
  asUser: "Run this as that user",
} as const;

export class Refused extends Error {
  constructor(readonly fault: PrivateFault) {
    super(fault.problem);
  }
}

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

export function preparePrivate(folders: readonly string[], words: PrivateWords): PrivateFault | undefined {
  const prepare = (folder: string) =>
    orFault(folder, words, () => inPrivateFolder(folder, words, "", () => undefined));
  return firstOf(folders, prepare);
}

const OTHERS = 0o077;
const ROOT = 0;

/** `draft` is a file of the user with a random name. */
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
    sweepDrafts(draft, DRAFT);
    return work(draft, user);
  });
}

const DRAFT = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ABANDONED_MS = 60_000;

/** Removes drafts of killed programs beside one that was just made, by whose age theirs is told. */
export function sweepDrafts(draft: string, form: RegExp): void {
  const folder = draft.slice(0, draft.lastIndexOf("/"));
  const timeOf = (path: string) => Deno.lstatSync(path).mtime?.getTime() ?? 0;
  attempt(() => {
    const now = timeOf(draft);
    for (const { name, isFile } of Deno.readDirSync(folder)) {
      const path = `${folder}/${name}`;
      if (isFile && form.test(name)) {
        attempt(() => now - timeOf(path) > ABANDONED_MS && Deno.removeSync(path));
      }
    }
  });
}

/** The owner of a file just created is this user: asking the runtime for the user would need another right. */
export function withDraft<T>(
  folder: string,
  text: string,
  work: (draft: string, user: number | null) => T,
  isKept = true,
): T {
  const draft = `${folder}/.${crypto.randomUUID()}`;
  try {
    return work(draft, createDraft(draft, text, isKept));
  } finally {
    remove(draft);
  }
}

function createDraft(draft: string, text: string, isKept: boolean): number | null {
  using file = Deno.openSync(draft, { write: true, createNew: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  reportRefusal(draft.slice(0, draft.lastIndexOf("/")), () => {
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    // A busy disk takes a tenth of a second for it.
    if (isKept) file.syncDataSync();
  });
  return file.statSync().uid;
}

export function readPrivate(path: string, words: PrivateWords, user: number | null, maxBytes: number) {
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

/** Windows has neither modes nor owners here: profiles are private there. */
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

export function refuse(problem: string, fix: string): never {
  throw new Refused({ problem, fix });
}

export function exists(path: string): boolean {
  return unlessMissing(() => Deno.lstatSync(path)) !== undefined;
}

function nearest(path: string): { readonly path: string; readonly uid: number | null } {
  for (let at = path;; at = at.slice(0, at.lastIndexOf("/"))) {
    if (at === "" || exists(at)) return { path: at, uid: Deno.lstatSync(at || "/").uid };
  }
}

/** That user could neither read nor replace the secret. */
function takeBack(folder: string, above: string, draft: string, { what, asUser }: PrivateWords): never {
  remove(draft);
  for (let at = folder; at.length > above.length; at = at.slice(0, at.lastIndexOf("/"))) remove(at);
  return refuse(
    `The folder ${above || "/"} belongs to another user, who could not read a ${what} of root`,
    asUser,
  );
}

/** It may never have been created; or a random name stays behind in a folder that only the user can open. */
function remove(path: string): void {
  attempt(() => Deno.removeSync(path));
}

const SECRET_BYTES = 32;
const SECRET_FORM = /^([\w-]{43})\n$/;
const MAX_SECRET_BYTES = 64;

export function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** Programs that create it at the same moment agree on one. */
export function openSecret(folder: string, path: string, words: PrivateWords): string {
  return inPrivateFolder(folder, words, `${randomSecret()}\n`, (draft, user) => {
    publish(draft, path);
    return readSecret(path, words, user);
  });
}

export function readSecret(path: string, words: PrivateWords, user: number | null): string {
  const [, secret] = SECRET_FORM.exec(readPrivate(path, words, user, MAX_SECRET_BYTES)) ?? [];
  return secret ?? refuse(`The ${words.what} file ${path} does not hold one`, words.renew);
}

/** A link is created whole, or not at all. */
function publish(draft: string, path: string): void {
  recover(Deno.errors.AlreadyExists, () => Deno.linkSync(draft, path));
}

/** Creates the folder if it is missing. A disk may be full or read-only. */
export function canWriteIn(folder: string): boolean {
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return withDraft(folder, "yes", () => true, false);
  } catch (error) {
    if (systemCode(error) === undefined && failureIn(error) === undefined) throw error;
    return false;
  }
}
