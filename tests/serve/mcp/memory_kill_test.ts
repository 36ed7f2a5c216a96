/**
 * Does a server that is killed, or is one of several, keep every memory that it confirmed?
 *
 * Short here; with `BMAD_MCP_SOAK=1` as long as the promise says: 20 times 1,000 writes.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { KIT_NAMES, kitFiles } from "../../support/kit.ts";
import { type RawProgram, startSession } from "../../support/program.ts";
import { type Changing, checkKept, race } from "../../support/property.ts";
import { POSIX } from "../../support/run.ts";
import { withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const IS_LONG = Deno.env.get("BMAD_MCP_SOAK") === "1";
const WRITES = IS_LONG ? 1_000 : 400;

const open = (cwd: string, flags: readonly string[]) =>
  startSession([...flags, "--log-level", "error"], { cwd });

const textOf = (name: string, at: number) => `${name} remembers number ${at}`;

async function send(raw: RawProgram, name: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const request = { type: "stories", agent: "pm", text: textOf(name, at), tags: [name] };
    const params = { name: "remember_structured", arguments: request };
    await raw.send({ id: 100 + at, method: "tools/call", params }).catch(() => {});
  }
}

function acknowledged(raw: RawProgram, name: string): readonly string[] {
  return raw.lines.filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line))
    .filter(({ id, result }) => id >= 100 && /^Remembered/.test(result?.content?.[0]?.text ?? ""))
    .map(({ id }) => textOf(name, id - 100));
}

function sending(raw: RawProgram, name: string): Changing {
  const sent = send(raw, name, WRITES);
  const end = async () => {
    raw.signal("SIGKILL");
    await raw.exit;
    await sent;
    await raw[Symbol.asyncDispose]();
  };
  let ended: Promise<void> | undefined;
  return {
    get said() {
      return acknowledged(raw, name);
    },
    stop: () => ended ??= end(),
  };
}

function textsIn(cwd: string): readonly string[] {
  const database = new DatabaseSync(`${cwd}/_bmad/_memory/memory.db`);
  try {
    assert.deepEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
    return database.prepare("SELECT text FROM memory").all().map(({ text }) => String(text));
  } finally {
    database.close();
  }
}

/** Long before the last write. With the embedder one takes a hundred times as long: it is killed sooner then. */
const KINDS = [
  { by: "words", flags: ["--no-embedder"], rounds: IS_LONG ? 20 : 3, most: WRITES / 4 },
  { by: "meaning", flags: [], rounds: IS_LONG ? 20 : 2, most: 40 },
] as const;

for (const { by, flags, rounds, most } of KINDS) {
  Deno.test(`a killed server that finds by ${by} loses no saved memory [memory:durable]`, POSIX, async () => {
    await withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
      const { said } = await race({
        processes: 1,
        kills: rounds - 1,
        start: async (at) => sending(await open(cwd, flags), `round${at}`),
        wanted: (round) => 1 + Math.floor((round * 0.37 % 1) * 0.9 * most),
        compare: (said) => checkKept(said, textsIn(cwd)),
      });
      const kept = said("");
      assert.ok(kept.length < rounds * WRITES, `${kept.length} were acknowledged`);
      await using raw = await open(cwd, flags);
      const params = { name: "recall_structured", arguments: { query: kept.at(-1), limit: 1 } };
      await raw.send({ id: 2, method: "tools/call", params });
      assert.match((await raw.next(2)).result.content[0].text, /^1 memory for /);
    });
  });
}

Deno.test("two servers that remember at once keep everything [memory:shared-file]", () =>
  withTree(kitFiles(KIT_NAMES[0]), async (cwd) => {
    const names = ["left", "right"];
    await Promise.all(names.map(async (name) => {
      await using raw = await open(cwd, ["--no-embedder"]);
      await send(raw, name, WRITES);
      const answered = () => raw.lines.filter((line) => JSON.parse(line).id >= 100);
      await until("everything is answered", () => answered().length >= WRITES);
      const refused = answered().filter((line) => !line.includes("Remembered"));
      assert.deepEqual(refused, []);
    }));
    const all = names.flatMap((name) => Array.from({ length: WRITES }, (_, at) => textOf(name, at)));
    assert.deepEqual(textsIn(cwd).toSorted(), all.toSorted());
  }));
