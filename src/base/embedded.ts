/**
 * Files that a build embeds into the program: the packs, and every licence that travels with them.
 *
 * Written by .github/release/stage.ts. A program that runs from source has no licences file, which is not an error. In a
 * binary, these files are in the runtime's own file system, which supports little more than reading by name.
 */

/** The licences file, in the content folder. */
export const LICENCES_FILE = "licenses.txt";

/** The licences of everything in this build; undefined if the program runs from source. */
export function findLicences(contentDir: string): string | undefined {
  return findEmbeddedText(contentDir, LICENCES_FILE);
}

/** The text of an embedded file; undefined if the build does not have it. */
export function findEmbeddedText(contentDir: string, path: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${contentDir}/${path}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
