/**
 * The settings for serving over HTTP: address, authentication and limits.
 *
 * Rows of THE table of settings, in a file of their own because they are many and concern one command only.
 */
import { Invalid } from "../base/invalid.ts";
import { networkIn } from "../base/networks.ts";
import { resolvePath } from "../base/paths.ts";
import { accessRuleIn, roleRuleIn } from "../base/roles.ts";
import { last, type Setting, wholeNumber, wordsIn, yesOrNo } from "./values.ts";

/** The values of these settings. */
export interface HttpSettings {
  /** Undefined to serve stdin and stdout. */
  readonly http: HttpAddress | undefined;
  /** What clients must send. At the start, a server on loopback gets the user's own token, unless `noToken` is set. */
  readonly token: string | undefined;
  readonly noToken: boolean;
  /** Absolute; undefined for unencrypted connections. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** In lower case; IP addresses and `localhost` are always allowed. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** Whose tokens count besides ours: the issuer of a company, as its tokens spell it. */
  readonly oidcIssuer: string | undefined;
  /** Whom those tokens must be for. */
  readonly oidcAudience: string | undefined;
  /** The claims with somebody's name and groups. */
  readonly oidcName: string | undefined;
  readonly oidcGroups: string;
  /** The addresses and networks of proxies that have signed people in. */
  readonly proxyFrom: readonly string[];
  /** The headers in which they name somebody, and their groups. */
  readonly proxyUser: string;
  readonly proxyGroups: string;
  /** Which groups have which role: `worker=devs`. */
  readonly roles: readonly string[];
  /** Which groups may use which project: `shop=devs`; without any, each may use all. */
  readonly access: readonly string[];
  /** The most requests per minute, for each name. */
  readonly httpRate: number;
  /** In bytes. */
  readonly httpBody: number;
  /** In seconds. */
  readonly httpHeaders: number;
  /** In seconds. */
  readonly httpStall: number;
  readonly httpConnections: number;
  /** Per client address. */
  readonly httpClientConnections: number;
  readonly httpSessions: number;
  /** In seconds. */
  readonly httpIdle: number;
  /** Per session. */
  readonly httpRequests: number;
  /** Per client. */
  readonly httpInFlight: number;
}

/** Where HTTP is served. */
export interface HttpAddress {
  /** An address or a name of this machine, without brackets. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly isLoopback: boolean;
  /** The address as a URL, if it was given as one: a server elsewhere, for `install`. */
  readonly url?: string;
}

/** Their rows. */
export const HTTP_SETTINGS: { readonly [K in keyof HttpSettings]: Setting<HttpSettings[K]> } = {
  http: {
    flag: "--http",
    value: "[HOST:]PORT",
    bare: "8080",
    variables: ["BMAD_HTTP"],
    // In a file it would break every client that starts the program over stdio.
    files: "none",
    default: undefined,
    help:
      "Serve MCP over HTTP at /mcp instead of stdio, at 8080 unless you name a port. Without a host, only this machine can connect.",
    parse: (texts) => parseAddress(last(texts)),
  },
  token: {
    flag: "--token",
    value: "TOKEN",
    isSecret: true,
    variables: ["BMAD_TOKEN"],
    files: "user",
    default: undefined,
    help:
      "The bearer token (or X-API-Key) that HTTP clients must send. Prefer the variable, which other users of the " +
      "machine cannot see. Required if other machines can connect; on loopback the default is your own token, which is " +
      "kept in the state folder.",
    parse: (texts) => last(texts).length >= 16 ? last(texts) : new Invalid("expected at least 16 characters"),
  },
  noToken: {
    flag: "--no-token",
    variables: ["BMAD_NO_TOKEN"],
    files: "user",
    default: false,
    help: "Serve HTTP on loopback without a token, to every user and program of this machine.",
    parse: yesOrNo,
  },
  tlsCert: {
    flag: "--tls-cert",
    value: "FILE",
    variables: ["BMAD_TLS_CERT"],
    files: "user",
    default: undefined,
    help: "The certificate for HTTPS (PEM file).",
    parse: (texts, context) => resolvePath(last(texts), context),
  },
  tlsKey: {
    flag: "--tls-key",
    value: "FILE",
    variables: ["BMAD_TLS_KEY"],
    files: "user",
    default: undefined,
    help: "The private key for HTTPS (PEM file).",
    parse: (texts, context) => resolvePath(last(texts), context),
  },
  allowHosts: {
    flag: "--allow-host",
    value: "NAMES",
    variables: ["BMAD_ALLOW_HOST"],
    files: "user",
    default: [],
    help:
      "Host names under which clients may reach this server, comma-separated. IP addresses and localhost always work.",
    parse: (texts) => wordsIn(texts).map((name) => name.toLowerCase()),
  },
  allowOrigins: {
    flag: "--allow-origin",
    value: "ORIGINS",
    variables: ["BMAD_ALLOW_ORIGIN"],
    files: "user",
    default: [],
    help: "Web origins that may use the server, comma-separated, such as https://app.example.org; * for all.",
    parse: (texts) => {
      const origins = wordsIn(texts);
      return origins.every((origin) => origin === "*" || URL.parse(origin)?.origin === origin)
        ? origins
        : new Invalid("expected origins such as https://app.example.org, or *");
    },
  },
  oidcIssuer: {
    flag: "--oidc-issuer",
    value: "URL",
    variables: ["BMAD_OIDC_ISSUER"],
    files: "user",
    default: undefined,
    help: "The issuer whose tokens clients may send instead of ours, such as https://login.example.org.",
    parse: (texts) => parseIssuer(last(texts)),
  },
  oidcAudience: {
    flag: "--oidc-audience",
    value: "TEXT",
    variables: ["BMAD_OIDC_AUDIENCE"],
    files: "user",
    default: undefined,
    help:
      "Whom the issuer's tokens must be for, such as https://bmad.example.org/mcp. Required with --oidc-issuer.",
    parse: last,
  },
  oidcName: {
    flag: "--oidc-name",
    value: "CLAIM",
    variables: ["BMAD_OIDC_NAME"],
    files: "user",
    default: undefined,
    help: "The claim with somebody's name. Default: preferred_username, email or sub, whichever comes first.",
    parse: last,
  },
  oidcGroups: {
    flag: "--oidc-groups",
    value: "CLAIM",
    variables: ["BMAD_OIDC_GROUPS"],
    files: "user",
    default: "groups",
    help: "The claim with somebody's groups; a.b is b in a.",
    parse: last,
  },
  proxyFrom: {
    flag: "--proxy-from",
    value: "ADDRESSES",
    variables: ["BMAD_PROXY_FROM"],
    files: "user",
    default: [],
    help:
      "Addresses or networks of proxies that sign people in, comma-separated: 10.0.0.7, 10.1.0.0/16. Only their word " +
      "for who somebody is counts.",
    parse: (texts) => {
      const words = wordsIn(texts);
      return words.every((word) => networkIn(word) !== undefined)
        ? words
        : new Invalid("expected addresses or networks such as 10.0.0.7 or 10.1.0.0/16");
    },
  },
  proxyUser: {
    flag: "--proxy-user",
    value: "HEADER",
    variables: ["BMAD_PROXY_USER"],
    files: "user",
    default: "remote-user",
    help: "The header in which such a proxy names somebody.",
    parse: headerName,
  },
  proxyGroups: {
    flag: "--proxy-groups",
    value: "HEADER",
    variables: ["BMAD_PROXY_GROUPS"],
    files: "user",
    default: "remote-groups",
    help: "The header in which it names their groups, comma-separated.",
    parse: headerName,
  },
  roles: {
    flag: "--roles",
    value: "RULES",
    variables: ["BMAD_ROLES"],
    files: "user",
    default: [],
    help:
      "Which groups of the issuer or proxy have which role, comma-separated: owner=leads,worker=devs,reader=*. Whoever " +
      "has none is not let in.",
    parse: (texts) => {
      const words = wordsIn(texts);
      return words.every((word) => roleRuleIn(word) !== undefined)
        ? words
        : new Invalid("expected rules such as owner=leads,worker=devs,reader=*");
    },
  },
  access: {
    flag: "--access",
    value: "RULES",
    variables: ["BMAD_ACCESS"],
    files: "user",
    default: [],
    help:
      "Which of these groups may use which project, comma-separated: shop=devs,blog=writers,*=leads. Without rules, " +
      "all may use every project; with some, a project that none is about is for nobody of them.",
    parse: (texts) => {
      const words = wordsIn(texts);
      return words.every((word) => accessRuleIn(word) !== undefined)
        ? words
        : new Invalid("expected rules such as shop=devs,*=leads");
    },
  },
  httpBody: {
    flag: "--http-body",
    value: "BYTES",
    variables: ["BMAD_HTTP_BODY"],
    files: "user",
    default: 10 << 20,
    help: "Maximum size of an HTTP request.",
    parse: wholeNumber(1_024, 64 << 20),
  },
  httpHeaders: {
    flag: "--http-headers",
    value: "SECONDS",
    variables: ["BMAD_HTTP_HEADERS"],
    files: "user",
    default: 10,
    help: "Time limit for the headers of a request, and again for its body.",
    parse: wholeNumber(1, 300),
  },
  httpStall: {
    flag: "--http-stall",
    value: "SECONDS",
    variables: ["BMAD_HTTP_STALL"],
    files: "user",
    default: 10,
    help: "How long a client may stop sending its request or reading its response.",
    parse: wholeNumber(1, 300),
  },
  httpConnections: {
    flag: "--http-connections",
    value: "N",
    variables: ["BMAD_HTTP_CONNECTIONS"],
    files: "user",
    default: 1_024,
    help:
      "Maximum number of connections. At the limit, a new one replaces the oldest that has not authenticated or is idle.",
    parse: wholeNumber(1, 100_000),
  },
  httpClientConnections: {
    flag: "--http-client-connections",
    value: "N",
    variables: ["BMAD_HTTP_CLIENT_CONNECTIONS"],
    files: "user",
    default: 256,
    help: "The same for each client address (for IPv6, each /64 network).",
    parse: wholeNumber(1, 100_000),
  },
  httpSessions: {
    flag: "--http-sessions",
    value: "N",
    variables: ["BMAD_HTTP_SESSIONS"],
    files: "user",
    default: 1_000,
    help:
      "Maximum number of sessions (2025 protocol revisions) and open event streams (newer clients) together.",
    parse: wholeNumber(1, 100_000),
  },
  httpIdle: {
    flag: "--http-idle",
    value: "SECONDS",
    variables: ["BMAD_HTTP_IDLE"],
    files: "user",
    default: 1_800,
    help: "How long an idle session is kept.",
    parse: wholeNumber(1, 86_400),
  },
  httpRequests: {
    flag: "--http-requests",
    value: "N",
    variables: ["BMAD_HTTP_REQUESTS"],
    files: "user",
    default: 1_000_000,
    help: "Maximum number of requests per session.",
    parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  },
  httpInFlight: {
    flag: "--http-in-flight",
    value: "N",
    variables: ["BMAD_HTTP_IN_FLIGHT"],
    files: "user",
    default: 100,
    help: "Maximum number of concurrent requests per client address, or name.",
    parse: wholeNumber(1, 10_000),
  },
  httpRate: {
    flag: "--http-rate",
    value: "N",
    variables: ["BMAD_HTTP_RATE"],
    files: "user",
    default: 6_000,
    help: "Maximum number of requests per minute, for each name.",
    parse: wholeNumber(1, 1_000_000_000),
  },
};

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
