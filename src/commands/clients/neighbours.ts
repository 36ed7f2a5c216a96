/**
 * Hides what other entries of a client's file keep secret, before a preview shows lines around ours.
 *
 * Every variable and header of an entry counts as a secret, whatever its name; anywhere else a secret is recognised by
 * its key or its form.
 */
import { loadCleaner } from "../../content/library/mod.ts";

/** The variables and headers of an entry: a table in braces, or a section in TOML. */
const TABLES: readonly RegExp[] = [
  /(?<![\w-])(?:env|envs|environment|headers|http_headers)"?\s{0,20}[:=]\s{0,20}\{[^{}]*\}/g,
  /^[ \t]{0,20}\[[^\]\n]{1,200}\.(?:env|headers|http_headers)\][^[]*/gm,
];

const VALUE = /(?<=[:=]\s{0,20})(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g;

/** The text of a client's file without secrets. */
export async function maskNeighbours(text: string): Promise<string> {
  const { longText } = await loadCleaner();
  const masked = TABLES.reduce(
    (rest, table) => rest.replaceAll(table, (found) => found.replaceAll(VALUE, '"[removed]"')),
    text,
  );
  return longText(masked).replaceAll(/\bBearer [^\s"']+/g, "Bearer ***");
}
