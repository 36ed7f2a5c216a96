/**
 * The folders of a server over HTTP, created while it can still be seen who owns the folders above them.
 */
import { fail } from "../base/errors.ts";
import { httpPlaces } from "../base/http_state.ts";
import { preparePrivate, type PrivateWords } from "./private_folder.ts";

const WORDS: PrivateWords = {
  what: "state of a server",
  renew: "Delete it to begin without",
  another: "Use another state folder (XDG_STATE_HOME)",
  asUser: "Run this as that user",
};

/**
 * Creates the folders in a state folder. Where people have names, everything they change is recorded, so it fails
 * without them; otherwise the result says whether they can be used.
 */
export function prepareHttpState(stateFolder: string, isNamed: boolean): boolean {
  const { folder, tokens, record, sessions } = httpPlaces(stateFolder);
  // One after the other: each is created in the first.
  const fault = [tokens, record, sessions].values()
    .map((one) => preparePrivate([folder, one], WORDS))
    .find((found) => found !== undefined);
  if (fault !== undefined && isNamed) {
    fail({ code: "not-allowed", what: "record changes", hint: `${fault.problem}. ${fault.fix}` });
  }
  return fault === undefined;
}
