/**
 * Any program on a machine can connect to a loopback port, but only the user can read this file. The token never
 * appears in a message.
 */
import { fail } from "../base/errors.ts";
import { httpPlaces } from "../base/http_state.ts";
import {
  checkPrivate,
  exists,
  openSecret,
  orFault,
  type PrivateFault,
  type PrivateWords,
  readSecret,
  withDraft,
} from "./private_folder.ts";

export const USER_TOKEN = "your own HTTP token";

const WORDS: PrivateWords = {
  what: "HTTP token",
  renew: "Delete it to get a new one, or set BMAD_TOKEN",
  another: "Set BMAD_TOKEN instead",
  asUser: "Run this as that user, or set BMAD_TOKEN",
};

export function tokenFile(stateFolder: string): string {
  return httpPlaces(stateFolder).ownToken;
}

export type TokenFault = PrivateFault;

/** Concurrent programs agree on one. Fails unless file and folder are plain, the user's, and closed to others. */
export function readUserToken(stateFolder: string | undefined): string {
  const found = stateFolder === undefined
    ? { problem: "No folder can hold your HTTP token, because HOME is not set", fix: WORDS.another }
    : openToken(stateFolder, (folder, path) => openSecret(folder, path, WORDS));
  if (typeof found === "string") return found;
  const problem = `${found.problem}. ${found.fix}`;
  return fail({ code: "invalid-config", setting: "token", source: "default", problem });
}

/** Undefined if `readUserToken` would succeed. Creates no token. */
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

function openToken(stateFolder: string, work: (folder: string, path: string) => string): string | TokenFault {
  const { folder, ownToken: path } = httpPlaces(stateFolder);
  return orFault(path, WORDS, () => work(folder, path));
}
