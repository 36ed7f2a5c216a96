/** Are sessions and runs found in both layouts, and shown as active, completed or failed? */
import assert from "node:assert/strict";
import { KIT_NAMES, kitTest, openKit, stateOf } from "../../../support/kit.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

interface Facts {
  readonly branch: string;
  readonly status: string;
  readonly runs: readonly { readonly runId: string; readonly phase: string; readonly problem?: string }[];
}

kitTest("sessions are listed by state [runs:state-files]", (dir, names) => {
  const { sessions } = openKit(dir, names);
  const listed = (status?: string) =>
    (sessions(status).data["sessions"] as readonly Facts[]).map(({ branch, status, runs }) =>
      `${branch} ${status}: ${runs.map(({ runId, phase }) => `${runId} ${phase}`).join(", ")}`
    );
  assert.deepEqual(listed(), [
    "main active: dev-story-20260227-143022 active, dev-story-20260101-080000 failed",
    "explore-graphql completed: architecture-20260201-100000 completed",
    "sprint-1 active: casse-20260110-000000 active",
    "sprint-0 active: prd-20251201-090000 active",
    "poc-vide active: ",
  ]);
  assert.deepEqual(listed("failed"), ["main active: dev-story-20260101-080000 failed"]);
  assert.deepEqual(listed("Completed"), [
    "explore-graphql completed: architecture-20260201-100000 completed",
  ]);
  assert.deepEqual(listed("active").length, 4);
  assert.throws(() => sessions("merged"), {
    message: 'Unknown status "merged". Use one of all, active, completed, failed',
  });
  assert.equal(
    sessions().text,
    [
      "5 sessions, latest first",
      "- main: active; Production; since 2026-01-05T08:00:00Z; created_by sm; runs: 2",
      "  - dev-story-20260227-143022: running (active); step 4 of 8",
      "  - dev-story-20260101-080000: failed; step 4 of 8",
      "- explore-graphql: completed; Comparer REST et GraphQL; runs: 1",
      "  - architecture-20260201-100000: completed; step 8 of 8",
      "- sprint-1: active; runs: 1",
      "  - casse-20260110-000000: active (state.json is not a JSON object)",
      "- sprint-0: active; runs: 1",
      "  - prd-20251201-090000: paused (active); step 4 of 8",
      "- poc-vide: active; runs: 0",
    ].join("\n"),
  );
});

kitTest("one run is shown [runs:state-files]", (dir, names) => {
  const { status } = openKit(dir, names);
  assert.equal(
    status({}).text,
    [
      "Run dev-story-20260227-143022 on main: running (active); step 4 of 8",
      "Workflow: _bmad/bmm/workflows/dev-story/workflow.yaml",
      "Steps done: 1, 2, 3",
      "Resume from step: 4",
      "Started: 2026-02-27T14:30:22Z",
      "Last checkpoint: 2026-02-27T15:10:00Z (40a135)",
      "Variables: user_name=Zoé; api_token=ne-pas-montrer",
      "Artefacts:",
      "- step 1, plan, docs/plan.md",
      "Issues:",
      "- La file est lente",
      "Notes: Reprendre par les tests",
      `Folder: ${names.output}/.runs/main/dev-story-20260227-143022`,
      "Earlier: dev-story-20260101-080000 (failed)",
    ].join("\n"),
  );
  const idOf = (request: Parameters<typeof status>[0]) =>
    (status(request).data["run"] as { runId: string; branch: string } | null)?.runId;
  assert.equal(idOf({ branch: "explore-graphql" }), "architecture-20260201-100000");
  assert.equal(idOf({ branch: "sprint-0" }), "prd-20251201-090000");
  assert.equal(idOf({ runId: "prd-20251201-090000" }), "prd-20251201-090000");
  assert.equal(
    idOf({ runId: "dev-story-20260101-080000", branch: "main" }),
    "dev-story-20260101-080000",
  );
  assert.equal(idOf({ branch: "poc-vide" }), undefined);
  assert.equal(status({ branch: "poc-vide" }).text, `No runs on poc-vide in ${names.output}/.runs`);
  assert.throws(() => status({ branch: "mian" }), {
    message: /^No session branch named "mian"\. Did you mean main\? The latest are main, /,
  });
  assert.throws(() => status({ branch: "main", runId: "prd-20251201-090000" }), {
    message: /^No run named "prd-20251201-090000".* The latest are dev-story-20260227-143022/,
  });
  // Archived runs are not shown, not even by name.
  assert.throws(() => status({ runId: "x-20250101-000000" }), {
    message: /^No run named "x-20250101/,
  });
});

const RUN = (time: string) => JSON.stringify({ status: "running", last_checkpoint: time });

Deno.test("the status is that of the session's branch, if it has any [runs:status-branch]", () =>
  withTree({
    "_bmad-output/.runs/main/prd-1/state.json": RUN("2026-03-02T08:00:00Z"),
    "_bmad-output/.runs/mine/prd-1/state.json": RUN("2026-03-01T08:00:00Z"),
    "_bmad-output/.runs/mine/old/state.json": RUN("2026-02-01T08:00:00Z"),
  }, async (dir) => {
    const first = (request: object = {}) => openKit(dir, KIT_NAMES[0]).status(request).text;
    const setBranch = (branch: string) =>
      Deno.writeTextFile(`${dir}/project-context.yaml`, `session_branch: ${branch}\n`);
    await setBranch("mine");
    assert.match(
      first(),
      /^Run prd-1 on mine: .*\n[^]*\nNewer: prd-1 on main \(active\)\nEarlier: old \(active\)$/,
    );
    assert.match(first({ runId: "prd-1" }), /^Run prd-1 on mine: /);
    assert.match(first({ branch: "main" }), /^Run prd-1 on main: /);
    await setBranch("other");
    assert.match(first(), /^Run prd-1 on main: /, "without one, the latest of all");
  }));

Deno.test("a project without runs has none, and a state may lack everything", async () => {
  await withTree({}, (dir) => {
    const { sessions, status } = openKit(dir);
    assert.equal(sessions().text, "No sessions in _bmad-output/.runs");
    assert.equal(sessions("failed").text, "No failed sessions or runs in _bmad-output/.runs");
    assert.equal(status({}).text, "No runs in _bmad-output/.runs");
  });
  await withTree({
    "_bmad-output/.runs/main/a/state.json": "{}",
    "_bmad-output/.runs/main/b/state.json":
      '{"status":"constructor","current_step":"deux","issues":"x","artefacts_produced":[1,null]}',
    "_bmad-output/.runs/main/c/state.json": "[1]",
    "_bmad-output/.runs/main/d/readme.txt": "no run",
  }, (dir) => {
    const { sessions, status } = openKit(dir);
    assert.match(sessions().text, /- main: active; runs: 3\n/);
    assert.match(
      status({ runId: "b" }).text,
      /^Run b on main: constructor \(active\); step deux\nArtefacts:\n- 1\nIssues:\n- x\n/,
    );
  });
});

treeTest("times are compared as times, whatever their zone", {
  "_bmad-output/.runs/main/one/state.json": stateOf("one", {
    last_checkpoint: "2026-02-27T15:00:00+02:00",
  }),
  "_bmad-output/.runs/main/two/state.json": stateOf("two", { last_checkpoint: "2026-02-27T14:00:00Z" }),
}, (dir) => assert.match(openKit(dir).status({}).text, /^Run two /));
