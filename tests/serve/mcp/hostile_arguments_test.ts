/**
 * Can any argument of a tool for memory or runs, or a link in the project, lead it out of the project?
 *
 * A canary lies beside the project. Every argument of every tool is tried that is a name or a path; the table below
 * must know all arguments that the tools have. Then links that lead to the canary are planted, one at a time, where the
 * tools look and write. No answer may have the canary in it, and around the project nothing may change.
 */
import assert from "node:assert/strict";
import { callBmad, refusal } from "../../support/answers.ts";
import { clientHere, type ProgramClient } from "../../support/client.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { POSIX } from "../../support/run.ts";
import { listTree, type TreeFile, withTree } from "../../support/trees.ts";

const CANARY = "canari-7f3a";

/** Names that are more than a name somewhere. */
const NAMES = [
  "../canary",
  "..",
  "../../../../../../etc/passwd",
  "/etc/passwd",
  "a/../../canary",
  "main\0",
  "x".repeat(10_000),
  "C:\\Windows",
];
/** What is no name either, but may be one of a list of files. */
const ODD = ["\u202ex", { a: 1 }, ["x"]];

interface Row {
  readonly tool: string;
  readonly call: Readonly<Record<string, unknown>>;
  /** Arguments that are names, words of a list, or paths: what is none is refused. */
  readonly names: readonly string[];
  /** Those that may be any text, or are numbers: they go nowhere near a path. */
  readonly free: readonly string[];
}

const TOOLS: readonly Row[] = [
  { tool: "get_project_context", call: {}, names: ["section"], free: [] },
  { tool: "get_agent_memory", call: { agent: "dev" }, names: ["agent"], free: ["query", "last_n"] },
  { tool: "get_failure_museum", call: {}, names: ["category"], free: ["top_n"] },
  {
    tool: "remember_structured",
    call: { type: "stories", agent: "pm", text: "Un panier" },
    names: ["type", "agent"],
    free: ["text", "tags"],
  },
  {
    tool: "recall_structured",
    call: { query: "panier" },
    names: ["type", "agent"],
    free: ["query", "limit"],
  },
  { tool: "search_codebase", call: { query: "plan" }, names: ["path"], free: ["query", "limit"] },
  { tool: "get_workflow_status", call: {}, names: ["run_id", "branch"], free: [] },
  { tool: "list_sessions", call: {}, names: ["status"], free: [] },
  {
    tool: "spawn_subagent_task",
    call: { agent: "qa", task: "Tester", output_key: "rapport", run_id: "essai" },
    names: ["agent", "output_key", "run_id", "context_files"],
    free: ["task"],
  },
  { tool: "run_completion_contract", call: {}, names: ["stack", "working_dir"], free: [] },
  {
    tool: "create_delivery_contract",
    call: { from_team: "a", to_team: "b", artefacts: [{ name: "Plan", path: "docs/plan.md" }] },
    names: ["from_team", "to_team"],
    free: ["artefacts", "questions", "decisions", "rejected", "constraints", "risks", "signed_by"],
  },
  {
    tool: "update_run",
    call: { action: "start", run_id: "essai" },
    names: ["action", "run_id", "branch"],
    free: ["step", "outputs"],
  },
  {
    tool: "answer_subagent_task",
    call: { task_id: "task-x", action: "claim" },
    names: ["task_id", "action"],
    free: ["text"],
  },
  {
    tool: "delegate_to_agent",
    call: { agent_id: "analyst", task: "Résumer" },
    names: ["agent_id", "origin"],
    free: ["task", "context", "max_tokens"],
  },
];

const OUTSIDE = {
  "canary": CANARY,
  "notes/shared-context.md": `# Contexte Partagé\n\n## Projet\n\n- **Nom** : ${CANARY}\n`,
  "notes/decisions-log.md": `## 2026-01-01 — ${CANARY}\n`,
  "notes/failure-museum.md": `## 🔴 Top\n\n### [2026-01-01] [dev] CC-FAIL — ${CANARY}\n`,
  "notes/agent-learnings/dev.md": `- [2026-01-01] ${CANARY}\n`,
  "notes/dev.md": `- [2026-01-01] ${CANARY}\n`,
  "notes/agent-manifest.csv": `name,displayName\n${CANARY},${CANARY}\n`,
  "notes/custom/cc-verify.sh": `echo ${CANARY}; touch "$HOME/ran"\n`,
  "notes/.runs/main/essai/state.json": `{"run_id":"essai","status":"running","agent_notes":"${CANARY}"}`,
  "notes/main/essai/state.json": `{"run_id":"essai","status":"running","agent_notes":"${CANARY}"}`,
  "notes/essai/state.json": `{"run_id":"essai","status":"running","agent_notes":"${CANARY}"}`,
  "notes/state.json": `{"run_id":"essai","status":"running","agent_notes":"${CANARY}"}`,
  "notes/queue/task-1.json": `{"id":"task-1","status":"pending","agent":"qa","task":"${CANARY}"}`,
  "notes/task-1.json": `{"id":"task-1","status":"pending","agent":"qa","task":"${CANARY}"}`,
  "notes/plan.md": `plan ${CANARY}\n`,
  "notes/project-context.yaml": `project:\n  name: ${CANARY}\n`,
};

async function open(cwd: string): Promise<ProgramClient> {
  return await clientHere({ era: "2026", cwd, args: ["--allow-exec", "--no-embedder", "--pack", "none"] });
}

Deno.test(
  "every argument of every tool for memory and runs that is a name or a path refuses what is more [runs:inside-project, memory:hostile]",
  () =>
    withTree(OUTSIDE, (outer) =>
      withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
        const before = { outer: await listTree(outer), cwd: await listTree(cwd) };
        await using client = await open(cwd);
        for (const { name, inputSchema } of await client.listTools()) {
          // Those of bmad_work are command lines: project/scripts/command_line_test.ts.
          if (name === "bmad" || name === "bmad_work") continue;
          const row = TOOLS.find(({ tool }) => tool === name);
          const known = [...row?.names ?? [], ...row?.free ?? []];
          // How an answer is wanted is the same for all tools.
          const own = Object.keys(inputSchema.properties ?? {}).filter((key) =>
            !["format", "part"].includes(key)
          );
          assert.deepEqual(own.toSorted(), known.toSorted(), `the arguments of ${name}`);
        }
        for (const { tool, call, names } of TOOLS) {
          for (const argument of names) {
            const isList = argument === "context_files";
            for (const name of [...NAMES, `${outer}/canary`, ...isList ? [] : ODD]) {
              const value = isList ? [name] : name;
              const text = await refusal(client, { ...call, [argument]: value }, tool);
              assert.match(
                text,
                /^(Invalid|Unknown|No|Access denied:) /,
                `${tool} ${argument} ${String(name).slice(0, 40)}: ${text}`,
              );
              assert.ok(text.length < 2_000 && !text.includes(CANARY));
            }
          }
        }
        assert.deepEqual(await listTree(cwd), before.cwd);
        assert.deepEqual(await listTree(outer), before.outer);
      })),
);

/** Where a link may stand, and what it leads to outside. */
const LINKS: Readonly<Record<string, string>> = {
  "_bmad": "notes",
  "_bmad/_memory": "notes",
  "_bmad/_memory/agent-learnings": "notes",
  "_bmad/_memory/agent-learnings/dev.md": "notes/dev.md",
  "_bmad/_memory/shared-context.md": "notes/shared-context.md",
  "_bmad/_memory/decisions-log.md": "notes/decisions-log.md",
  "_bmad/_memory/failure-museum.md": "notes/failure-museum.md",
  "_bmad/_memory/memory.db": "notes/memory.db",
  "_bmad/_config": "notes",
  "_bmad/_config/agent-manifest.csv": "notes/agent-manifest.csv",
  "_bmad/_config/custom": "notes/custom",
  "_bmad/_config/custom/cc-verify.sh": "notes/custom/cc-verify.sh",
  "_bmad-output": "notes",
  "_bmad-output/.runs": "notes",
  "_bmad-output/.runs/main": "notes",
  "_bmad-output/.runs/main/essai": "notes",
  "_bmad-output/.runs/main/essai/state.json": "notes/state.json",
  "_bmad-output/.runs/main/essai/queue": "notes",
  "_bmad-output/contracts": "notes",
  "project-context.yaml": "notes/project-context.yaml",
  "docs": "notes",
  "docs/plan.md": "notes/plan.md",
};

/** The files of the kit without what lies at or below a place, and a link there. */
function linked(place: string, target: string): Readonly<Record<string, TreeFile>> {
  const files = Object.entries(kitFiles(KIT_NAMES[0]));
  const rest = files.filter(([path]) => path !== place && !path.startsWith(`${place}/`));
  return { ...Object.fromEntries(rest), [place]: { link: target } };
}

Deno.test({
  name:
    "no link in a project leads a tool for memory or runs out of it [runs:inside-project, memory:hostile]",
  ignore: Deno.build.os === "windows",
  fn: async (t) => {
    for (const [place, target] of Object.entries(LINKS)) {
      await t.step(
        place,
        () =>
          withTree(
            { ...OUTSIDE, "state/": "" },
            (outer) =>
              withTree(linked(place, `${outer}/${target}`), async (cwd) => {
                const before = await listTree(`${outer}/notes`);
                await using client = await open(cwd);
                const given = new Set((await client.listTools()).map(({ name }) => name));
                for (const { tool, call } of TOOLS.filter(({ tool }) => given.has(tool))) {
                  const { text } = await callBmad(client, call, tool);
                  assert.ok(!text.includes(CANARY), `${tool}: ${text}`);
                  assert.doesNotMatch(text, /internal error|bug/i, tool);
                }
                assert.deepEqual(await listTree(`${outer}/notes`), before);
              }),
          ),
      );
    }
  },
});

Deno.test("a link as memory file reveals no other project's memories [memory:hostile]", POSIX, async () => {
  await withTree(kitFiles(KIT_NAMES[0]), (other) =>
    withTree({ ...kitFiles(KIT_NAMES[0]) }, async (cwd) => {
      const call = { type: "stories", agent: "pm", text: `Un secret: ${CANARY}` };
      {
        await using client = await open(other);
        await callBmad(client, call, "remember_structured");
      }
      const before = await listTree(other);
      await Deno.symlink(`${other}/_bmad/_memory/memory.db`, `${cwd}/_bmad/_memory/memory.db`);
      await using client = await open(cwd);
      for (let round = 0; round < 2; round++) {
        const { text } = await callBmad(client, { query: "secret" }, "recall_structured");
        assert.match(text, /^Project memory is unavailable: .*: Not a plain file/);
        await callBmad(client, { ...call, text: "Rien" }, "remember_structured");
      }
      assert.deepEqual(await listTree(other), before);
    }));
});
