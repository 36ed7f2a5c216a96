/** Are the tokens of a real issuer believed, and nothing else that looks like one? */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { type Issuer, type IssuerRules, openIssuer } from "../../../src/serve/identity/mod.ts";
import { startIssuer, type TestIssuer } from "../../support/issuer.ts";

const AUDIENCE = "https://bmad.example.org/mcp";

function rulesFor({ url }: Pick<TestIssuer, "url">, more: Partial<IssuerRules> = {}): IssuerRules {
  return {
    issuer: url,
    audience: AUDIENCE,
    nameClaim: undefined,
    groupsClaim: "groups",
    roles: [{ role: "owner", group: "leads" }, { role: "worker", group: "devs" }],
    access: [],
    ...more,
  };
}

function open(rules: IssuerRules, now = () => Date.now()) {
  const problems: string[] = [];
  return { problems, ...openIssuer(rules, { now, report: (problem) => problems.push(problem) }) };
}

async function personIn(found: ReturnType<Issuer["find"]>) {
  const signed = await found;
  return signed === undefined || signed === "no role" ? signed : signed.person;
}

Deno.test("a token of a real issuer says who somebody is, and their role [team:oidc]", async () => {
  await using issuer = await startIssuer();
  const { find, problems } = open(rulesFor(issuer));
  const ana = await find(await issuer.token({ preferred_username: "ana", groups: ["devs"] }, AUDIENCE));
  assert.ok(ana !== undefined && ana !== "no role");
  assert.deepEqual(ana.person, { name: "ana", role: "worker" });
  assert.ok(ana.ends > Date.now());
  const again = await find(await issuer.token({ preferred_username: "ana", groups: ["devs"] }, AUDIENCE));
  assert.ok(again !== undefined && again !== "no role");
  assert.equal(again.person, ana.person, "the same person is the same object");
  const lead = await issuer.token({ email: "lead@example.org", groups: ["leads", "devs"] }, AUDIENCE);
  assert.deepEqual(await personIn(find(lead)), { name: "lead@example.org", role: "owner" });
  assert.equal(await find(await issuer.token({ groups: ["guests"] }, AUDIENCE)), "no role");
  assert.equal(
    await find(await issuer.token({ groups: ["devs"] }, "https://other.example.org")),
    undefined,
  );
  const nested = open(rulesFor(issuer, { groupsClaim: "realm_access.roles", nameClaim: "nick" }));
  const token = await issuer.token({ nick: "bo", realm_access: { roles: ["devs"] } }, AUDIENCE);
  assert.deepEqual(await personIn(nested.find(token)), { name: "bo", role: "worker" });
  assert.deepEqual(problems, []);
});

Deno.test("forged, expired, early and unsigned tokens are nobody's [team:oidc]", async () => {
  await using issuer = await startIssuer();
  const { find } = open(rulesFor(issuer));
  const good = await issuer.token({ groups: ["devs"] }, AUDIENCE);
  assert.notEqual(await find(good), undefined);
  const [head, payload, signature] = good.split(".") as [string, string, string];
  const strange = await generateKeyPair("RS256");
  const claims: JWTPayload = { sub: "ana", groups: ["leads"] };
  const valid = { ...claims, iss: issuer.url, aud: AUDIENCE, exp: soon() };
  assert.notEqual(await find(await issuer.sign(valid)), undefined);
  for (const sub of ["Jose\u0301", "王伟", "می‌خواهم", "Ana  Bo", "bo@example.org"]) {
    assert.notEqual(await find(await issuer.sign({ ...valid, sub })), undefined, sub);
  }
  const sign = (alg: string, key: CryptoKey | Uint8Array, kid = issuer.kid) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid }).setIssuer(issuer.url).setAudience(AUDIENCE)
      .setIssuedAt().setExpirationTime("5m").sign(key);
  const publicKey = new TextEncoder().encode(JSON.stringify(issuer.publicKey));
  const unsigned = new UnsecuredJWT(claims).setIssuer(issuer.url).setAudience(AUDIENCE)
    .setExpirationTime("5m").encode();
  const longer = payload.replace(/.$/, (last) => last === "A" ? "B" : "A");
  const forgeries: Readonly<Record<string, string>> = {
    "signed by another key": await sign("RS256", strange.privateKey),
    "signed by a key that nobody knows": await sign("RS256", strange.privateKey, "other"),
    "signed with the public key as a password": await sign("HS256", publicKey),
    "without a signature": unsigned,
    "without its signature": `${head}.${payload}.`,
    "with another payload": `${head}.${longer}.${signature}`,
    "with a key of its own": await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", jwk: await exportJWK(strange.publicKey) })
      .setIssuer(issuer.url).setAudience(AUDIENCE).setExpirationTime("5m").sign(strange.privateKey),
    "of another issuer": await issuer.sign({ ...valid, iss: "https://evil.example.org" }),
    "expired": await issuer.sign({ ...valid, exp: soon() - 900 }),
    "not valid yet": await issuer.sign({ ...valid, nbf: soon() }),
    "without an end": await issuer.sign({ ...valid, exp: undefined }),
    "without an audience": await issuer.sign({ ...valid, aud: undefined }),
    "of nobody": await issuer.sign({ ...valid, sub: undefined }),
    "for signing out": await issuer.sign(valid, { typ: "logout+jwt" }),
    "told to a client": await issuer.sign({ ...valid, nonce: "n" }),
    "for getting another": await issuer.sign({ ...valid, typ: "Refresh" }),
    "of whoever looks like ana": await issuer.sign({ ...valid, sub: "ａｎａ" }),
    "of an invisible name": await issuer.sign({ ...valid, sub: "ana\u200b" }),
    "of two lines": await issuer.sign({ ...valid, sub: "ana\nbo" }),
    "of a reversed name": await issuer.sign({ ...valid, sub: "\u202eana" }),
    "too long": `${head}.${"a".repeat(20_000)}.${signature}`,
    "no token": "x.y.z",
  };
  for (const [what, text] of Object.entries(forgeries)) assert.equal(await find(text), undefined, what);
});

Deno.test("clocks may differ, keys change, an issuer be away [team:oidc]", async () => {
  await using issuer = await startIssuer();
  let time = Date.now();
  const { find, problems } = open(rulesFor(issuer), () => time);
  const claims = { sub: "ana", groups: ["devs"], iss: issuer.url, aud: AUDIENCE };
  const personOf = async (more: JWTPayload) =>
    await personIn(find(await issuer.sign({ ...claims, ...more })));
  const person = { name: "ana", role: "worker" };
  const at = Math.floor(time / 1_000);
  assert.deepEqual(await personOf({ exp: at - 30 }), person);
  assert.deepEqual(await personOf({ exp: at + 60, nbf: at + 30 }), person);
  assert.equal(await personOf({ exp: at - 90 }), undefined);
  issuer.stop();
  time += 4_000_000;
  assert.deepEqual(await personOf({ exp: Math.floor(time / 1_000) + 300 }), person);
  assert.equal(problems.length, 1);
  assert.match(problems[0]!, /^Cannot ask http:\/\/127\.0\.0\.1:\d+ for its keys: /);
});

Deno.test("a key that the issuer has changed to is asked for [team:oidc]", async () => {
  await using issuer = await startIssuer();
  let time = Date.now();
  const { find } = open(rulesFor(issuer), () => time);
  const claims = { sub: "ana", groups: ["devs"], iss: issuer.url, aud: AUDIENCE };
  assert.notEqual(await find(await issuer.sign({ ...claims, exp: soon() })), undefined);
  await issuer.rotate();
  time += 4_000_000;
  const exp = Math.floor(time / 1_000) + 300;
  const person = await personIn(find(await issuer.sign({ ...claims, exp })));
  assert.deepEqual(person, { name: "ana", role: "worker" });
});

Deno.test("what an issuer answers costs little and is logged once, and the clock may be set back [team:oidc]", async () => {
  let time = 1_700_000_000_000;
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const key: JWK = { ...await exportJWK(publicKey), kid: "k" };
  const mebibyte = "a".repeat(1 << 20);
  const KEYS: Readonly<Record<string, () => Response>> = {
    "answered with something else than JSON": () => new Response("<html>"),
    "Set malformed": () => Response.json({ keys: [null, key] }),
    "exceeds 1 MB": () => Response.json({ keys: [key], mebibyte }),
    "it redirects": () => Response.redirect("http://127.0.0.1:1/"),
    "status 500": () => Response.json({ keys: [key] }, { status: 500 }),
  };
  let answer = () => Response.json({ keys: [key] });
  const asked: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const { origin, pathname } = new URL(url);
    asked.push(pathname);
    return pathname === "/keys" ? answer() : Response.json({ issuer: origin, jwks_uri: `${origin}/keys` });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { find, problems } = open(rulesFor({ url }), () => time);
  const tokens = async (kid = "k") => {
    const token = await new SignJWT({ sub: "ana", groups: ["devs"] }).setProtectedHeader({
      alg: "RS256",
      kid,
    })
      .setIssuer(url).setAudience(AUDIENCE).setExpirationTime(time / 1_000 + 300).sign(privateKey);
    return await Promise.all([1, 2, 3].map(() => personIn(find(token))));
  };
  const nobody = [undefined, undefined, undefined];
  const good = answer;
  for (const [problem, wrong] of Object.entries(KEYS)) {
    answer = wrong;
    assert.deepEqual([await tokens(), await tokens()], [nobody, nobody], problem);
    assert.deepEqual([asked.splice(0).length, problems.length], [2, 1], problem);
    assert.ok(problems.pop()!.includes(problem), problem);
    time += 10_000;
  }
  answer = good;
  const ana = { name: "ana", role: "worker" };
  await tokens();
  time -= 86_400_000;
  assert.deepEqual(await tokens("other"), nobody);
  assert.deepEqual(await tokens(), [ana, ana, ana]);
  key.kid = "other";
  time -= 86_400_000;
  assert.deepEqual(await tokens("other"), [ana, ana, ana]);
  answer = KEYS["status 500"]!;
  time -= 86_400_000;
  assert.deepEqual(await tokens("other"), [ana, ana, ana], "known keys stay good");
  [answer, time] = [good, time - 86_400_000];
  assert.deepEqual(await tokens(), nobody, "a key that is gone is asked for again");
});

function soon(): number {
  return Math.floor(Date.now() / 1_000) + 300;
}
