/**
 * Has no story two owners, in however many worktrees of one repository they work, and does every claim end?
 */
import assert from "node:assert/strict";
import { pause } from "../../src/base/work.ts";
import { Changers } from "./ledger_race.ts";
import { withTree } from "./trees.ts";
import { until } from "./waiting.ts";
import { inWorktree } from "./worktree_worker.ts";
import { writerIn } from "./writer.ts";

const WORKER = new URL("worktree_worker.ts", import.meta.url).pathname;

/** How many work, and for how long. */
export interface WorktreeRace {
  readonly worktrees: number;
  /** In each worktree, one process. */
  readonly workers: number;
  /** Processes that are killed on the way, each followed by a new one in its worktree. */
  readonly kills: number;
  readonly ms: number;
}

/** How long a claim is good here. */
const CLAIM_MS = 1_500;
const STORIES = 12;

/** Has workers in many worktrees claim the same stories, and kills some of them. */
export async function raceInWorktrees({ worktrees, workers, kills, ms }: WorktreeRace): Promise<string> {
  const names = Array.from({ length: worktrees }, (_, at) => at === 0 ? "main" : `w${at}`);
  const rows = Array.from({ length: STORIES }, (_, at) => `  1-${at + 1}-a: ready-for-dev\n`).join("");
  const ledgers = names.map((name) =>
    [`${name}/out/impl/sprint-status.yaml`, `development_status:\n${rows}`] as const
  );
  return await withTree({ "held/x": "", "common/HEAD": "", ...Object.fromEntries(ledgers) }, async (dir) => {
    const start = (name: string) => new Changers(WORKER, [dir, name, String(workers), String(CLAIM_MS)]);
    const all = names.map(start);
    const said = (word: string) => all.flatMap((one) => one.said).filter((line) => line.startsWith(word));
    try {
      for (const [at, one] of all.entries()) {
        await until(`worktree ${at} is at work`, () => one.said.length > 0);
      }
      for (let round = 0; round <= kills; round++) {
        await pause(ms / (kills + 1));
        if (round === kills || said("!").length > 0) break;
        const at = Math.floor(Math.random() * worktrees);
        await all[at]!.stop();
        all.push(start(names[at]!));
      }
    } finally {
      await Promise.all(all.map((one) => one.stop()));
    }
    assert.deepEqual(said("!"), []);
    await pause(CLAIM_MS);
    const { board } = await writerIn(`${dir}/main`, inWorktree(dir, "main", CLAIM_MS));
    const held = board.epics.flatMap(({ stories }) => stories).filter(({ claim }) => claim !== undefined);
    assert.deepEqual(held, [], "claims that have not ended");
    return `${said("held ").length} claims in ${worktrees} worktrees, ${kills} processes killed`;
  });
}
