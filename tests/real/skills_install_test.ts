/**
 * Is a real BMAD installation served completely?
 *
 * Runs on an installation by BMAD's own installer of 6.12.0, on the embedded content, and on both together; the ids are those of
 * the packages, not those that the program finds.
 */
import assert from "node:assert/strict";
import { allItems, allUris, facts, headLine, refusal, say } from "../support/answers.ts";
import { clientHere, type ProgramClient } from "../support/client.ts";
import {
  BMB_SKILLS,
  BMM_AGENTS,
  BMM_WORKFLOWS,
  CORE_SKILLS,
  INSTALLED,
  LAUNCHERS,
  SHIMS,
  TEA_SKILLS,
} from "../support/ids.ts";
import { installation } from "../support/installs.ts";
import { verifies } from "../support/requirements.ts";
import { copyTree, withTree } from "../support/trees.ts";

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
    verifies(["origins:modes", "origins:embedded-only-auto"], "the mode local serves the project alone"),
    async () => {
      const sources = await allItems(client, { query: "sources" });
      assert.deepEqual(sources.map(({ id, things }) => [id, things]), [["project", 29]]);
    },
  );

  await t.step(
    verifies(
      ["origins:project-roots", "origins:project-skill-folders"],
      "its 29 skills are listed by module",
    ),
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

  await t.step(verifies("origins:status", "every skill is in the manifest and on disk"), async () => {
    const entries = await records(client);
    assert.equal(entries.length, 29);
    for (const { id, status, origin, generation, version, path } of entries) {
      assert.deepEqual([status, origin, generation, version], ["verified", "project", "skills", "6.12.0"]);
      assert.equal(path, `.claude/skills/${id}/SKILL.md`);
    }
  });

  await t.step("every skill can be read and executed", async () => {
    for (const id of INSTALLED) {
      const kind = id.startsWith("bmad-agent-") ? "agent" : "workflow";
      const module = CORE_SKILLS.includes(id) ? "core" : "bmm";
      const file = await Deno.readTextFile(`${project}/.claude/skills/${id}/SKILL.md`);
      assert.match(
        await say(client, { operation: "read", skill: id }),
        new RegExp(`^name: ${module}/${id}\n`),
      );
      const text = await say(client, { operation: "execute", skill: id });
      assert.equal(headLine(text), `${kind}: ${module}/${id}`);
      assert.equal(await readText(client, `bmad://${module}/${id}/SKILL.md`), file);
      // A launcher is delivered as what it launches: launcher_test.ts has more.
      assert.equal(text.includes(file.slice(0, 500)), !LAUNCHERS.includes(id), id);
    }
  });

  await t.step("an executed agent has its persona, and the values of the installation", async () => {
    const text = await say(client, { operation: "execute", agent: "Mary" });
    assert.match(text, /You are Mary, the Business Analyst\./);
    assert.match(text, /\n {2}communication_style: Treasure hunter's excitement for patterns/);
    // The installer takes the user's name from the system.
    const answers = await Deno.readTextFile(`${project}/_bmad/config.user.toml`);
    const userName = /^user_name = "(.+)"$/m.exec(answers)![1];
    assert.ok(
      text.includes(
        `\nconfig:\n  user_name: ${userName}\n  project_name: project\n  communication_language: English\n` +
          "  document_output_language: English\n  output_folder: '{project-root}/_bmad-output'\n  user_skill_level: intermediate\n" +
          "  planning_artifacts: '{project-root}/_bmad-output/planning-artifacts'\n",
      ),
    );
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

Deno.test("a copy of a real installation with the team's own values", (t) =>
  withTree({
    "_bmad/custom/bmad-agent-analyst.toml":
      '[agent]\nicon = "🧭"\nprinciples = ["Ask twice."]\n\n[[agent.menu]]\ncode = "BP"\ndescription = "Ours"\n',
    "_bmad/custom/bmad-agent-analyst.user.toml": '[agent]\ntitle = "Chief Analyst"\n',
  }, async (dir) => {
    await copyTree(await installation(INSTALL), dir);
    const team =
      '[core]\napi_token = "hush-1"\noutput_folder = "out"\n\n[modules.bmm]\ndb_password = "hush-2"\n';
    await Deno.writeTextFile(`${dir}/_bmad/custom/config.toml`, team);
    await using client = await clientHere({ era: "2025", cwd: dir, args: ["--mode", "local"] });

    await t.step("the team's and the user's files change what is resolved", async () => {
      const { customization: { agent } } = await facts(client, { operation: "read", agent: "analyst" });
      assert.deepEqual([agent.name, agent.icon, agent.title], ["Mary", "🧭", "Chief Analyst"]);
      assert.deepEqual(agent.principles, [
        "Every finding grounded in verifiable evidence.",
        "Requirements stated with absolute precision.",
        "Every stakeholder voice represented.",
        "Ask twice.",
      ]);
      assert.equal(agent.menu.length, 10);
      assert.deepEqual(agent.menu[0], { code: "BP", description: "Ours" });
      const text = await say(client, { operation: "execute", agent: "analyst" });
      assert.match(text, /\n {2}title: Chief Analyst\n {2}icon: 🧭\n/);
      assert.match(text, /\n {2}output_folder: '\{project-root\}\/out'\n/);
    });

    await t.step(
      verifies("resources:config-current", "the effective configuration has no secrets"),
      async () => {
        const text = await readText(client, "bmad://config/current");
        assert.doesNotMatch(text, /hush/);
        const { core, modules: { bmm } } = JSON.parse(text);
        assert.deepEqual([core.output_folder, core.project_name], ["out", "project"]);
        assert.equal(bmm.user_skill_level, "intermediate");
        assert.deepEqual(Object.keys({ ...core, ...bmm }).filter((key) => /token|password/.test(key)), []);
      },
    );
  }));

Deno.test("the embedded content by itself", async (t) => {
  await using client = await clientHere({ era: "2025" });

  await t.step(
    verifies("origins:empty-auto-serves", "it has every skill of core, bmm, tea and bmb, six of them agents"),
    async () => {
      assert.deepEqual(await listed(client, "skills"), [...INSTALLED, ...TEA_SKILLS, ...BMB_SKILLS].sort());
      assert.deepEqual(await listed(client, "skills", "tea"), TEA_SKILLS.toSorted());
      assert.deepEqual(await listed(client, "agents"), [...BMM_AGENTS, "bmad-tea"].sort());
    },
  );

  await t.step(
    verifies("tool:list-hides-shims", "its shims are found by name and not listed"),
    async () => {
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
    },
  );
});

Deno.test("a real installation and the embedded content together", async (t) => {
  await using client = await clientHere({ era: "2026", cwd: await installation(INSTALL) });

  await t.step(
    verifies(
      ["origins:priority-order", "origins:nothing-flattened", "tool:list-conflicts"],
      "the installation speaks alone, and the manifest has both",
    ),
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

  await t.step(
    verifies("resources:chain", "a file that the installation lacks comes from the embedded content"),
    async () => {
      const { text, mimeType } = (await client.readResource("bmad://tea/bmad-tea/SKILL.md")).contents[0];
      assert.deepEqual([mimeType, text.startsWith("---\nname: bmad-tea\n")], ["text/markdown", true]);
      assert.match(await readText(client, "bmad://bmm/config.yaml"), /^project_name: project$/m);
      assert.match(await readText(client, "bmad://bmm/module.yaml"), /^code: bmm$/m);
    },
  );

  await t.step(verifies("resources:listed-opens", "every resource that is listed can be read"), async () => {
    const uris = await allUris(client);
    assert.equal(uris.length, 261);
    const unreadable: string[] = [];
    for (const uri of uris) await client.readResource(uri).catch(() => unreadable.push(uri));
    assert.deepEqual(unreadable, []);
  });

  await t.step(verifies("resources:templates", "every variable of every template completes"), async () => {
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

  await t.step(
    verifies("origins:embedded-choice", "it is served in place of the latest when it is chosen"),
    async () => {
      const totals: Record<string, number> = {};
      for (
        const query of [
          "agents",
          "workflows",
          "tasks",
          "teams",
          "templates",
          "checklists",
          "knowledge",
          "skills",
        ]
      ) {
        totals[query] = (await facts(client, { operation: "list", query, limit: 1 })).total;
      }
      assert.deepEqual(totals, {
        agents: 10,
        workflows: 6,
        tasks: 23,
        teams: 4,
        templates: 13,
        checklists: 6,
        knowledge: 6,
        skills: 0,
      });
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
    },
  );

  await t.step("an executed agent has the configuration of v4", async () => {
    const text = await say(client, { operation: "execute", agent: "analyst" });
    assert.match(text, /\nconfig:\n {2}markdownExploder: true\n/);
  });

  await t.step("the files that its texts name can be opened", async () => {
    assert.match(
      await readText(client, "bmad://bmad-core/tasks/create-doc.md"),
      /# Create Document from Template/,
    );
    for (const uri of ["bmad://bmad-core/core-config.yaml", ".bmad-core/core-config.yaml"]) {
      assert.match(await say(client, { operation: "read", uri }), /^markdownExploder: true$/m);
    }
  });
});
