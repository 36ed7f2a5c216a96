/** Do clients of both eras remember and recall, also when several use one project, and when memory is out of reach? */
import assert from "node:assert/strict";
import { allUris, say, says, toolOf } from "../../support/answers.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { listTree, withTree } from "../../support/trees.ts";

const REMEMBER = "remember_structured", RECALL = "recall_structured";
const DECISION = { type: "decisions", agent: "dev", text: "JWT expiry must be 15 min", tags: ["auth"] };

for (const era of ERAS) {
  Deno.test(`a ${era} client remembers and recalls [toolsets:memory, memory:recall, memory:lazy]`, (t) =>
    withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
      await using client = await clientHere({ era, cwd });
      const remember = toolOf(client, REMEMBER), recall = toolOf(client, RECALL);
      const files = async () => (await listTree(cwd)).filter((path) => path.includes("memory.db"));
      assert.deepEqual(await files(), []);

      await t.step("what it was told, as the kit would keep it", async () => {
        await remember.says(
          DECISION,
          /^Remembered \[decisions\] @dev: [0-9a-f-]{36}\nStored in .+memory\.db$/,
        );
        const again = await remember.facts(DECISION);
        assert.deepEqual([again.outcome, again.project, again.semantic], ["same", "bmad-herbier", true]);
        assert.ok((await files()).length > 0);
      });
      await t.step("by meaning, with scores and reasons", async () => {
        const found = await recall.facts({ query: "How long do access tokens live?" });
        const told = found.hits.filter(({ source }: { source: string }) => source === "memory");
        assert.deepEqual([found.semantic, told[0]?.text], [true, DECISION.text]);
        await recall.says(
          { query: "jwt", type: "decisions", agent: "dev", limit: "1" },
          /score \d\.\d\d: has jwt; meaning 0\.\d\d$/,
        );
        await recall.says(
          { query: "jwt", type: "failures" },
          /^Nothing relevant \[failures\] for "jwt"\. The nearest, which may be about something else:\n1\. (?![^]*score)/,
        );
      });
      await t.step("what another server of the project was told [memory:shared-file]", async () => {
        await using other = await clientHere({ era, cwd });
        await say(other, { type: "failures", agent: "qa", text: "Nobody ran the tests" }, REMEMBER);
        await recall.says({ query: "tests" }, /Nobody ran the tests/);
      });
      await t.step("and reads all of a type as a resource [memory:resources]", async () => {
        assert.ok((await allUris(client)).includes("bmad://memory/decisions"));
        const { contents: [content] } = await client.readResource("bmad://memory/decisions");
        const ref = { type: "ref/resource", uri: "bmad://memory/{type}" } as const;
        assert.deepEqual(await client.complete(ref, { name: "type", value: "fail" }), ["failures"]);
        assert.match(
          String(content!.text),
          /^# decisions\n\n## dev\n\n- \[\d{4}-\d\d-\d\d\] JWT expiry must be 15 min `auth`\n$/,
        );
      });
      await t.step("and is refused what makes no sense [memory:hostile]", async () => {
        for (const agent of ["../dev", "a\0b", "a".repeat(900), "", "con"]) {
          await remember.refuses({ ...DECISION, agent }, /^(?:Invalid agent|`agent` is missing)/);
        }
        await remember.refuses({ ...DECISION, type: "secrets" }, /Use one of shared-context, decisions/);
        await remember.refuses({ ...DECISION, text: "x".repeat(16_001) }, /16001 characters/);
        await remember.refuses({ ...DECISION, tags: Array.from("abcdefghijklmnopq") }, /17 given/);
        await recall.refuses({ query: "x", limit: 51 }, /from 1 to 50/);
      });
    }));
}

Deno.test("a question about an agent's learnings goes by meaning, too [memory:agent-memory]", () =>
  withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
    await using client = await clientHere({ era: "2026", cwd });
    const agentMemory = toolOf(client, "get_agent_memory");
    const found = await agentMemory.say({ agent: "dev", query: "How long is an access token valid?" });
    assert.match(found, /\n- \[2026-03-02\] Le jeton d'accès expire après 15 minutes/);
  }));

Deno.test("a session that is over, and a look, leave the file of memories and nothing beside it", () =>
  withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
    const files = async () =>
      (await listTree(cwd)).map((line) => /memory\.db\S*/.exec(line)?.[0]).filter(Boolean);
    {
      await using reader = await clientHere({ era: "2026", cwd, args: ["--read-only"] });
      await says(reader, { query: "jwt", type: "stories" }, /^No memory \[stories\] matches/, RECALL);
      assert.deepEqual(await files(), []);
    }
    {
      await using client = await clientHere({ era: "2026", cwd });
      const remember = toolOf(client, REMEMBER);
      await remember.say(DECISION);
      assert.deepEqual((await files()).toSorted(), ["memory.db", "memory.db-shm", "memory.db-wal"]);
    }
    assert.deepEqual(await files(), ["memory.db"]);
    await using reader = await clientHere({ era: "2026", cwd, args: ["--read-only"] });
    await says(reader, { query: "jwt" }, /JWT expiry/, RECALL);
    assert.deepEqual(await files(), ["memory.db"]);
  }));
