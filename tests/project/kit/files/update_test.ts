/** Is the course of a run written as the kit writes it, so that status, sessions, queue and contracts know it? */
import assert from "node:assert/strict";
import { pythonJson } from "../../../../src/project/kit/files/run_changes.ts";
import { openKitFiles } from "../../../../src/project/kit/files/mod.ts";
import { KIT_NAMES, kitFiles, kitTools, openKit, stateOf } from "../../../support/kit.ts";
import { listTree, treeTest } from "../../../support/trees.ts";

const NOON = Date.UTC(2026, 2, 10, 12);
const at = (ms: number) => ({ now: () => NOON + ms });
const HOUR = 3_600_000;
const NOTHING = { questions: [], decisions: [], rejected: [], constraints: [], risks: [] };
const CONTRACT = { from: "a", to: "b", artefacts: [], ...NOTHING };

for (const names of KIT_NAMES) {
  treeTest(
    `the course of a run in ${names.output} [runs:written]`,
    { "docs/prd.md": "# PRD\n" },
    async (dir) => {
      const runs = openKit(dir, names);
      const started = await runs.update({ action: "start", runId: "dev-story", outputs: {} });
      const runId = String(started.data["run_id"]);
      assert.match(runId, /^dev-story-20260310-\d{6}$/);
      assert.match(started.text, /^Started: run dev-story-\d+-\d+ on main, running; go on with step 1\n/);
      assert.match(
        runs.status({}).text,
        /^Run dev-story-.* on main: running \(active\); step 1\nWorkflow: dev-story\n/,
      );
      assert.match(runs.sessions().text, /^1 session.*\n- main: active; .*runs: 1\n/);

      const outputs = { prd: "docs/prd.md", decision: "use Go" };
      const noted = await openKit(dir, names, at(60_000)).update({
        action: "checkpoint",
        step: "1",
        outputs,
      });
      assert.match(noted.text, /^Noted: .* go on with step 2\n/);
      const file = `${dir}/${names.output}/.runs/main/${runId}/state.json`;
      const state = JSON.parse(await Deno.readTextFile(file));
      assert.deepEqual(
        [
          state.status,
          state.steps_completed,
          state.current_step,
          state.resume_from_step,
          state.artefacts_produced,
        ],
        ["running", [1], 2, 2, [{ step: 1, name: "prd", path: "docs/prd.md" }, {
          step: 1,
          name: "decision",
          value: "use Go",
        }]],
      );
      assert.equal(state.last_checkpoint, "2026-03-10T12:01:00.000Z");
      assert.match(state.checkpoint_id, /^[0-9a-f]{6}$/);

      const failed = await runs.update({ action: "finish", status: "failed" });
      assert.match(failed.text, /^Finished: .*, failed\n/);
      assert.match(
        (await runs.update({ action: "resume" })).text,
        /^Resumed: .*, running; go on with step 2\n/,
      );
      assert.match(
        (await runs.update({ action: "finish", step: "2" })).text,
        /^Finished: .*, completed\nWork/,
      );
      assert.match(runs.sessions("completed").text, /completed; step 3/);
      await assert.rejects(runs.update({ action: "checkpoint" }), {
        message: /^Run dev-story-\S+ is completed\. Start a new run$/,
      });
      const contract = await runs.deliver(CONTRACT);
      assert.match(
        await Deno.readTextFile(`${dir}/${contract.data["path"]}`),
        /- \[x\] \*\*prd\*\*\n.*docs\/prd\.md/,
      );
    },
  );
}

treeTest("what others wrote stays, the fingerprint is the kit's [runs:written]", {
  "_bmad-output/.runs/main/dev-story-20260227-143022/state.json": stateOf("dev-story-20260227-143022", {
    session_variables: { user_name: "Ada" },
    current_step: 3,
    odd: { é: [1, null, true] },
  }),
}, async (dir) => {
  const { data } = await openKit(dir).update({ action: "checkpoint" });
  const state = data["state"] as Record<string, unknown>;
  assert.deepEqual([state["checkpoint_id"], state["current_step"]], ["40a135", 4]);
  assert.deepEqual([state["odd"], state["total_steps"]], [{ é: [1, null, true] }, 8]);
  assert.equal(pythonJson({ b: "é", a: [1, { c: null }] }), '{"a": [1, {"c": null}], "b": "\\u00e9"}');
});

treeTest("several processes at once lose no step [runs:written]", {}, async (dir) => {
  await openKit(dir).update({ action: "start", runId: "w" });
  const steps = Array.from({ length: 20 }, (_, step) => String(step + 1));
  await Promise.all(steps.map((step) => openKit(dir).update({ action: "checkpoint", step })));
  const { data } = openKit(dir).status({});
  const { state } = data["run"] as { state: { steps_completed: number[] } };
  assert.deepEqual(state.steps_completed.toSorted((a, b) => a - b), steps.map(Number));
  assert.ok((await listTree(dir)).every((path) => !path.includes("unfinished")));
});

treeTest(
  "a broken state, an unknown action and outputs outside the project change nothing",
  kitFiles(KIT_NAMES[0]),
  async (dir) => {
    const runs = openKit(dir);
    const state = () =>
      Deno.readTextFile(`${dir}/_bmad-output/.runs/main/dev-story-20260227-143022/state.json`);
    const before = await state();
    for (
      const [update, message] of [
        [{ action: "stop" }, /^Unknown action "stop"\. Use one of start, checkpoint, finish, resume/],
        [{ action: "checkpoint", outputs: { x: "../../etc/passwd" } }, /is outside the project/],
        [{ action: "checkpoint", outputs: { x: "y".repeat(3_000) } }, /longer than 2000 characters/],
        [{ action: "finish", status: "lost" }, /^Unknown status "lost"/],
        [{ action: "resume", runId: "../x" }, /^Invalid run/],
        [{ action: "start", branch: "a/b" }, /^Invalid branch/],
        [{ action: "resume", runId: "casse-20260110-000000" }, /state\.json.*not a JSON object/],
        [{ action: "start", runId: "dev-story-20260227-143022" }, /already exists on main/],
      ] as const
    ) {
      await assert.rejects(runs.update(update), { message }, JSON.stringify(update).slice(0, 80));
    }
    assert.equal(await state(), before);
  },
);

treeTest(
  "a task is claimed once, answered once, and its claim expires [runs:answered]",
  {},
  async (dir) => {
    const runs = openKit(dir);
    const task = { agent: "qa", task: "Test the upload", outputKey: "report", contextFiles: [] };
    const taskId = String((await runs.spawn(task)).data["id"]);
    const claims = await Promise.allSettled(
      Array.from({ length: 5 }, () => openKit(dir).answer({ taskId, action: "claim" })),
    );
    assert.equal(claims.filter(({ status }) => status === "fulfilled").length, 1);
    await assert.rejects(openKit(dir, KIT_NAMES[0], at(HOUR / 2)).answer({ taskId, action: "claim" }), {
      message: /claimed by another worker; the claim expires after an hour/,
    });
    const again = await openKit(dir, KIT_NAMES[0], at(HOUR + 1)).answer({ taskId, action: "claim" });
    assert.match(again.text, /^task-\w+ for qa in run subagents-\d+ on main: claimed\n\nTest the upload$/);
    await assert.rejects(runs.answer({ taskId, action: "answer" }), { message: /text/ });
    assert.match((await runs.answer({ taskId, action: "answer", text: "All green" })).text, /: done$/);
    assert.match(
      runs.status({}).text,
      /: done; qa → report: Test the upload; result: All green; claimed_by bmad-mcp/,
    );
    await assert.rejects(runs.answer({ taskId, action: "fail", text: "no" }), {
      message: /it is done already/,
    });
    await assert.rejects(runs.answer({ taskId: "task-x", action: "claim" }), {
      message: /No task named "task-x"/,
    });
  },
);

treeTest("runs are kept in the folder that the settings name [runs:directory]", {
  "project-context.yaml": "runs_directory: build/runs\n",
}, async (dir) => {
  const runs = openKitFiles({ root: dir, ...KIT_NAMES[0], runs: "build/runs" }, kitTools());
  const { data } = await runs.update({ action: "start", runId: "dev-story" });
  assert.equal(data["path"], `build/runs/main/${data["run_id"]}`);
  assert.match(runs.status({}).text, /^Run dev-story-/);
  const task = await runs.spawn({ agent: "qa", task: "Test it", outputKey: "report", contextFiles: [] });
  assert.match(String(task.data["path"]), /^build\/runs\/main\/dev-story-.*\/queue\//);
  await runs.answer({ taskId: String(task.data["id"]), action: "claim" });
  await runs.update({ action: "finish" });
  assert.match(runs.sessions().text, /^1 session/);
  const files = await listTree(dir);
  assert.deepEqual(files.filter((file) => !file.startsWith("build/")), ["project-context.yaml 27"]);
  const problem = "runs_directory in project-context.yaml is not used: it is outside the project";
  const refused = openKitFiles({ root: dir, ...KIT_NAMES[0], runsProblem: problem }, kitTools());
  assert.match((await refused.update({ action: "start" })).text, new RegExp(`\n${problem}$`));
  assert.match(refused.sessions().text, new RegExp(`\n${problem}\n`));
});
