/**
 * Do clients of both eras see runs, queue tasks, write contracts and run them, within the rights of the start?
 */
import assert from "node:assert/strict";
import { callBmad, refusal, say } from "../../support/answers.ts";
import { BOTH_ERAS, ERAS, startClient } from "../../support/client.ts";
import { connectHttp, startHttp } from "../../support/http.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { runCli } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { listTree, withTree } from "../../support/trees.ts";
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
    Deno.test(`a ${era} client in a project with ${names.output}`, (t) =>
      withTree(kitFiles(names), async (cwd) => {
        await using client = await startClient({ era, cwd });

        await t.step(verifies("runs:state-files", "sees sessions and runs, without secrets"), async () => {
          const status = await say(client, {}, "get_workflow_status");
          assert.match(status, /^Run dev-story-20260227-143022 on main: running \(active\); step 4 of 8\n/);
          assert.match(status, /\nVariables: user_name=Zoé\n/);
          assert.match(
            await say(client, { status: "failed" }, "list_sessions"),
            /^1 session, failed or with failed runs, latest first\n/,
          );
          assert.match(
            await refusal(client, { run_id: "../x" }, "get_workflow_status"),
            /"\.\.\/x" is not a valid name/,
          );
        });

        await t.step(verifies("runs:queue", "queues a task once, which then is seen"), async () => {
          const text = await say(client, TASK, "spawn_subagent_task");
          const [, path] = /^Queued task-\w+ for qa in run dev-story-20260227-143022 on main: (\S+)\n/.exec(
            text,
          )!;
          const file = JSON.parse(await Deno.readTextFile(`${cwd}/${path}`));
          assert.deepEqual([file.status, file.agent, file.context_files], ["pending", "qa", [
            "docs/plan.md",
          ]]);
          const again = JSON.parse(await say(client, { ...TASK, format: "json" }, "spawn_subagent_task"));
          assert.deepEqual([again.created, again.id, again.outputKey], [false, file.id, "rapport"]);
          assert.match(await say(client, {}, "get_workflow_status"), /\nQueue: 1 pending\n/);
          assert.match(
            await refusal(client, { agent: "qa" }, "spawn_subagent_task"),
            /Missing task/,
          );
          assert.match(
            await refusal(client, { ...TASK, context_files: ["../../etc/passwd"] }, "spawn_subagent_task"),
            /^Invalid context file: "\.\.\/\.\.\/etc\/passwd" .* outside the project/,
          );
        });

        await t.step(verifies("runs:delivery", "writes contracts, none over another"), async () => {
          const text = await say(client, DELIVERY, "create_delivery_contract");
          const [, path] = /^Written: (\S+) /.exec(text)!;
          assert.match(text, /\n- critical question: Qui paie \?$/);
          const written = await Deno.readTextFile(`${cwd}/${path}`);
          assert.match(written, /- \[x\] \*\*docs\/plan\.md\*\*/);
          assert.match(written, /\| Go \| Rapide \| — \|/);
          assert.match(await say(client, DELIVERY, "create_delivery_contract"), /^Written: \S+-2\.md /);
          assert.equal(await Deno.readTextFile(`${cwd}/${path}`), written);
          assert.match(
            await refusal(client, { ...DELIVERY, to_team: "" }, "create_delivery_contract"),
            /Missing to_team/,
          );
        });
      }));
  }

  Deno.test(
    verifies("toolsets:contract-needs-exec", `a ${era} client runs the contract where the user allows it`),
    () =>
      // A client hears of no progress that arrives together with the answer.
      withTree(
        { ...kitFiles(KIT_NAMES[0]), [SCRIPT]: `until [ -e told ]; do sleep 0.01; done\n${PASSING}` },
        async (cwd) => {
          {
            await using client = await startClient({ era, cwd });
            assert.match(
              await refusal(client, {}, "run_completion_contract"),
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
      ),
  );
}

Deno.test(
  verifies("runs:contract", "a long output comes in parts, and the script runs once for all of them"),
  () =>
    withTree({
      [SCRIPT]: 'echo x >> count; for i in $(seq 1 500); do echo "line $i of the output"; done; exit 1',
      "_bmad/_memory/shared-context.md": "",
    }, async (cwd) => {
      await using client = await startClient({
        era: "2026",
        cwd,
        args: ["--allow-exec", "--max-result", "4096"],
      });
      const first = await say(client, {}, "run_completion_contract");
      assert.match(first, /^FAIL \(/);
      const parts = [first];
      for (
        let next;
        (next = /next: run_completion_contract (\{.*\})\]$/.exec(parts.at(-1)!)?.[1]) !== undefined;
      ) {
        parts.push(await say(client, JSON.parse(next), "run_completion_contract"));
      }
      assert.ok(parts.length > 2);
      assert.equal([...parts.join("").matchAll(/line \d+ of the output/g)].length, 500);
      assert.equal(await Deno.readTextFile(`${cwd}/count`), "x\n");
      assert.match(
        await refusal(client, { stack: "go", part: 2 }, "run_completion_contract"),
        /no recent answer of run_completion_contract to these arguments\. Call it without part/,
      );
    }),
);

Deno.test(
  verifies("runs:contract", "a script is ended when its time is over, and when the client cancels or goes"),
  (t) =>
    withTree({
      [SCRIPT]: "echo $$ > pid; sleep 300 & echo $! > child; wait",
      "_bmad/_memory/shared-context.md": "",
    }, async (cwd) => {
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
          assert.match(
            await say(client, {}, "run_completion_contract"),
            /^ERROR \(\d.*\nNote: killed at the time limit of 1 s\n/,
          );
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
          assert.match(await say(client, { operation: "list", query: "agents" }), /agents/);
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
    }),
);

Deno.test(
  verifies("toolsets:read-only", "a start that may only read can neither write nor run"),
  () =>
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
    }),
);

Deno.test(
  verifies("runs:inside-project", "hostile arguments are refused over the wire, and nothing is left behind"),
  () =>
    withTree(
      { "canary.txt": "canari" },
      (outer) =>
        withTree({ ...kitFiles(KIT_NAMES[0]), "_bmad-output/contracts": { link: outer } }, async (cwd) => {
          const before = { cwd: await listTree(cwd), outer: await listTree(outer) };
          await using client = await startClient({ era: "2026", cwd, args: ["--allow-exec"] });
          const names = [
            "../../x",
            "..\\x",
            "a\u0000b",
            "C:\\x",
            "x".repeat(10_000),
            "\u202ex",
            "/etc/passwd",
            { a: 1 },
            ["x"],
          ];
          for (const name of names) {
            const calls: readonly (readonly [string, Record<string, unknown>])[] = [
              ["get_agent_memory", { agent: name }],
              ["get_workflow_status", { run_id: name }],
              ["get_workflow_status", { branch: name }],
              ["spawn_subagent_task", { ...TASK, agent: name }],
              ["spawn_subagent_task", { ...TASK, output_key: name }],
              ["spawn_subagent_task", { ...TASK, run_id: name }],
              ["create_delivery_contract", { ...DELIVERY, from_team: name }],
              ["run_completion_contract", { stack: name }],
              ["run_completion_contract", { working_dir: name }],
              ["get_project_context", { section: name }],
              ["get_failure_museum", { category: name }],
              ["list_sessions", { status: name }],
            ];
            for (const [tool, args] of calls) {
              const { text, isError } = await callBmad(client, args, tool);
              const what = `${tool} ${JSON.stringify(args).slice(0, 60)}: ${text.slice(0, 100)}`;
              assert.equal(isError, true, what);
              assert.match(text, /^(Invalid|Unknown|No) /, what);
              assert.doesNotMatch(text, /Internal error|canari|root:/, what);
            }
          }
          // The folder for contracts leads out of the project, so it cannot be written to.
          assert.match(
            await refusal(client, DELIVERY, "create_delivery_contract"),
            /is outside the served folders/,
          );
          assert.deepEqual(await listTree(cwd), before.cwd);
          assert.deepEqual(await listTree(outer), before.outer);
        }),
    ),
);

Deno.test(
  verifies("runs:queue", "programs that are started at once with the same task make one file"),
  () =>
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
    }),
);

for (const era of ERAS) {
  Deno.test(
    verifies("runs:inside-project", `over HTTP each project has its own runs and queue, ${era}`),
    () =>
      withTree({
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
      }),
  );
}
