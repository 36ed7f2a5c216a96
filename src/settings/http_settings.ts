import { httpPlaces } from "../base/http_state.ts";
import { Invalid } from "../base/invalid.ts";
import { networkIn } from "../base/networks.ts";
import { type Place, userFolders } from "../base/paths.ts";
import { accessRuleIn, roleRuleIn } from "../base/roles.ts";
import { filePath, last, limit, list, matching, onOff, optional, setting, wordsIn } from "./values.ts";

interface HttpAddress {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly isLoopback: boolean;
  /** As it was given, if that was a URL: a server elsewhere, for `install`. */
  readonly url?: string;
}

export const HTTP_SETTINGS = {
  http: setting<HttpAddress | undefined>(
    "--http [HOST:]PORT",
    "Serve MCP over HTTP at /mcp instead of stdio. Without a host, only this machine can connect.",
    {
      bare: "8080",
      // In a file it would break every client that starts the program over stdio.
      files: "none",
      default: undefined,
      parse: (texts) => parseAddress(last(texts)),
    },
  ),
  token: optional(
    "--token TOKEN",
    "The bearer token (or X-API-Key) that HTTP clients must send. Prefer the variable, which other users of " +
      "the machine cannot see. Required if other machines can connect; on loopback the default is your own " +
      "token, kept in the state folder.",
    {
      isSecret: true,
      parse: matching(/^.{16}/s, "at least 16 characters"),
    },
  ),
  noToken: onOff(
    "--no-token",
    "Serve HTTP on loopback without a token, to every user and program of this machine.",
  ),
  tlsCert: optional("--tls-cert FILE", "The certificate for HTTPS (PEM file).", { parse: filePath }),
  tlsKey: optional("--tls-key FILE", "The private key for HTTPS (PEM file).", { parse: filePath }),
  allowHosts: list(
    "--allow-host NAMES",
    "Host names under which clients may reach this server, comma-separated. IP addresses and localhost always " +
      "work.",
    { parse: (texts) => wordsIn(texts).map((name) => name.toLowerCase()) },
  ),
  allowOrigins: listOf(
    "--allow-origin ORIGINS",
    "Web origins that may use the server, comma-separated, such as https://app.example.org; * for all.",
    (origin) => origin === "*" || URL.parse(origin)?.origin === origin,
    "origins such as https://app.example.org, or *",
  ),
  oidcIssuer: optional(
    "--oidc-issuer URL",
    "The issuer whose tokens clients may send, such as https://login.example.org.",
    { parse: (texts) => parseIssuer(last(texts)) },
  ),
  oidcAudience: optional(
    "--oidc-audience TEXT",
    "Whom the issuer's tokens must be for, such as https://bmad.example.org/mcp. Required with --oidc-issuer.",
  ),
  oidcName: optional(
    "--oidc-name CLAIM",
    "The claim with a person's name. Default: preferred_username, email or sub, whichever comes first.",
  ),
  oidcGroups: setting("--oidc-groups CLAIM", "The claim with a person's groups; a.b is b in a.", {
    default: "groups",
    parse: last,
  }),
  proxyFrom: listOf(
    "--proxy-from ADDRESSES",
    "Addresses or networks of proxies that sign people in, comma-separated: 10.0.0.7, 10.1.0.0/16. Only they " +
      "are believed.",
    (word) => networkIn(word) !== undefined,
    "addresses or networks such as 10.0.0.7 or 10.1.0.0/16",
  ),
  proxyUser: header("user", "The header in which such a proxy names somebody."),
  proxyGroups: header("groups", "The header in which it names their groups, comma-separated."),
  roles: listOf(
    "--roles RULES",
    "Which groups of the issuer or proxy have which role, comma-separated: owner=leads,worker=devs,reader=*. " +
      "People without a role are not let in.",
    (word) => roleRuleIn(word) !== undefined,
    "rules such as owner=leads,worker=devs,reader=*",
  ),
  access: listOf(
    "--access RULES",
    "Which of these groups may use which project, comma-separated: shop=devs,blog=writers,*=leads. Without " +
      "rules, all may use every project; with some, projects without a rule are closed to everyone.",
    (word) => accessRuleIn(word) !== undefined,
    "rules such as shop=devs,*=leads",
  ),
  httpBody: limit("--http-body BYTES", "Maximum size of an HTTP request.", {
    default: 10 << 20,
    range: [1_024, 64 << 20],
  }),
  httpHeaders: limit(
    "--http-headers SECONDS",
    "Time limit for the headers of a request, and again for its body.",
    { default: 10, range: [1, 300] },
  ),
  httpStall: limit(
    "--http-stall SECONDS",
    "How long a client may stop sending its request or reading its response.",
    { default: 10, range: [1, 300] },
  ),
  httpConnections: limit(
    "--http-connections N",
    "Maximum number of connections. A new one then replaces the oldest that is idle or has not authenticated.",
    { default: 1_024, range: [1, 100_000] },
  ),
  httpClientConnections: limit(
    "--http-client-connections N",
    "The same for each client address (for IPv6, each /64 network).",
    { default: 256, range: [1, 100_000] },
  ),
  httpSessions: limit(
    "--http-sessions N",
    "Maximum number of sessions (2025 protocol revisions) and open event streams (newer clients) together.",
    { default: 1_000, range: [1, 100_000] },
  ),
  httpIdle: limit("--http-idle SECONDS", "How long an idle session is kept.", {
    default: 1_800,
    range: [1, 86_400],
  }),
  httpRequests: limit("--http-requests N", "Maximum number of requests per session.", {
    default: 1_000_000,
    range: [1, Number.MAX_SAFE_INTEGER],
  }),
  httpInFlight: limit(
    "--http-in-flight N",
    "Maximum number of concurrent requests per client address, or name.",
    { default: 100, range: [1, 10_000] },
  ),
  httpRate: limit("--http-rate N", "Maximum number of requests per minute, for each name.", {
    default: 6_000,
    range: [1, 1_000_000_000],
  }),
};

function listOf(usage: string, help: string, fits: (word: string) => boolean, expected: string) {
  return list(usage, help, {
    parse: (texts) => wordsIn(texts).every(fits) ? wordsIn(texts) : new Invalid(`expected ${expected}`),
  });
}

function header(name: string, help: string) {
  const parse = matching(/^[a-z0-9-]{1,64}$/, "the name of a header");
  return setting(`--proxy-${name} HEADER`, help, {
    default: `remote-${name}`,
    parse: (texts) => parse([last(texts).toLowerCase()]),
  });
}

/** Tokens hold it, so it is kept as it is spelled. */
function parseIssuer(text: string): string | Invalid {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === "" && url.search === "" && url.hash === "";
  const isSafe = url?.protocol === "https:" || url?.protocol === "http:" && isLoopback(url.hostname);
  return isPlain && isSafe ? text : new Invalid("expected an https URL such as https://login.example.org");
}

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

/** By tokens given to others, an issuer or a proxy. Others may then write as their role allows. */
export function knowsNames(
  { oidcIssuer, proxyFrom }: { readonly oidcIssuer?: string; readonly proxyFrom: readonly string[] },
  place: Pick<Place, "home" | "os" | "env">,
  look: (path: string) => unknown,
): boolean {
  if (oidcIssuer !== undefined || proxyFrom.length > 0) return true;
  const { state } = userFolders(place);
  return state !== undefined && look(httpPlaces(state).tokensFile) !== undefined;
}
