/** Does everything still work that users of earlier BMAD servers rely on? */
import assert from "node:assert/strict";
import { allItems, allUris, facts, headLine, say, says } from "../../support/answers.ts";
import { ERAS, startClient } from "../../support/client.ts";
import { runGit, withRepositories } from "../../support/git.ts";
import { installation } from "../../support/installs.ts";
import { runHere } from "../../support/program.ts";

const install = () => installation({ version: "6.0.4", tools: "claude-code" });

const TEMPLATES: Readonly<Record<string, string>> = {
  "bmad://{module}/agents/{agent}.md": "bmad://bmm/agents/analyst.md",
  "bmad://{module}/workflows/{workflow}/workflow.yaml": "bmad://bmm/workflows/dev-story/workflow.yaml",
  "bmad://{module}/workflows/{workflow}/instructions.md":
    "bmad://bmm/workflows/retrospective/instructions.md",
  "bmad://{module}/workflows/{workflow}/template.md": "bmad://bmm/workflows/create-story/template.md",
  "bmad://{module}/knowledge/{category}/{file}": "bmad://bmm/knowledge/create-prd/domain-complexity.csv",
  "bmad://_cfg/agents/{agent}.customize.yaml": "bmad://_cfg/agents/bmm-analyst.customize.yaml",
};

const keysOf = (value: Readonly<Record<string, unknown>>, wanted: string) =>
  wanted.split(" ").filter((key) => Object.hasOwn(value, key)).join(" ");

for (const era of ERAS) {
  Deno.test(`a ${era} client of an earlier server finds what it knows`, async (t) => {
    const project = await install();
    await using client = await startClient({ era, env: { BMAD_ROOT: project }, args: ["--pack", "none"] });

    await t.step("the content is found through `BMAD_ROOT`, wherever the server is started", async () => {
      const [source] = (await allItems(client, { query: "sources" })).filter(({ things }) => things > 0);
      assert.deepEqual([source.kind, source.location], ["env", project]);
    });

    await t.step("its operations take their parameters [tool:operations, tool:synonyms]", async () => {
      const words = async (args: Readonly<Record<string, unknown>>) => {
        const { items } = await facts(client, args);
        return items.map((item: { name?: string; uri?: string }) => item.name ?? item.uri);
      };
      assert.ok((await words({ operation: "list", query: "agents" })).includes("analyst"));
      assert.ok(
        (await words({ operation: "list", query: "workflows", module: "bmm" })).includes("dev-story"),
      );
      assert.deepEqual((await words({ operation: "list", query: "modules" })).sort(), ["bmm", "core"]);
      const agents = await words({ operation: "list", query: "resources", pattern: "bmm/agents/*.md" });
      assert.ok(
        agents.length > 5 && agents.every((uri: string) => /^bmad:\/\/bmm\/agents\/[^/]+\.md$/.test(uri)),
      );
      const found = await words({ operation: "search", searchQuery: "analyst", searchType: "agents" });
      assert.equal(found[0], "analyst");
      const uri = "bmad://bmm/agents/analyst.md";
      assert.equal(
        await say(client, { operation: "read", type: "resource", uri }),
        await say(client, { operation: "read", uri }),
      );
      const typed = { operation: "read", type: "agent", agent: "analyst" };
      assert.equal(await say(client, typed), await say(client, { operation: "read", agent: "analyst" }));
    });

    await t.step("a call without anything to do explains the tool [tool:help]", async () => {
      const help = await say(client, { command: "*help" });
      for (
        const args of [{}, { operation: "help" }, { operation: "Help" }, { query: "" }, { message: "hi" }]
      ) {
        await says(client, args, help);
      }
      await says(client, { searchQuery: "analyst" }, /bmm\/analyst/);
    });

    await t.step(
      "the rows of lists keep their fields [tool:list-agents-fields, tool:list-workflows-fields]",
      async () => {
        const agentFields = "name module displayName title role description toolName";
        for (const agent of await allItems(client, { query: "agents" })) {
          assert.equal(keysOf(agent, agentFields), agentFields, agent.name);
          assert.equal(agent.toolName, `${agent.module}-${agent.name}`);
        }
        const workflowFields = "name description module category agents standalone author path";
        const workflows = await allItems(client, { query: "workflows" });
        for (const workflow of workflows) {
          assert.equal(keysOf(workflow, workflowFields), workflowFields, workflow.name);
        }
        const story = workflows.find(({ name }) => name === "dev-story");
        assert.deepEqual([story.agents, story.standalone], [["dev"], true]);
      },
    );

    await t.step(
      "what is read has the keys that it had [tool:read-agent-fields, tool:read-resource]",
      async () => {
        const agent = await facts(client, { operation: "read", agent: "analyst" });
        const fields = "name displayName title module description persona capabilities workflows content";
        assert.equal(keysOf(agent, fields), fields);
        const file = await Deno.readTextFile(`${project}/_bmad/bmm/agents/analyst.md`);
        assert.equal(agent.content, file);
        const workflow = await facts(client, { operation: "read", workflow: "dev-story" });
        assert.equal(keysOf(workflow, "name description module content"), "name description module content");
        const resource = await facts(client, { operation: "read", uri: "bmad://bmm/agents/analyst.md" });
        assert.equal(keysOf(resource, "path content"), "path content");
        assert.equal(resource.content, file);
      },
    );

    await t.step(
      "an executed answer has front matter and the file [tool:execute-front-matter, tool:execute-raw-text]",
      async () => {
        const agent = await say(client, { operation: "execute", agent: "pm", item: "CP", message: "Go" });
        assert.match(agent, /^---\nagent: bmm\/pm\nmenu-item: CP \(.*\)\nuser-prompt: "Go"\n---\n/);
        const file = await Deno.readTextFile(`${project}/_bmad/bmm/agents/pm.md`);
        assert.match(file, /\{project-root\}/);
        assert.ok(agent.includes(file), "nothing in the text is replaced");
        const workflow = await say(client, { operation: "execute", workflow: "dev-story", agent: "dev" });
        assert.match(workflow, /^---\nagent: bmm\/dev\nworkflow: bmm\/dev-story\n---\n/);
      },
    );

    await t.step("prompts have two-part and three-part names [prompts:dotted-form]", async () => {
      const head = async (name: string, message?: string) => {
        const { messages } = await client.getPrompt(name, message === undefined ? {} : { message });
        return messages[0].content.text.split("\n---\n")[0];
      };
      assert.equal(await head("bmm.analyst"), "---\nagent: bmm/analyst");
      assert.equal(await head("bmad.analyst"), "---\nagent: bmm/analyst");
      assert.equal(await head("bmm.analyst", "Hello"), '---\nagent: bmm/analyst\nuser-prompt: "Hello"');
      assert.equal(
        await head("bmm.workflow-executor.dev-story"),
        "---\nworkflow: bmm/dev-story",
      );
      assert.equal(
        await head("core.bmad-master.party-mode"),
        "---\nagent: core/bmad-master\nworkflow: core/party-mode\n" +
          "loaded: 1 file, after the text: do not load again",
      );
    });

    await t.step("URIs are relative to the BMAD root [resources:files]", async () => {
      const uris = await allUris(client);
      for (const path of ["bmm/agents/analyst.md", "core/tasks/workflow.xml", "_config/manifest.yaml"]) {
        assert.ok(uris.includes(`bmad://${path}`), path);
        const { contents: [content] } = await client.readResource(`bmad://${path}`);
        assert.equal(content.text, await Deno.readTextFile(`${project}/_bmad/${path}`));
      }
    });

    await t.step("the seven templates are there and open [resources:templates]", async () => {
      const listed = (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate);
      for (const [template, filled] of Object.entries(TEMPLATES)) {
        assert.ok(listed.includes(template), template);
        assert.ok((await client.readResource(filled)).contents[0].text.length > 0, filled);
      }
      // The seventh has no variable: every module has one now.
      assert.ok(listed.includes("bmad://{module}/config.yaml"));
      const config = (await client.readResource("bmad://core/config.yaml")).contents[0];
      assert.equal(config.text, await Deno.readTextFile(`${project}/_bmad/core/config.yaml`));
    });
  });
}

Deno.test("obsolete arguments are ignored with a warning [cli:unknown-arguments]", async () => {
  const project = await install();
  const { code, stdout, stderr } = await runHere(["--no-such-flag=1"], { cwd: project });
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(stderr, /--no-such-flag/);
  // One line says what was found.
  assert.match(stderr, /^bmad-mcp info: Serving \d+ agents and \d+ workflows from project\b.*$/m);
});

Deno.test("an old `git+` argument works [cli:old-lines, git:cache-record]", () =>
  withRepositories(async ({ dir, make }) => {
    const project = await install();
    const agent = (name: string) => `---\nname: ${name}\ndescription: The ${name}\n---\n# ${name}\n`;
    const { address } = make("team", {
      "packs/sea/bmad/sea/agents/captain.md": agent("captain"),
      "packs/sea/bmad/bmm/agents/analyst.md": agent("other-analyst"),
    });
    const sources = async (...args: readonly string[]) => {
      await using client = await startClient({ era: "2025", env: { BMAD_ROOT: project, HOME: dir }, args });
      let found = await allItems(client, { query: "sources" });
      const isComing = () => found.some(({ kind, things }) => kind === "git" && things === 0);
      for (let tries = 0; tries < 100 && isComing(); tries++) {
        found = await allItems(client, { query: "sources" });
      }
      const captain = headLine(await say(client, { operation: "execute", agent: "captain" }));
      assert.equal(captain, "agent: sea/captain");
      // What the project has comes before what a repository has.
      const uri = { operation: "read", uri: "bmad://bmm/agents/analyst.md" };
      const file = `${project}/_bmad/bmm/agents/analyst.md`;
      if (args.every((arg) => arg !== "--mode=strict")) {
        assert.equal(await say(client, uri), await Deno.readTextFile(file));
      }
      return found.filter(({ things }) => things > 0).map(({ id }) => id).join();
    };
    const line = `${address}#main:/packs/sea`;
    assert.equal(await sources(line), "env,git,package");
    assert.equal(await sources("--mode=auto", line), "env,git,package");
    assert.equal(await sources("--mode=first", line), "env,git,package");
    assert.equal(await sources(line, "--mode=strict"), "env,git");
    // Where such servers kept what they had cloned, we find it: nothing is asked of the network.
    const former = `${dir}/.bmad/cache/git/example.org-team-packs-main`;
    runGit(dir, "clone", "--quiet", address.replace("git+", ""), former);
    const sourceUrl = "git+https://example.org/team/packs.git#main:/packs/sea";
    const lastPull = new Date().toISOString();
    const record = {
      sourceUrl,
      hash: "",
      ref: "main",
      subpath: "packs/sea",
      lastPull,
      currentCommit: "0".repeat(40),
    };
    await Deno.writeTextFile(`${former}/.bmad-cache.json`, JSON.stringify(record, null, 2));
    assert.equal(await sources(sourceUrl, "--offline"), "env,git,package");
    assert.equal(await sources(sourceUrl), "env,git,package");
  }));
