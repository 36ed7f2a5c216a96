/**
 * Where content lies, as settings spell it: folders, `git+…` addresses and `npm:…` packages.
 */
import { type GitLocation, isGitLocation, parseGitLocation } from "./git.ts";
import { Invalid } from "../../base/invalid.ts";
import { isNpmLocation, type NpmLocation, parseNpmLocation } from "./npm.ts";
import { type Context, isShare, isWholeDisk, resolvePath, SHARE_ADVICE } from "../../base/paths.ts";

/** Folders and repositories, absolute and checked. */
export function locations(texts: readonly string[], context: Context): readonly string[] | Invalid {
  const found = texts.map((text) => asLocation(text, context));
  const wrong = found.filter(isGitLocation).map(parseGitLocation).find((parsed) => parsed instanceof Invalid);
  if (wrong !== undefined) return wrong;
  if (found.some((folder) => isWholeDisk(folder, context))) {
    return new Invalid("expected a folder, not a whole disk");
  }
  return found.map((folder) => refuseShare(folder, context)).find(Boolean) ?? found;
}

/** These, and packages. */
export function sources(texts: readonly string[], context: Context): readonly string[] | Invalid {
  const packages = texts.filter(isNpmLocation);
  const wrong = packages.map(parseNpmLocation).find((parsed) => parsed instanceof Invalid);
  const others = locations(texts.filter((text) => !isNpmLocation(text)), context);
  if (wrong !== undefined || others instanceof Invalid) return wrong ?? others;
  return texts.map((text) => sourceOf(text, context));
}

/** One of these, as the plan knows it. */
export function sourceOf(text: string, context: Context): string {
  return isNpmLocation(text) ? text : asLocation(text, context);
}

/** A source that is served from the cache alone. */
export type PinnedLocation =
  | { readonly kind: "git"; readonly repository: GitLocation }
  | { readonly kind: "npm"; readonly location: NpmLocation }
  | { readonly kind: "archive"; readonly path: string };

/** The source that a location names; undefined for a folder, which is served as it is. */
export function pinnedLocation(location: string): PinnedLocation | undefined {
  const parsed = isGitLocation(location)
    ? parseGitLocation(location)
    : isNpmLocation(location)
    ? parseNpmLocation(location)
    : undefined;
  // The settings refuse invalid ones.
  if (parsed instanceof Invalid) return undefined;
  if (parsed === undefined) {
    return /\.(?:tgz|tar\.gz)$/i.test(location) ? { kind: "archive", path: location } : undefined;
  }
  return "url" in parsed ? { kind: "git", repository: parsed } : { kind: "npm", location: parsed };
}

/** Why a folder cannot be served, if it is on a network share. */
export function refuseShare(folder: string, { os }: Context): Invalid | undefined {
  return isShare(folder, os) ? new Invalid(`network shares are not supported: ${SHARE_ADVICE}`) : undefined;
}

/** Splits at the path separator, but not inside a `git+…` URL: `git+SCHEME://HOST:PORT/PATH#REF:/FOLDER`. */
export function splitLocations(text: string, context: Context): readonly string[] {
  const pattern = context.os === "windows" ? /[^;]+/g : /git\+\w*:\/\/[^/]*[^:]*(?::\/[^:]*)?(?=:|$)|[^:]+/g;
  return text.match(pattern) ?? [];
}

function asLocation(text: string, context: Context): string {
  return isGitLocation(text) ? text : resolvePath(text, context);
}
