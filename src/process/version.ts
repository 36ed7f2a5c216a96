/** `bmad-mcp version`: the entry imports this alone, so it costs little more than starting the runtime. */
import type { Host } from "./host.ts";
import { PRODUCT } from "../base/model.ts";

/** The version of what `--json` prints: it changes if a field goes or gets another meaning, and not for new fields. */
export const JSON_VERSION = 1;

export function asksForVersion(args: readonly string[]): boolean {
  const [word, ...rest] = args.filter((arg) => arg !== "--json");
  return rest.length === 0 && ["version", "--version", "-V", "-v"].includes(word ?? "");
}

export function printVersion(
  { commit: findCommit, runtime, target, columns = Infinity, writeOut }: Pick<
    Host,
    "commit" | "runtime" | "target" | "columns" | "writeOut"
  >,
  json: boolean,
): void {
  const { name, version } = PRODUCT;
  const commit = findCommit();
  const facts = { name, version, commit: commit ?? null, runtime, target, json: JSON_VERSION };
  const build = commit === undefined ? runtime : `commit ${commit.slice(0, 12)}, ${runtime}`;
  const line = `${name} ${version} (${build})`;
  const shown = line.length <= columns ? line : line.replace(" (", "\n(").replace(", ", ",\n");
  writeOut(json ? `${JSON.stringify(facts, null, 2)}\n` : `${shown}\n`);
}
