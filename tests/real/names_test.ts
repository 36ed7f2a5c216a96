/**
 * In a project with its own installation, do its names mean its own items?
 *
 * Every command and skill that the installers wrote for Claude Code, every id, with and without its module, and every
 * person's name, while the newest content is served with a lower priority.
 */
import assert from "node:assert/strict";
import { openLibrary, resolveEntry } from "../../src/content/library/mod.ts";
import { isHidden } from "../../src/base/model.ts";
import { installation, type InstallVersion, ofThisRun, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { verifies } from "../support/requirements.ts";

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) names.push(name.replace(/\.md$/, ""));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}

const VERSIONS: readonly InstallVersion[] = ["6.0.4", "6.1.0", "6.2.0", "6.5.0", "6.8.0", "6.12.0"];

for (const version of ofThisRun(VERSIONS, (version) => version)) {
  Deno.test(
    verifies("names:best-origin", `in a project of ${version} its own names mean its own items`),
    async () => {
      const dir = await installation({ version, tools: "claude-code" });
      const library = await openLibrary([
        opening("project", 1, dir),
        opening("git", 5, await sourceTree("bmad-method-test-architecture-enterprise@1.27.2")),
        opening("package", 9, await sourceTree("bmad-method@6.12.0")),
      ]);
      const own = library.manifest.entries.filter((entry) => entry.rank === 0 && !isHidden(entry));
      const names = new Set([
        ...await namesIn(`${dir}/.claude/commands`),
        ...await namesIn(`${dir}/.claude/skills`),
        ...own.flatMap(({ module, id, displayName }) => [
          id,
          ...[`${module}/${id}`, `${module}-${id}`, `${module}.${id}`],
          id.replaceAll("-", " "),
          ...(displayName === undefined ? [] : [displayName]),
        ]),
      ]);
      assert.ok(names.size > 100, `${names.size} names`);
      const strays = [...names].map((name) => [name, resolveEntry(library, { name }).key] as const)
        .filter(([, key]) => !key.startsWith("project:"));
      assert.deepEqual(strays, []);
    },
  );
}
