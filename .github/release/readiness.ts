/**
 * May this version be released, and what is said of it?
 *
 * The tag must name the version of deno.json, the change log must have something to say about it, and the README must
 * say whose repository its install lines mean. Pure: is handed the texts.
 */

/** The version that a tag names; fails when it is another than the program's. */
export function checkTag(tag: string, version: string): void {
  if (tag !== `v${version}`) {
    throw new Error(`Cannot release ${tag}: deno.json has version ${version}, so the tag is v${version}`);
  }
}

/** The section of a version, without its heading. */
export function findNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) {
    throw new Error(`Cannot find ${version} in CHANGELOG.md: it needs a section "## [${version}] - DATE"`);
  }
  const notes = section.slice(section.indexOf("\n") + 1).replace(/^\[[^\]]+\]: .*$/gm, "").trim();
  if (notes.replace(/^#.*$/gm, "").trim() === "") {
    throw new Error(`Cannot release ${version}: its section in CHANGELOG.md says nothing`);
  }
  return notes;
}

/** Fails while the README does not say whose repository it means. */
export function checkReadme(readme: string, repository: string): void {
  if (/\bOWNER\b/.test(readme)) {
    const owner = repository.split("/")[0];
    throw new Error(`Cannot release from ${repository}: README.md says OWNER where ${owner} is meant`);
  }
}
