/** Do clients of both eras see runs, queue tasks, write contracts and run them, within the rights of the start? */
import assert from "node:assert/strict";
import { says, toolOf } from "../../support/answers.ts";
import { BOTH_ERAS, ERAS, startClient } from "../../support/client.ts";
import { connectHttp, startHttp } from "../../support/http.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { runCli } from "../../support/program.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const TASK = { agent: "qa", task: "Tester l'envoi", output_key: "rapport", context_files: ["docs/plan.md"] };
const DELIVERY = {
  from_team: "team-vision",
  to_team: "team-build",
  artefacts: ["docs/plan.md", { name: "Étude", optional: true }],
  questions: [{ question: "Qui paie ?", criticality: "🔴 Critique" }],
  decisions: '[{"decision":"Go","rationale":"Rapide"}]',
  risks: "Délai",
};
const SCRIPT = "_bmad/_config/custom/cc-verify.sh";
const PASSING = 'echo "  → ok $CC_STACK"; echo "✅ CC PASS — [go] — 2026"; touch ran\n';

for (const era of ERAS) {
  for (const names of KIT_NAMES) {
    treeTest(`a ${era} client in a project with ${names.output}`, kitFiles(names), async (cwd, t) => {
      await using client = await startClient({ era, cwd });
      const runStatus = toolOf(client, "get_workflow_status"),
        sessions = toolOf(client, "list_sessions"),
        queue = toolOf(client, "spawn_subagent_task"),
        deliver = toolOf(client, "create_delivery_contract");

      await t.step("sees sessions and runs, without secrets [runs:state-files]", async () => {
        const status = await runStatus.say({});
        assert.match(status, /^Run dev-story-20260227-143022 on main: running \(active\); step 4 of 8\n/);
        assert.match(status, /\nVariables: user_name=Zoé\n/);
        await sessions.says({ status: "failed" }, /^1 session, failed or with failed runs, latest first\n/);
        await runStatus.refuses({ run_id: "../x" }, /"\.\.\/x" is not a valid name/);
      });

      await t.step("queues a task once, which then is seen [runs:queue]", async () => {
        const text = await queue.say(TASK);
        const [, path] = /^Queued task-\w+ for qa in run dev-story-20260227-143022 on main: (\S+)\n/.exec(
          text,
        )!;
        const file = JSON.parse(await Deno.readTextFile(`${cwd}/${path}`));
        assert.deepEqual([file.status, file.agent, file.context_files], ["pending", "qa", [
          "docs/plan.md",
        ]]);
        const again = await queue.facts(TASK);
        assert.deepEqual([again.created, again.id, again.outputKey], [false, file.id, "rapport"]);
        await runStatus.says({}, /\nQueue: 1 pending\n/);
        await queue.refuses({ agent: "qa" }, /`task` is missing/);
        await queue.refuses(
          { ...TASK, context_files: ["../../etc/passwd"] },
          /^Invalid context file: "\.\.\/\.\.\/etc\/passwd" .* outside the project/,
        );
      });

      await t.step("writes contracts, none over another [runs:delivery]", async () => {
        const text = await deliver.say(DELIVERY);
        const [, path] = /^Written: (\S+) /.exec(text)!;
        assert.match(text, /\n- critical question: Qui paie \?$/);
        const written = await Deno.readTextFile(`${cwd}/${path}`);
        assert.match(written, /- \[x\] \*\*docs\/plan\.md\*\*/);
        assert.match(written, /\| Go \| Rapide \| — \|/);
        await deliver.says(DELIVERY, /^Written: \S+-2\.md /);
        assert.equal(await Deno.readTextFile(`${cwd}/${path}`), written);
        await deliver.refuses({ ...DELIVERY, to_team: "" }, /`to_team` is missing/);
      });
    });
  }

  Deno.test(`a ${era} client runs an allowed contract [toolsets:contract-needs-exec]`, () =>
    // A client hears of no progress that arrives together with the answer.
    withTree(
      { ...kitFiles(KIT_NAMES[0]), [SCRIPT]: `until [ -e told ]; do sleep 0.01; done\n${PASSING}` },
      async (cwd) => {
        {
          await using client = await startClient({ era, cwd });
          const contract = toolOf(client, "run_completion_contract");
          await contract.refuses(
            {},
            /: the user has to allow it\. Ask the user to set BMAD_ALLOW_EXEC for this server$/,
          );
          await assert.rejects(Deno.stat(`${cwd}/ran`), Deno.errors.NotFound);
        }
        await using client = await startClient({ era, cwd, args: ["--allow-exec"] });
        const progress: unknown[] = [];
        const answer = await client.callTool("run_completion_contract", { stack: "go" }, {
          onprogress: (notice) => {
            progress.push(notice.message);
            Deno.writeTextFileSync(`${cwd}/told`, "");
          },
        });
        assert.match(
          answer.content[0]!.text,
          /^PASS: go \(\d+\.\d s, exit code 0\)\n.*\n\n {2}→ ok go\n✅ CC PASS/,
        );
        assert.deepEqual(progress, ["Running cc-verify.sh"]);
        assert.equal((await Deno.stat(`${cwd}/ran`)).isFile, true);
      },
    ));
}

treeTest("a long output comes in parts, and the script runs once for all of them [runs:contract]", {
  [SCRIPT]: 'echo x >> count; for i in $(seq 1 500); do echo "line $i of the output"; done; exit 1',
  "_bmad/_memory/shared-context.md": "",
}, async (cwd) => {
  await using client = await startClient({
    era: "2026",
    cwd,
    args: ["--allow-exec", "--max-result", "4096"],
  });
  const contract = toolOf(client, "run_completion_contract");
  const first = await contract.say({});
  assert.match(first, /^FAIL \(/);
  const parts = [first];
  for (
    let next;
    (next = /next: run_completion_contract (\{.*\})\]$/.exec(parts.at(-1)!)?.[1]) !== undefined;
  ) {
    parts.push(await contract.say(JSON.parse(next)));
  }
  assert.ok(parts.length > 2);
  assert.equal([...parts.join("").matchAll(/line \d+ of the output/g)].length, 500);
  assert.equal(await Deno.readTextFile(`${cwd}/count`), "x\n");
  await contract.refuses(
    { stack: "go", part: 2 },
    /no recent answer of run_completion_contract to these arguments\. Call it without part/,
  );
});

treeTest("a script ends with its time or its client [runs:contract]", {
  [SCRIPT]: "echo $$ > pid; sleep 300 & echo $! > child; wait",
  "_bmad/_memory/shared-context.md": "",
}, async (cwd, t) => {
  const assertEnded = async () => {
    for (const name of ["pid", "child"]) {
      const pid = (await Deno.readTextFile(`${cwd}/${name}`)).trim();
      const isRunning = async () =>
        (await new Deno.Command("ps", { args: ["-p", pid], stdout: "null" }).output()).success;
      await until(`${name} has ended`, async () => !await isRunning());
      await Deno.remove(`${cwd}/${name}`);
    }
  };
  const readChild = () => Deno.readTextFile(`${cwd}/child`).catch(() => "");
  const started = () => until("the child has started", async () => await readChild() !== "");
  for (const era of BOTH_ERAS) {
    await t.step(`time, ${era}`, async () => {
      await using client = await startClient({ era, cwd, args: ["--allow-exec", "--exec-timeout", "1"] });
      const contract = toolOf(client, "run_completion_contract");
      await contract.says({}, /^ERROR \(\d.*\nNote: killed at the time limit of 1 s\n/);
      await assertEnded();
    });
    await t.step(`cancelled, ${era}`, async () => {
      await using client = await startClient({ era, cwd, args: ["--allow-exec"] });
      const giveUp = new AbortController();
      const call = client.callTool("run_completion_contract", {}, { signal: giveUp.signal });
      const outcome = assert.rejects(call);
      await started();
      giveUp.abort();
      await outcome;
      await assertEnded();
      await says(client, { operation: "list", query: "agents" }, /agents/);
    });
    await t.step(`gone, ${era}`, async () => {
      await using client = await startClient({ era, cwd, args: ["--allow-exec"] });
      const call = client.callTool("run_completion_contract", {}).catch(() => {});
      await started();
      await client.close();
      await call;
      await assertEnded();
    });
  }
});

Deno.test("a start that may only read can neither write nor run [toolsets:read-only]", () =>
  withTree({ ...kitFiles(KIT_NAMES[0]), [SCRIPT]: PASSING }, async (cwd) => {
    const before = await listTree(cwd);
    for (
      const [tool, args] of [
        ["spawn_subagent_task", TASK],
        ["create_delivery_contract", DELIVERY],
        ["run_completion_contract", {}],
      ] as const
    ) {
      const { code, stderr } = await runCli([
        "call",
        tool,
        JSON.stringify(args),
        "--read-only",
        "--allow-exec",
      ], { cwd });
      assert.deepEqual([code, stderr], [
        3,
        `bmad-mcp: Cannot call ${tool}: the setting readOnly forbids it\n`,
      ]);
    }
    await using client = await startClient({ era: "2026", cwd, args: ["--read-only"] });
    assert.equal((await client.listTools()).some(({ name }) => name === "spawn_subagent_task"), false);
    assert.deepEqual(await listTree(cwd), before);
  }));

Deno.test("programs that are started at once with the same task make one file [runs:queue]", () =>
  withTree({ "_bmad-output/.runs/main/r/state.json": '{"status":"running"}' }, async (cwd) => {
    const answers = await Promise.all(
      Array.from(
        { length: 4 },
        () => runCli(["call", "spawn_subagent_task", JSON.stringify(TASK)], { cwd }),
      ),
    );
    assert.deepEqual(answers.map(({ code, stderr }) => [code, stderr]), Array(4).fill([0, ""]));
    assert.equal(
      answers.filter(({ stdout }) => stdout.startsWith("Queued ")).length,
      1,
    );
    const files = (await listTree(`${cwd}/_bmad-output`)).filter((line) => line.includes("queue/t"));
    assert.equal(files.length, 1);
  }));

for (const era of ERAS) {
  treeTest(`over HTTP each project has its own runs and queue, ${era} [runs:inside-project]`, {
    "one/_bmad-output/.runs/main/r-one/state.json": '{"status":"running"}',
    "two/_grimoire-output/.runs/main/r-two/state.json": '{"status":"running"}',
    "three/readme.md": "",
  }, async (dir) => {
    const projects = ["one", "two", "three"].flatMap((name) => ["--project", `${dir}/${name}`]);
    await using program = await startHttp([...projects, "--pack", "none"]);
    for (
      const [name, path] of [["one", "_bmad-output/.runs/main/r-one"], [
        "two",
        "_grimoire-output/.runs/main/r-two",
      ]]
    ) {
      await using connected = await connectHttp(era, `${program.url}/mcp?project=${name}`);
      const call = { name: "spawn_subagent_task", arguments: TASK };
      const [{ text }] = (await connected.client.callTool(call)).content;
      assert.match(text, new RegExp(`^Queued task-\\w+ for qa in run r-${name} on main: ${path}/queue/`));
    }
    await using connected = await connectHttp(era, `${program.url}/mcp?project=three`);
    const { tools } = await connected.client.listTools();
    assert.deepEqual(tools.map(({ name }: { name: string }) => name), ["bmad", "bmad_work"]);
  });
}
