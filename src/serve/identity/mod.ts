/** Tokens and proxies name people. Only the log says what was wrong. */
import { createHash } from "node:crypto";
import type { createLocalJWKSet, JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from "jose";
import { keepLatest } from "../../base/cache.ts";
import { MAX_OWNER } from "../../base/model.ts";
import { isInSome, type Network } from "../../base/networks.ts";
import { isSameName, plainName } from "../../base/people.ts";
import { type GroupRules, isSamePerson, type Person, personOf } from "../../base/roles.ts";
import { isWithin } from "../../base/time.ts";
import { asText, asTexts, asValues, parseJson } from "../../base/values.ts";
import { readReply, requestsTo } from "../../process/named_server.ts";
import { idIn, type NamedToken, readTokens, tokensMark } from "../../process/named_tokens.ts";
import { LIMITS } from "../limits.ts";

interface Tools {
  now(): number;
  report(problem: string): void;
}

interface ProxyRules extends GroupRules {
  readonly from: readonly Network[];
  readonly userHeader: string;
  readonly groupsHeader: string;
}

type IdentityHeaders = Pick<Headers, "get"> & { isRepeated?(name: string): boolean };

export interface Proxies {
  /** Undefined for strangers and no name; "several" if a header may be the client's own. */
  find(address: string, headers: IdentityHeaders): Person | "no role" | "several" | undefined;
}

export function openProxies(rules: ProxyRules): Proxies {
  const same = openPeople();
  return {
    find: (address, headers) => {
      if (!isInSome(address, rules.from)) return undefined;
      const user = headers.get(rules.userHeader) ?? "";
      const isRepeated = [rules.userHeader, rules.groupsHeader].some((name) => headers.isRepeated?.(name));
      // Another proxy on the way may have joined two by a comma.
      if (isRepeated || user.includes(",")) return "several";
      const name = ownerIn(user);
      if (name === undefined) return undefined;
      const groups = (headers.get(rules.groupsHeader) ?? "").split(",").map((group) => group.trim());
      return same(personOf(name, groups, rules));
    },
  };
}

/** Two names that would become one are two people: what changes when it is shown is nobody's name. */
function ownerIn(text: string): string | undefined {
  const name = plainName(text);
  const isShown = name === text.normalize("NFC").replaceAll(/ +/g, " ").trim();
  return name === "" || name.length > MAX_OWNER || !isShown ? undefined : name;
}

/** The same person is the same object, by which answers are kept. */
function openPeople(): (person: Person | undefined) => Person | "no role" {
  const people = new Map<string, Person>();
  return (person) => {
    if (person === undefined) return "no role";
    const key = JSON.stringify([person.name, person.role, person.projects]);
    const known = people.get(key) ?? person;
    keepLatest(people, key, known, LIMITS.identity.people);
    return known;
  };
}

export type NamedTokens = ReturnType<typeof openNamedTokens>;

/** Compared if no token has such an id, so that the answer takes as long. */
const NOBODY = "0".repeat(64);

/** The file is read again when it changes, so revoking works at once; `report` is called once if that fails. */
export function openNamedTokens(state: string, { now, report }: Tools) {
  let [mark, tokens, isWhole] = ["", new Map<string, NamedToken>(), true];
  const current = () => {
    const latest = tokensMark(state) ?? "";
    if (latest === mark) return tokens;
    mark = latest;
    try {
      const read = readTokens(state);
      tokens = new Map(read.map((one) => {
        const known = tokens.get(one.id);
        const isSame = known?.hash === one.hash && known.ends === one.ends && isSamePerson(known, one);
        return [one.id, isSame ? known : one];
      }));
      isWhole = true;
    } catch (error) {
      [tokens, isWhole] = [new Map(), false];
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
    /** Not if the list cannot be read: then nobody knows. */
    isRevoked: (id: string): boolean => !current().has(id) && isWhole,
    mark: () => tokensMark(state),
    hasName: (name: string): boolean =>
      current().values().some((token) => isSameName(token.name, name) && isGood(token)),
    find: (text: string): NamedToken | undefined => {
      const token = current().get(idIn(text) ?? "");
      const isRight = isEqualSecret(createHash("sha256").update(text).digest("hex"), token?.hash ?? NOBODY);
      return isRight && token !== undefined && isGood(token) ? token : undefined;
    },
  };
}

/** Takes as long whatever the secret is. */
export function isEqualSecret(shown: string, secret: string): boolean {
  let difference = shown.length ^ secret.length;
  for (let at = 0; at < shown.length; at++) {
    difference |= shown.charCodeAt(at) ^ secret.charCodeAt(at % secret.length);
  }
  return difference === 0;
}

export interface IssuerRules extends GroupRules {
  readonly issuer: string;
  readonly audience: string;
  readonly nameClaim: string | undefined;
  readonly groupsClaim: string;
}

export interface Issuer {
  /** "no role" if the groups give none; `ends` is in milliseconds. */
  find(text: string): Promise<{ readonly person: Person; readonly ends: number } | "no role" | undefined>;
}

/** Only the issuer's private key can make these: nothing symmetric, and never none. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** In seconds: how far the clocks of two machines may be apart. */
const SKEW = 60;
const KEYS_MS = 600_000;
/** After a failure, or keys that do not help. */
const COOLDOWN_MS = 10_000;
const TIMEOUT_MS = 5_000;

/** Checks JSON Web Tokens by OpenID Connect Discovery. The library is loaded with the first token. */
export function openIssuer(rules: IssuerRules, { now, report }: Tools): Issuer {
  const { issuer, audience, nameClaim, groupsClaim } = rules;
  const same = openPeople();
  let keys: { readonly find: ReturnType<typeof createLocalJWKSet>; readonly since: number } | undefined;
  let pending: Promise<void> | undefined;
  let askedAt = -Infinity;
  const ask = async (): Promise<void> => {
    try {
      const { createLocalJWKSet } = await import("jose");
      keys = { find: createLocalJWKSet(await keysOf(issuer)), since: now() };
    } catch (error) {
      report(`Cannot ask ${issuer} for its keys: ${(error as Error).message}`);
    } finally {
      [askedAt, pending] = [now(), undefined];
    }
  };
  /** Those that are known stay good while the issuer cannot be reached. */
  const keysWithin = async (ms: number) => {
    const isFresh = keys !== undefined && isWithin(ms, keys.since, now());
    if (!isFresh && (pending !== undefined || !isWithin(COOLDOWN_MS, askedAt, now()))) {
      await (pending ??= ask());
    }
    if (keys === undefined) throw new Error("no keys are known");
    return keys.find;
  };
  const verify = async (text: string): Promise<JWTPayload | undefined> => {
    const { errors, jwtVerify } = await import("jose");
    const findKey: JWTVerifyGetKey = async (header, token) => {
      try {
        return await (await keysWithin(KEYS_MS))(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return await (await keysWithin(0))(header, token);
      }
    };
    try {
      const { payload, protectedHeader } = await jwtVerify(text, findKey, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW,
        currentDate: new Date(now()),
        requiredClaims: ["exp", "sub"],
      });
      return isForAccess(protectedHeader.typ, payload) ? payload : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    find: async (text) => {
      if (text.length > LIMITS.identity.tokenLength || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) {
        return undefined;
      }
      const payload = await verify(text);
      const name = payload && nameIn(payload, nameClaim);
      if (name === undefined) return undefined;
      const person = same(personOf(name, asTexts(valueAt(payload!, groupsClaim)), rules));
      return person === "no role" ? person : { person, ends: (payload!.exp! + SKEW) * 1_000 };
    },
  };
}

/** The types of a token that lets its bearer in; many issuers name none. */
const ACCESS_TYPES = ["jwt", "at+jwt", "application/at+jwt"];
/** Claims of tokens for other ends: signing in, signing out, an event. */
const OTHER_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
const OTHER_TYPES = ["id", "refresh", "offline", "logout"];

function isForAccess(typ: string | undefined, payload: JWTPayload): boolean {
  return ACCESS_TYPES.includes((typ ?? "JWT").toLowerCase()) &&
    !OTHER_CLAIMS.some((claim) => Object.hasOwn(payload, claim)) &&
    !OTHER_TYPES.includes(asText(payload["typ"])?.toLowerCase() ?? "") &&
    (asText(payload["token_use"]) ?? "access") === "access";
}

async function keysOf(issuer: string): Promise<JSONWebKeySet> {
  const about = await askIssuer(issuer, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { issuer: named, jwks_uri: address } = asValues(about);
  if (named !== issuer) throw new Error(`it calls itself ${JSON.stringify(named)}, not ${issuer}`);
  const url = URL.parse(asText(address) ?? "");
  const isSafe = url?.protocol === "https:" || url?.origin === new URL(issuer).origin;
  if (url === null || !isSafe) throw new Error("it names no address for its keys");
  return await askIssuer(url.origin, url.href) as JSONWebKeySet;
}

async function askIssuer(server: string, address: string): Promise<unknown> {
  const response = await requestsTo(server)(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await readReply(response, LIMITS.identity.replyBytes);
  if (!response.ok) throw new Error(`${address} answered with status ${response.status}`);
  const value = parseJson(text);
  if (value === undefined) throw new Error(`${address} answered with something else than JSON`);
  return value;
}

const NAME_CLAIMS = ["preferred_username", "email", "sub"];

function nameIn(payload: JWTPayload, claim: string | undefined): string | undefined {
  const claims = claim === undefined ? NAME_CLAIMS : [claim];
  const name = claims.map((one) => asText(valueAt(payload, one))).find((text) => text !== undefined);
  return ownerIn(name ?? "");
}

/** `a.b` is the claim b in a; a claim of that whole name comes first. */
function valueAt(payload: JWTPayload, claim: string): unknown {
  if (Object.hasOwn(payload, claim)) return payload[claim];
  return claim.split(".").reduce<unknown>((value, key) => {
    const values = asValues(value);
    return Object.hasOwn(values, key) ? values[key] : undefined;
  }, payload);
}
