/** Where the cache keeps the copies of packages. Only reads; packages.ts creates them. */
import type { Pin, PinnedLocation } from "../../settings/plan/mod.ts";
import { readRecord, repositoryName } from "./cache.ts";

export type PackageLocation = Exclude<PinnedLocation, { readonly kind: "git" }>;

export function packageName(source: PackageLocation): string {
  const words = source.kind === "npm"
    ? `npm-${source.location.name}`
    : `file-${source.path.split("/").at(-1)}`;
  return words.replaceAll(/[^\w.]+/g, "-").slice(0, 80);
}

export function packageFolder(cache: string, source: PackageLocation, pin: Pin): string {
  return `${cache}/${packageName(source)}~${hashOf(pin).slice(0, 40)}`;
}

/** Undefined if the cache has no complete copy of it. */
export function findPackage(cache: string, source: PackageLocation, pin: Pin): string | undefined {
  if (pin.integrity === undefined) return undefined;
  const folder = packageFolder(cache, source, pin);
  return readRecord(folder)?.currentCommit === hashOf(pin) ? folder : undefined;
}

export function pinnedName(source: PinnedLocation, pin: Pin): string {
  if (source.kind === "git") return repositoryName({ url: source.repository.url, ref: pin.commit });
  return source.kind === "npm" ? `npm:${source.location.name}@${pin.version}` : `file:${source.path}`;
}

/** As long a part of the hash as a record can hold. */
export function hashOf({ integrity = "" }: Pin): string {
  return Uint8Array.fromBase64(integrity.replace(/^sha512-/, "")).toHex().slice(0, 64);
}
