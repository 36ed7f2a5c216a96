/**
 * What a script in Python accepts, by the calls that declare it: `add_parser("list")`, `add_argument("-o", "--output")`.
 */

const DECLARATION =
  /\.add_(parser|argument)\(\s*((?:(?:"[^"\n]{1,60}"|'[^'\n]{1,60}')\s{0,20},?\s{0,20}){1,4})/g;

/** The names that a script declares. */
export interface Declared {
  readonly commands: readonly string[];
  /** Options with their dashes, and the names of words without one. */
  readonly args: readonly string[];
}

/** The names of its commands and arguments, as they are declared. */
export function declaredNames(source: string): Declared {
  const found = Array.from(source.matchAll(DECLARATION), ([, kind, list]) => ({
    kind,
    names: Array.from(list!.matchAll(/["']([^"'\n]+)["']/g), ([, name]) => name!),
  }));
  const namesOf = (wanted: string) => [
    ...new Set(found.filter(({ kind }) => kind === wanted).flatMap(({ names }) => names)),
  ];
  return { commands: namesOf("parser"), args: namesOf("argument") };
}
