/**
 * Tokens of the company's issuer: JSON Web Tokens, checked with the issuer's own keys.
 *
 * Where the keys are, the issuer says (OpenID Connect Discovery); they are kept for a while, and asked for again when a
 * token names a key that is not among them. The library does the cryptography, and accepts no algorithm that we do not name.
 */
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";
import { MAX_OWNER } from "../../base/model.ts";
import { type GroupRules, type Person, personOf } from "../../base/roles.ts";
import { plainName } from "../../base/people.ts";
import { asText, asTexts, asValues } from "../../base/values.ts";
import { LIMITS } from "../limits.ts";
import { requestsTo } from "../../process/named_server.ts";

export interface IssuerRules extends GroupRules {
  readonly issuer: string;
  readonly audience: string;
  readonly nameClaim: string | undefined;
  readonly groupsClaim: string;
}

export interface Issuer {
  /** Undefined for an invalid token; "no role" if the groups give none. */
  find(text: string): Promise<Signed | "no role" | undefined>;
}

interface Signed {
  readonly person: Person;
  /** In milliseconds. */
  readonly ends: number;
}

/** Signatures that only the issuer's private key can make: nothing symmetric, and never none. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** In seconds: how far the clocks of two machines may be apart. */
const SKEW = 60;
const DISCOVERY_MS = 3_600_000;
const KEYS_MS = 600_000;
/** How long the issuer is left alone after a failure, or keys that do not help. */
const COOLDOWN_MS = 10_000;
const TIMEOUT_MS = 5_000;

export function openIssuer(
  rules: IssuerRules,
  { now, report }: { now(): number; report(problem: string): void },
): Issuer {
  let keys: { readonly find: JWTVerifyGetKey; readonly since: number } | undefined;
  let pending: Promise<JWTVerifyGetKey> | undefined;
  let failedAt = -Infinity;
  const open = async (): Promise<JWTVerifyGetKey> => {
    const address = await keysAddress(rules.issuer);
    const request = requestsTo(address.origin);
    const find = createRemoteJWKSet(address, {
      [customFetch]: request,
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: KEYS_MS,
    });
    keys = { find, since: now() };
    return find;
  };
  const keysOf = async (): Promise<JWTVerifyGetKey | undefined> => {
    if (keys !== undefined && now() - keys.since < DISCOVERY_MS) return keys.find;
    if (now() - failedAt < COOLDOWN_MS) return keys?.find;
    try {
      return await (pending ??= open());
    } catch (error) {
      failedAt = now();
      report(`Cannot ask ${rules.issuer} for its keys: ${(error as Error).message}`);
      // The keys that are known stay good while the issuer cannot be reached.
      return keys?.find;
    } finally {
      pending = undefined;
    }
  };
  return {
    find: async (text) => {
      if (!isForm(text)) return undefined;
      const find = await keysOf();
      if (find === undefined) return undefined;
      const payload = await verify(text, find, rules, now());
      if (payload === undefined) return undefined;
      const name = nameIn(payload, rules.nameClaim);
      if (name === undefined) return undefined;
      const person = personOf(name, asTexts(valueAt(payload, rules.groupsClaim)), rules);
      if (person === undefined) return "no role";
      return { person, ends: (payload.exp! + SKEW) * 1_000 };
    },
  };
}

function isForm(text: string): boolean {
  return text.length <= LIMITS.identity.tokenLength && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

async function verify(
  text: string,
  keys: JWTVerifyGetKey,
  { issuer, audience }: IssuerRules,
  now: number,
): Promise<JWTPayload | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(text, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW,
      currentDate: new Date(now),
      requiredClaims: ["exp", "sub"],
    });
    return isForAccess(protectedHeader.typ, payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

/** The types of a token that lets its bearer in; many issuers name none. */
const ACCESS_TYPES = ["jwt", "at+jwt", "application/at+jwt"];
/** Claims of tokens for other ends: signing in, signing out, an event. */
const OTHER_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
/** The same, as some issuers say it in the claim `typ`. */
const OTHER_TYPES = ["id", "refresh", "offline", "logout"];

function isForAccess(typ: string | undefined, payload: JWTPayload): boolean {
  return ACCESS_TYPES.includes((typ ?? "JWT").toLowerCase()) &&
    !OTHER_CLAIMS.some((claim) => Object.hasOwn(payload, claim)) &&
    !OTHER_TYPES.includes(asText(payload["typ"])?.toLowerCase() ?? "") &&
    (asText(payload["token_use"]) ?? "access") === "access";
}

async function keysAddress(issuer: string): Promise<URL> {
  const description = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestsTo(issuer)(description, { signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${description} answered with status ${response.status}`);
  }
  const { issuer: named, jwks_uri: address } = asValues(await response.json());
  if (named !== issuer) throw new Error(`it calls itself ${JSON.stringify(named)}, not ${issuer}`);
  const url = URL.parse(asText(address) ?? "");
  const isSafe = url?.protocol === "https:" || url?.origin === new URL(issuer).origin;
  if (url === null || !isSafe) throw new Error("it names no address for its keys");
  return url;
}

const NAME_CLAIMS = ["preferred_username", "email", "sub"] as const;

function nameIn(payload: JWTPayload, claim: string | undefined): string | undefined {
  const claims = claim === undefined ? NAME_CLAIMS : [claim];
  const name = claims.map((one) => asText(valueAt(payload, one))).find((text) => text !== undefined);
  const line = name === undefined ? "" : plainName(name);
  return line === "" || line.length > MAX_OWNER ? undefined : line;
}

/** `a.b` is the claim b in a; a claim of that whole name comes first. */
function valueAt(payload: JWTPayload, claim: string): unknown {
  if (Object.hasOwn(payload, claim)) return payload[claim];
  return claim.split(".").reduce<unknown>((value, key) => {
    const values = asValues(value);
    return Object.hasOwn(values, key) ? values[key] : undefined;
  }, payload);
}
