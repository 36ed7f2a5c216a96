import { httpPlaces } from "../../base/http_state.ts";
import type { WantedRights } from "../../base/model.ts";
import { userFolders } from "../../base/paths.ts";
import { knowsNames, resolveRight } from "../mod.ts";
import type { Claims, Start } from "./choice.ts";

interface HttpState extends ReturnType<typeof httpPlaces>, Claims {
  readonly state: string;
  readonly isNamed: boolean;
  readonly secret?: string;
}

export function planHttpState(start: Start): HttpState | undefined {
  const { invocation: { name }, settings, look } = start;
  const isUsed = name === "token" || name === "record" || name === "serve" && settings.http !== undefined;
  const { state } = isUsed ? userFolders(start) : {};
  const { real } = state === undefined ? {} : resolveRight({ path: state, kind: "folder" }, look);
  if (real === undefined) return undefined;
  const places = httpPlaces(real);
  const { tokens, record, sessions } = places;
  // The user's own token is no longer read. An issuer is asked for its keys.
  const served = {
    read: [tokens, record, sessions],
    write: [record, sessions],
    net: settings.oidcIssuer !== undefined,
  };
  const rights: Partial<WantedRights> = name === "token"
    ? { read: [tokens], write: [tokens] }
    : name === "record"
    ? { read: [record] }
    : served;
  return { state: real, ...places, isNamed: knowsNames(settings, start, look), rights };
}
