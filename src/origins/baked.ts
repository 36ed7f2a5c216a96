/**
 * What a build leaves beside the packs: the commit it was made from, and every licence that travels with it.
 *
 * Written by .github/release/stage.ts. A program that runs from source has neither, and that is no failure.
 */
import { findBakedText } from "../tree/mod.ts";

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
