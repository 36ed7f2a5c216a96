/** A real issuer of tokens on loopback: npm's `oidc-provider`, with keys that can be changed. */
import http from "node:http";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";

const SECRET = "a-secret-of-the-program-for-tests";

export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;

export async function startIssuer() {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const url = `http://127.0.0.1:${port}`;
  let claims: Readonly<Record<string, unknown>> = {};
  let key = await newKey("key-1");
  const serve = () => {
    server.removeAllListeners("request");
    server.on("request", providerAt(url, key.jwk, () => claims).callback());
  };
  quietly(serve);
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    url,
    get kid() {
      return key.jwk.kid!;
    },
    get publicKey() {
      return key.publicJwk;
    },
    token: async (wanted: typeof claims, audience: string): Promise<string> => {
      claims = wanted;
      const body = new URLSearchParams({ grant_type: "client_credentials", resource: audience });
      const headers = { authorization: `Basic ${btoa(`program:${SECRET}`)}` };
      const response = await fetch(`${url}/token`, { method: "POST", headers, body });
      const { access_token: token } = await response.json();
      return token;
    },
    /** A token with its present key, and fields of its header, that it would not issue by itself. */
    sign: async (payload: JWTPayload, header: { readonly typ?: string } = {}) =>
      await new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: key.jwk.kid!, ...header })
        .sign(key.privateKey),
    rotate: async () => {
      key = await newKey("key-2");
      quietly(serve);
    },
    stop,
    [Symbol.asyncDispose]: () => {
      stop();
      return Promise.resolve();
    },
  };
}

async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk: JWK = { ...await exportJWK(privateKey), kid, alg: "RS256", use: "sig" };
  return { privateKey, jwk, publicJwk: await exportJWK(publicKey) };
}

function providerAt(url: string, jwk: JWK, claimsNow: () => Readonly<Record<string, unknown>>): Provider {
  return new Provider(url, {
    jwks: { keys: [jwk] },
    clients: [{
      client_id: "program",
      client_secret: SECRET,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    }],
    ttl: { ClientCredentials: () => 300 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          scope: "bmad",
          accessTokenFormat: "jwt",
          audience,
          accessTokenTTL: 300,
        }),
      },
    },
    extraTokenClaims: () => ({ ...claimsNow() }),
  });
}

function quietly(work: () => void): void {
  const { console: terminal } = globalThis;
  const { warn, info } = terminal;
  terminal.warn = terminal.info = () => {};
  try {
    work();
  } finally {
    Object.assign(terminal, { warn, info });
  }
}
