/**
 * Over stdio: very many calls after each other, and very many at once.
 */
import assert from "node:assert/strict";
import { type ProgramOptions, type RawProgram, startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { MIX, residentMemory } from "./load.ts";
import { quantile } from "./quantile.ts";

/** How often memory is looked at: often enough that it does not matter whether garbage was collected right before. */
const LOOK_EVERY = 10;

/**
 * Calls one after the other. Returns by how many bytes the memory grew after the first tenth: from the middle of what it
 * was in the second tenth to the middle of what it was in the last.
 */
export async function manyCalls(count: number): Promise<number> {
  await using program = await startSession();
  const looks: number[] = [];
  for (let n = 0; n < count; n++) {
    const { method, params, fits } = MIX[n % MIX.length]!;
    await program.send({ id: 10 + n, method, params: { ...params } });
    const { result } = await program.next(10 + n);
    assert.ok(fits(JSON.stringify(result)), JSON.stringify(result).slice(0, 300));
    if (n % LOOK_EVERY === 0) looks.push(residentMemory(program.pid));
  }
  const tenth = Math.floor(looks.length / 10);
  return quantile(looks.slice(-tenth), 0.5) - quantile(looks.slice(tenth, 2 * tenth), 0.5);
}

/** Reads of one resource, all at once; returns how many milliseconds it took until all were answered. */
export async function manyAtOnce(count: number): Promise<number> {
  await using program = await startSession();
  return await readAll(program, count, "bmad://manifests/agents");
}

/** A project that the npm server understands, too. */
const SHARED = {
  "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.7\nmodules:\n  - core\n",
  "bmad/core/agents/scout.md": "---\nname: scout\ndescription: Looks out\n---\n# Scout\n\nYou are a scout.\n",
};

/** How often each server is started for a comparison. */
const PAIRS = 7;

/** The same of a file, right after the start, and of the npm server, whose own file Node runs: our share of its time. */
export function shareOfPeer(count: number, peer: string): Promise<number> {
  return withTree(SHARED, async (cwd) => {
    const time = async (options: ProgramOptions) => {
      await using program = await startSession([], { cwd, ...options });
      await program.send({ id: 2, method: "resources/list", params: {} });
      const uris = (await program.next(2)).result.resources.map(({ uri }: { uri: string }) => uri);
      const file = uris.find((uri: string) => uri.endsWith("scout.md"));
      assert.ok(file !== undefined, `no file of the project is among ${uris}`);
      return await readAll(program, count, file);
    };
    const shares: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      shares.push(await time({}) / await time({ command: "node", program: [peer] }));
    }
    return quantile(shares, 0.5);
  });
}

async function readAll(program: RawProgram, count: number, uri: string): Promise<number> {
  const begun = performance.now();
  const lines = Array.from(
    { length: count },
    (_, n) => JSON.stringify({ jsonrpc: "2.0", id: 10 + n, method: "resources/read", params: { uri } }),
  );
  await program.send(lines.join("\n") + "\n");
  await Promise.all(lines.map(async (_, n) => assert.ok((await program.next(10 + n)).result !== undefined)));
  return performance.now() - begun;
}

/** Sends a message of so many bytes and checks that it is answered, or refused where it is too long. */
export async function largeMessage(bytes: number): Promise<void> {
  await using program = await startSession();
  const message = { operation: "execute", agent: "analyst", message: "x".repeat(bytes) };
  await program.send({ id: 10, method: "tools/call", params: { name: "bmad", arguments: message } });
  // Of a message that is too long for us, not even the id is known.
  const { result, error } = await program.next(bytes > 10 << 20 ? null : 10);
  assert.ok(bytes > 10 << 20 ? error !== undefined : result !== undefined);
  await program.send({ id: 11, method: "ping" });
  assert.deepEqual((await program.next(11)).result, {});
}
