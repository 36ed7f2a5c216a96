/** The tokens that the user gives to others, as hashes in one file that is replaced as a whole. */
import { attempt } from "../base/absence.ts";
import { forbid } from "../base/errors.ts";
import { httpPlaces } from "../base/http_state.ts";
import { parsePerson, type Person, type Role } from "../base/roles.ts";
import { sha256 } from "../base/text.ts";
import { asValues, parseJson } from "../base/values.ts";
import { withLock } from "./lock.ts";
import {
  checkPrivate,
  exists,
  inPrivateFolder,
  preparePrivate,
  type PrivateWords,
  randomSecret,
  readPrivate,
  refuse,
  STATE_WORDS,
} from "./private_folder.ts";

export interface NamedToken extends Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** When it was added, and when it ends, in milliseconds; without an end it lasts until it is revoked. */
  readonly added: number;
  readonly ends?: number;
  readonly hash: string;
}

export type TokenRequest = Omit<NamedToken, "id" | "hash">;

const LOCK = ".tokens.lock";
const MAX_TOKENS = 10_000;
const MAX_BYTES = 8 << 20;
const ID_LENGTH = 8;
const LOCK_MS = 5_000;

const WORDS: PrivateWords = {
  ...STATE_WORDS,
  what: "tokens",
  renew: "Delete it to begin without tokens, and add them again",
};

/** To be called early: later, the folders above cannot be seen. */
export function prepareTokens(stateFolder: string): void {
  const { folder, tokens } = httpPlaces(stateFolder);
  const fault = preparePrivate([folder, tokens], WORDS);
  if (fault !== undefined) {
    forbid("keep tokens", `${fault.problem}. ${fault.fix}`);
  }
}

export function tokensMark(stateFolder: string): string | undefined {
  const facts = attempt(() => Deno.lstatSync(httpPlaces(stateFolder).tokensFile));
  return facts && `${facts.ino} ${facts.size} ${facts.mtime?.getTime()}`;
}

/** Fails if others could have written the file, or if it is not one of ours. */
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

/** The token's text is kept nowhere. */
export async function addToken(stateFolder: string, wanted: TokenRequest) {
  return await change(stateFolder, async (tokens) => {
    if (tokens.length >= MAX_TOKENS) refuse(`There are ${MAX_TOKENS} tokens already`, "Revoke some");
    const id = newId(tokens);
    const text = `bmad_${id}_${randomSecret()}`;
    const token = { ...wanted, id, hash: await sha256(text) };
    return { tokens: [...tokens, token], result: { text, token } };
  });
}

export async function removeTokens(stateFolder: string, isMeant: (token: NamedToken) => boolean) {
  return await change(stateFolder, (tokens) => ({
    tokens: tokens.filter((one) => !isMeant(one)),
    result: tokens.filter(isMeant),
  }));
}

export function idIn(text: string): string | undefined {
  return /^bmad_([a-z0-9]{8})_[\w-]{43}$/.exec(text)?.[1];
}

interface Change<T> {
  readonly tokens: readonly NamedToken[];
  readonly result: T;
}

async function change<T>(
  stateFolder: string,
  work: (tokens: readonly NamedToken[]) => Change<T> | Promise<Change<T>>,
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
  const { id, added, ends, hash } = asValues(value);
  const person = parsePerson(value);
  const isWhole = typeof id === "string" && /^[a-z0-9]{8}$/.test(id) && typeof hash === "string" &&
    /^[0-9a-f]{64}$/.test(hash) && typeof added === "number" &&
    (ends === undefined || typeof ends === "number");
  if (!isWhole || person?.name === undefined) return undefined;
  return { id, ...person, name: person.name, added, ...(ends !== undefined && { ends }), hash };
}
