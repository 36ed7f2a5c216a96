/**
 * A release, as everything that points to it sees it.
 *
 * Its repository, its version and the checksums of its files determine the address of every file. Callers always pass
 * in the repository: nothing under .github/release knows its owner.
 */

/** The description in catalogues: at most 80 characters, no article, no full stop. */
export const DESCRIPTION = "BMAD Method agents, workflows and skills for every MCP client";

/** The command with which a client starts the installed program. */
export const LAUNCH = { command: "bmad-mcp", args: ["serve"] } as const;

/** A release with its checksums. */
export interface Release {
  /** `owner/name` on GitHub. */
  readonly repository: string;
  readonly version: string;
  /** The SHA-256 of each file by name, in hexadecimal. */
  readonly sums: ReadonlyMap<string, string>;
}

/** The owner of a repository; fails unless it is `owner/name`. */
export function ownerOf(repository: string): string {
  const [, owner] = /^([\w.-]+)\/[\w.-]+$/.exec(repository) ?? [];
  if (owner === undefined) {
    throw new Error(
      `Invalid --repository "${repository}": expected OWNER/NAME, as on GitHub`,
    );
  }
  return owner;
}

/** The name of the npm package: with a scope, because the bare name belongs to a stranger. npm allows no capitals. */
export function npmPackageOf(repository: string): string {
  return `@${ownerOf(repository).toLowerCase()}/bmad-mcp`;
}

/** The container image, without its tag. The registry allows no capitals. */
export function imageOf(repository: string): string {
  return `ghcr.io/${repository.toLowerCase()}`;
}

/** The name in the MCP registry. */
export function registryNameOf(repository: string): string {
  return `io.github.${ownerOf(repository)}/bmad-mcp`;
}

/** The home page of a repository. */
export function homeOf({ repository }: Pick<Release, "repository">): string {
  return `https://github.com/${repository}`;
}

/** The download address of a file. */
export function urlOf(release: Pick<Release, "repository" | "version">, file: string): string {
  return `${homeOf(release)}/releases/download/v${release.version}/${file}`;
}

/** The checksum of a file; fails if the release does not have it. */
export function sumOf({ sums }: Pick<Release, "sums">, file: string): string {
  const sum = sums.get(file);
  if (sum === undefined) throw new Error(`Cannot find ${file} in the release`);
  return sum;
}
