/**
 * What a script in Python accepts, by the calls that declare it: `add_parser("list")`, `add_argument("-o", "--output")`.
 */

const DECLARATION =
  /\.add_(?:parser|argument)\(\s*((?:(?:"[^"\n]{1,60}"|'[^'\n]{1,60}')\s{0,20},?\s{0,20}){1,4})/g;

/** The names of its commands, options and other arguments, as they are declared. */
export function declaredNames(source: string): readonly string[] {
  const names = Array.from(
    source.matchAll(DECLARATION),
    ([, list]) => Array.from(list!.matchAll(/["']([^"'\n]+)["']/g), ([, name]) => name!),
  );
  return [...new Set(names.flat())];
}
