/**
 * Can a client that knows nothing of BMAD do a whole sprint, with nothing but what the answers print?
 */
import assert from "node:assert/strict";
import { BMM } from "../../support/bmm_project.ts";
import { INITIALIZE, type RawProgram, startRaw } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const STORIES = ["1-1-a", "1-2-b", "1-3-c", "2-1-d", "2-2-e"];

const PROJECT = {
  ...BMM,
  "out/impl/sprint-status.yaml":
    "# by hand\ndevelopment_status:\n  epic-1: backlog\n  1-1-a: backlog\n  1-2-b: backlog\n" +
    "  1-3-c: backlog\n  epic-1-retrospective: optional\n  epic-2: backlog\n  2-1-d: backlog\n  2-2-e: backlog # last\n" +
    "  epic-2-retrospective: optional\n",
  ...Object.fromEntries(STORIES.map((key) => [
    `out/impl/${key}.md`,
    `# Story ${key}\n\n## Acceptance Criteria\n\n1. It works\n\n## Tasks\n\n- [ ] Do it (AC: 1)\n`,
  ])),
};

async function open(cwd: string): Promise<RawProgram> {
  const raw = await startRaw(["--log-level", "error"], { cwd });
  await raw.send(INITIALIZE);
  await raw.next(1);
  await raw.send({ method: "notifications/initialized" });
  return raw;
}

Deno.test(
  verifies(
    "work:loop",
    "five stories go from backlog to done by next, execute and mark; the server is killed twice",
  ),
  () =>
    withTree(PROJECT, async (cwd) => {
      let [raw, id, kills] = [await open(cwd), 1, 0];
      const call = async (line: string) => {
        const [, name, json] = /^(\w+) (\{.*\})$/.exec(line)!;
        await raw.send({ id: ++id, method: "tools/call", params: { name, arguments: JSON.parse(json!) } });
        const { result } = await raw.next(id);
        assert.notEqual(result.isError, true, `${line}: ${result.content[0].text}`);
        return String(result.content[0].text);
      };
      const steps: string[] = [];
      try {
        while (steps.length < 40) {
          const packet = await call('bmad_work {"operation":"next","by":"agent"}');
          if (packet.startsWith("All done")) break;
          const line = (label: string) => new RegExp(`^${label}: (.*)$`, "m").exec(packet)?.[1];
          steps.push(packet.split("\n")[0]!);
          const before = line("Before");
          if (before !== undefined) await call(before);
          assert.match(await call(line("Call")!), /Do it\./);
          const file = line("File");
          // The work itself.
          if (file !== undefined) {
            const text = await Deno.readTextFile(`${cwd}/${file}`);
            await Deno.writeTextFile(`${cwd}/${file}`, text.replaceAll("[ ]", "[x]"));
          }
          if ((steps.length === 4 || steps.length === 8) && kills < 2) {
            // Killed before the answer: the mark may be in the ledger or not, and is repeated.
            const [, , json] = /^(\w+) (\{.*\})$/.exec(line("When finished")!)!;
            await raw.send({
              id: ++id,
              method: "tools/call",
              params: { name: "bmad_work", arguments: JSON.parse(json!) },
            });
            raw.signal("SIGKILL");
            await raw.exit;
            await raw[Symbol.asyncDispose]();
            raw = await open(cwd);
            kills++;
          }
          await call(line("When finished")!);
        }
      } finally {
        await raw[Symbol.asyncDispose]();
      }
      assert.deepEqual([kills, steps.length], [2, 12]);
      assert.deepEqual(steps.slice(-2), ["Next: bmm/bmad-retrospective", "Next: bmm/bmad-retrospective"]);
      assert.equal(
        await Deno.readTextFile(`${cwd}/out/impl/sprint-status.yaml`),
        PROJECT["out/impl/sprint-status.yaml"].replaceAll(/backlog|optional/g, "done"),
      );
    }),
);
