/**
 * The tokens that the user has given to others, as a server that runs knows them.
 *
 * Their file is looked at with every token that arrives, and read again when it has changed: a token that was revoked a
 * moment ago is refused.
 */
import { isSameName } from "../../base/people.ts";
import { isSamePerson } from "../../base/roles.ts";
import { idIn, type NamedToken, readTokens, tokenHash, tokensMark } from "../../process/named_tokens.ts";

/** Who has which token. */
export interface NamedTokens {
  /** Whose token a text is; undefined if it is nobody's, or no longer. */
  find(text: string): Promise<NamedToken | undefined>;
  /** The token with an id, if it has not ended. */
  withId(id: string): NamedToken | undefined;
  /** Whether somebody of this name has one. */
  hasName(name: string): boolean;
}

/** What is compared if nobody has a token with such an id, so that the answer takes as long. */
const NOBODY = "0".repeat(64);

/** Opens the tokens of a state folder. `report` is called once for a file that cannot be used: nobody has a token then. */
export function openNamedTokens(
  state: string,
  { now, report }: { now(): number; report(problem: string): void },
): NamedTokens {
  let [mark, tokens] = ["", new Map<string, NamedToken>()];
  const current = () => {
    const latest = tokensMark(state) ?? "";
    if (latest === mark) return tokens;
    mark = latest;
    try {
      const read = readTokens(state);
      // The same person stays the same object, by which answers are kept.
      tokens = new Map(read.map((one) => {
        const known = tokens.get(one.id);
        return [one.id, known !== undefined && isSame(known, one) ? known : one];
      }));
    } catch (error) {
      tokens = new Map();
      report((error as Error).message);
    }
    return tokens;
  };
  const isGood = ({ ends = Infinity }: NamedToken) => ends > now();
  return {
    withId: (id) => {
      const token = current().get(id);
      return token !== undefined && isGood(token) ? token : undefined;
    },
    hasName: (name) => current().values().some((token) => isSameName(token.name, name) && isGood(token)),
    find: async (text) => {
      const token = current().get(idIn(text) ?? "");
      const isRight = isEqual(await tokenHash(text), token?.hash ?? NOBODY);
      return isRight && token !== undefined && isGood(token) ? token : undefined;
    },
  };
}

function isSame(a: NamedToken, b: NamedToken): boolean {
  return isSamePerson(a, b) && a.hash === b.hash && a.ends === b.ends;
}

/** Compares two hashes in a time that tells nothing about where they differ. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at % b.length);
  return difference === 0;
}
