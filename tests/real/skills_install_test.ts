/** Is a real BMAD installation served completely? */
import assert from "node:assert/strict";
import { allItems, allUris, facts, headLine, refusal, say } from "../support/answers.ts";
import { clientHere, type ProgramClient } from "../support/client.ts";
import {
  BMB_SKILLS,
  BMM_AGENTS,
  BMM_WORKFLOWS,
  CORE_SKILLS,
  INSTALLED,
  SHIMS,
  TEA_SKILLS,
} from "../support/ids.ts";
import { installation } from "../support/installs.ts";

const INSTALL = { version: "6.12.0", tools: "claude-code" } as const;

const listed = async (client: ProgramClient, query: string, module?: string) =>
  (await allItems(client, { query, module })).map(({ id }) => id).sort();

// deno-lint-ignore no-explicit-any
const records = async (client: ProgramClient): Promise<readonly any[]> =>
  JSON.parse((await client.readResource("bmad://manifest")).contents[0].text).entries;

const readText = async (client: ProgramClient, uri: string): Promise<string> =>
  (await client.readResource(uri)).contents[0].text;

Deno.test("a real installation of 6.12.0 by itself", async (t) => {
  const project = await installation(INSTALL);
  await using client = await clientHere({ era: "2026", cwd: project, args: ["--mode", "local"] });

  await t.step(
    "the mode local serves the project alone [origins:modes, origins:embedded-only-auto]",
    async () => {
      const sources = await allItems(client, { query: "sources" });
      assert.deepEqual(sources.map(({ id, things }) => [id, things]), [["project", 29]]);
    },
  );

  await t.step(
    "its skills are listed by module [origins:project-roots, origins:project-skill-folders]",
    async () => {
      assert.deepEqual(await listed(client, "skills"), INSTALLED.toSorted());
      assert.deepEqual(await listed(client, "skills", "core"), CORE_SKILLS.toSorted());
      assert.deepEqual(await listed(client, "skills", "bmm"), [...BMM_AGENTS, ...BMM_WORKFLOWS].sort());
      assert.deepEqual(await listed(client, "agents"), BMM_AGENTS.toSorted());
      assert.deepEqual(await listed(client, "tasks"), CORE_SKILLS.toSorted());
      assert.deepEqual(await listed(client, "workflows"), [...CORE_SKILLS, ...BMM_WORKFLOWS].sort());
      // No two origins; closure_test.ts has the one broken reference of upstream's.
      const conflicts = await allItems(client, { query: "conflicts" });
      assert.deepEqual(conflicts.map(({ what }) => what), ["reference"]);
    },
  );

  await t.step("every skill is in the manifest and on disk [origins:status]", async () => {
    const entries = await records(client);
    assert.equal(entries.length, 29);
    for (const { id, status, origin, generation, version, path } of entries) {
      assert.deepEqual([status, origin, generation, version], ["verified", "project", "skills", "6.12.0"]);
      assert.equal(path, `.claude/skills/${id}/SKILL.md`);
    }
  });

  await t.step("a file of the installation opens under each of its names", async () => {
    const config = await Deno.readTextFile(`${project}/_bmad/bmm/config.yaml`);
    for (const uri of ["bmad://bmm/config.yaml", "bmad://_bmad/bmm/config.yaml"]) {
      assert.equal(await readText(client, uri), config);
    }
    const spelled = { operation: "read", uri: "{project-root}/_bmad/bmm/config.yaml" };
    assert.equal(await say(client, spelled), config);
    const manifest = await Deno.readTextFile(`${project}/_bmad/_config/manifest.yaml`);
    assert.equal(await readText(client, "bmad://_cfg/manifest.yaml"), manifest);
  });
});

Deno.test("the embedded content by itself", async (t) => {
  await using client = await clientHere({ era: "2025" });

  await t.step("it has every skill of core, bmm, tea and bmb [origins:empty-auto-serves]", async () => {
    assert.deepEqual(await listed(client, "skills"), [...INSTALLED, ...TEA_SKILLS, ...BMB_SKILLS].sort());
    assert.deepEqual(await listed(client, "skills", "tea"), TEA_SKILLS.toSorted());
    assert.deepEqual(await listed(client, "agents"), [...BMM_AGENTS, "bmad-tea"].sort());
  });

  await t.step("its shims are found by name and not listed [tool:list-hides-shims]", async () => {
    assert.equal(SHIMS.length, 21);
    const entries = await records(client);
    assert.deepEqual(
      entries.map(({ id }) => id).sort(),
      [...INSTALLED, ...TEA_SKILLS, ...BMB_SKILLS, ...SHIMS].sort(),
    );
    const names = (await client.listPrompts()).map(({ name }) => name);
    for (const id of SHIMS) {
      assert.match(
        headLine(await say(client, { operation: "execute", skill: id }))!,
        new RegExp(`/${id}$`),
      );
      assert.equal(names.includes(id), false, id);
    }
    assert.equal(headLine(await say(client, { name: "bmad-create-prd" })), "workflow: bmm/bmad-create-prd");
    const hits = await allItems(client, { operation: "search", query: "create-prd" });
    assert.deepEqual(hits.filter(({ id }) => SHIMS.includes(id)), []);
  });
});

Deno.test("a real installation and the embedded content together", async (t) => {
  await using client = await clientHere({ era: "2026", cwd: await installation(INSTALL) });

  await t.step(
    "the installation speaks alone, and the manifest has both [origins:priority-order, origins:nothing-flattened, tool:list-conflicts]",
    async () => {
      const agents = await allItems(client, { query: "agents" });
      assert.deepEqual(agents.map(({ name, origin }) => `${name} ${origin}`).sort(), [
        "analyst project",
        "architect project",
        "dev project",
        "pm project",
        "ux-designer project",
      ]);
      const conflicts = await allItems(client, { query: "conflicts", origin: "package" });
      assert.deepEqual(conflicts.filter(({ what }) => what === "thing"), []);
      const origins = (await records(client)).map(({ origin }) => origin);
      assert.equal(origins.filter((origin) => origin === "project").length, 29);
      assert.equal(origins.filter((origin) => origin === "package").length, 62);
    },
  );

  await t.step("a missing file comes from the embedded content [resources:chain]", async () => {
    const { text, mimeType } = (await client.readResource("bmad://tea/bmad-tea/SKILL.md")).contents[0];
    assert.deepEqual([mimeType, text.startsWith("---\nname: bmad-tea\n")], ["text/markdown", true]);
    assert.match(await readText(client, "bmad://bmm/config.yaml"), /^project_name: project$/m);
    assert.match(await readText(client, "bmad://bmm/module.yaml"), /^code: bmm$/m);
  });

  await t.step("every resource that is listed can be read [resources:listed-opens]", async () => {
    const uris = await allUris(client);
    assert.equal(uris.length, 261);
    const unreadable: string[] = [];
    for (const uri of uris) await client.readResource(uri).catch(() => unreadable.push(uri));
    assert.deepEqual(unreadable, []);
  });

  await t.step("every variable of every template completes [resources:templates]", async () => {
    for (const { uriTemplate: uri } of await client.listResourceTemplates()) {
      for (const [, name] of uri.matchAll(/\{\+?(\w+)\}/g)) {
        const values = await client.complete({ type: "ref/resource", uri }, { name: name!, value: "" });
        assert.ok(values.length > 0, `${name} of ${uri}`);
      }
    }
  });
});

Deno.test("the embedded content of v4", async (t) => {
  await using client = await clientHere({ era: "2026", args: ["--pack", "v4"] });

  await t.step("it is served if chosen [origins:embedded-choice]", async () => {
    const totals = {
      agents: 10,
      workflows: 6,
      tasks: 23,
      teams: 4,
      templates: 13,
      checklists: 6,
      knowledge: 6,
      skills: 0,
    };
    for (const [query, total] of Object.entries(totals)) {
      assert.equal((await facts(client, { operation: "list", query, limit: 1 })).total, total, query);
    }
    assert.equal(
      (await listed(client, "agents")).join(" "),
      "analyst architect bmad-master bmad-orchestrator dev pm po qa sm ux-expert",
    );
    assert.equal(
      headLine(await say(client, { operation: "execute", agent: "Mary" })),
      "agent: bmad-core/analyst",
    );
    const task = await say(client, { operation: "execute", task: "create-doc" });
    assert.equal(headLine(task), "task: bmad-core/create-doc");
    assert.match(
      await refusal(client, { operation: "execute", skill: "bmad-prd" }),
      /^No agent, workflow or skill named "bmad-prd"/,
    );
  });
});
