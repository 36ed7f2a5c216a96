/** What does a name mean? */
import assert from "node:assert/strict";
import { headLine, refusal, refuses, say, says } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";
import { treeTest } from "../../support/trees.ts";

const ANALYST = "agent: bmm/bmad-agent-analyst";

Deno.test("the embedded content is reached by many names", async (t) => {
  await using client = await clientHere({ era: "2026" });
  const execute = async (args: Record<string, string>) =>
    headLine(await say(client, { operation: "execute", ...args }));

  await t.step(
    "an agent is reached by its name, its persona's name, with its module, and by its old and new id [names:plain, names:module-forms, names:persona, names:agent-generations]",
    async () => {
      const names =
        "Mary analyst bmm/analyst bmm.analyst bmm-analyst bmad-agent-analyst ANALYST BMM/Analyst mary";
      for (const name of names.split(" ")) {
        assert.equal(await execute({ agent: name }), ANALYST, name);
        assert.equal(await execute({ name }), ANALYST, name);
        assert.equal(await execute({ skill: name }), ANALYST, name);
      }
      assert.equal(await execute({ agent: "murat" }), "agent: tea/bmad-tea");
      assert.equal(await execute({ agent: "tea" }), "agent: tea/bmad-tea");
    },
  );

  await t.step("a star means a workflow [names:star-workflow]", async () => {
    assert.equal(await execute({ name: "*party-mode" }), "workflow: core/bmad-party-mode");
    assert.equal(await execute({ name: "*core/brainstorming" }), "workflow: core/bmad-brainstorming");
    assert.equal(await execute({ name: "*bmm/prd" }), "workflow: bmm/bmad-prd");
    await refuses(client, { operation: "execute", name: "*analyst" }, /^No agent, workflow or skill named/);
  });

  await t.step("an old id leads to its successor [names:workflow-generations]", async () => {
    const successors: Readonly<Record<string, string>> = {
      "prd create-prd edit-prd bmad-bmm-create-prd /bmad:bmm:workflows:prd": "bmm/bmad-prd",
      "tech-spec create-tech-spec quick-spec quick-dev": "bmm/bmad-build",
      "create-architecture architecture": "bmm/bmad-architecture",
      "create-ux-design": "bmm/bmad-ux",
      "solutioning-gate-check check-implementation-readiness sprint-status": "bmm/bmad-sprint-planning",
      "market-research domain-research technical-research": "core/bmad-deep-recon",
      "document-project generate-project-context": "bmm/bmad-project-context",
      "checkpoint-preview": "bmm/bmad-walkthrough",
      "adv-elicit advanced-elicitation": "core/bmad-advanced-elicitation",
      "editorial-review-prose review-edge-case-hunter": "core/bmad-review",
      "dev-auto": "bmm/bmad-build-auto",
    };
    for (const [names, successor] of Object.entries(successors)) {
      for (const workflow of names.split(" ")) {
        assert.equal(await execute({ workflow }), `workflow: ${successor}`, workflow);
      }
    }
  });

  await t.step("a module limits a name to itself [names:module-limits]", async () => {
    assert.equal(await execute({ agent: "analyst", module: "BMM" }), ANALYST);
    const text = await refusal(client, { operation: "execute", agent: "analyst", module: "tea" });
    assert.match(text, /^No agent named "analyst"\. Did you mean bmm\/bmad-agent-analyst\? Call /);
    await refuses(client, { operation: "execute", agent: "tea/analyst" }, /^No agent named/);
  });

  await t.step("a name of another kind is answered with the call for it [names:other-kind]", async () => {
    await refuses(
      client,
      { operation: "execute", agent: "prd", item: "x" },
      'No agent named "prd". bmm/bmad-prd is a workflow. ' +
        'Call bmad {"operation":"execute","item":"x","workflow":"bmm/bmad-prd"}',
    );
    const text = await refusal(client, { operation: "read", workflow: "Mary" });
    const [, call] = /is an agent\. Call bmad (\{.*\})$/.exec(text) ?? assert.fail(text);
    await says(client, JSON.parse(call!), /bmad-agent-analyst/);
  });

  await t.step("a menu code starts an item of the agent's menu [names:menu-code]", async () => {
    const text = await say(client, { operation: "execute", agent: "pm", item: "prd" });
    assert.match(text, /^---\nagent: bmm\/bmad-agent-pm\nmenu-item: PRD \(start skill bmad-prd\)\n---\n/);
    await refuses(
      client,
      { operation: "execute", agent: "pm", item: "XX" },
      /^Unknown menu item "XX"\. Use one of PRD, CE, IR, CC$/,
    );
  });

  await t.step(
    "an unknown name comes with similar ones [names:near-names, errors:not-found-near-names]",
    async () => {
      await refuses(
        client,
        { operation: "execute", agent: "anlyst" },
        'No agent named "anlyst". Did you mean bmm/bmad-agent-analyst? Call bmad {"operation":"execute","agent":"bmm/bmad-agent-analyst"}',
      );
      const near = (await refusal(client, { operation: "read", skill: "testarch" })).split(
        "Did you mean ",
      )[1]!;
      assert.equal(near.split(/, | or /).length, 5);
      assert.match(near, /^tea\/bmad-testarch-/);
    },
  );
});

const skill = (id: string, description: string) =>
  `---\nname: ${id}\ndescription: ${description}\n---\nDo it.\n`;

const PROJECT = {
  "_bmad/_config/manifest.yaml":
    "installation:\n  version: 6.12.0\nmodules:\n  - name: red\n  - name: blue\nides:\n  - claude-code\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    "bmad-red-plan,bmad-red-plan,Plans red,red,_bmad/red/bmad-red-plan/SKILL.md\n" +
    "bmad-blue-plan,bmad-blue-plan,Plans blue,blue,_bmad/blue/bmad-blue-plan/SKILL.md\n" +
    "bmad-prd,bmad-prd,Our own PRD,red,_bmad/red/bmad-prd/SKILL.md\n",
  ".claude/skills/bmad-red-plan/SKILL.md": skill("bmad-red-plan", "Plans red"),
  ".claude/skills/bmad-blue-plan/SKILL.md": skill("bmad-blue-plan", "Plans blue"),
  ".claude/skills/bmad-prd/SKILL.md": skill("bmad-prd", "Our own PRD"),
};

treeTest("a project whose modules share names", PROJECT, async (dir, t) => {
  await using client = await clientHere({ era: "2025", cwd: dir });

  await t.step(
    "a shared name comes with what it can mean [names:ambiguous, errors:ambiguous-candidates]",
    async () => {
      await refuses(
        client,
        { operation: "execute", workflow: "plan" },
        '"plan" matches several workflows. Use one of:\n' +
          '- red/bmad-red-plan: Plans red → bmad {"operation":"execute","workflow":"red/bmad-red-plan"}\n' +
          '- blue/bmad-blue-plan: Plans blue → bmad {"operation":"execute","workflow":"blue/bmad-blue-plan"}',
      );
      const head = headLine(await say(client, { operation: "execute", workflow: "blue/plan" }));
      assert.equal(head, "workflow: blue/bmad-blue-plan");
      await assert.rejects(
        client.getPrompt("plan"),
        (error: { code: number; data: { suggestions: string[] } }) => {
          // What was used comes first.
          const candidates = ["bmad-blue-plan", "bmad-red-plan"];
          assert.deepEqual([error.code, error.data.suggestions], [-32602, candidates]);
          return true;
        },
      );
    },
  );

  await t.step("a name in several origins means the best one [names:best-origin]", async () => {
    assert.equal(
      headLine(await say(client, { operation: "execute", workflow: "prd" })),
      "workflow: red/bmad-prd",
    );
    const other = await say(client, { operation: "execute", workflow: "bmm/prd", origin: "package" });
    assert.equal(headLine(other), "workflow: bmm/bmad-prd");
  });

  await t.step("prompts of the same name take their modules in [prompts:collisions]", async () => {
    const names = (await client.listPrompts()).map(({ name }) => name).filter((name) => /plan$/.test(name));
    assert.deepEqual(names.sort(), ["bmad-blue-plan", "bmad-red-plan"]);
    const texts = await Promise.all(
      names.map(async (name) => (await client.getPrompt(name)).messages[0].content.text),
    );
    assert.deepEqual(texts.map(headLine), [
      "workflow: blue/bmad-blue-plan",
      "workflow: red/bmad-red-plan",
    ]);
  });
});
