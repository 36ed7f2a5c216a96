/** What npm takes in place of a name (addresses, files, aliases and options) is refused. */
import { Invalid } from "../../base/invalid.ts";
import { type Context, isShare, isWholeDisk, resolvePath, SHARE_ADVICE } from "../../base/paths.ts";
import { type GitLocation, isGitLocation, parseGitLocation } from "./git.ts";

export function locations(texts: readonly string[], context: Context): readonly string[] | Invalid {
  const found = texts.map((text) => asLocation(text, context));
  const wrong = found.filter(isGitLocation).map(parseGitLocation).find((parsed) => parsed instanceof Invalid);
  if (wrong !== undefined) return wrong;
  if (found.some((folder) => isWholeDisk(folder, context))) {
    return new Invalid("expected a folder, not a whole disk");
  }
  return found.map((folder) => refuseShare(folder, context)).find(Boolean) ?? found;
}

export function sources(texts: readonly string[], context: Context): readonly string[] | Invalid {
  const packages = texts.filter(isNpmLocation);
  const wrong = packages.map(parseNpmLocation).find((parsed) => parsed instanceof Invalid);
  const others = locations(texts.filter((text) => !isNpmLocation(text)), context);
  if (wrong !== undefined || others instanceof Invalid) return wrong ?? others;
  return texts.map((text) => sourceOf(text, context));
}

export function sourceOf(text: string, context: Context): string {
  return isNpmLocation(text) ? text : asLocation(text, context);
}

export type PinnedLocation =
  | { readonly kind: "git"; readonly repository: GitLocation }
  | { readonly kind: "npm"; readonly location: NpmLocation }
  | { readonly kind: "archive"; readonly path: string };

/** Undefined for a folder, which is served as it is. */
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

export function refuseShare(folder: string, { os }: Context): Invalid | undefined {
  return isShare(folder, os) ? new Invalid(`network shares are not supported: ${SHARE_ADVICE}`) : undefined;
}

/** Not inside a `git+…` URL: `git+SCHEME://HOST:PORT/PATH#REF:/FOLDER`. */
export function splitLocations(text: string, context: Context): readonly string[] {
  const pattern = context.os === "windows" ? /[^;]+/g : /git\+\w*:\/\/[^/]*[^:]*(?::\/[^:]*)?(?=:|$)|[^:]+/g;
  return text.match(pattern) ?? [];
}

function asLocation(text: string, context: Context): string {
  return isGitLocation(text) ? text : resolvePath(text, context);
}

interface NpmLocation {
  readonly name: string;
  readonly wanted?: string;
  readonly subpath?: string;
  readonly shown: string;
}

export function isNpmLocation(location: string): boolean {
  return location.startsWith("npm:");
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~_][a-z0-9._~-]*$/i;
const WANTED = /^(?![-.])[\w.^~*+-]+$/;
const MAX_NAME = 214;
const MAX_WANTED = 100;

const FORM = "npm:NAME, optionally followed by @VERSION (a version, range or tag) and :/FOLDER";

export function parseNpmLocation(text: string): NpmLocation | Invalid {
  const [, name = "", wanted, folder] = /^npm:(@?[^@:]*)(?:@([^:]*))?(?::\/(.*))?$/.exec(text) ?? [];
  if (!isNpmName(name)) return new Invalid(`expected ${FORM}`);
  if (wanted !== undefined && (wanted.length > MAX_WANTED || !WANTED.test(wanted))) {
    return new Invalid("@VERSION must be a version, a range such as ^1.2.0, or a tag");
  }
  const subpath = folder?.replace(/\/$/, "");
  const isFolder = subpath === undefined || subpath === "" || subpath.split("/").every(isFolderName);
  if (!isFolder) return new Invalid(":/FOLDER must be a folder in the package");
  return {
    name,
    ...(wanted === undefined ? {} : { wanted }),
    ...(subpath ? { subpath } : {}),
    shown: `npm:${name}${wanted === undefined ? "" : `@${wanted}`}${subpath ? `:/${subpath}` : ""}`,
  };
}

export function isNpmName(text: string): boolean {
  return text.length <= MAX_NAME && NAME.test(text);
}

function isFolderName(name: string): boolean {
  return /^[\w.~+@=, -]+$/.test(name) && name !== "." && name !== "..";
}
