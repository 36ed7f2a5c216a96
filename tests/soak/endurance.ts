/** Over stdio: many calls in sequence, and many at once. */
import assert from "node:assert/strict";
import { type ProgramOptions, type RawProgram, startSession } from "../support/program.ts";
import { withTree } from "../support/trees.ts";
import { MIX } from "./load.ts";
import { quantile, residentMemory } from "./measure.ts";

/** Memory is sampled every so many calls: often enough that the time of a garbage collection does not matter. */
const LOOK_EVERY = 10;

/**
 * Sends calls in sequence. Returns the growth of memory in bytes: from its median in the second tenth of the calls to
 * its median in the last.
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

export async function manyAtOnce(count: number): Promise<number> {
  await using program = await startSession();
  return await readAll(program, count, "bmad://manifests/agents");
}

const SHARED = {
  "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.7\nmodules:\n  - core\n",
  "bmad/core/agents/scout.md": "---\nname: scout\ndescription: Looks out\n---\n# Scout\n\nYou are a scout.\n",
};

const PAIRS = 7;

/** Many reads of a file right after the start: our time as a share of the npm server's. `peer` is the file Node runs. */
export function shareOfPeer(count: number, peer: string): Promise<number> {
  return withTree(SHARED, async (cwd) => {
    const time = async (options: ProgramOptions) => {
      await using program = await startSession([], { cwd, ...options });
      await program.send({ id: 2, method: "resources/list", params: {} });
      const uris = (await program.next(2)).result.resources.map(({ uri }: { uri: string }) => uri);
      const file = uris.find((uri: string) => uri.endsWith("scout.md"));
      assert.ok(file !== undefined, `no file of the project in ${uris}`);
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

export async function largeMessage(bytes: number): Promise<void> {
  await using program = await startSession();
  const message = { operation: "execute", agent: "analyst", message: "x".repeat(bytes) };
  await program.send({ id: 10, method: "tools/call", params: { name: "bmad", arguments: message } });
  // The id of a message that is too long is unknown.
  const { result, error } = await program.next(bytes > 10 << 20 ? null : 10);
  assert.ok(bytes > 10 << 20 ? error !== undefined : result !== undefined);
  await program.send({ id: 11, method: "ping" });
  assert.deepEqual((await program.next(11)).result, {});
}
