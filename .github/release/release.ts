/**
 * A release: the one description that every channel renders.
 *
 * Formulas, manifests and the install scripts of earlier releases rely on the names of its files. Callers always pass in
 * the repository: nothing under .github/release knows its owner.
 */
import { PRODUCT } from "../../src/base/model.ts";
import { type Target, TARGETS } from "./targets.ts";

/** The description in catalogues: at most 80 characters, no article, no full stop. */
export const DESCRIPTION = "BMAD Method agents, workflows and skills for every MCP client";

/** The command with which a client starts the installed program. */
export const LAUNCH = { command: "bmad-mcp", args: ["serve"] } as const;

/** The licences of everything inside the program. */
export const LICENCES_NAME = "THIRD-PARTY-LICENSES.txt";

export type Release = ReturnType<typeof describeRelease>;

/** The SHA-256 of files by name, in hexadecimal. */
export type Sums = ReadonlyMap<string, string>;

/** The release of a repository on GitHub, `owner/name`; its checksums once its files are there. */
export function describeRelease(repository: string, version = PRODUCT.version, sums: Sums = new Map()) {
  const [, owner] = /^([\w.-]+)\/[\w.-]+$/.exec(repository) ?? [];
  if (owner === undefined) {
    throw new Error(`Invalid --repository "${repository}": expected OWNER/NAME, as on GitHub`);
  }
  const home = `https://github.com/${repository}`;
  // The bare name belongs to a stranger. Neither npm nor the registry of images allows capitals.
  const npm = `@${owner.toLowerCase()}/bmad-mcp`;
  const name = (target: Target) => `bmad-mcp-${version}-${TARGETS[target].os}-${TARGETS[target].arch}`;
  return {
    repository,
    owner,
    version,
    isPreview: version.includes("-"),
    home,
    npm,
    image: `ghcr.io/${repository.toLowerCase()}`,
    /** In the MCP registry. */
    registryName: `io.github.${owner}/bmad-mcp`,
    files: {
      /** What people download. */
      archive: (target: Target) => `${name(target)}.${TARGETS[target].os === "windows" ? "zip" : "tar.gz"}`,
      /** What desktop clients install. */
      bundle: (target: Target) => `${name(target)}.mcpb`,
      /** As npm itself would call it. */
      npm: `${npm.slice(1).replace("/", "-")}-${version}.tgz`,
      /** The bill of materials. */
      sbom: `bmad-mcp-${version}.cdx.json`,
      /** The formula, the manifests and the plugins, for whoever publishes them. */
      manifests: `bmad-mcp-${version}-manifests.zip`,
    },
    urlOf: (file: string) => `${home}/releases/download/v${version}/${file}`,
    sumOf: (file: string) => {
      const sum = sums.get(file);
      if (sum === undefined) throw new Error(`Cannot find ${file} in the release`);
      return sum;
    },
  };
}

/** A text with the account and the version wherever their placeholders stand. */
export function fillIn(text: string, { owner, repository, npm, image, version }: Release): string {
  return text.replaceAll("@OWNER/bmad-mcp", npm)
    .replaceAll("ghcr.io/OWNER/bmad-mcp:VERSION", `${image}:${version}`)
    .replaceAll("ghcr.io/OWNER/bmad-mcp", image)
    .replaceAll(/\bOWNER\/bmad-mcp\b(?!-)/g, repository)
    .replaceAll(/\bOWNER\b/g, owner);
}

/** A value as formatted JSON. */
export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
