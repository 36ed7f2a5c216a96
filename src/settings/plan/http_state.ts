/**
 * What a server over HTTP keeps in the user's state folder: tokens of others, sessions, and its record of who did what.
 */
import type { WantedRights } from "../../base/model.ts";
import { type HttpPlaces, httpPlaces } from "../../base/http_state.ts";
import { type Place, userFolders } from "../../base/paths.ts";
import { type Invocation, knowsNames, type LookAt, resolveRight, type Settings } from "../mod.ts";

/** The state of a server over HTTP. */
export interface HttpState extends HttpPlaces {
  /** The user's state folder, absolute, links resolved as far as it exists. */
  readonly state: string;
  /** Whether the server knows by name who uses it. */
  readonly isNamed: boolean;
  /** With which pages and their cookies are signed; read at the start. */
  readonly secret?: string;
}

/** Plans it for a start that serves over HTTP or changes tokens; undefined for any other, or without a state folder. */
export function planHttpState(
  { name }: Invocation,
  settings: Pick<Settings, "http" | "oidcIssuer" | "proxyFrom">,
  place: Place,
  look: LookAt,
): HttpState | undefined {
  const isUsed = name === "token" || name === "record" || name === "serve" && settings.http !== undefined;
  const { state } = isUsed ? userFolders(place) : {};
  const { real } = state === undefined ? {} : resolveRight({ path: state, kind: "folder" }, look);
  return real === undefined
    ? undefined
    : { state: real, ...httpPlaces(real), isNamed: knowsNames(settings, place, look) };
}

/**
 * The rights to it. A server reads the tokens, which `token` changes, and writes sessions and the record; the user's own
 * token is no longer read. An issuer is asked for its keys.
 */
export function httpStateRights(
  plan: HttpState | undefined,
  { name }: Invocation,
  { oidcIssuer }: Pick<Settings, "oidcIssuer">,
): WantedRights {
  if (plan === undefined) return { read: [], write: [], run: [], net: false };
  const { tokens, record, sessions } = plan;
  if (name === "token") return { read: [tokens], write: [tokens], run: [], net: false };
  if (name === "record") return { read: [record], write: [], run: [], net: false };
  return {
    read: [tokens, record, sessions],
    write: [record, sessions],
    run: [],
    net: oidcIssuer !== undefined,
  };
}
