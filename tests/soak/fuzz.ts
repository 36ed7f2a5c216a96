/**
 * Can any input from a client crash the server, hang it, or make it disclose a secret?
 *
 * Lines are sent in batches; after each, a valid request must be answered soon. A file beside the project holds a text
 * that must never appear. Everything the server writes must be a protocol message.
 */
import assert from "node:assert/strict";
import { type RawProgram, startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { within } from "../support/waiting.ts";
import { startHttp } from "../support/http.ts";
import { type Chance, chanceFrom } from "../support/chance.ts";
import { openSlowest } from "./measure.ts";
import { badPath, goodRequests, mutatedLine } from "./mutations.ts";

const SECRET = "THE-CANARY-SINGS-9f3a";

const FILES = {
  "outside/canary.md": `${SECRET}\n`,
  "project/.claude/skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\nDraw.\n",
  "project/_bmad/bmm/agents/scout.md": "# Scout\n\nYou are a scout.\n",
};

const BATCH = 50;
const PATIENCE_MS = 20_000;

export function fuzzMessages(count: number, seed: number) {
  return overStdio(count, seed, mutatedLine);
}

export function fuzzPaths(count: number, seed: number) {
  return overStdio(
    count,
    seed,
    (chance, id, canary) => JSON.stringify({ jsonrpc: "2.0", id, ...goodRequests(chance, canary) }),
  );
}

function overStdio(
  count: number,
  seed: number,
  lineOf: (chance: Chance, id: number, canary: string) => string,
) {
  return withTree(FILES, async (dir) => {
    const chance = chanceFrom(seed);
    const args = ["--project", `${dir}/project`, "--toolsets", "all", "--log-level", "error"];
    await using program = await startSession(args);
    const { slowest, time } = openSlowest();
    for (let sent = 0; sent < count; sent += BATCH) {
      const lines = Array.from(
        { length: Math.min(BATCH, count - sent) },
        (_, n) => lineOf(chance, 10 + sent + n, `${dir}/outside/canary.md`),
      );
      await program.send(lines.join("\n") + "\n");
      await time("a valid request", () => askSoon(program, `alive-${sent}`));
      check(program, dir);
    }
    await program.closeStdin();
    assert.equal((await program.exit).code, 0, `seed ${seed}: ${program.stderr()}`);
    assert.doesNotMatch(program.stderr(), /Internal|\[\w+\] (?:TypeError|RangeError|Error)/, `seed ${seed}`);
    return { sent: count, longest: slowest.ms };
  });
}

async function askSoon(program: RawProgram, id: string): Promise<void> {
  await program.send({ id, method: "tools/list", params: {} });
  const { result } = await within(PATIENCE_MS, program.next(id)) ?? assert.fail("a valid request waited");
  assert.ok(result.tools.length > 0);
}

const seen = new WeakMap<RawProgram, number>();

function check(program: RawProgram, dir: string): void {
  const lines = program.lines.slice(seen.get(program) ?? 0);
  seen.set(program, program.lines.length);
  for (const line of lines) {
    assert.ok(!line.includes(SECRET), `the canary leaked: ${line.slice(0, 500)}`);
    const message = JSON.parse(line);
    assert.equal(message.jsonrpc, "2.0", line.slice(0, 200));
    assert.ok(["result", "error", "method"].some((key) => key in message), line.slice(0, 200));
  }
  assert.ok(!program.stderr().includes(SECRET));
  assert.equal(({} as { polluted?: unknown }).polluted, undefined, dir);
}

export function fuzzHttp(count: number, seed: number) {
  return withTree(FILES, async (dir) => {
    const chance = chanceFrom(seed);
    await using program = await startHttp(["--project", `${dir}/project`, "--toolsets", "all"]);
    const { slowest, time } = openSlowest();
    for (let n = 0; n < count; n++) {
      const canary = `${dir}/outside/canary.md`;
      const query = new URLSearchParams([[
        chance.pick(["q", "list", "show", "uri", "project"]),
        badPath(chance, canary),
      ]]);
      const isPage = chance.below(4) === 0;
      const ask = () =>
        fetch(isPage ? `${program.url}/?${query}` : `${program.url}/mcp`, {
          ...(isPage ? {} : { method: "POST", body: mutatedLine(chance, n, canary) }),
          headers: {
            "content-type": chance.pick(["application/json", "application/json", "text/plain"]),
            accept: "application/json, text/event-stream",
            ...(chance.below(2) === 0
              ? {}
              : { "mcp-protocol-version": chance.pick(["2026-07-28", "2025-11-25", "x"]) }),
          },
        });
      const { status, text } = await time("a request", async () => {
        const response = await ask();
        return { status: response.status, text: await response.text() };
      });
      assert.ok(status < 500 || status === 503, `${status}: ${text.slice(0, 300)}`);
      assert.ok(!text.includes(SECRET), text.slice(0, 300));
    }
    const health = await (await fetch(`${program.url}/health`)).json();
    assert.equal(health.status, "ready");
    assert.doesNotMatch(program.stderr(), / error: /);
    return { sent: count, longest: slowest.ms };
  });
}
