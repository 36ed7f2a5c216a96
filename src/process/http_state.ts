/** The folders of a server over HTTP, created while it can still be seen who owns the folders above them. */
import { forbid } from "../base/errors.ts";
import { httpPlaces } from "../base/http_state.ts";
import { openSecret, orFault, preparePrivate, type PrivateWords, STATE_WORDS } from "./private_folder.ts";

const WORDS: PrivateWords = {
  ...STATE_WORDS,
  what: "state of a server",
  renew: "Delete it to begin without",
};

/** Returns the secret, if there is one. Fails without one where people have names: all changes must be recorded. */
export function prepareHttpState(stateFolder: string, isNamed: boolean): string | undefined {
  const { folder, secretFile, tokens, record, sessions } = httpPlaces(stateFolder);
  const fault = preparePrivate([folder, tokens, record, sessions], WORDS);
  const words = { ...WORDS, what: "secret of a server", renew: "Delete it to get a new one" };
  const secret = fault ?? orFault(secretFile, words, () => openSecret(folder, secretFile, words));
  if (typeof secret === "string") return secret;
  if (!isNamed) return undefined;
  return forbid("record changes", `${secret.problem}. ${secret.fix}`);
}
