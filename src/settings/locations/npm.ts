/**
 * Parses `npm:…` locations: which package, which version of it, which folder in it.
 *
 * A strict grammar in front of npm: what it does not accept never reaches npm. Addresses, files, aliases and options,
 * which npm would accept in the place of a name, are refused.
 */
import { Invalid } from "../../base/invalid.ts";

/** A package of the registry that npm is configured for. */
export interface NpmLocation {
  /** With its scope: `@acme/bmad-ops`. */
  readonly name: string;
  /** A version, a range or a tag; undefined for the one that npm installs by default. */
  readonly wanted?: string;
  /** A folder in the package, with single slashes; undefined for all of it. */
  readonly subpath?: string;
  /** The location for display and for settings. */
  readonly shown: string;
}

/** Whether a location is a package. */
export function isNpmLocation(location: string): boolean {
  return location.startsWith("npm:");
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~_][a-z0-9._~-]*$/i;
const WANTED = /^(?![-.])[\w.^~*+-]+$/;
const MAX_NAME = 214;
const MAX_WANTED = 100;

const FORM = "npm:NAME, optionally followed by @VERSION (a version, range or tag) and :/FOLDER";

/** Parses a location, or says what is wrong with it. */
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

/** Whether a text can be the name of a package. */
export function isNpmName(text: string): boolean {
  return text.length <= MAX_NAME && NAME.test(text);
}

function isFolderName(name: string): boolean {
  return /^[\w.~+@=, -]+$/.test(name) && name !== "." && name !== "..";
}
