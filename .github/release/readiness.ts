/**
 * Checks whether a version can be released, and finds its release notes.
 *
 * The tag must match the version in deno.json, the change log must describe it, and no page may still contain the
 * placeholder for the repository's owner. Pure: callers pass in the texts.
 */
import { homeOf, npmPackageOf, ownerOf, urlOf } from "./release.ts";

/** Fails unless the tag names the program's version. */
export function checkTag(tag: string, version: string): void {
  if (tag !== `v${version}`) {
    throw new Error(
      `Cannot release ${tag}: deno.json has version ${version}, so the tag must be v${version}`,
    );
  }
}

/** The section of a version, without its heading and without empty subsections. */
export function findNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) {
    throw new Error(`Cannot find ${version} in CHANGELOG.md: add a section "## [${version}] - DATE"`);
  }
  const body = section.slice(section.indexOf("\n") + 1).replace(/^\[[^\]]+\]: .*$/gm, "");
  const parts = body.split(/^(?=### )/m).filter((part) => part.replace(/^### .*/, "").trim() !== "");
  const notes = parts.join("").trim();
  if (notes === "") {
    throw new Error(`Cannot release ${version}: its section in CHANGELOG.md is empty`);
  }
  return notes;
}

/** How to install a release: only by what it is published to. A pre-release reaches neither Homebrew nor Scoop. */
export function renderInstallNotes(repository: string, version: string): string {
  const owner = ownerOf(repository);
  const isPreview = version.includes("-");
  const script = (name: string) =>
    isPreview
      ? urlOf({ repository, version }, name)
      : `${homeOf({ repository })}/releases/latest/download/${name}`;
  const npm = `npm install --global ${npmPackageOf(repository)}@${version}`;
  const block = (language: string, ...commands: readonly string[]) =>
    ["```" + language, ...commands, "```"].join("\n");
  const get = `curl --proto '=https' --tlsv1.2 -fsSL ${script("install.sh")}`;
  const unix = isPreview
    ? [`${get} | BMAD_MCP_VERSION=${version} sh`, npm]
    : [`brew install ${owner}/tap/bmad-mcp`, `${get} | sh`, npm];
  const bucket = `scoop bucket add ${owner} https://github.com/${owner}/scoop-bucket`;
  const windows = isPreview
    ? [`$env:BMAD_MCP_VERSION = '${version}'; irm ${script("install.ps1")} | iex`, npm]
    : [`${bucket}; scoop install bmad-mcp`, `irm ${script("install.ps1")} | iex`, npm];
  return [
    "### Install",
    block("sh", ...unix),
    "On Windows:",
    block("powershell", ...windows),
    `\`gh attestation verify FILE -R ${repository}\` verifies that a file was built here.`,
  ].join("\n\n") + "\n";
}

/** The pages that contain the repository's owner, or OWNER until it is known. */
export const OWNED_PAGES = [
  "README.md",
  ".github/CODEOWNERS",
  ".github/SECURITY.md",
  ".github/ISSUE_TEMPLATE/config.yml",
] as const;

/** Fails if a page has the placeholder. */
export function checkOwner(page: string, text: string, repository: string): void {
  if (/\bOWNER\b/.test(text)) {
    const owner = repository.split("/")[0];
    throw new Error(`Cannot release from ${repository}: replace OWNER with ${owner} in ${page}`);
  }
}
