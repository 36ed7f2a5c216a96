/**
 * The table of known scripts (`src/project/scripts/known_scripts.ts`): read, extended by a release, and written.
 */
import { compareVersions } from "../../src/base/versions.ts";
import type { Release } from "./facts.ts";
import { COMPARED, KNOWN_SCRIPTS } from "../../src/project/scripts/known_scripts.ts";
import type { PackageVersion } from "./packages.ts";

/** Both tables of that file. */
export interface Known {
  readonly compared: Readonly<Record<string, readonly string[]>>;
  readonly scripts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const KNOWN: Known = { compared: COMPARED, scripts: KNOWN_SCRIPTS };

const METHOD = "bmad-method";

/** The tables with another release; releases have to be added in their order. */
export function withRelease(
  { compared, scripts }: Known,
  { name, version }: PackageVersion,
  release: Release,
): Known {
  const called = name === METHOD ? version : `${name} ${version}`;
  const extended = new Map(Object.entries(scripts).map(([script, hashes]) => [script, { ...hashes }]));
  for (const { name: path, value } of release.facts.get("script")?.values() ?? []) {
    const hashes = extended.getOrInsertComputed(path.slice(path.lastIndexOf("/") + 1), () => ({}));
    hashes[value!] = called;
  }
  return {
    compared: {
      ...compared,
      [name]: [...new Set([...compared[name] ?? [], version])].toSorted(compareVersions),
    },
    scripts: Object.fromEntries([...extended].toSorted(([a], [b]) => a < b ? -1 : 1)),
  };
}

/** The file. */
export function renderKnown({ compared, scripts }: Known): string {
  return `/**
 * BMAD's scripts that ours were compared with, as short hashes. Written by \`deno task upstream --write\`.
 */

/** The releases, oldest first, by package. */
export const COMPARED: Readonly<Record<string, readonly string[]>> = ${rendered(compared)};

/** By name and hash, the last release that has a script. */
export const KNOWN_SCRIPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = ${rendered(scripts)};
`;
}

/** As JSON, with each inner list or table on one line; `deno fmt` breaks those that are too long. */
function rendered(tables: unknown): string {
  return JSON.stringify(tables, null, 2).replaceAll(
    /[[{][^[\]{}]+[\]}]/g,
    (inner) => inner.replaceAll(/\s*\n\s*/g, " "),
  );
}
