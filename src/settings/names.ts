/**
 * Whether a server over HTTP knows by name who uses it. If it does, others may write through it, each as their role allows.
 */
import { httpPlaces } from "../base/http_state.ts";
import { type Place, userFolders } from "../base/paths.ts";
import type { HttpSettings } from "./http_settings.ts";

/** By tokens that the user has given to others, an issuer, or a proxy. */
export function knowsNames(
  { oidcIssuer, proxyFrom }: Pick<HttpSettings, "oidcIssuer" | "proxyFrom">,
  place: Pick<Place, "home" | "os" | "env">,
  look: (path: string) => unknown,
): boolean {
  if (oidcIssuer !== undefined || proxyFrom.length > 0) return true;
  const { state } = userFolders(place);
  return state !== undefined && look(httpPlaces(state).tokensFile) !== undefined;
}
