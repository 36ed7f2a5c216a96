/**
 * The tokens that the user gives to others: each has a name, a role and perhaps an end, and is kept as a hash.
 *
 * They are in one file of the state folder, which is replaced as a whole: a server that runs sees a change or none, never
 * half of it. Whoever reads the file learns no token.
 */
import { fail } from "../base/errors.ts";
import { httpPlaces } from "../base/http_state.ts";
import { isRole, type Person, type Role } from "../base/roles.ts";
import { asText, asTexts, asValues, parseJson } from "../base/values.ts";
import { withLock } from "./lock.ts";
import {
  checkPrivate,
  exists,
  inPrivateFolder,
  preparePrivate,
  type PrivateWords,
  readPrivate,
  refuse,
} from "./private_folder.ts";
import { randomSecret } from "./secret_file.ts";

/** One token, without its secret. */
export interface NamedToken extends Person {
  /** Part of the token, so that it can be told from others; no secret. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** When it was added, and when it ends, in milliseconds; without an end it lasts until it is revoked. */
  readonly added: number;
  readonly ends?: number;
  /** SHA-256 of the whole token, in hexadecimal digits. */
  readonly hash: string;
}

/** What a new token is for. */
export type TokenRequest = Omit<NamedToken, "id" | "hash">;

const LOCK = ".tokens.lock";
/** More than any team has. */
export const MAX_TOKENS = 10_000;
const MAX_BYTES = 8 << 20;
const ID_LENGTH = 8;
const LOCK_MS = 5_000;

const WORDS: PrivateWords = {
  what: "tokens",
  renew: "Delete it to begin without tokens, and add them again",
  another: "Use another state folder (XDG_STATE_HOME)",
  asUser: "Run this as that user",
};

/** Creates the folder. Later, the folders above it cannot be seen. */
export function prepareTokens(stateFolder: string): void {
  const { folder, tokens } = httpPlaces(stateFolder);
  const fault = preparePrivate([folder, tokens], WORDS);
  if (fault !== undefined) {
    fail({ code: "not-allowed", what: "keep tokens", hint: `${fault.problem}. ${fault.fix}` });
  }
}

/** Changes whenever the tokens do; undefined without a file. */
export function tokensMark(stateFolder: string): string | undefined {
  try {
    const { ino, size, mtime } = Deno.lstatSync(httpPlaces(stateFolder).tokensFile);
    return `${ino} ${size} ${mtime?.getTime()}`;
  } catch {
    return undefined;
  }
}

/** All tokens; none if there is no file. Fails if others could have written it, or if it is not one of ours. */
export function readTokens(stateFolder: string): readonly NamedToken[] {
  const { tokens: folder, tokensFile: file } = httpPlaces(stateFolder);
  if (!exists(file)) return [];
  // What is closed to everybody else, and can be opened, belongs to this user.
  const { uid } = Deno.lstatSync(folder);
  checkPrivate(folder, WORDS, uid, "isDirectory");
  const { tokens } = asValues(parseJson(readPrivate(file, WORDS, uid, MAX_BYTES)));
  const read = Array.isArray(tokens) ? tokens.map(tokenIn) : [];
  return Array.isArray(tokens) && read.every((one) => one !== undefined)
    ? read
    : refuse(`The tokens file ${file} is not one that this version has written`, WORDS.renew);
}

/** Adds a token, and returns it with its text, which nothing keeps. */
export async function addToken(
  stateFolder: string,
  wanted: TokenRequest,
): Promise<{ readonly text: string; readonly token: NamedToken }> {
  return await change(stateFolder, async (tokens) => {
    if (tokens.length >= MAX_TOKENS) refuse(`There are ${MAX_TOKENS} tokens already`, "Revoke some");
    const id = newId(tokens);
    const text = `bmad_${id}_${randomSecret()}`;
    const token = { ...wanted, id, hash: await tokenHash(text) };
    return { tokens: [...tokens, token], result: { text, token } };
  });
}

/** Removes every token that `isMeant`, and returns them. */
export async function removeTokens(
  stateFolder: string,
  isMeant: (token: NamedToken) => boolean,
): Promise<readonly NamedToken[]> {
  return await change(stateFolder, (tokens) => ({
    tokens: tokens.filter((one) => !isMeant(one)),
    result: tokens.filter(isMeant),
  }));
}

/** What is kept of a token. */
export async function tokenHash(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}

/** The id in a text of the form of a token; undefined for any other. */
export function idIn(text: string): string | undefined {
  return /^bmad_([a-z0-9]{8})_[\w-]{43}$/.exec(text)?.[1];
}

/** Replaces the tokens; programs that do so at the same moment take turns. */
async function change<T>(
  stateFolder: string,
  work: (
    tokens: readonly NamedToken[],
  ) => Promise<{ tokens: readonly NamedToken[]; result: T }> | { tokens: readonly NamedToken[]; result: T },
): Promise<T> {
  const { tokens: folder, tokensFile: file } = httpPlaces(stateFolder);
  const tooLong = () => refuse("Another program is changing the tokens", "Try again");
  return await withLock(`${folder}/${LOCK}`, undefined, async () => {
    const before = readTokens(stateFolder);
    const { tokens, result } = await work(before);
    if (tokens.length !== before.length) {
      const text = `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`;
      inPrivateFolder(folder, WORDS, text, (draft) => Deno.renameSync(draft, file));
    }
    return result;
  }, { pollMs: 20, maxMs: LOCK_MS, tooLong });
}

const ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

function newId(tokens: readonly NamedToken[]): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(ID_LENGTH));
    const id = [...bytes].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]!).join("");
    if (!tokens.some((one) => one.id === id)) return id;
  }
}

function tokenIn(value: unknown): NamedToken | undefined {
  const { id, name, role, projects, added, ends, hash } = asValues(value);
  const [named, roleName] = [asText(name), asText(role)];
  const isWhole = typeof id === "string" && /^[a-z0-9]{8}$/.test(id) && typeof hash === "string" &&
    /^[0-9a-f]{64}$/.test(hash) && typeof added === "number" &&
    (ends === undefined || typeof ends === "number");
  if (!isWhole || named === undefined || !isRole(roleName)) return undefined;
  return {
    id,
    name: named,
    role: roleName,
    ...(projects !== undefined && { projects: asTexts(projects) }),
    added,
    ...(ends !== undefined && { ends }),
    hash,
  };
}
