/** Which log messages does a client get? */
import assert from "node:assert/strict";
import { say } from "../../support/answers.ts";
import { BOTH_ERAS, startClient } from "../../support/client.ts";
import { INITIALIZE, startRaw } from "../../support/program.ts";
import { treeTest, withSettledTree } from "../../support/trees.ts";

const skill = (id: string) => `---\nname: ${id}\ndescription: About ${id}\n---\nDo it.\n`;

const PROJECT = {
  "bmad/bmm/skills/bmad-prd/SKILL.md": skill("bmad-prd"),
  "bmad/bmm/agents/analyst.md": skill("analyst"),
  "more/bmm/skills/bmad-prd/SKILL.md": skill("bmad-prd"),
};
const ARGS = ["--pack", "none", "--path", "more"];

for (const era of BOTH_ERAS) {
  Deno.test(`a ${era} client gets the log messages it asks for`, (t) =>
    withSettledTree(PROJECT, async (cwd) => {
      await using client = await startClient({ era, cwd, args: ARGS });
      const read = () => say(client, { operation: "read", workflow: "PRD", module: "bmm" });

      await t.step("before it asks it gets none, and none above debug [client:logging]", async () => {
        await read();
        await client.setLogLevel("info");
        await read();
        assert.deepEqual(client.logs, []);
      });

      await t.step("at debug it learns how a name was resolved [client:logging]", async () => {
        await client.setLogLevel("debug");
        await read();
        const file = "bmm/skills/bmad-prd/SKILL.md";
        const ours = {
          name: "bmm/bmad-prd",
          origin: "project",
          priority: 1,
          file: `bmad/${file}`,
          location: cwd,
        };
        assert.deepEqual(client.logs, [{
          level: "debug",
          logger: "resolve",
          data: {
            name: "PRD",
            outcome: "found",
            filters: { word: "prd", module: "bmm", kind: "workflow" },
            candidates: [
              ours,
              { name: "bmm/bmad-prd", origin: "cli", priority: 2, file, location: `${cwd}/more` },
            ],
            total: 2,
            selected: ours,
          },
        }]);
      });

      await t.step("at debug it learns what an unknown name is near to [client:logging]", async () => {
        await client.callTool("bmad", { operation: "read", agent: "anlyst" });
        assert.deepEqual(client.logs.at(-1).data, {
          name: "anlyst",
          outcome: "missing",
          filters: { kind: "agent" },
          candidates: [],
          total: 0,
          suggestions: ["bmm/analyst"],
        });
      });

      await t.step("a level that is set again counts from then on [client:logging]", async () => {
        await client.setLogLevel("warning");
        await read();
        assert.equal(client.logs.length, 2);
        assert.equal(client.stderr(), "");
      });
    }));
}

treeTest("at debug, stderr has resolutions [client:logging]", PROJECT, async (cwd) => {
  await using client = await startClient({ era: "2026", cwd, args: [...ARGS, "--log-level", "debug"] });
  await say(client, { operation: "read", workflow: "prd" });
  await client.callTool("bmad", { operation: "read", workflow: "our merger with ACME" });
  await client.close();
  const [line] = client.stderr().split("\n").filter((text) => text.includes("resolve: "));
  assert.match(line!, /^bmad-mcp debug: resolve: \{"outcome":"found",/);
  assert.doesNotMatch(client.stderr(), /merger/, "what a user calls something stays out of the log");
  assert.deepEqual(client.logs, []);
});

Deno.test("a level that does not exist is refused with those that do", async () => {
  await using raw = await startRaw([]);
  await raw.send(INITIALIZE);
  await raw.send({ id: 2, method: "logging/setLevel", params: { level: "chatty" } });
  const { error } = await raw.next(2);
  assert.equal(error!.code, -32602);
  assert.match(error!.message, /one of debug, info, notice, warning, error, critical, alert, emergency/);
});
