/**
 * A secret in a private file: created with its first use, and the same for every program that uses it from then on.
 */
import { inPrivateFolder, type PrivateWords, readPrivate, refuse } from "./private_folder.ts";

const SECRET_BYTES = 32;
/** In base64url, and the line end. */
const FORM = /^([\w-]{43})\n$/;
const MAX_BYTES = 64;

/** 256 random bits, in base64url. */
export function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** The secret in a file of a private folder. Programs that create it at the same moment agree on one. */
export function openSecret(folder: string, path: string, words: PrivateWords): string {
  return inPrivateFolder(folder, words, `${randomSecret()}\n`, (draft, user) => {
    publish(draft, path);
    return readSecret(path, words, user);
  });
}

/** The secret in a file that exists. */
export function readSecret(path: string, words: PrivateWords, user: number | null): string {
  const [, secret] = FORM.exec(readPrivate(path, words, user, MAX_BYTES)) ?? [];
  return secret ?? refuse(`The ${words.what} file ${path} does not hold one`, words.renew);
}

/** Gives the draft its name, unless there is a secret already. A link is created whole, or not at all. */
function publish(draft: string, path: string): void {
  try {
    Deno.linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}
