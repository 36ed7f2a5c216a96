/**
 * The user's own token for HTTP: created with its first use, in a folder that only the user can open.
 *
 * Any program on a machine can connect to a loopback port. Only the user can read this file, so the token tells
 * the user's clients from those of others. It never appears in a message.
 */
import { fail } from "../base/errors.ts";

/** Where it came from, as provenance. */
export const USER_TOKEN = "your own HTTP token";

/** In the state folder. Nothing else is kept in it. */
export const TOKEN_FOLDER = "http";
const FILE = "token";

const TOKEN_BYTES = 32;
/** In base64url, and the line end. */
const FORM = /^([\w-]{43})\n$/;
/** Every right of the group and of others. */
const OTHERS = 0o077;

/** The file of the token of the user whose state folder is given. */
export function tokenFile(stateFolder: string): string {
  return `${stateFolder}/${TOKEN_FOLDER}/${FILE}`;
}

/** What is wrong with the token, and its fix, as sentences without a full stop. */
export interface TokenFault {
  readonly problem: string;
  readonly fix: string;
}

/**
 * The token of the user whose state folder is given. Programs that create it at the same moment agree on one. Fails
 * unless the file and its folder are plain, belong to the user, and are closed to everybody else.
 */
export function readUserToken(stateFolder: string | undefined): string {
  const found = stateFolder === undefined
    ? { problem: "No folder can hold your HTTP token, because HOME is not set", fix: ANOTHER }
    : openToken(stateFolder, (folder, path) => {
      const above = nearest(folder);
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      return withDraft(folder, (draft, user) => {
        if (user === ROOT && above.uid !== ROOT && above.path !== folder) takeBack(folder, above.path, draft);
        checkPrivate(folder, Deno.lstatSync(folder), user, "isDirectory");
        publish(draft, path);
        return read(path, user);
      });
    });
  if (typeof found === "string") return found;
  const problem = `${found.problem}. ${found.fix}`;
  return fail({ code: "invalid-config", setting: "token", source: "default", problem });
}

/** What would keep `readUserToken` from its work; undefined if nothing does. Creates no token. */
export function checkUserToken(stateFolder: string | undefined): TokenFault | undefined {
  if (stateFolder === undefined) return undefined;
  const found = openToken(stateFolder, (folder, path) => {
    if (!exists(folder)) return "";
    return withDraft(folder, (_, user) => {
      checkPrivate(folder, Deno.lstatSync(folder), user, "isDirectory");
      return exists(path) ? read(path, user) : "";
    });
  });
  return typeof found === "string" ? undefined : found;
}

/** The result of some work with the folder and the file of the token, or what is wrong with them. */
function openToken(
  stateFolder: string,
  work: (folder: string, path: string) => string,
): string | TokenFault {
  const folder = `${stateFolder}/${TOKEN_FOLDER}`;
  const path = tokenFile(stateFolder);
  try {
    return work(folder, path);
  } catch (error) {
    if (error instanceof Refused) return error.fault;
    // What the system says names paths and reasons, never what is in a file.
    return {
      problem: `Cannot use your HTTP token in ${path}: ${(error as Error).message}`,
      fix: ANOTHER,
    };
  }
}

const ROOT = 0;

/** A folder, or the innermost one above it that exists, and its owner. */
function nearest(path: string): { readonly path: string; readonly uid: number | null } {
  for (let at = path;; at = at.slice(0, at.lastIndexOf("/"))) {
    if (at === "" || exists(at)) return { path: at, uid: Deno.lstatSync(at || "/").uid };
  }
}

/** Refuses to keep a token of root in another user's home: that user could neither read nor replace it. */
function takeBack(folder: string, above: string, draft: string): never {
  remove(draft);
  for (let at = folder; at.length > above.length; at = at.slice(0, at.lastIndexOf("/"))) remove(at);
  return refuse(
    `The folder ${above || "/"} belongs to another user, who could not read a token of root`,
    AS_USER,
  );
}

/** The owner of a file that was just created is this user. The runtime would need another right to say who that is. */
function withDraft<T>(folder: string, work: (draft: string, user: number | null) => T): T {
  const draft = `${folder}/.${crypto.randomUUID()}`;
  try {
    return work(draft, createDraft(draft));
  } finally {
    remove(draft);
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Writes a new token and returns the owner of the file. */
function createDraft(draft: string): number | null {
  using file = Deno.openSync(draft, { write: true, createNew: true, mode: 0o600 });
  const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
  file.writeSync(new TextEncoder().encode(`${token}\n`));
  file.syncDataSync();
  return file.statSync().uid;
}

/** Gives the draft its name, unless the user has a token already. A link is created whole, or not at all. */
function publish(draft: string, path: string): void {
  try {
    Deno.linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function read(path: string, user: number | null): string {
  const named = Deno.lstatSync(path);
  // Checked before it is opened: opening a pipe would wait for its writer.
  checkPrivate(path, named, user, "isFile");
  using file = Deno.openSync(path);
  const opened = file.statSync();
  if (opened.ino !== named.ino || opened.dev !== named.dev) {
    return refuse(`The token file ${path} was replaced while it was read`);
  }
  const bytes = new Uint8Array(64);
  const length = file.readSync(bytes) ?? 0;
  const [, token] = FORM.exec(new TextDecoder().decode(bytes.subarray(0, length))) ?? [];
  return token ?? refuse(`The token file ${path} does not hold a token`, RENEW);
}

/** Checks who can read and replace something. Windows has neither modes nor owners here: profiles are private there. */
function checkPrivate(
  path: string,
  { mode, uid, ...kind }: Deno.FileInfo,
  user: number | null,
  expected: "isFile" | "isDirectory",
): void {
  const what = expected === "isFile" ? "token file" : "folder of the token";
  if (!kind[expected]) refuse(`The ${what} ${path} is a link or not a plain one`, RENEW);
  if (uid !== user) refuse(`The ${what} ${path} belongs to another user`);
  if (Deno.build.os !== "windows" && ((mode ?? OTHERS) & OTHERS) !== 0) {
    refuse(`The ${what} ${path} is open to other users`, RENEW);
  }
}

const RENEW = "Delete it to get a new one, or set BMAD_TOKEN";
const ANOTHER = "Set BMAD_TOKEN instead";
const AS_USER = "Run this as that user, or set BMAD_TOKEN";

class Refused extends Error {
  constructor(readonly fault: TokenFault) {
    super(fault.problem);
  }
}

function refuse(problem: string, fix = ANOTHER): never {
  throw new Refused({ problem, fix });
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was never created; or a random name stays behind in a folder that only the user can open.
  }
}
