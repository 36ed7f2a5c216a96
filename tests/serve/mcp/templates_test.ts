/** Which values complete templates and prompts, and can they be read? */
import assert from "node:assert/strict";
import { allItems, allUris } from "../../support/answers.ts";
import { clientHere, type CompletionRef, ERAS, type ProgramClient } from "../../support/client.ts";
import { fillTemplate } from "../../support/templates.ts";
import { treeTest } from "../../support/trees.ts";

type Values = Readonly<Record<string, string>>;

async function completion(
  client: ProgramClient,
  ref: CompletionRef,
  name: string,
  value = "",
  given: Values = {},
): Promise<{ readonly values: readonly string[]; readonly total: number; readonly hasMore: boolean }> {
  const params = { ref, argument: { name, value }, context: { arguments: given } };
  return (await client.request("completion/complete", params)).completion;
}

const ofTemplate = (uri: string): CompletionRef => ({ type: "ref/resource", uri });
const ofPrompt = (name: string): CompletionRef => ({ type: "ref/prompt", name });

const AGENT = "bmad://{module}/agents/{agent}.md";
const WORKFLOW = "bmad://{module}/workflows/{workflow}/workflow.yaml";
const KNOWLEDGE = "bmad://{module}/knowledge/{category}/{file}";
const SKILL_FILE = "bmad://{module}/{skill}/{+path}";

for (const era of ERAS) {
  Deno.test(`a ${era} client fills templates`, async (t) => {
    await using client = await clientHere({ era });

    await t.step("every variable completes, and what is filled in opens [resources:templates]", async () => {
      for (const { uriTemplate, title, description } of await client.listResourceTemplates()) {
        assert.ok(title !== "" && description !== "", uriTemplate);
        const names: string[] = [...uriTemplate.matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => name!);
        // From the front with the first value, from the back with the last: both must lead somewhere.
        for (const [order, at] of [[names, 0], [names.toReversed(), -1]] as const) {
          const values: Record<string, string> = {};
          for (const name of order) {
            const found = await completion(client, ofTemplate(uriTemplate), name, "", values);
            assert.ok(found.values.length > 0, `${name} of ${uriTemplate} with ${JSON.stringify(values)}`);
            assert.equal(found.hasMore, found.total > found.values.length);
            values[name] = found.values.at(at)!;
          }
          const uri = fillTemplate(uriTemplate, values);
          const { contents: [content] } = await client.readResource(uri);
          assert.equal(content.uri, uri);
          assert.ok(content.text.length > 0, uri);
        }
      }
    });

    await t.step("given variables limit the values of others", async () => {
      const agents = async (given: Values) =>
        (await completion(client, ofTemplate(AGENT), "agent", "", given)).values;
      assert.deepEqual(await agents({}), ["analyst", "architect", "dev", "pm", "tea", "ux-designer"]);
      assert.deepEqual(await agents({ module: "tea" }), ["tea"]);
      assert.deepEqual(await agents({ module: "TEA" }), ["tea"]);
      assert.deepEqual(await agents({ module: "core" }), []);
      assert.deepEqual((await completion(client, ofTemplate(AGENT), "module", "", { agent: "tea" })).values, [
        "tea",
      ]);
      // The text that is being typed is no limit to itself.
      const again = await completion(client, ofTemplate(AGENT), "module", "", { module: "bmm" });
      assert.deepEqual(again.values, ["bmm", "tea"]);
    });

    await t.step("what begins with the typed text comes before what contains it", async () => {
      const { values } = await completion(client, ofTemplate(WORKFLOW), "workflow", "re");
      const begins = values.filter((value) => value.startsWith("re"));
      assert.deepEqual(begins, ["retrospective", "review"]);
      assert.deepEqual(values.slice(0, 2), begins);
      assert.ok(values.length > 2 && values.every((value) => value.includes("re")), values.join());
      assert.deepEqual((await completion(client, ofTemplate(AGENT), "agent", "UX")).values, ["ux-designer"]);
      const knowledge = await completion(client, ofTemplate(KNOWLEDGE), "file", "api-", {
        category: "testarch",
      });
      assert.deepEqual(knowledge.values, ["api-request.md", "api-testing-patterns.md"]);
    });

    await t.step("a long answer has a hundred values and the total", async () => {
      const { values, total, hasMore } = await completion(client, ofTemplate(SKILL_FILE), "path");
      assert.deepEqual([values.length, hasMore], [100, true]);
      assert.equal(total, await countPaths(client));
      for (const ref of [ofTemplate("bmad://no/{such}"), ofPrompt("bmad-nobody")]) {
        assert.deepEqual(await completion(client, ref, "message"), { values: [], total: 0, hasMore: false });
      }
      assert.deepEqual((await completion(client, ofTemplate(AGENT), "nothing")).values, []);
    });

    await t.step("a message completes to what menus offer [prompts:message]", async () => {
      const { values } = await completion(client, ofPrompt("bmad-analyst"), "message");
      assert.ok(
        values.length > 3 && values.every((value) => /^[A-Z]{2,3}: \w/.test(value)),
        values.join("\n"),
      );
      const [first] = values;
      for (const typed of [first!.slice(0, 2).toLowerCase(), first!.slice(4, 12)]) {
        assert.equal(
          (await completion(client, ofPrompt("bmm.analyst"), "message", typed)).values[0],
          first,
        );
      }
      // The words that an agent's menu has for a workflow are those that the workflow is offered with.
      const prd = (await completion(client, ofPrompt("bmad-prd"), "message")).values;
      const john = (await completion(client, ofPrompt("bmad-pm"), "message")).values;
      assert.ok(
        prd.length > 0 && prd.every((wish) => john.some((line) => line.endsWith(`: ${wish}`))),
        prd.join(),
      );
      assert.deepEqual((await completion(client, ofPrompt("bmad-analyst"), "other")).values, []);
    });
  });
}

async function countPaths(client: ProgramClient): Promise<number> {
  const skills = await allItems(client, { query: "skills" });
  const folders = new Set(skills.map(({ module, id }) => `${module}/${id}`));
  const paths = (await allUris(client)).map((uri) => uri.slice("bmad://".length).split("/"))
    .filter(([module, skill, ...path]) => path.length > 0 && folders.has(`${module}/${skill}`))
    .map(([, , ...path]) => path.join("/"));
  return new Set(paths).size;
}

treeTest("a team's own menu is what an agent's message completes to", {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\n",
  "_bmad/_config/skill-manifest.csv":
    "canonicalId,name,description,module,path\nbmad-agent-ada,bmad-agent-ada,Counts,bmm,_bmad/bmm/bmad-agent-ada/SKILL.md\n",
  "_bmad/custom/bmad-agent-ada.toml":
    '[[agent.menu]]\ncode = "CT"\ndescription = "Count\\n  twice"\nprompt = "Count"\n',
  ".claude/skills/bmad-agent-ada/SKILL.md": "---\nname: bmad-agent-ada\ndescription: Counts\n---\nCount.\n",
  ".claude/skills/bmad-agent-ada/customize.toml":
    '[agent]\nname = "Ada"\ntitle = "Counter"\n[[agent.menu]]\ncode = "CO"\ndescription = "Count once"\nprompt = "Count"\n',
}, async (dir) => {
  await using client = await clientHere({ era: "2026", cwd: dir, args: ["--pack", "none"] });
  const { values } = await completion(client, ofPrompt("bmad-ada"), "message");
  assert.deepEqual(values, ["CO: Count once", "CT: Count twice"]);
});
