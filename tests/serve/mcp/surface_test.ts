/** What does a client see that starts the program in an empty folder? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer";
import manifest from "../../../deno.json" with { type: "json" };
import { allItems, type Arguments, facts, headLine, say, says } from "../../support/answers.ts";
import { BOTH_ERAS, clientHere } from "../../support/client.ts";

const ANALYST = "agent: bmm/bmad-agent-analyst";

/** Ways to ask that models come up with, and what is meant. */
const FORGIVEN: readonly (readonly [Arguments, string | undefined])[] = [
  [{ name: "analyst" }, ANALYST],
  [{ agent: "analyst" }, ANALYST],
  [{ operation: "EXECUTE", agent: "analyst" }, ANALYST],
  [{ operation: "run", name: "analyst" }, ANALYST],
  [{ operation: null, agent: "analyst", module: "" }, ANALYST],
  [{ command: "bmm/architect" }, "agent: bmm/bmad-agent-architect"],
  [{ command: "*prd" }, "workflow: bmm/bmad-prd"],
  [{ command: "*party-mode" }, "workflow: core/bmad-party-mode"],
  [{ command: "*core/brainstorming" }, "workflow: core/bmad-brainstorming"],
];

/** Questions, and how the answer begins. */
const BEGINNINGS: readonly (readonly [Arguments, RegExp])[] = [
  [{ operation: "get", name: "analyst" }, /^name: bmm\/bmad-agent-analyst\n/],
  [
    { operation: "search", searchQuery: "prd", searchType: "agents" },
    /results for "prd"\n- bmm\/bmad-agent-pm:/,
  ],
  [{ query: "agents" }, /^6 agents\n/],
  [{ query: "market research" }, /results for "market research"\n- core\/bmad-deep-recon:/],
  [{ uri: "bmad://bmm/bmad-prd/SKILL.md" }, /^---\nname: bmad-prd\n/],
  [{ operation: "list", query: "skills", limit: "3" }, /^41 skills, 3 shown; next: /],
  [{ operation: "list", query: "agent" }, /^6 agents\n/],
  [{ command: "*list-agents" }, /^6 agents\n/],
  [{ command: "*list-workflows" }, /^35 workflows\n/],
  [{ command: "*list-tasks" }, /^8 tasks\n/],
  [{ command: "*help" }, /Served now: 6 agents and 35 workflows in modules bmb, bmm, core, tea\./],
  [{ command: "*doctor" }, /^Verdict: no problems found\.\n\d+ facts\n[^]*package: priority 9, 62 items/],
];

for (const era of BOTH_ERAS) {
  Deno.test(`a ${era} client without a project is served the embedded content`, async (t) => {
    await using client = await clientHere({ era });

    await t.step("the server identifies itself and says when to call it [client:instructions]", () => {
      const { name, version } = client.serverInfo()!;
      assert.deepEqual({ name, version }, { name: "bmad-mcp", version: manifest.version });
      const instructions = client.instructions()!;
      assert.ok(instructions.length <= 4_096, `${instructions.length}`);
      const start = instructions.slice(0, 500);
      for (const word of ["BMAD", "PRD", "architecture", "call the tool `bmad`", '"operation":"execute"']) {
        assert.ok(start.includes(word), word);
      }
    });

    await t.step("the list of tools is one tool [tool:only-one, tool:operations]", async () => {
      const tools = await client.listTools();
      assert.deepEqual(tools, await client.listTools());
      assert.deepEqual(tools.map(({ name, title }) => [name, title]), [["bmad", "BMAD Method"]]);
    });

    await t.step("a list of each kind begins with its count [tool:list-queries]", async () => {
      const totals: Record<string, number> = {};
      const kinds = "agents workflows tasks tools skills teams modules resources sources conflicts next"
        .split(" ");
      for (const query of kinds) {
        totals[query] = (await facts(client, { operation: "list", query, limit: 1 })).total;
      }
      assert.deepEqual(totals, {
        agents: 6,
        workflows: 35,
        tasks: 8,
        tools: 0,
        skills: 41,
        teams: 0,
        modules: 4,
        resources: 1079,
        sources: 5,
        // Known faults of upstream are not listed.
        conflicts: 0,
        next: 35,
      });
      for (const query of ["knowledge", "templates"]) await say(client, { operation: "list", query });
    });

    await t.step("a list is limited by module, category and pattern [tool:list-filters]", async () => {
      const names = async (args: Arguments) => (await allItems(client, args)).map(({ id, uri }) => id ?? uri);
      assert.deepEqual(await names({ query: "agents", module: "TEA" }), ["bmad-tea"]);
      assert.deepEqual(await names({ query: "workflows", category: "Solutioning" }), [
        "bmad-architecture",
        "bmad-create-epics-and-stories",
        "bmad-testarch-ci",
        "bmad-testarch-framework",
        "bmad-testarch-test-design",
      ]);
      assert.deepEqual(await names({ query: "resources", pattern: "tea/bmad-tea/**/knowledge/a*.md" }), [
        "bmad://tea/bmad-tea/resources/knowledge/adr-quality-readiness-checklist.md",
        "bmad://tea/bmad-tea/resources/knowledge/api-request.md",
        "bmad://tea/bmad-tea/resources/knowledge/api-testing-patterns.md",
        "bmad://tea/bmad-tea/resources/knowledge/auth-session.md",
      ]);
    });

    await t.step("the list of next says what follows what [tool:list-next]", async () => {
      const steps = await allItems(client, { query: "next", module: "bmm" });
      const epics = steps.find(({ id }) => id === "bmad-create-epics-and-stories");
      assert.deepEqual([epics.phase, epics.after, epics.required], ["plan", "bmad-architecture", true]);
    });

    await t.step("a list leads through its pages by the call it names [tool:list-paged]", async () => {
      const lines: string[] = [];
      let args: Arguments | undefined = { operation: "list", query: "skills", limit: 15 };
      for (let page = 0; args !== undefined; page++) {
        const [head, ...rows]: string[] = (await say(client, args)).split("\n").slice(0, -1);
        assert.equal(rows.length, [15, 15, 11][page]);
        assert.match(head!, /^41 skills, (15|11) shown/);
        lines.push(...rows);
        const next: string | undefined = /; next: (\{.*\})$/.exec(head!)?.[1];
        args = next === undefined ? undefined : JSON.parse(next);
      }
      assert.equal(new Set(lines).size, 41);
    });

    await t.step("a JSON list fits into one answer [tool:format-json]", async () => {
      const { items, total, nextCursor } = await facts(client, {
        operation: "list",
        query: "agents",
        limit: 2,
      });
      assert.deepEqual([items.length, total, typeof nextCursor], [2, 6, "string"]);
      const rest = await facts(client, {
        operation: "list",
        query: "agents",
        limit: 4,
        cursor: nextCursor,
      });
      assert.deepEqual([rest.items.length, rest.total, rest.nextCursor], [4, 6, undefined]);
      const hits = await facts(client, { operation: "search", query: "prd", limit: 1 });
      assert.deepEqual([hits.items.length, hits.total, hits.items[0].id], [1, 8, "bmad-prd"]);
      const whole = await facts(client, { operation: "list", query: "workflows" });
      assert.equal(whole.total, 35);
      assert.ok(whole.items.length === 35 || whole.nextCursor !== undefined);
    });

    await t.step(
      "a workflow is read with its files [tool:read-workflow-fields, tool:read-resource]",
      async () => {
        const prd = await facts(client, { operation: "read", workflow: "prd" });
        assert.deepEqual([prd.id, prd.phase, prd.version], ["bmad-prd", "2-planning", "6.12.0"]);
        assert.equal(prd.files.length, 8);
        for (const { uri, size } of prd.files) {
          const { contents: [file] } = await client.readResource(uri);
          assert.equal(new TextEncoder().encode(file.text).length, size, uri);
          if (uri === prd.uri) assert.equal(file.text, prd.content);
        }
        const excerpt = { operation: "read", uri: `${prd.uri}#lines=2-2` };
        await says(client, excerpt, "name: bmad-prd");
      },
    );

    await t.step(
      "an executed agent comes with persona, values and the way to its files [tool:execute-one-call, tool:execute-front-matter, tool:execute-customization, tool:execute-raw-option, tool:execute-file-note]",
      async () => {
        const args = { operation: "execute", agent: "analyst", item: "bp", message: 'Say "hi"' };
        const text = await say(client, args);
        const raw = await say(client, { ...args, raw: "true" });
        assert.ok(raw.startsWith("---\nname: bmad-agent-analyst\n"));
        assert.ok(text.startsWith(
          `---\n${ANALYST}\nmenu-item: BP (start skill bmad-brainstorming)\nuser-prompt: "Say \\"hi\\""\n---\n\n`,
        ));
        assert.ok(text.endsWith(`\n---\n\n${raw}`));
        const added = text.slice(0, text.indexOf(raw));
        assert.match(
          added,
          /\n---\n\nAlready resolved .*\nproject-root: .*\ndate: .*\nagent:\n {2}name: Mary\n/,
        );
        const [, call] = /^Files: bmad (\{.*?\}) with PATH as spelled/m.exec(added) ?? [];
        await says(client, JSON.parse(call!.replace("PATH", "customize.toml")), /^\[agent\]$/m);
        const both = await say(client, { operation: "execute", agent: "pm", workflow: "prd" });
        assert.ok(both.startsWith("---\nagent: bmm/bmad-agent-pm\nworkflow: bmm/bmad-prd\n"));
      },
    );

    await t.step("an executed answer adds 120 tokens at most [tool:execute-overhead]", async () => {
      for (const name of ["analyst", "tea", "brainstorming", "product-brief", "testarch-atdd"]) {
        const text = await say(client, { operation: "execute", name });
        const raw = await say(client, { operation: "execute", name, raw: true });
        // What stands between the beginning of a text and its first section is in every answer.
        const [start] = raw.trimEnd().split("\n## ");
        const before = text.slice(0, text.indexOf(start!));
        const [, values = ""] = /\nAlready resolved .*\n([^]*)\nFiles: /.exec(before) ?? [];
        // What `next` says is the result that the text would have to find out.
        const [, advice = ""] = /\nWhat to do next in this project:\n([^]*)\n---\n/.exec(before) ?? [];
        const tokens = countTokens(before) - countTokens(values) - countTokens(advice);
        assert.ok(tokens > 20 && tokens <= 120, `${name}: ${tokens} tokens`);
      }
    });

    await t.step("the instructions name the heading of resolved values", async () => {
      const heading = /“([^”]*resolved)”/i.exec(client.instructions()!)?.[1];
      const text = await say(client, { operation: "execute", agent: "analyst" });
      assert.ok(text.includes(`---\n\n${heading} (`), heading);
    });

    await t.step("an executed agent has its module's defaults [tool:execute-defaults]", async () => {
      const text = await say(client, { operation: "execute", agent: "analyst" });
      assert.match(
        text,
        /\nconfig:\n {2}user_name: BMad # [^\n]+\n {2}project_name: work\n {2}communication_language: English\n/,
      );
      assert.match(
        text,
        /\n {2}planning_artifacts: '\{project-root\}\/_bmad-output\/planning-artifacts'\n/,
      );
    });

    await t.step("a search forgives slips and ranks its hits [tool:search]", async () => {
      const first = async (query: string) =>
        (await facts(client, { operation: "search", query, limit: 1 })).items[0]?.id;
      assert.equal(await first("architct"), "bmad-agent-architect");
      assert.equal(await first("Winston"), "bmad-agent-architect");
      assert.equal(await first("retrosp"), "bmad-retrospective");
      assert.equal(await first("test strategy"), "bmad-testarch-test-design");
      assert.equal(await first("fixture"), "fixture-architecture");
      await says(client, { operation: "search", query: "zzzzqq" }, 'No results for "zzzzqq".');
    });

    await t.step(
      "a call is understood in models' words [tool:synonyms, tool:command-string, tool:text-only]",
      async () => {
        for (const [args, head] of FORGIVEN) {
          assert.equal(headLine(await say(client, args)), head, JSON.stringify(args));
        }
        for (const [args, start] of BEGINNINGS) await says(client, args, start);
      },
    );
  });
}
