/** Do requests share one reading of the ledgers, and does none of them get what is no longer true? */
import assert from "node:assert/strict";
import { diskTree, type Tree } from "../../../src/content/tree/mod.ts";
import { openLedgers } from "../../../src/project/work/ledgers.ts";
import { FOLDERS, states } from "../../support/board.ts";
import { treeTest, writeTree } from "../../support/trees.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const FILES = { [LEDGER]: ledger("backlog") };

function ledger(status: string): string {
  return `development_status:\n  1-1-a: ${status}\n`;
}

function openCounted(root: string) {
  const ledgers = openLedgers({ now: Date.now });
  const counts = { reads: 0 };
  const counted = (): Tree => {
    const tree = diskTree(root);
    return {
      ...tree,
      read: (path) => {
        if (path === LEDGER) counts.reads++;
        return tree.read(path);
      },
    };
  };
  const read = async () => states(await ledgers.read({ tree: counted(), folders: FOLDERS, clean: String }));
  return { read, counts };
}

treeTest("requests that come together read the ledgers once [load:one-board]", FILES, async (root) => {
  await Deno.utime(`${root}/${LEDGER}`, 1_000_000_000, 1_000_000_000);
  const { read, counts } = openCounted(root);
  const all = await Promise.all(Array.from({ length: 20 }, read));
  assert.equal(new Set(all.map((one) => one.join())).size, 1);
  assert.equal(counts.reads, 1);
});

treeTest(
  "a request that comes during a reading sees what was written before it [load:one-board]",
  FILES,
  async (root) => {
    const { read } = openCounted(root);
    const first = read();
    await Promise.resolve();
    await writeTree(root, { [LEDGER]: ledger("done") });
    assert.match((await read()).join(), /1-1 done/);
    await first;
  },
);

treeTest("no board is older than its request [load:one-board]", FILES, async (root) => {
  const { read } = openCounted(root);
  for (let round = 0; round < 200; round++) {
    // As long as the other: only its time, or its place on the disk, tells.
    const status = round % 2 === 0 ? "backlog" : "blocked";
    await writeTree(root, { [LEDGER]: ledger(status) });
    assert.match((await read()).join(), RegExp(`1-1 ${status}`));
  }
});

treeTest("what cannot be read now is read by the next request [load:one-board]", FILES, async (root) => {
  const { read } = openCounted(root);
  await Deno.remove(`${root}/out`, { recursive: true });
  assert.deepEqual(await read(), []);
  await writeTree(root, FILES);
  assert.match((await read()).join(), /1-1 backlog/);
});
