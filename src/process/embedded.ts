/**
 * Files that a build embeds into the program, such as the indexes of the packs.
 *
 * In a binary, they are in the runtime's own file system, which supports little more than reading by name.
 */

/** The text of an embedded file; undefined if the build does not have it. */
export function findEmbeddedText(contentDir: string, path: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${contentDir}/${path}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
