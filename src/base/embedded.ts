/**
 * What a build bakes into the program: the packs, and beside them every licence that travels with it.
 *
 * Written by .github/release/stage.ts. A program that runs from source has no such licences, and that is no failure. In
 * a binary these files lie in a file system of the runtime, where they can be read by their names and not much more.
 */
/** Where the licences lie, below the content folder. */
export const LICENCES_FILE = "licenses.txt";

/** The licences of all that this build is made of; undefined when the program runs from source. */
export function findLicences(contentDir: string): string | undefined {
  return findEmbeddedText(contentDir, LICENCES_FILE);
}

/** The text of a file that is baked into the program; undefined when it was built without it. */
export function findEmbeddedText(contentDir: string, path: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${contentDir}/${path}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
