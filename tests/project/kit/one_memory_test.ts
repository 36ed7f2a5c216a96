/**
 * Do memories and the kit's files form one memory: whatever one tool was told or a file says, do the others find it?
 *
 * On a Qdrant server too, when `BMAD_QDRANT_URL` names one.
 */
import assert from "node:assert/strict";
import { MEMORY_TYPES } from "../../../src/base/model.ts";
import { openProject } from "../../../src/project/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { CONTENT } from "../../support/recall.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const FILES = {
  "project-context.yaml": `project:\n  name: One ${crypto.randomUUID()}\n`,
  "_bmad/_memory/shared-context.md": "# Shop\n\n## Deployment\n\nReleases go out on Thursdays at noon.\n",
  "_bmad/_memory/decisions-log.md": "## 2026-01-10 — Postgres stores the orders\n\nMySQL was too slow.\n",
  "_bmad/_memory/agent-learnings/architect.md": "- [2026-02-01] Redis loses its keys after a restart\n",
  "_bmad/_memory/failure-museum.md":
    "## 🔴 Top\n\n### [2026-02-10] [dev] CC-FAIL — Invoices were sent twice\n**Lesson** : lock the mailer\n",
  "_bmad-output/implementation-artifacts/1-2-basket.md":
    "# Story 1.2: Basket\n\n## Acceptance\n\nA coupon lowers the total once.\n",
};

const QDRANT = Deno.env.get("BMAD_QDRANT_URL");
const KEY = Deno.env.get("BMAD_QDRANT_API_KEY");
const CLOCK = { now: () => Date.UTC(2026, 2, 10, 12), after: () => () => {} };

const noAgents = <T>() => Promise.resolve([] as T);

function open(dir: string, flags: readonly string[]) {
  const config = resolveConfig({
    args: ["--no-embedder", "--toolsets", "memory", ...flags],
    cwd: dir,
    home: undefined,
    os: Deno.build.os,
    contentDir: CONTENT,
    env: (name) => name === "BMAD_QDRANT_API_KEY" ? KEY : undefined,
    readSettings: () => undefined,
    findFolder: (path) => {
      try {
        return Deno.realPathSync(path);
      } catch {
        return undefined;
      }
    },
  });
  return openProject(config, CLOCK);
}

const STORES = [
  { name: "a file", flags: [], ignore: false },
  { name: "a Qdrant server", flags: ["--qdrant-url", String(QDRANT)], ignore: QDRANT === undefined },
];

for (const { name, flags, ignore } of STORES) {
  Deno.test(`what one tool was told, all find, also later: ${name} [memory:one]`, { ignore }, async () => {
    await withTree(FILES, async (dir) => {
      const tell = open(dir, flags);
      const check = async (project: typeof tell) => {
        const runs = await project.forRequest({}, noAgents).kitFiles(),
          memory = await project.forRequest({}, noAgents).memory();
        const decisions = (await runs.context("decisions")).text;
        assert.match(
          decisions,
          /- 2026-03-10 Queues use RabbitMQ \[memory\]\n- 2026-01-10 Postgres stores/,
        );
        assert.match(
          (await runs.context()).text,
          /## Remembered\n- \[2026-03-10\] @pm: The pilot runs in Oslo/,
        );
        assert.match((await runs.context("remembered")).text, /The pilot runs in Oslo/);
        const failures = await runs.failures({});
        assert.match(failures.text, /^2 failures[^]*Invoices were sent twice[^]*The cache was cold/);
        assert.match(
          (await runs.failures({ category: "CONTEXT-LOSS" })).text,
          /^1 failure [^]*The cache was cold/,
        );
        const learnings = await runs.learnings({ agent: "Winston", aliases: ["architect"] });
        assert.match(
          learnings.text,
          /^2 learnings of architect[^]*Indexes first \[memory: agent-learnings\]/,
        );
        const asked = await runs.learnings({ agent: "architect", query: "indexes" });
        assert.match(asked.text, /^1 of 2 learnings of architect matching "indexes"/);
        // Without a file of its own.
        assert.match((await runs.learnings({ agent: "pm" })).text, /^1 learning of pm[^]*Oslo/);
        const told = await memory.recall({ query: "RabbitMQ queues" });
        assert.match(told.text, /^1 memory for "RabbitMQ queues"/);
        assert.equal((told.data["hits"] as { source: string }[])[0]?.source, "memory");
      };
      try {
        const memory = await tell.forRequest({}, noAgents).memory();
        for (
          const [type, agent, text, tags] of [
            ["decisions", "architect-lead", "Queues use RabbitMQ", ["arch"]],
            ["shared-context", "pm", "The pilot runs in Oslo", []],
            ["failures", "dev", "The cache was cold", ["CONTEXT-LOSS"]],
            ["agent-learnings", "architect", "Indexes first", []],
          ] as const
        ) {
          await memory.remember({ type, agent, text, tags });
        }
        await check(tell);
        await tell.close();
        const again = open(dir, flags);
        await check(again);
        await again.close();
      } finally {
        await removeCollections();
      }
    });
  });
}

treeTest("recall finds what the files say, by type and agent [memory:one]", FILES, async (dir) => {
  const project = open(dir, []);
  const memory = await project.forRequest({}, noAgents).memory();
  const answers = [
    ["When do releases go out?", "shared-context", "_bmad/_memory/shared-context.md"],
    ["Where are orders stored?", "decisions", "_bmad/_memory/decisions-log.md"],
    ["redis restart", "agent-learnings", "_bmad/_memory/agent-learnings/architect.md"],
    ["invoices", "failures", "_bmad/_memory/failure-museum.md"],
    ["coupon total", "stories", "_bmad-output/implementation-artifacts/1-2-basket.md"],
  ] as const;
  for (const [query, type, source] of answers) {
    for (const filter of [{}, { type }]) {
      const { text, data } = await memory.recall({ query, ...filter });
      const [hit] = data["hits"] as { source: string; type: string }[];
      assert.deepEqual([hit?.source, hit?.type], [source, type], query);
      assert.match(
        text,
        new RegExp(`^1 note of the project's files.*\n1\\. \\[${type}\\].* ${source}\n`),
        query,
      );
    }
  }
  const by = async (agent: string, aliases?: readonly string[]) =>
    (await memory.recall({ query: "redis keys invoices", agent, aliases })).data["hits"] as unknown[];
  assert.equal((await by("architect")).length, 1);
  assert.equal((await by("Winston", ["architect"])).length, 1);
  assert.equal((await by("qa")).length, 0);
  // What was imported is not told twice.
  await memory.remember({
    type: "agent-learnings",
    agent: "architect",
    text: "Redis loses its keys after a restart",
  });
  const { data } = await memory.recall({ query: "redis restart" });
  assert.deepEqual((data["hits"] as { source: string }[]).map(({ source }) => source), ["memory"]);
  await project.close();
});

treeTest("a memory that cannot be read does not hide what the files say", {
  ...FILES,
  "_bmad/_memory/memory.db": "not a database, but long enough to be read as one",
}, async (dir) => {
  const project = open(dir, []);
  const runs = await project.forRequest({}, noAgents).kitFiles();
  for (
    const { text } of [
      await runs.context("decisions"),
      await runs.failures({}),
      await runs.learnings({ agent: "architect" }),
    ]
  ) {
    assert.match(text, /Memories cannot be shown: [^]*(Postgres|Invoices|Redis)/);
  }
  await project.close();
});

async function removeCollections(): Promise<void> {
  if (QDRANT === undefined) return;
  const name = /One [\w-]+/.exec(FILES["project-context.yaml"])![0].toLowerCase().replaceAll(" ", "-");
  const headers: Record<string, string> = KEY === undefined ? {} : { "api-key": KEY };
  for (const type of MEMORY_TYPES) {
    await (await fetch(`${QDRANT}/collections/bmad-${name}-${type}`, { method: "DELETE", headers })).body
      ?.cancel();
  }
}
