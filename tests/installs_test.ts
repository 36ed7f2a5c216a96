/**
 * Are the real installations that tests read real, whole and made once?
 *
 * Runs the installer into a cache of its own, twice at the same time, as two test processes would.
 */
import assert from "node:assert/strict";
import { installation } from "./support/installs.ts";
import { withTree } from "./support/trees.ts";

Deno.test("an installation is made by BMAD's own installer, once, and in one piece", () =>
  withTree({}, async (cache) => {
    const request = { version: "6.12.0", tools: "claude-code" } as const;
    const [one, two] = await Promise.all([installation(request, cache), installation(request, cache)]);
    assert.equal(one, two);
    assert.match(one, /[\\/]6\.12\.0-claude-code-[0-9a-f]{8}[\\/]project$/);
    assert.match(await Deno.readTextFile(`${one}/_bmad/_config/manifest.yaml`), /version: 6\.12\.0/);
    assert.equal([...Deno.readDirSync(`${one}/.claude/skills`)].length, 29);
    assert.equal([...Deno.readDirSync(cache)].length, 1);
    assert.deepEqual([...Deno.readDirSync(`${one}/..`)].map((entry) => entry.name), ["project"]);

    const made = (await Deno.stat(one)).mtime?.getTime();
    assert.equal(await installation(request, cache), one);
    assert.equal((await Deno.stat(one)).mtime?.getTime(), made);
  }));
