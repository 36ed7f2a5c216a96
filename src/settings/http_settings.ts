/** The rows of THE table of settings for serving over HTTP: address, authentication and limits. */
import { httpPlaces } from "../base/http_state.ts";
import { Invalid } from "../base/invalid.ts";
import { networkIn } from "../base/networks.ts";
import { type Place, userFolders } from "../base/paths.ts";
import { accessRuleIn, roleRuleIn } from "../base/roles.ts";
import { filePath, last, list, onOff, optional, setting, wholeNumber, wordsIn } from "./values.ts";

interface HttpAddress {
  /** An address or a name of this machine, without brackets. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly isLoopback: boolean;
  /** The address as a URL, if it was given as one: a server elsewhere, for `install`. */
  readonly url?: string;
}

export const HTTP_SETTINGS = {
  http: setting<HttpAddress | undefined>({
    flag: "--http [HOST:]PORT",
    bare: "8080",
    // In a file it would break every client that starts the program over stdio.
    files: "none",
    default: undefined,
    help:
      "Serve MCP over HTTP at /mcp instead of stdio, at 8080 unless you name a port. Without a host, only this machine can connect.",
    parse: (texts) => parseAddress(last(texts)),
  }),
  token: optional({
    flag: "--token TOKEN",
    isSecret: true,
    help:
      "The bearer token (or X-API-Key) that HTTP clients must send. Prefer the variable, which other users of the " +
      "machine cannot see. Required if other machines can connect; on loopback the default is your own token, which is " +
      "kept in the state folder.",
    parse: (texts) => last(texts).length >= 16 ? last(texts) : new Invalid("expected at least 16 characters"),
  }),
  noToken: onOff({
    flag: "--no-token",
    help: "Serve HTTP on loopback without a token, to every user and program of this machine.",
  }),
  tlsCert: optional({
    flag: "--tls-cert FILE",
    help: "The certificate for HTTPS (PEM file).",
    parse: filePath,
  }),
  tlsKey: optional({
    flag: "--tls-key FILE",
    help: "The private key for HTTPS (PEM file).",
    parse: filePath,
  }),
  allowHosts: list({
    flag: "--allow-host NAMES",
    help:
      "Host names under which clients may reach this server, comma-separated. IP addresses and localhost always work.",
    parse: (texts) => wordsIn(texts).map((name) => name.toLowerCase()),
  }),
  allowOrigins: list({
    flag: "--allow-origin ORIGINS",
    help: "Web origins that may use the server, comma-separated, such as https://app.example.org; * for all.",
    parse: wordsThat(
      (origin) => origin === "*" || URL.parse(origin)?.origin === origin,
      "expected origins such as https://app.example.org, or *",
    ),
  }),
  oidcIssuer: optional({
    flag: "--oidc-issuer URL",
    help: "The issuer whose tokens clients may send instead of ours, such as https://login.example.org.",
    parse: (texts) => parseIssuer(last(texts)),
  }),
  oidcAudience: optional({
    flag: "--oidc-audience TEXT",
    help:
      "Whom the issuer's tokens must be for, such as https://bmad.example.org/mcp. Required with --oidc-issuer.",
  }),
  oidcName: optional({
    flag: "--oidc-name CLAIM",
    help: "The claim with somebody's name. Default: preferred_username, email or sub, whichever comes first.",
  }),
  oidcGroups: setting({
    flag: "--oidc-groups CLAIM",
    default: "groups",
    help: "The claim with somebody's groups; a.b is b in a.",
    parse: last,
  }),
  proxyFrom: list({
    flag: "--proxy-from ADDRESSES",
    help:
      "Addresses or networks of proxies that sign people in, comma-separated: 10.0.0.7, 10.1.0.0/16. Only their word " +
      "for who somebody is counts.",
    parse: wordsThat(
      (word) => networkIn(word) !== undefined,
      "expected addresses or networks such as 10.0.0.7 or 10.1.0.0/16",
    ),
  }),
  proxyUser: setting({
    flag: "--proxy-user HEADER",
    default: "remote-user",
    help: "The header in which such a proxy names somebody.",
    parse: headerName,
  }),
  proxyGroups: setting({
    flag: "--proxy-groups HEADER",
    default: "remote-groups",
    help: "The header in which it names their groups, comma-separated.",
    parse: headerName,
  }),
  roles: list({
    flag: "--roles RULES",
    help:
      "Which groups of the issuer or proxy have which role, comma-separated: owner=leads,worker=devs,reader=*. Whoever " +
      "has none is not let in.",
    parse: wordsThat(
      (word) => roleRuleIn(word) !== undefined,
      "expected rules such as owner=leads,worker=devs,reader=*",
    ),
  }),
  access: list({
    flag: "--access RULES",
    help:
      "Which of these groups may use which project, comma-separated: shop=devs,blog=writers,*=leads. Without rules, " +
      "all may use every project; with some, a project that none is about is for nobody of them.",
    parse: wordsThat((word) => accessRuleIn(word) !== undefined, "expected rules such as shop=devs,*=leads"),
  }),
  httpBody: setting({
    flag: "--http-body BYTES",
    default: 10 << 20,
    help: "Maximum size of an HTTP request.",
    parse: wholeNumber(1_024, 64 << 20),
  }),
  httpHeaders: setting({
    flag: "--http-headers SECONDS",
    default: 10,
    help: "Time limit for the headers of a request, and again for its body.",
    parse: wholeNumber(1, 300),
  }),
  httpStall: setting({
    flag: "--http-stall SECONDS",
    default: 10,
    help: "How long a client may stop sending its request or reading its response.",
    parse: wholeNumber(1, 300),
  }),
  httpConnections: setting({
    flag: "--http-connections N",
    default: 1_024,
    help:
      "Maximum number of connections. At the limit, a new one replaces the oldest that has not authenticated or is idle.",
    parse: wholeNumber(1, 100_000),
  }),
  httpClientConnections: setting({
    flag: "--http-client-connections N",
    default: 256,
    help: "The same for each client address (for IPv6, each /64 network).",
    parse: wholeNumber(1, 100_000),
  }),
  httpSessions: setting({
    flag: "--http-sessions N",
    default: 1_000,
    help:
      "Maximum number of sessions (2025 protocol revisions) and open event streams (newer clients) together.",
    parse: wholeNumber(1, 100_000),
  }),
  httpIdle: setting({
    flag: "--http-idle SECONDS",
    default: 1_800,
    help: "How long an idle session is kept.",
    parse: wholeNumber(1, 86_400),
  }),
  httpRequests: setting({
    flag: "--http-requests N",
    default: 1_000_000,
    help: "Maximum number of requests per session.",
    parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  }),
  httpInFlight: setting({
    flag: "--http-in-flight N",
    default: 100,
    help: "Maximum number of concurrent requests per client address, or name.",
    parse: wholeNumber(1, 10_000),
  }),
  httpRate: setting({
    flag: "--http-rate N",
    default: 6_000,
    help: "Maximum number of requests per minute, for each name.",
    parse: wholeNumber(1, 1_000_000_000),
  }),
};

/** Parses comma-separated words that all fit. */
function wordsThat(fits: (word: string) => boolean, expected: string) {
  return (texts: readonly string[]): readonly string[] | Invalid => {
    const words = wordsIn(texts);
    return words.every(fits) ? words : new Invalid(expected);
  };
}

function headerName(texts: readonly string[]): string | Invalid {
  const name = last(texts).toLowerCase();
  return /^[a-z0-9-]{1,64}$/.test(name) ? name : new Invalid("expected the name of a header");
}

/** Tokens hold it, so it is kept as it is spelled. */
function parseIssuer(text: string): string | Invalid {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === "" && url.search === "" && url.hash === "";
  const isSafe = url?.protocol === "https:" || url?.protocol === "http:" && isLoopback(url.hostname);
  return isPlain && isSafe ? text : new Invalid("expected an https URL such as https://login.example.org");
}

/** `8080`, `0.0.0.0:8080`, `[::1]:8080`, `team.local:8080`. */
function parseAddress(text: string): HttpAddress | Invalid {
  if (/^https?:\/\//i.test(text)) return parseUrl(text);
  const [, bracketed, name = "127.0.0.1", digits] =
    /^(?:(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits ?? NaN);
  if (!(port <= 65_535)) {
    return new Invalid("expected PORT or HOST:PORT, such as 8080, 0.0.0.0:8080 or [::]:8080");
  }
  const host = bracketed ?? name;
  return { host, port, isLoopback: isLoopback(host) };
}

/** `https://bmad.example.org/mcp`; without a path, ours is meant. */
function parseUrl(text: string): HttpAddress | Invalid {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.search !== "" || url.hash !== "") {
    return new Invalid("expected a URL without a password, a query and a fragment: https://example.org/mcp");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.pathname === "/") url.pathname = "/mcp";
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return { host, port, isLoopback: isLoopback(host), url: url.href };
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
}

/**
 * Whether a server knows by name who uses it: by tokens that the user has given to others, an issuer, or a proxy. If it does,
 * others may write through it, each as their role allows.
 */
export function knowsNames(
  { oidcIssuer, proxyFrom }: {
    readonly oidcIssuer: string | undefined;
    readonly proxyFrom: readonly string[];
  },
  place: Pick<Place, "home" | "os" | "env">,
  look: (path: string) => unknown,
): boolean {
  if (oidcIssuer !== undefined || proxyFrom.length > 0) return true;
  const { state } = userFolders(place);
  return state !== undefined && look(httpPlaces(state).tokensFile) !== undefined;
}
