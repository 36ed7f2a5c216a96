/**
 * What a build bakes into the program: beside the packs, the commit it was made from and every licence that travels
 * with it.
 *
 * Written by .github/release/stage.ts. A program that runs from source has neither, and that is no failure. In a binary
 * these files lie in a file system of the runtime, where they can be read by their names and not much more.
 */
/** Where the two lie, below the content folder. */
export const BAKED_PATHS = { stamp: "build.json", licences: "licenses.txt" } as const;

/** What says which build this is. There is no date in it: the same commit always gives the same bytes. */
export interface BuildStamp {
  /** The commit in full; with `-changed` behind it if the sources were not those of the commit. */
  readonly commit: string;
}

/** The stamp of this build; undefined when the program runs from source. */
export function findStamp(contentDir: string): BuildStamp | undefined {
  const text = findBakedText(contentDir, BAKED_PATHS.stamp);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The licences of all that this build is made of; undefined when the program runs from source. */
export function findLicences(contentDir: string): string | undefined {
  return findBakedText(contentDir, BAKED_PATHS.licences);
}

/** The text of a file that is baked into the program; undefined when it was built without it. */
export function findBakedText(contentDir: string, path: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${contentDir}/${path}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
