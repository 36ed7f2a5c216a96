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
  orFault,
  type PrivateFault,
  type PrivateWords,
  withDraft,
} from "./private_folder.ts";
import { openSecret, readSecret } from "./secret_file.ts";

/** Where it came from, as provenance. */
export const USER_TOKEN = "your own HTTP token";

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
    : openToken(stateFolder, (folder, path) => openSecret(folder, path, WORDS));
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
      return exists(path) ? readSecret(path, WORDS, user) : "";
    });
  });
  return typeof found === "string" ? undefined : found;
}

/** The result of some work with the folder and the file of the token, or what is wrong with them. */
function openToken(
  stateFolder: string,
  work: (folder: string, path: string) => string,
): string | TokenFault {
  const { folder, ownToken: path } = httpPlaces(stateFolder);
  return orFault(path, WORDS, () => work(folder, path));
}
