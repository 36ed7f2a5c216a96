/**
 * The user's own token for HTTP: created with its first use, in a folder that only the user can open.
 *
 * Any program on a machine can connect to a loopback port. Only the user can read this file, so the token tells
 * the user's clients from those of others. It never appears in a message.
 */
import { fail } from "../base/errors.ts";
import { httpPlaces } from "../base/http_state.ts";
import {
  checkPrivate,
  exists,
  inPrivateFolder,
  orFault,
  type PrivateFault,
  type PrivateWords,
  readPrivate,
  refuse,
  withDraft,
} from "./private_folder.ts";

/** Where it came from, as provenance. */
export const USER_TOKEN = "your own HTTP token";

const TOKEN_BYTES = 32;
/** In base64url, and the line end. */
const FORM = /^([\w-]{43})\n$/;
const MAX_BYTES = 64;

const WORDS: PrivateWords = {
  what: "HTTP token",
  renew: "Delete it to get a new one, or set BMAD_TOKEN",
  another: "Set BMAD_TOKEN instead",
  asUser: "Run this as that user, or set BMAD_TOKEN",
};

/** The file of the token of the user whose state folder is given. */
export function tokenFile(stateFolder: string): string {
  return httpPlaces(stateFolder).ownToken;
}

/** What is wrong with the token. */
export type TokenFault = PrivateFault;

/**
 * The token of the user whose state folder is given. Programs that create it at the same moment agree on one. Fails
 * unless the file and its folder are plain, belong to the user, and are closed to everybody else.
 */
export function readUserToken(stateFolder: string | undefined): string {
  const found = stateFolder === undefined
    ? { problem: "No folder can hold your HTTP token, because HOME is not set", fix: WORDS.another }
    : openToken(
      stateFolder,
      (folder, path) =>
        inPrivateFolder(folder, WORDS, `${randomSecret()}\n`, (draft, user) => {
          publish(draft, path);
          return read(path, user);
        }),
    );
  if (typeof found === "string") return found;
  const problem = `${found.problem}. ${found.fix}`;
  return fail({ code: "invalid-config", setting: "token", source: "default", problem });
}

/** What would keep `readUserToken` from its work; undefined if nothing does. Creates no token. */
export function checkUserToken(stateFolder: string | undefined): TokenFault | undefined {
  if (stateFolder === undefined) return undefined;
  const found = openToken(stateFolder, (folder, path) => {
    if (!exists(folder)) return "";
    return withDraft(folder, "", (_, user) => {
      checkPrivate(folder, WORDS, user, "isDirectory");
      return exists(path) ? read(path, user) : "";
    });
  });
  return typeof found === "string" ? undefined : found;
}

/** 256 random bits, in base64url. */
export function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** The result of some work with the folder and the file of the token, or what is wrong with them. */
function openToken(
  stateFolder: string,
  work: (folder: string, path: string) => string,
): string | TokenFault {
  const { folder, ownToken: path } = httpPlaces(stateFolder);
  return orFault(path, WORDS, () => work(folder, path));
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
  const [, token] = FORM.exec(readPrivate(path, WORDS, user, MAX_BYTES)) ?? [];
  return token ?? refuse(`The ${WORDS.what} file ${path} does not hold a token`, WORDS.renew);
}
