/** Are the real installations that tests read real, whole and made once? */
import assert from "node:assert/strict";
import { installation, sourceTree } from "./support/installs.ts";
import { treeTest, withTree } from "./support/trees.ts";

treeTest("an installation is made by BMAD's own installer, once, and in one piece", {}, async (cache) => {
  const request = { version: "6.12.0", tools: "claude-code" } as const;
  const [one, two] = await Promise.all([
    installation(request, { cache }),
    installation(request, { cache }),
  ]);
  assert.equal(one, two);
  assert.match(one, /[\\/]6\.12\.0-claude-code-[0-9a-f]{8}[\\/]project$/);
  assert.match(await Deno.readTextFile(`${one}/_bmad/_config/manifest.yaml`), /version: 6\.12\.0/);
  assert.equal([...Deno.readDirSync(`${one}/.claude/skills`)].length, 29);
  assert.equal([...Deno.readDirSync(cache)].length, 1);
  assert.deepEqual([...Deno.readDirSync(`${one}/..`)].map((entry) => entry.name), ["project"]);

  const made = (await Deno.stat(one)).mtime?.getTime();
  assert.equal(await installation(request, { cache }), one);
  assert.equal((await Deno.stat(one)).mtime?.getTime(), made);
});

Deno.test("a source tree is the npm package of exactly that version", async () => {
  for (const name of ["bmad-method@4.44.3", "bmad-method@6.0.0-alpha.7"] as const) {
    const about = JSON.parse(await Deno.readTextFile(`${await sourceTree(name)}/package.json`));
    assert.equal(`${about.name}@${about.version}`, name);
  }
});

Deno.test("without a network and without a cache, what to do is said, and nothing is left behind", () =>
  withTree({ "cache/": "", "deno/": "" }, async (dir) => {
    const env = { DENO_DIR: `${dir}/deno`, NPM_CONFIG_REGISTRY: "http://127.0.0.1:9" };
    const advice = (name: string) =>
      `The npm package ${name} is not in Deno's cache, and the network cannot be reached. ` +
      "Run these tests once with a network; afterwards they need none.";
    await assert.rejects(
      installation({ version: "6.0.4", tools: "claude-code" }, { cache: `${dir}/cache`, env }),
      { message: advice("bmad-method@6.0.4") },
    );
    await assert.rejects(sourceTree("bmad-method@6.0.4", env), { message: advice("bmad-method@6.0.4") });
    assert.deepEqual([...Deno.readDirSync(`${dir}/cache`)], []);
  }));
