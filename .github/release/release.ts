/**
 * What is a release, for everything that points to it?
 *
 * The repository it belongs to, its version and the checksum of each of its files; from these the address of every
 * file follows. The repository is always handed in: nothing under .github/release knows who owns it.
 */

/** What people read about the program in catalogues: up to 80 characters, no article, no full stop. */
export const DESCRIPTION = "BMAD Method agents, workflows and skills for every MCP client";

/** How a client starts an installed program. */
export const LAUNCH = { command: "bmad-mcp", args: ["serve"] } as const;

/** A release, complete with its checksums. */
export interface Release {
  /** `owner/name` on GitHub. */
  readonly repository: string;
  readonly version: string;
  /** The SHA-256 of each file by its name, in hexadecimal. */
  readonly sums: ReadonlyMap<string, string>;
}

/** The owner's name. */
export function ownerOf(repository: string): string {
  const [, owner] = /^([\w.-]+)\/[\w.-]+$/.exec(repository) ?? [];
  if (owner === undefined) {
    throw new Error(
      `Cannot use repository ${repository || "(none)"}: --repository is OWNER/NAME, as on GitHub`,
    );
  }
  return owner;
}

/** The page of a repository. */
export function homeOf({ repository }: Pick<Release, "repository">): string {
  return `https://github.com/${repository}`;
}

/** Where a file of a release is downloaded. */
export function urlOf(release: Pick<Release, "repository" | "version">, file: string): string {
  return `${homeOf(release)}/releases/download/v${release.version}/${file}`;
}

/** The checksum of a file; fails when the release lacks it. */
export function sumOf({ sums }: Pick<Release, "sums">, file: string): string {
  const sum = sums.get(file);
  if (sum === undefined) throw new Error(`Cannot point to ${file}: the release has no such file`);
  return sum;
}
