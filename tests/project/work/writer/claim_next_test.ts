/**
 * Does everybody who claims without naming a story get another one, and the one that `next` would hand out?
 */
import assert from "node:assert/strict";
import { openApp } from "../../../../src/app.ts";
import { systemTimer } from "../../../../src/base/work.ts";
import { BMM } from "../../../support/bmm_project.ts";
import { resolveConfig } from "../../../support/config.ts";
import { runHere } from "../../../support/program.ts";
import { verifies } from "../../../support/requirements.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

async function workIn(dir: string, deeds: string[] = []) {
  const config = resolveConfig({
    args: ["--pack", "none", "--project", dir],
    cwd: dir,
    home: undefined,
    os: Deno.build.os,
    contentDir: `${dir}/none`,
    env: () => undefined,
    readSettings: () => undefined,
  });
  const app = openApp(config, { now: Date.now, after: systemTimer.after });
  return (await app.recording(["claim"], (deed) => deeds.push(deed))).project.work();
}

const CALLS = { execute: () => "", mark: () => "", plan: () => "" };

treeTest(verifies("work:claim", "a claim without a story takes what next hands out"), {
  ...BMM,
  "out/impl/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  1-2-b: backlog\n  1-3-c: ready-for-dev\n" +
    "  1-4-d: backlog\n",
}, async (dir) => {
  const deeds: string[] = [];
  const work = await workIn(dir, deeds);
  const { data: { next } } = await work.next(CALLS, { by: "Ann" });
  assert.equal((next as readonly { readonly story: { readonly key: string } }[])[0]!.story.key, "1-3-c");
  assert.equal((await work.claim({ by: "Ann" })).data["story"], "1-3-c");
  assert.deepEqual(deeds, ["claim 1-3-c"], "the record says which one");
  // One's own comes first, and is held for longer.
  assert.equal((await work.claim({ by: "Ann" })).data["story"], "1-3-c");
  const held =
    /^BmadError: Cannot claim 1-3-c: Ann holds it until [\d: -]+ UTC; free for you: 1-2-b; or force it$/;
  await assert.rejects(work.claim({ story: "1-3", by: "Bob" }), held);
  const rest = await Promise.all(["Bob", "Cat"].map((by) => work.claim({ by })));
  assert.deepEqual(rest.map(({ data }) => data["story"]).sort(), ["1-2-b", "1-4-d"]);
  await assert.rejects(
    work.claim({ by: "Dan" }),
    /Cannot claim a story: none can be begun: everything that can be done is held/,
  );
});

treeTest(verifies("work:claim", "a claim on a planned story holds when the sprint is made"), {
  ...BMM,
  "out/plan/epics.md": "## Epic 1: A\n### Story 1.1: B\n### Story 1.2: C\n",
}, async (cwd) => {
  const run = (...args: string[]) => runHere(args, { cwd });
  assert.equal(
    (await run("claim", "--by", "Ann")).stderr,
    "bmad-mcp: Cannot claim a story: none can be begun before a sprint is made of the plan (bmad-mcp plan)\n",
  );
  assert.match((await run("claim", "1-1", "--by", "Ann")).stdout, /^Ann holds 1-1 until/);
  assert.match(
    (await run("claim", "1-1", "--by", "Bob")).stderr,
    /Ann holds it until [^;]+; none can be begun before a sprint is made of the plan; or force it \(bmad-mcp plan, --force\)/,
  );
  assert.equal((await run("plan")).code, 0);
  assert.match((await run("board", "1-1")).stdout, /held by\s+Ann until/);
  assert.match(
    (await run("claim", "1-1", "--by", "Bob")).stderr,
    /Ann holds it .*; free for you: 1-2-c;/,
  );
  assert.equal((await run("release", "1-1", "--by", "Ann")).code, 0);
  assert.match((await run("claim", "1-1", "--by", "Bob")).stdout, /^Bob holds 1-1-b until/);
});

Deno.test(verifies("work:board", "a configuration by hand is enough"), async () => {
  const ledger = { "out/impl/sprint-status.yaml": "development_status:\n  1-1-a: backlog\n" };
  const configs = {
    "_bmad/bmm/config.yaml": 'implementation_artifacts: "{project-root}/out/impl"\n',
    "_bmad/config.toml": '[modules.bmm]\nimplementation_artifacts = "out/impl"\n',
  };
  for (const [path, text] of Object.entries(configs)) {
    await withTree({ ...ledger, [path]: text }, async (dir) => {
      assert.match((await (await workIn(dir)).board()).text, /^0 of 1 story is done\./, path);
    });
  }
});
