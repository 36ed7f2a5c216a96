/**
 * Does the chain of an item show which sources have it, which one wins, and why?
 */
import assert from "node:assert/strict";
import { openLibrary, readEntry, resolveEntry } from "../../../../src/content/library/mod.ts";
import { opening } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";

const agent = (description: string) => `---\nname: scout\ndescription: ${description}\n---\n`;

const TREE = {
  "one/bmad/sea/agents/scout.md": agent("One"),
  "two/bmad/sea/agents/scout.md": agent("Two"),
  "three/bmad/sea/agents/scout.md": agent("One"),
  "four/_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules:\n  - name: sea\n",
  "four/_bmad/_config/agent-manifest.csv": "name,displayName,title,icon,role,identity,module,path\n" +
    '"scout","Scout","Scout","","Looks out","Somebody","sea","_bmad/sea/agents/scout.md"\n',
};

Deno.test("a chain shows the standing of each record and the reason", () =>
  withTree(TREE, async (dir) => {
    const library = await openLibrary([
      opening("project", 1, `${dir}/one`),
      opening("cli", 2, `${dir}/two`),
      opening("env", 2, `${dir}/three`),
      opening("user", 4, `${dir}/four`),
    ]);
    const chainFor = async (origin?: string) => {
      const { chain } = await readEntry(library, resolveEntry(library, { name: "scout", origin }));
      return chain.map(({ origin: { id }, standing, why, differing, isAsked }) =>
        [id, standing, why, differing, isAsked ? "asked" : ""].filter((part) =>
          part !== undefined && part !== ""
        )
      );
    };
    const missing = ["user", "missing", "listed in a manifest, but its file is missing"];
    assert.deepEqual(await chainFor(), [
      ["project", "wins", "priority 1 comes before 2", "asked"],
      ["cli", "overridden", "priority 2 comes after 1", 1],
      ["env", "overridden", "priority 2 comes after 1", 0],
      missing,
    ]);
    assert.deepEqual((await chainFor("env")).map((link) => link.at(-1)), [
      "priority 1 comes before 2",
      1,
      "asked",
      missing.at(-1),
    ]);

    const equals = await openLibrary([opening("cli", 2, `${dir}/two`), opening("env", 2, `${dir}/three`)]);
    const { chain } = await readEntry(equals, resolveEntry(equals, { name: "scout" }));
    assert.deepEqual(chain.map(({ why }) => why), ["it was named first", "cli was named first"]);
    const alone = await openLibrary([opening("cli", 2, `${dir}/two`)]);
    const only = await readEntry(alone, resolveEntry(alone, { name: "scout" }));
    assert.deepEqual(only.chain.map(({ why }) => why), ["no other source has it"]);
  }));

Deno.test("a chain shows an item that its origin has twice", () =>
  withTree({
    "one/bmad/sea/agents/scout.md": agent("One"),
    "one/.bmad/sea/agents/scout.md": agent("Again"),
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, `${dir}/one`)]);
    const { chain } = await readEntry(library, resolveEntry(library, { name: "scout" }));
    assert.deepEqual(chain.map(({ standing, why }) => [standing, why]), [
      ["wins", "it was named first"],
      ["overridden", "its source has it twice, and the first one counts"],
    ]);
  }));
