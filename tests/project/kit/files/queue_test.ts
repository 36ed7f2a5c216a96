/** Is a task in the queue written once, whole, and nowhere but in the project? */
import assert from "node:assert/strict";
import { writeNew } from "../../../../src/project/files/mod.ts";
import { openFolder } from "../../../../src/project/kit/files/project_folder.ts";
import { KIT_NAMES, kitFiles, kitTest, openKit } from "../../../support/kit.ts";
import { race, startChanging } from "../../../support/property.ts";
import { POSIX } from "../../../support/run.ts";
import { listTree, treeTest, withTree } from "../../../support/trees.ts";

const TASK = { agent: "qa", task: "Tester l'envoi de photos", outputKey: "rapport_tests", contextFiles: [] };

kitTest("a task goes into the queue of its run [runs:queue]", async (dir, names) => {
  const runs = openKit(dir, names);
  const wanted = {
    ...TASK,
    contextFiles: ["docs/plan.md", "{project-root}/docs/*.md", "docs/neuf.md", "docs/plan.md"],
  };
  const { text, data } = await runs.spawn(wanted);
  const folder = `${names.output}/.runs/main/dev-story-20260227-143022/queue`;
  assert.match(String(data["id"]), /^task-[0-9a-f]{16}$/);
  assert.equal(data["path"], `${folder}/${data["id"]}.json`);
  assert.deepEqual(data["missing"], ["docs/neuf.md"]);
  assert.match(
    text,
    /^Queued task-\w+ for qa in run dev-story-20260227-143022 on main: .*\nContext files not found: docs\/neuf\.md\n/,
  );
  const { idempotency_key, ...file } = JSON.parse(await Deno.readTextFile(`${dir}/${data["path"]}`));
  assert.match(idempotency_key, /^[0-9a-f]{64}$/);
  assert.deepEqual(file, {
    format: "bmad-mcp.task/1",
    id: data["id"],
    run_id: "dev-story-20260227-143022",
    session_branch: "main",
    agent: "qa",
    task: "Tester l'envoi de photos",
    output_key: "rapport_tests",
    context_files: ["docs/plan.md", "docs/*.md", "docs/neuf.md"],
    status: "pending",
    created_at: "2026-03-10T12:00:00.000Z",
  });
  const again = await runs.spawn(TASK);
  assert.equal(again.data["id"], data["id"]);
  assert.equal(again.data["created"], false);
  assert.match(again.text, /^The same task already exists: task-\w+ for qa, pending: /);
  for (
    const other of [{ agent: "dev" }, { task: "Autre" }, { outputKey: "k" }, {
      runId: "dev-story-20260101-080000",
    }]
  ) {
    const { data: one } = await runs.spawn({ ...TASK, ...other });
    assert.equal(one["created"], true, JSON.stringify(other));
    assert.notEqual(one["id"], data["id"]);
  }
  const status = runs.status({}).text;
  assert.match(
    status,
    /\nQueue: 4 pending\n(- .*\n)*- task-\w+: pending; qa → rapport_tests: Tester l'envoi de photos\n/,
  );
  assert.match(
    runs.sessions().text,
    /dev-story-20260227-143022: running \(active\); step 4 of 8; queue: 4 pending\n/,
  );
});

treeTest(
  "what an orchestrator writes into a task stays [runs:queue]",
  kitFiles(KIT_NAMES[0]),
  async (dir) => {
    const runs = openKit(dir);
    const { data } = await runs.spawn(TASK);
    const path = `${dir}/${data["path"]}`;
    const task = JSON.parse(await Deno.readTextFile(path));
    await Deno.writeTextFile(
      path,
      JSON.stringify({ ...task, status: "done", finished_at: "2026-03-11T08:00:00Z" }),
    );
    const folder = path.slice(0, path.lastIndexOf("/"));
    await Deno.writeTextFile(`${folder}/half.json`, '{"status":');
    await Deno.writeTextFile(`${folder}/.x.json.1.unfinished`, "{");
    await Deno.mkdir(`${folder}/${data["id"]}.claim`);
    assert.match((await runs.spawn(TASK)).text, /for qa, done: /);
    assert.equal(JSON.parse(await Deno.readTextFile(path)).status, "done");
    assert.match(
      runs.status({}).text,
      /Queue: 1 done, 1 unreadable\n- half: unreadable; half\.json is not a JSON object\n/,
    );
  },
);

Deno.test("without a run under way, the tasks of a day belong together; a run may begin with its queue", async () => {
  await withTree({ "project-context.yaml": "session_branch: essai" }, async (dir) => {
    const runs = openKit(dir);
    const { text, data } = await runs.spawn(TASK);
    assert.equal(data["path"], `_bmad-output/.runs/essai/subagents-20260310/queue/${data["id"]}.json`);
    assert.match(text, /The run did not exist: this queue starts it\./);
    assert.equal((await runs.spawn(TASK)).data["created"], false);
    const named = await runs.spawn({ ...TASK, runId: "prd-20260310-090000" });
    assert.match(String(named.data["path"]), /^_bmad-output\/\.runs\/essai\/prd-20260310-090000\/queue\//);
    assert.match(
      runs.status({ runId: "prd-20260310-090000" }).text,
      /: active \(state\.json is missing\)\n(.*\n)*Queue: 1 pending/,
    );
  });
  // A run in the older layout keeps its queue in its own folder.
  await withTree(kitFiles(KIT_NAMES[0]), async (dir) => {
    const { data } = await openKit(dir).spawn({ ...TASK, runId: "prd-20251201-090000" });
    assert.match(String(data["path"]), /^_bmad-output\/\.runs\/prd-20251201-090000\/queue\//);
    assert.equal(data["branch"], "sprint-0");
  });
});

treeTest("a queue has limits", {}, async (dir) => {
  const runs = openKit(dir);
  await assert.rejects(runs.spawn({ ...TASK, task: " \n" }), {
    message: "Invalid task: it is empty. Say what the agent should do",
  });
  await assert.rejects(runs.spawn({ ...TASK, task: "x".repeat(20_001) }), {
    message: /^Invalid task: it has 20001 characters, expected at most 20000\./,
  });
  const contextFiles = Array.from({ length: 51 }, (_, at) => `${at}.md`);
  await assert.rejects(runs.spawn({ ...TASK, contextFiles }), {
    message: /^Invalid context files: expected at most 50$/,
  });
  assert.deepEqual(await listTree(dir), []);
  const { data } = await runs.spawn({ ...TASK, runId: "r" });
  const folder = `${dir}/_bmad-output/.runs/main/r/queue`;
  for (let at = 0; at < 499; at++) await Deno.writeTextFile(`${folder}/t${at}.json`, "{}");
  await assert.rejects(runs.spawn({ ...TASK, runId: "r", agent: "dev" }), {
    message: /^The queue of run r is full \(500 tasks\)\./,
  });
  assert.equal((await runs.spawn({ ...TASK, runId: "r" })).data["id"], data["id"]);
});

/** A program that puts tasks into a queue as fast as it can, and says each that was acknowledged. */
const SPAWNER = (dir: string, count: number) => `
import { openKit } from ${JSON.stringify(new URL("../../../support/kit.ts", import.meta.url).href)};
const runs = openKit(${JSON.stringify(dir)});
const say = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\\n"));
for (let at = 0; at < ${count}; at++) {
  const { data } = await runs.spawn({ agent: "qa", task: "Tester " + at + " " + "x".repeat(15000), outputKey: "k", contextFiles: [], runId: "r" + at % 5 });
  say(data.id + " " + data.created);
}
`;

const spawnerArgs = (dir: string, count: number) => ["eval", "--ext=ts", SPAWNER(dir, count)];

async function spawnAll(dir: string, count: number): Promise<readonly (readonly string[])[]> {
  const args = spawnerArgs(dir, count);
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line.endsWith("e")).map((line) =>
    line.split(" ")
  );
}

async function tasksIn(dir: string): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const tasks = new Map<string, Record<string, unknown>>();
  for (const line of await listTree(dir)) {
    const [, path, id] = /^(.*\/queue\/([^./][^/]*)\.json) \d+$/.exec(line) ?? [];
    if (path === undefined) continue;
    assert.ok(!tasks.has(id!), `${id} is there twice`);
    tasks.set(id!, JSON.parse(await Deno.readTextFile(`${dir}/${path}`)));
  }
  return tasks;
}

treeTest(
  "two processes that want the same tasks make each of them once [runs:queue]",
  {},
  async (dir) => {
    const said = await Promise.all([spawnAll(dir, 60), spawnAll(dir, 60)]);
    const tasks = await tasksIn(dir);
    assert.equal(tasks.size, 60);
    for (const words of said) assert.deepEqual(words.map(([id]) => id).sort(), [...tasks.keys()].sort());
    const made = said.flat().filter(([, created]) => created === "true").map(([id]) => id);
    assert.deepEqual(made.sort(), [...tasks.keys()].sort());
    assert.deepEqual((await listTree(dir)).filter((line) => line.includes("unfinished")), []);
  },
);

Deno.test("a process killed while it writes halves and loses no task [runs:queue]", POSIX, async () => {
  await withTree({}, async (dir) => {
    const { said } = await race({
      processes: 1,
      kills: 4,
      start: () => startChanging(spawnerArgs(dir, 2_000)),
      // It is killed in the midst of its work, each time somewhere else.
      wanted: (round) => 20 + 15 * round,
      compare: async (said) => {
        const tasks = await tasksIn(dir);
        for (const line of said) {
          const [id = ""] = line.split(" ");
          assert.match(String(tasks.get(id)?.["task"]), /^Tester \d+ x{15000}$/, id);
        }
      },
    });
    assert.ok(said("").length > 100);
  });
});

treeTest(
  "two workers of docs/memory.md carry each task out once [runs:queue]",
  {},
  async (dir) => {
    const docs = await Deno.readTextFile(new URL("../../../../docs/memory.md", import.meta.url));
    const worker = /```js\n([\s\S]*?)```/.exec(docs)![1]!;
    const runs = openKit(dir);
    for (let at = 0; at < 30; at++) await runs.spawn({ ...TASK, task: `Tâche ${at}`, runId: "r" });
    const queue = `${dir}/_bmad-output/.runs/main/r/queue`;
    const start = (name: string) => {
      const program = `${worker}
work(${JSON.stringify(queue)}, ${JSON.stringify(name)}, ({ task }) => {
  if (task === "Tâche 7") throw new Error("Trop dur");
  console.log(task);
  return { heard: task };
});`;
      return new Deno.Command(Deno.execPath(), { args: ["eval", program], stdout: "piped" }).output();
    };
    const ends = await Promise.all(["un", "deux"].map(start));
    const said = ends.flatMap(({ stdout }) => new TextDecoder().decode(stdout).trim().split("\n")).filter(
      Boolean,
    );
    const wanted = Array.from({ length: 30 }, (_, at) => `Tâche ${at}`).filter((task) => task !== "Tâche 7");
    assert.deepEqual(said.sort(), wanted.sort());
    const status = runs.status({ runId: "r" });
    assert.match(status.text, /\nQueue: 29 done, 1 failed\n/);
    assert.match(status.text, /: failed; qa → rapport_tests: Tâche 7; error: Error: Trop dur; claimed_by /);
    assert.match(JSON.stringify(status.data), /"result":"\{\\"heard\\":\\"Tâche 3\\"\}"/);
  },
);

treeTest("what a killed process left behind is cleared away after an hour", {
  "out/.a.json.x.unfinished": "{",
  "out/.b.json.y.unfinished": "{",
  "out/c.unfinished": "mine",
}, async (dir) => {
  await Deno.utime(`${dir}/out/.a.json.x.unfinished`, new Date(0), new Date(0));
  const clean = { values: (values: object) => ({ ...values }), text: (text: string) => text };
  const project = openFolder({ root: dir, base: "_bmad", output: "out" }, clean);
  assert.equal(writeNew(project.root, "out/new.json", "{}", Date.now()), true);
  assert.equal(writeNew(project.root, "out/new.json", "other", Date.now()), false);
  assert.deepEqual(await listTree(dir), [
    "out/",
    "out/.b.json.y.unfinished 1",
    "out/c.unfinished 4",
    "out/new.json 2",
  ]);
});
