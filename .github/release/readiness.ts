/**
 * Makes the pages of a version ready to be released, and finds its release notes. Pure: callers pass in the texts.
 */
import { fillIn, type Release } from "./release.ts";

/** The pages that contain the repository's owner, or OWNER until it is known. */
export const OWNED_PAGES = [
  "README.md",
  "docs/guide.md",
  ".github/CODEOWNERS",
  ".github/SECURITY.md",
  ".github/ISSUE_TEMPLATE/config.yml",
] as const;

/** The change of each file that names the account or the version. What was ready already stays as it is. */
export function editsFor(release: Release, day: string): Readonly<Record<string, (text: string) => string>> {
  const { version } = release;
  // With the account goes the paragraph about its placeholder.
  const own = (text: string) => fillIn(text.replace(/^`OWNER` is the GitHub account[^]*?\n\n/m, ""), release);
  return {
    ...Object.fromEntries(OWNED_PAGES.map((page) => [page, own])),
    "deno.json": (text) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`),
    "CHANGELOG.md": (text) =>
      text.includes(`\n## [${version}]`)
        ? text
        : text.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${day}\n`),
  };
}

/** Fails if a page has the placeholder. */
export function checkOwner(page: string, text: string, { owner, repository }: Release): void {
  if (!/\bOWNER\b/.test(text)) return;
  throw new Error(
    `Cannot release from ${repository}: replace OWNER with ${owner} in ${page} (deno task release)`,
  );
}

/** The section of a version, without its heading and without empty subsections. */
export function findNotes(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) {
    throw new Error(`Cannot find ${version} in CHANGELOG.md: add a section "## [${version}] - DATE"`);
  }
  const body = section.slice(section.indexOf("\n") + 1).replace(/^\[[^\]]+\]: .*$/gm, "");
  const parts = body.split(/^(?=### )/m).filter((part) => part.replace(/^### .*/, "").trim() !== "");
  const notes = parts.join("").trim();
  if (notes === "") throw new Error(`Cannot release ${version}: its section in CHANGELOG.md is empty`);
  return notes;
}

/** Notes as they stand on the page of a release: links lead into the repository. */
export function linkNotes(notes: string, release: Release): string {
  return fillIn(notes, release)
    .replaceAll(/\]\((?!\w+:)(?=[\w.])/g, `](${release.home}/blob/v${release.version}/`);
}

/** Where a release can be published beside GitHub, by whoever has the token: `packages` are the tap and the bucket. */
export const CHANNELS = ["packages", "npm", "container"] as const;

export type Channel = typeof CHANNELS[number];

/** How to install a release: only from where it was published. A pre-release reaches neither Homebrew nor Scoop. */
export function renderInstallNotes(release: Release, channels: readonly Channel[]): string {
  const { owner, repository, version, isPreview, home } = release;
  const from = `${home}/releases/${isPreview ? `download/v${version}` : "latest/download"}`;
  const packages = channels.includes("packages") && !isPreview;
  const npm = channels.includes("npm") && `npm install --global ${release.npm}@${version}`;
  const get = `curl --proto '=https' --tlsv1.2 -fsSL ${from}/install.sh`;
  const block = (language: string, ...lines: readonly (string | false)[]) =>
    ["```" + language, ...lines.filter((line) => line !== false), "```"].join("\n");
  return [
    "### Install",
    block(
      "sh",
      packages && `brew install ${owner}/tap/bmad-mcp`,
      `${get} | ${isPreview ? `BMAD_MCP_VERSION=${version} ` : ""}sh`,
      npm,
      channels.includes("container") && `docker pull ${release.image}:${version}`,
    ),
    "On Windows:",
    block(
      "powershell",
      packages &&
        `scoop bucket add ${owner} https://github.com/${owner}/scoop-bucket; scoop install bmad-mcp`,
      `${isPreview ? `$env:BMAD_MCP_VERSION = '${version}'; ` : ""}irm ${from}/install.ps1 | iex`,
      npm,
    ),
    `\`gh attestation verify FILE -R ${repository}\` verifies that a file was built here.`,
  ].join("\n\n") + "\n";
}
