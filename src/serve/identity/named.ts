/**
 * The tokens that the user has given to others, as a server that runs knows them.
 *
 * Their file is looked at with every token that arrives, and read again when it has changed: a token that was revoked a
 * moment ago is refused.
 */
import { isSameName } from "../../base/people.ts";
import { isSamePerson } from "../../base/roles.ts";
import { idIn, type NamedToken, readTokens, tokenHash, tokensMark } from "../../process/named_tokens.ts";

export type NamedTokens = ReturnType<typeof openNamedTokens>;

/** Compared if no token has such an id, so that the answer takes as long. */
const NOBODY = "0".repeat(64);

/** `report` is called once for a file that cannot be used: no named token is valid then. */
export function openNamedTokens(
  state: string,
  { now, report }: { now(): number; report(problem: string): void },
) {
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
    withId: (id: string): NamedToken | undefined => {
      const token = current().get(id);
      return token !== undefined && isGood(token) ? token : undefined;
    },
    hasName: (name: string): boolean =>
      current().values().some((token) => isSameName(token.name, name) && isGood(token)),
    find: async (text: string): Promise<NamedToken | undefined> => {
      const token = current().get(idIn(text) ?? "");
      const isRight = isEqualSecret(await tokenHash(text), token?.hash ?? NOBODY);
      return isRight && token !== undefined && isGood(token) ? token : undefined;
    },
  };
}

function isSame(a: NamedToken, b: NamedToken): boolean {
  return isSamePerson(a, b) && a.hash === b.hash && a.ends === b.ends;
}

/** Compares in a time that depends on the length of what was shown, and so tells nothing about the secret. */
export function isEqualSecret(shown: string, secret: string): boolean {
  let difference = shown.length ^ secret.length;
  for (let at = 0; at < shown.length; at++) {
    difference |= shown.charCodeAt(at) ^ secret.charCodeAt(at % secret.length);
  }
  return difference === 0;
}
