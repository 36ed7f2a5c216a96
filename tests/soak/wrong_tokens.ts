/** Wrong tokens of every kind: do their refusals say or take anything that tells one kind from another? */
import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from "jose";
import { removeTokens } from "../../src/process/named_tokens.ts";
import { startIssuer } from "../support/issuer.ts";
import { arrivalOf } from "../support/http_service.ts";
import { withTeam } from "../support/team_service.ts";
import { quantile } from "./measure.ts";

const AUDIENCE = "https://bmad.example.org/mcp";

/** Sends so many wrong tokens of each kind, all kinds in turn, each from an address of its own. */
export async function sendWrongTokens(count: number) {
  const times = new Map<string, number[]>();
  const answers = new Set<string>();
  await using issuer = await startIssuer();
  const args = ["--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE, "--roles", "worker=*"];
  const role = "worker";
  const first = [{ name: "ana", role }, { name: "bo", role }, { name: "cy", role, ends: 2 }] as const;
  const tree = { "shop/_bmad/config.toml": "" };
  await withTeam(tree, { args, projects: ["shop"], first }, async (team, [ana = "", bo = "", cy = ""]) => {
    await removeTokens(team.state, ({ name }) => name === "bo");
    const good = await issuer.token({ groups: ["devs"] }, AUDIENCE);
    const [head, payload, signature = ""] = good.split(".");
    const strange = await generateKeyPair("RS256");
    const claims = { sub: "ana", groups: ["devs"] };
    const now = Math.floor(Date.now() / 1_000);
    const own = { iss: issuer.url, aud: AUDIENCE, sub: "ana", iat: now, exp: now + 300 };
    const publicKey = await importJWK(issuer.publicKey, "RS256", { extractable: true });
    const asSecret = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey));
    const kinds: Readonly<Record<string, string>> = {
      "garbage": "nothing-like-a-token",
      "unknown id": `bmad_aaaaaaaa_${"a".repeat(43)}`,
      "forged secret": `${ana.slice(0, 14)}${"b".repeat(43)}`,
      "revoked": bo,
      "expired": cy,
      "forged signature": `${head}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
      "foreign key": await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: issuer.kid })
        .setIssuer(issuer.url).setAudience(AUDIENCE).setExpirationTime("5m").sign(strange.privateKey),
      "expired of the issuer": await issuer.sign({ ...own, iat: now - 900, exp: now - 600 }),
      "wrong audience": await issuer.sign({ ...own, aud: "https://other.example.org" }),
      "wrong issuer": await issuer.sign({ ...own, iss: "https://evil.example.org" }),
      "alg none": new UnsecuredJWT(claims).setIssuer(issuer.url).setAudience(AUDIENCE)
        .setExpirationTime("5m").encode(),
      "alg HS256": await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: issuer.kid })
        .setIssuer(issuer.url).setAudience(AUDIENCE).setExpirationTime("5m").sign(asSecret),
    };
    let peers = 0;
    const send = async (kind: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const arrival = arrivalOf("/mcp", AbortSignal.any([]), {}, headers);
      const begun = performance.now();
      const admission = await team.service.answer({ ...arrival, peer: `10.${peers++}` });
      times.getOrInsertComputed(kind, () => []).push(performance.now() - begun);
      if ("answer" in admission) return void answers.add(`${kind} was let in`);
      const { response } = admission;
      answers.add(`${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`);
    };
    await team.ask(good, "/about");
    const turns = Object.entries(kinds);
    for (let n = 0; n < count; n++) {
      // One after the other would take minutes; all of one turn meet the same conditions.
      await Promise.all(turns.map((_, at) => send(...turns[(n + at) % turns.length]!)));
    }
  });
  const medians = Object.fromEntries([...times].map(([kind, all]) => [kind, quantile(all, 0.5)]));
  return { medians, answers };
}
