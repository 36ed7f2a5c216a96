/**
 * What becomes of work that takes long?
 *
 * A client that asked for it hears how far the work is, one that gives up is not answered and costs nothing more, and
 * others are served meanwhile.
 */
import assert from "node:assert/strict";
import { ERAS, startClient } from "../support/client.ts";
import { INITIALIZE, type RawMessage, startRaw } from "../support/program.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

/** A skill of so many files, each with some references, that to look at all of them takes a while. */
function largeSkill(files: number): Record<string, string> {
  const tree: Record<string, string> = {
    ".claude/skills/bmad-maze/SKILL.md":
      "---\nname: bmad-maze\ndescription: Many rooms\n---\nEnter ./room-0.md\n",
  };
  for (let i = 0; i < files; i++) {
    const doors = Array.from({ length: 8 }, (_, n) => `./room-${(i + n + 1) % files}.md`);
    tree[`.claude/skills/bmad-maze/room-${i}.md`] = `# Room ${i}\n${doors.join("\n")}\n`;
  }
  return tree;
}

/** Makes the files of the skill a minute old: what is younger than the reading of it is read once more. */
async function age(project: string): Promise<void> {
  const skill = `${project}/.claude/skills/bmad-maze`;
  const then = new Date(Date.now() - 60_000);
  for await (const { name } of Deno.readDir(skill)) await Deno.utime(`${skill}/${name}`, then, then);
}

const CONFLICTS = { operation: "list", query: "conflicts" };

for (const era of ERAS) {
  Deno.test(
    verifies("client:progress", `a ${era} client that asks for it hears how far a large scan is`),
    () =>
      withTree(largeSkill(1_200), async (cwd) => {
        await age(cwd);
        await using client = await startClient({ era, cwd, args: ["--pack", "none"] });
        const notices: { progress: number; total: number; message: string }[] = [];
        const answer = await client.callTool("bmad", CONFLICTS, { onprogress: (one) => notices.push(one) });
        assert.equal(answer.content[0]!.text, "No conflicts.");
        const checked = notices.filter(({ message }) => message === "Checking references");
        assert.ok(checked.length >= 3 && checked.length <= 20, JSON.stringify(notices));
        assert.deepEqual(new Set(checked.map(({ total }) => total)), new Set([1_201]));
        const numbers = notices.map(({ progress }) => progress);
        assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));

        // The same work, already done, has nothing to tell; and who does not ask is not told.
        notices.length = 0;
        await client.callTool("bmad", CONFLICTS, { onprogress: (one) => notices.push(one) });
        assert.deepEqual(notices, []);
      }),
  );
}

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

for (const era of ERAS) {
  Deno.test(
    verifies(
      "client:cancellation",
      `a request that a ${era} client cancels stops, is not answered, and leaves nothing half done`,
    ),
    () =>
      withTree(largeSkill(1_200), async (cwd) => {
        await using raw = await startRaw(["--pack", "none"], { cwd });
        const meta = era === "2025" ? {} : ENVELOPE;
        if (era === "2025") {
          await raw.send(INITIALIZE);
          await raw.send({ method: "notifications/initialized" });
        }
        const call = (id: number, args: Record<string, unknown>, progressToken?: string) =>
          raw.send({
            id,
            method: "tools/call",
            params: { name: "bmad", arguments: args, _meta: { ...meta, progressToken } },
          });
        const told = (token: string) =>
          raw.lines.map((line): RawMessage => JSON.parse(line))
            .filter(({ method, params }) =>
              method === "notifications/progress" && params!["progressToken"] === token
            ).map(({ params }) => params!);

        await call(2, CONFLICTS, "first");
        await raw.sent("notifications/progress");
        await raw.send({ method: "notifications/cancelled", params: { requestId: 2, ...withMeta(era) } });
        await call(3, { operation: "list", query: "skills" });
        assert.match((await raw.next(3)).result.content[0].text, /^1 skills\n- skills\/bmad-maze/);
        const heard = told("first");
        assert.ok(heard.every(({ progress, total }) => Number(progress) < Number(total) * 0.9));

        // Nothing more is heard of it while the same work is done from its beginning.
        await call(4, CONFLICTS, "second");
        assert.equal((await raw.next(4)).result.content[0].text, "No conflicts.");
        assert.deepEqual(told("first"), heard);
        assert.ok(Number(told("second")[0]!["progress"]) <= Number(heard[0]!["progress"]));
        assert.equal(raw.lines.some((line) => JSON.parse(line).id === 2), false);
        assert.equal(raw.stderr(), "");
      }),
  );
}

/** What the 2026 protocol wants with every message. */
function withMeta(era: string): Record<string, unknown> {
  return era === "2025" ? {} : { _meta: ENVELOPE };
}
