/**
 * May this version be released, and what is said of it?
 *
 * The tag must name the version of deno.json, the change log must have something to say about it, and no page may
 * still have a placeholder for the owner of the repository. Pure: is handed the texts.
 */

/** The version that a tag names; fails when it is another than the program's. */
export function checkTag(tag: string, version: string): void {
  if (tag !== `v${version}`) {
    throw new Error(`Cannot release ${tag}: deno.json has version ${version}, so the tag is v${version}`);
  }
}

/** The section of a version, without its heading and without the headings that have nothing below them. */
export function findNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) {
    throw new Error(`Cannot find ${version} in CHANGELOG.md: it needs a section "## [${version}] - DATE"`);
  }
  const body = section.slice(section.indexOf("\n") + 1).replace(/^\[[^\]]+\]: .*$/gm, "");
  const parts = body.split(/^(?=### )/m).filter((part) => part.replace(/^### .*/, "").trim() !== "");
  const notes = parts.join("").trim();
  if (notes === "") {
    throw new Error(`Cannot release ${version}: its section in CHANGELOG.md says nothing`);
  }
  return notes;
}

/** The pages that name the owner of the repository, and have OWNER in its place until there is one. */
export const OWNED_PAGES = [
  "README.md",
  ".github/CODEOWNERS",
  ".github/SECURITY.md",
  ".github/ISSUE_TEMPLATE/config.yml",
] as const;

/** Fails while a page has the placeholder. */
export function checkOwner(page: string, text: string, repository: string): void {
  if (/\bOWNER\b/.test(text)) {
    const owner = repository.split("/")[0];
    throw new Error(`Cannot release from ${repository}: ${page} says OWNER where ${owner} is meant`);
  }
}
