/**
 * Where the cache keeps the files of a repository: its copies, its lock, the note about a failed fetch.
 *
 * The names of folders and records are those of `bmad-mcp-server`, whose cached copies are served as well.
 */
import type { GitLocation } from "../../settings/locations/mod.ts";

/** Where the files of one repository are; all paths are absolute. */
export interface CachePaths {
  readonly cache: string;
  /** The folder for locks, failures and unfinished copies. */
  readonly staging: string;
  /** The prefix of all names that belong to the repository. */
  readonly name: string;
  /** Where `bmad-mcp-server` keeps its copy; undefined where that cannot be derived from the address. */
  readonly legacy?: string;
}

export const RECORD = ".bmad-cache.json";
export const STAGING = ".work";
export const FAILED = ".failed.json";

/** The address of a whole repository at one ref: locations that share it share one copy. */
export function repositoryName({ url, ref }: Pick<GitLocation, "url" | "ref">): string {
  return `git+${url}${ref === undefined ? "" : `#${ref}`}`;
}

export async function cachePaths(cache: string, repository: GitLocation): Promise<CachePaths> {
  const { host, path, ref } = repository;
  const words = `${host}${path.replace(/\.git$/, "")}-${ref ?? "HEAD"}`;
  const readable = words.replaceAll(/[^\w.]+/g, "-").replaceAll(/^[.-]+|(?<![.-])[.-]+$/g, "").slice(0, 80);
  const hash = await sha256(repositoryName(repository));
  return {
    cache,
    staging: `${cache}/${STAGING}`,
    name: `${readable}~${hash.slice(0, 10)}`,
    legacy: legacyFolder(cache, repository),
  };
}

export function copyFolder({ cache, name }: CachePaths, commit: string): string {
  return `${cache}/${name}~${commit.slice(0, 12)}`;
}

/** The file that notes the last fetch, if it failed. */
export function failureFile({ staging, name }: CachePaths): string {
  return `${staging}/${name}${FAILED}`;
}

/** The file that is locked while a repository is updated. */
export function lockFile({ staging, name }: Pick<CachePaths, "staging" | "name">): string {
  return `${staging}/${name}.lock`;
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}

/** `bmad-mcp-server` names folders by host, organization, repository and ref, and assumes the ref `main`. */
function legacyFolder(cache: string, { protocol, host, path, ref }: GitLocation): string | undefined {
  const [, organization, repository] = /^\/([^/]+)\/(.+?)(?:\.git)?$/.exec(path) ?? [];
  if (protocol === "file" || organization === undefined) return undefined;
  return `${cache}/${host}-${organization}-${repository}-${ref ?? "main"}`;
}
