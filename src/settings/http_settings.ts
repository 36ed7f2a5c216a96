/**
 * The settings of serving over HTTP: where, to whom, and within which limits.
 *
 * Rows of THE table of settings, in a file of their own because they are many and concern one command alone.
 */
import { Invalid } from "../base/invalid.ts";
import { resolvePath } from "../base/paths.ts";
import { last, type Setting, wholeNumber, wordsIn } from "./values.ts";

/** Settings of HTTP with their values. */
export interface HttpSettings {
  /** Where HTTP is served; undefined to serve stdin and stdout. */
  readonly http: HttpAddress | undefined;
  /** What clients of HTTP must send; undefined when they need nothing. */
  readonly token: string | undefined;
  /** An absolute file with the certificate; undefined for unencrypted connections. */
  readonly tlsCert: string | undefined;
  /** The private key that goes with it. */
  readonly tlsKey: string | undefined;
  /** Names in lower case, beside addresses and `localhost`, under which HTTP clients reach us. */
  readonly allowHosts: readonly string[];
  /** Origins whose web pages may ask, or `*`. */
  readonly allowOrigins: readonly string[];
  /** The largest request over HTTP, in bytes. */
  readonly httpBody: number;
  /** How many seconds a client may take for the headers of a request. */
  readonly httpHeaders: number;
  /** The most sessions of clients of the 2025 revisions, and streams on which newer ones wait. */
  readonly httpSessions: number;
  /** After how many idle seconds a session ends. */
  readonly httpIdle: number;
  /** The most requests of one session. */
  readonly httpRequests: number;
  /** The most requests of one client that are answered at a time. */
  readonly httpInFlight: number;
}

/** Where HTTP is served. */
export interface HttpAddress {
  /** An address or a name of this machine, without brackets. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean;
}

/** The rows. */
export const HTTP_SETTINGS: { readonly [K in keyof HttpSettings]: Setting<HttpSettings[K]> } = {
  http: {
    flag: "--http",
    value: "[HOST:]PORT",
    variables: ["BMAD_HTTP"],
    // In a file it would take stdin and stdout away from every client that starts the program.
    files: "none",
    default: undefined,
    help:
      "Serve MCP over HTTP at /mcp instead of stdin and stdout. Without a host, only this machine can connect.",
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
      "What HTTP clients must send as a bearer token or as X-API-Key. Better set by the variable, which other " +
      "users of the machine cannot see. Needed when other machines can connect.",
    parse: (texts) =>
      last(texts).length >= 16 ? last(texts) : new Invalid("it must have at least 16 characters"),
  },
  tlsCert: {
    flag: "--tls-cert",
    value: "FILE",
    variables: ["BMAD_TLS_CERT"],
    files: "user",
    default: undefined,
    help: "The certificate for HTTPS, as a PEM file.",
    parse: (texts, context) => resolvePath(last(texts), context),
  },
  tlsKey: {
    flag: "--tls-key",
    value: "FILE",
    variables: ["BMAD_TLS_KEY"],
    files: "user",
    default: undefined,
    help: "The private key for HTTPS, as a PEM file.",
    parse: (texts, context) => resolvePath(last(texts), context),
  },
  allowHosts: {
    flag: "--allow-host",
    value: "NAMES",
    variables: ["BMAD_ALLOW_HOST"],
    files: "user",
    default: [],
    help:
      "Names under which HTTP clients reach this server, with commas between. Addresses and localhost always work.",
    parse: (texts) => wordsIn(texts).map((name) => name.toLowerCase()),
  },
  allowOrigins: {
    flag: "--allow-origin",
    value: "ORIGINS",
    variables: ["BMAD_ALLOW_ORIGIN"],
    files: "user",
    default: [],
    help:
      "Origins whose web pages may use the server, with commas between, such as https://app.example.org; * for all.",
    parse: (texts) => {
      const origins = wordsIn(texts);
      return origins.every((origin) => origin === "*" || URL.parse(origin)?.origin === origin)
        ? origins
        : new Invalid("an origin is a scheme and a host, such as https://app.example.org, or *");
    },
  },
  httpBody: {
    flag: "--http-body",
    value: "BYTES",
    variables: ["BMAD_HTTP_BODY"],
    files: "user",
    default: 10 << 20,
    help: "The largest request over HTTP.",
    parse: wholeNumber(1_024, 64 << 20),
  },
  httpHeaders: {
    flag: "--http-headers",
    value: "SECONDS",
    variables: ["BMAD_HTTP_HEADERS"],
    files: "user",
    default: 10,
    help: "How long a client may take to send the headers of a request, and as long again for the rest.",
    parse: wholeNumber(1, 300),
  },
  httpSessions: {
    flag: "--http-sessions",
    value: "N",
    variables: ["BMAD_HTTP_SESSIONS"],
    files: "user",
    default: 1_000,
    help:
      "The most sessions of clients of the 2025 protocol revisions, together with the streams on which newer " +
      "clients, which need no session, wait for changes.",
    parse: wholeNumber(1, 100_000),
  },
  httpIdle: {
    flag: "--http-idle",
    value: "SECONDS",
    variables: ["BMAD_HTTP_IDLE"],
    files: "user",
    default: 1_800,
    help: "After how long without a request a session ends.",
    parse: wholeNumber(1, 86_400),
  },
  httpRequests: {
    flag: "--http-requests",
    value: "N",
    variables: ["BMAD_HTTP_REQUESTS"],
    files: "user",
    default: 1_000_000,
    help: "The most requests of one session.",
    parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  },
  httpInFlight: {
    flag: "--http-in-flight",
    value: "N",
    variables: ["BMAD_HTTP_IN_FLIGHT"],
    files: "user",
    default: 100,
    help: "The most requests of one client, by its address, that are answered at a time.",
    parse: wholeNumber(1, 10_000),
  },
};

/** `8080`, `0.0.0.0:8080`, `[::1]:8080`, `team.local:8080`. */
function parseAddress(text: string): HttpAddress | Invalid {
  const [, bracketed, name = "127.0.0.1", digits] =
    /^(?:(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits ?? NaN);
  if (!(port <= 65_535)) {
    return new Invalid("it must be a port, or a host and a port: 8080, 0.0.0.0:8080, [::]:8080");
  }
  const host = bracketed ?? name;
  return { host, port, isLoopback: /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host) };
}
