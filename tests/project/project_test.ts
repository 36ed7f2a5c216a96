/** Is a project that could not be opened tried again, and one that could be opened once? */
import assert from "node:assert/strict";
import { resolveConfig } from "../support/config.ts";
import { openProject } from "../../src/project/mod.ts";
import { CONTENT } from "../support/recall.ts";
import { treeTest } from "../support/trees.ts";

treeTest("what could not be opened for one request is opened for the next, and then kept", {
  "_bmad/_memory/": "",
  "notes.md": "The zebra is striped.\n",
}, async (dir) => {
  const config = resolveConfig({
    args: ["--no-embedder"],
    cwd: dir,
    home: undefined,
    os: Deno.build.os,
    contentDir: CONTENT,
    env: () => undefined,
    readSettings: () => undefined,
  });
  let isBroken = false, opened = 0;
  const breakable = {
    ...config,
    get kit() {
      opened++;
      if (isBroken) throw new Error("the disk is away");
      return config.kit;
    },
  };
  const project = openProject(breakable, { now: Date.now, after: () => () => {} });
  const request = () => project.forRequest({}, () => Promise.reject(new Error("no content")));
  const uses = [
    async () => assert.deepEqual((await (await request().memory()).health({ isUsed: true })).faults, []),
    async () => assert.match(JSON.stringify(await request().searchCode({ query: "zebra" })), /notes\.md/),
  ];
  for (const use of uses) {
    isBroken = true;
    await assert.rejects(use(), /the disk is away/);
    isBroken = false;
    await use();
    const before = opened;
    await use();
    assert.equal(opened, before);
  }
  await project.close();
});
