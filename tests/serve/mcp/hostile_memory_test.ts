/** Does a hostile memory file keep the program from answering, or from ending? */
import assert from "node:assert/strict";
import { makeSound, REPORTED, REPORTS } from "../../support/hostile_memory.ts";
import { startSession } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const CALLS = [
  ["recall_structured", { query: "How long do access tokens live?" }],
  ["remember_structured", { type: "decisions", agent: "dev", text: "One more memory" }],
  ["get_agent_memory", { agent: "dev", query: "tokens" }],
] as const;

for (const { name, verdict, make } of REPORTED) {
  Deno.test(`with ${name} as memory.db, the program answers and ends [memory:hostile-file]`, () =>
    withTree({ "shop/_bmad/_memory/": "", "state/": "" }, async (folder) => {
      const file = `${folder}/shop/_bmad/_memory/memory.db`;
      await makeSound(file);
      await make(file);
      const env = { XDG_STATE_HOME: `${folder}/state` };
      await using program = await startSession(["--no-embedder"], { cwd: `${folder}/shop`, env });
      for (const [at, [tool, args]] of CALLS.entries()) {
        await program.send({ id: 10 + at, method: "tools/call", params: { name: tool, arguments: args } });
        const { result } = await program.next(10 + at);
        if (tool === "get_agent_memory") continue;
        assert.equal(result.isError, true);
        assert.match(result.content[0].text, REPORTS[verdict as keyof typeof REPORTS]);
      }
      await program.closeStdin();
      // One that does not end by itself is killed by its watchdog.
      assert.equal((await program.exit).code, 0);
    }));
}
