/** Can a name lead anything out of the project? */
import assert from "node:assert/strict";
import { KIT_NAMES, kitFiles, openKit } from "../../../support/kit.ts";
import { listTree, treeTest, withTree } from "../../../support/trees.ts";

const CANARY = "canari-7f3a";

const NAMES = [
  "../canary",
  "..",
  ".",
  "",
  " ",
  "../../canary/state",
  "a/b",
  "a\\b",
  "/etc/passwd",
  "C:\\Windows\\win.ini",
  "c:canary",
  "main\0",
  "main\n../x",
  ".hidden",
  "x.",
  "CON",
  "nul.txt",
  "com1",
  "a:b",
  "~",
  "$(touch x)",
  "`id`",
  "%2e%2e%2fcanary",
  "ma\u202ein",
  "main\uFEFF",
  "ma\u200bin",
  "‥/canary",
  "a*",
  "x".repeat(10_000),
  "é".repeat(60),
  "\ud800",
  "__proto__",
  "-rf",
];

const TASK = { agent: "a", task: "t", outputKey: "k", contextFiles: [] };

function files(outer: string) {
  const { base, output } = KIT_NAMES[0];
  return {
    ...kitFiles(KIT_NAMES[0]),
    [`${base}/_memory/agent-learnings/leak.md`]: { link: `${outer}/canary.md` },
    [`${output}/.runs/leak`]: { link: `${outer}/runs` },
    [`${output}/.runs/main/leak-20260101-000000`]: { link: `${outer}/runs/r` },
  };
}

treeTest("no name leads out of the project [runs:inside-project]", {
  "canary.md": `- [2026-01-01] ${CANARY}\n`,
  "canary/state.json": `{"status":"${CANARY}"}`,
  "runs/branch.json": `{"purpose":"${CANARY}"}`,
  "runs/r/state.json": `{"status":"${CANARY}"}`,
}, (outer) =>
  withTree(files(outer), async (dir) => {
    const before = { outer: await listTree(outer), dir: await listTree(dir) };
    const runs = openKit(dir);
    const task = { agent: "dev", task: "x", outputKey: "k", contextFiles: [] };
    const delivery = {
      from: "a",
      to: "b",
      artefacts: [{ name: "x", isRequired: true }],
      ...{ questions: [], decisions: [], rejected: [], constraints: [], risks: [] },
    };
    for (const name of NAMES) {
      const requests: Readonly<Record<string, () => unknown>> = {
        agent: () => runs.learnings({ agent: name }),
        run: () => runs.status({ runId: name }),
        branch: () => runs.status({ branch: name }),
        spawnAgent: () => runs.spawn({ ...task, agent: name }),
        spawnKey: () => runs.spawn({ ...task, outputKey: name }),
        spawnRun: () => runs.spawn({ ...task, runId: name }),
        from: () => runs.deliver({ ...delivery, from: name }),
        to: () => runs.deliver({ ...delivery, to: name }),
        section: () => runs.context(name),
        status: () => runs.sessions(name),
        category: () => runs.failures({ category: name }),
      };
      for (const [field, request] of Object.entries(requests)) {
        const what = `${field} ${JSON.stringify(name.slice(0, 40))}`;
        const failed = await Promise.resolve().then(request).then(() => undefined, (error) => error);
        assert.equal(failed?.name, "BmadError", `${what} was taken`);
        assert.match(
          failed.message,
          /^Invalid (agent|run|branch|output key|\w+ team): "|^(Unknown|No|Missing) /,
          what,
        );
        assert.ok(failed.message.length < 1_000, what);
      }
    }
    const paths = ["../canary.md", "/etc/passwd", "C:\\x", "a/../../x", "a\0", "x".repeat(10_000)];
    for (const path of [...paths, `${outer}/canary.md`]) {
      await assert.rejects(runs.spawn({ ...task, contextFiles: [path] }), {
        message: /^Invalid context file: "/,
      });
    }
    const told = [
      runs.sessions(),
      runs.status({}),
      runs.context(),
      await runs.learnings({ agent: "dev" }),
    ];
    assert.doesNotMatch(JSON.stringify(told), new RegExp(CANARY));
    await assert.rejects(runs.learnings({ agent: "leak" }), {
      message: /^No agent with learnings named "leak"/,
    });
    assert.deepEqual(await listTree(dir), before.dir);
    assert.deepEqual(await listTree(outer), before.outer);
  }));

Deno.test("no link leads a written file out [runs:inside-project]", async (t) => {
  const places = [
    "_bmad-output",
    "_bmad-output/.runs",
    "_bmad-output/.runs/main",
    "_bmad-output/.runs/main/r",
    "_bmad-output/.runs/main/r/queue",
  ];
  for (const place of places) {
    for (const target of ["canary", "nowhere"]) {
      await t.step(`${place} → ${target}`, () =>
        withTree(
          { "canary/x": "" },
          (outer) =>
            withTree({ [place]: { link: `${outer}/${target}` } }, async (dir) => {
              const runs = openKit(dir);
              const spawned = runs.spawn({ ...TASK, runId: "r" });
              await assert.rejects(spawned, { message: /is outside the served folders/ });
              assert.deepEqual(await listTree(outer), ["canary/", "canary/x 0"]);
            }),
        ));
    }
  }
  await t.step(
    "a link that stays inside the project is followed",
    () =>
      withTree({ "elsewhere/": "", "_bmad-output": { link: "elsewhere" } }, async (dir) => {
        const { data } = await openKit(dir).spawn(TASK);
        assert.equal(
          (await Deno.stat(`${dir}/elsewhere/${String(data["path"]).replace("_bmad-output/", "")}`)).isFile,
          true,
        );
      }),
  );
  await t.step(
    "a file where a folder should be is reported",
    () =>
      withTree({ "_bmad-output": "a file" }, async (dir) => {
        const spawned = openKit(dir).spawn(TASK);
        await assert.rejects(spawned, {
          message: /^Cannot write _bmad-output\/\.runs\/main\/subagents-20260310\/queue\/task-\w+\.json: /,
        });
      }),
  );
});
