/**
 * `bmad-mcp version`: which build this is.
 *
 * A unit of its own that only the entry imports, so that it lies in the same file of a bundle: to print the version
 * takes hardly more than to start the runtime.
 */
import type { Host } from "./host.ts";
import { PRODUCT } from "./model.ts";

/** Whether a command line asks for the version and for nothing else. Others may ask for it as well, in more words. */
export function asksForVersion(args: readonly string[]): boolean {
  const [word, ...rest] = args.filter((arg) => arg !== "--json");
  return rest.length === 0 && ["version", "--version", "-V"].includes(word ?? "");
}

/** Prints the version; as JSON with all that a report of a bug needs. */
export function printVersion(
  { commit: findCommit, runtime, target, writeOut }: Pick<Host, "commit" | "runtime" | "target" | "writeOut">,
  json: boolean,
): void {
  const { name, version } = PRODUCT;
  const commit = findCommit();
  const facts = { name, version, commit: commit ?? null, runtime, target };
  const build = commit === undefined ? runtime : `commit ${commit.slice(0, 12)}, ${runtime}`;
  writeOut(json ? `${JSON.stringify(facts, null, 2)}\n` : `${name} ${version} (${build})\n`);
}
