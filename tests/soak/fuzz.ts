/**
 * Can any input from a client crash the server, hang it, or make it disclose a secret?
 *
 * Lines are sent in batches; after each, a valid request must be answered soon. A file beside the project holds a text
 * that must never appear. Everything the server writes must be a protocol message.
 */
import assert from "node:assert/strict";
import { LISTABLE } from "../../src/app.ts";
import { addressesOf } from "../../src/serve/api/addresses.ts";
import { type RawProgram, startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { within } from "../support/waiting.ts";
import { startHttp } from "../support/http.ts";
import { type Chance, chanceFrom } from "../support/chance.ts";
import { openSlowest } from "./measure.ts";
import { badPath, goodRequests, mutatedLine, ODD } from "./mutations.ts";

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

const WORK = {
  ...FILES,
  "project/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "project/out/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n  1-2-b: in-progress\n  1-3-c: review\n",
  "project/out/1-1-a.md": "# Story 1.1: A\n\nStatus: ready-for-dev\n\n## Tasks\n\n- [ ] One\n",
  "project/out/epics.md": "## Epic 1: Shop\n### Story 1.1: A\n### Story 1.2: B\n### Story 1.3: C\n",
};

/** Requests to every address of the API, with arguments that it has and values that nobody expects. */
export function fuzzApi(count: number, seed: number) {
  return withTree(WORK, async (dir) => {
    const chance = chanceFrom(seed);
    const addresses = addressesOf(LISTABLE);
    await using program = await startHttp(["--project", `${dir}/project`, "--pack", "none"]);
    const before = await storiesOf(program.url);
    const { slowest, time } = openSlowest();
    const canary = `${dir}/outside/canary.md`;
    const valueOf = (): unknown =>
      chance.pick([
        () => badPath(chance, canary),
        () => chance.pick(ODD),
        () => chance.pick(["1-1", "1-2", "1-3-c", "epic-1", "done", "in-progress", "bmad-map", "high", "1"]),
      ])();
    for (let n = 0; n < count; n++) {
      const { path, method, params } = chance.pick(addresses);
      const keys = [
        ...Object.keys(params),
        "project",
        "__proto__",
        "format",
        text(chance.pick(ODD)).slice(0, 200),
      ];
      const given = Array.from({ length: chance.below(4) }, () => [chance.pick(keys), valueOf()] as const);
      const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(text(valueOf()).slice(0, 200)));
      const isPost = (method === "POST") !== (chance.below(8) === 0);
      const query = new URLSearchParams(
        (isPost ? [] : given).map(([key, value]) => [key, text(value).slice(0, 200)]),
      );
      const body = chance.below(8) === 0 ? text(chance.pick(ODD)) : JSON.stringify(Object.fromEntries(given));
      const { status, answer } = await time(path, async () => {
        const response = await fetch(`${program.url}/api/v1${filled}?${query}`, {
          method: isPost ? "POST" : "GET",
          headers: { "content-type": chance.pick(["application/json", "application/json", "text/plain"]) },
          ...(isPost && { body }),
        });
        return { status: response.status, answer: await response.text() };
      });
      const about = `${method} ${filled}?${query} ${body}: ${status} ${answer}`.slice(0, 1_500);
      assert.ok(status < 500 || [503, 507].includes(status), about);
      assert.ok(!answer.includes(SECRET), about);
      const data = JSON.parse(answer);
      if (status !== 200) assert.ok(typeof data.error.message === "string", about);
    }
    // A plan may have gained stories, as its parameters say.
    const left = await storiesOf(program.url);
    assert.deepEqual(before.filter((story) => !left.includes(story)), []);
    assert.equal(before.length, 3);
    assert.ok(!program.stderr().includes(SECRET));
    assert.doesNotMatch(program.stderr(), / error: |Internal/);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    return { sent: count, longest: slowest.ms };
  });
}

async function storiesOf(url: string): Promise<readonly string[]> {
  const { items } = await (await fetch(`${url}/api/v1/board`)).json();
  return items.flatMap(({ stories }: { stories: readonly { ref: string }[] }) =>
    stories.map(({ ref }) => ref)
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : JSON.stringify(value) ?? "";
}
