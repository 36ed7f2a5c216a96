/** Does a project's context have the agents that are installed in it, whatever the generation of its BMAD? */
import assert from "node:assert/strict";
import { say } from "../support/answers.ts";
import { clientHere } from "../support/client.ts";
import { installation, type InstallVersion, ofThisRun } from "../support/installs.ts";
import { verifies } from "../support/requirements.ts";

const VERSIONS: readonly InstallVersion[] = ["4.44.3", "6.0.4", "6.2.0", "6.12.0"];

for (const version of ofThisRun(VERSIONS, (version) => version)) {
  Deno.test(verifies("memory:context-agents", `the agents of ${version} are in the context`), async () => {
    const cwd = await installation({ version, tools: "claude-code" });
    const args = ["--toolsets", "memory", "--no-embedder"];
    await using client = await clientHere({ era: "2026", cwd, args });
    const call = { section: "agents", format: "json" };
    const { agents } = JSON.parse(await say(client, call, "get_project_context"));
    const names = agents.map(({ name, displayName }: Record<string, string>) => `${name} ${displayName}`);
    for (const name of ["analyst Mary", "architect Winston", "pm John"]) {
      assert.equal(names.filter((one: string) => one === name).length, 1, `${name}: ${names.join(", ")}`);
    }
    assert.equal(new Set(names).size, names.length);
    assert.match(await say(client, { section: "agents" }, "get_project_context"), /\n- architect: .*Winston/);
  });
}
