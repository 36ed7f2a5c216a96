/**
 * Checks whether a version can be released, and finds its release notes.
 *
 * The tag must match the version in deno.json, the change log must describe it, and no page may still contain the
 * placeholder for the repository's owner. Pure: callers pass in the texts.
 */
import { homeOf, imageOf, npmPackageOf, ownerOf, urlOf } from "./release.ts";

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

/** Notes as they stand on the page of a release: with the owner's name, and links that lead into the repository. */
export function linkNotes(notes: string, repository: string, version: string): string {
  const root = `${homeOf({ repository })}/blob/v${version}`;
  return notes.replaceAll("@OWNER/bmad-mcp", npmPackageOf(repository))
    .replaceAll("ghcr.io/OWNER/bmad-mcp", imageOf(repository))
    .replaceAll(/\bOWNER\b(?=\/)/g, ownerOf(repository))
    .replaceAll(/\]\((?!\w+:)(?=[\w.])/g, `](${root}/`);
}

/** Where a release can be published beside GitHub: by whoever has the token for it. */
export const CHANNELS = ["packages", "npm", "container"] as const;

/** `packages` are Homebrew's tap and Scoop's bucket. */
export type Channel = typeof CHANNELS[number];

/** How to install a release: only from where it was published. A pre-release reaches neither Homebrew nor Scoop. */
export function renderInstallNotes(
  repository: string,
  version: string,
  channels: readonly Channel[],
): string {
  const owner = ownerOf(repository);
  const isPreview = version.includes("-");
  const script = (name: string) =>
    isPreview
      ? urlOf({ repository, version }, name)
      : `${homeOf({ repository })}/releases/latest/download/${name}`;
  const onlyIn = (channel: Channel, ...lines: readonly string[]) => channels.includes(channel) ? lines : [];
  const stable = (...lines: readonly string[]) => isPreview ? [] : onlyIn("packages", ...lines);
  const npm = onlyIn("npm", `npm install --global ${npmPackageOf(repository)}@${version}`);
  const image = onlyIn("container", `docker pull ${imageOf(repository)}:${version}`);
  const block = (language: string, ...commands: readonly string[]) =>
    ["```" + language, ...commands, "```"].join("\n");
  const get = `curl --proto '=https' --tlsv1.2 -fsSL ${script("install.sh")}`;
  const unix = [
    ...stable(`brew install ${owner}/tap/bmad-mcp`),
    isPreview ? `${get} | BMAD_MCP_VERSION=${version} sh` : `${get} | sh`,
    ...npm,
    ...image,
  ];
  const bucket = `scoop bucket add ${owner} https://github.com/${owner}/scoop-bucket`;
  const chosen = isPreview ? `$env:BMAD_MCP_VERSION = '${version}'; ` : "";
  const windows = [
    ...stable(`${bucket}; scoop install bmad-mcp`),
    `${chosen}irm ${script("install.ps1")} | iex`,
    ...npm,
  ];
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
  "docs/guide.md",
  ".github/CODEOWNERS",
  ".github/SECURITY.md",
  ".github/ISSUE_TEMPLATE/config.yml",
] as const;

/** A page with the account in place of OWNER, and without the paragraph about it. */
export function ownPage(text: string, repository: string): string {
  return text.replace(/^`OWNER` is the GitHub account[^]*?\n\n/m, "").replaceAll(
    /\bOWNER\b/g,
    ownerOf(repository),
  );
}

/** The manifest with a version, and the change log with a section for it. */
export function setVersion(manifest: string, version: string): string {
  return manifest.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);
}

export function dateChanges(changelog: string, version: string, day: string): string {
  if (changelog.includes(`\n## [${version}]`)) return changelog;
  return changelog.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${day}\n`);
}

/** Fails if a page has the placeholder. */
export function checkOwner(page: string, text: string, repository: string): void {
  if (/\bOWNER\b/.test(text)) {
    const owner = repository.split("/")[0];
    throw new Error(
      `Cannot release from ${repository}: replace OWNER with ${owner} in ${page} (deno task release)`,
    );
  }
}
