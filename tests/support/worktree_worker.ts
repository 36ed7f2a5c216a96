/**
 * A program with some workers that claim stories in one worktree of a repository without end: for tests that kill it.
 *
 *     worktree_worker.ts DIR WORKTREE WORKERS CLAIM_MS
 *
 * Workers of all worktrees have the same names. Prints `held STORY` once a worker holds a story. A file in `held/` says
 * until when: one that is found there and has not ended would be a second owner.
 */
import { BmadError } from "../../src/base/errors.ts";
import { claim, release } from "../../src/project/work/writer/mod.ts";
import { pause } from "../../src/base/work.ts";
import { writerIn } from "./writer.ts";

/** The options of a writer in a worktree. */
export function inWorktree(dir: string, worktree: string, claimMs: number): Parameters<typeof writerIn>[1] {
  const shared = { common: `${dir}/common`, folder: "bmad", project: "", worktree };
  return { now: Date.now(), claimMs, shared };
}

const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function work(by: string, dir: string, worktree: string, claimMs: number): Promise<void> {
  while (true) {
    const world = await writerIn(`${dir}/${worktree}`, inWorktree(dir, worktree, claimMs));
    const stories = world.board.epics.flatMap((epic) => epic.stories);
    const { key } = stories[Math.floor(Math.random() * stories.length)]!;
    try {
      const { claim: held } = await claim(world, { story: key, by });
      const sign = `${dir}/held/${key}`;
      const [owner, other] = [`${by} in ${worktree}`, readSign(sign)];
      const isHeld = other !== undefined && other.until > Date.now() && other.owner !== owner;
      if (isHeld) say(`! ${key}: ${owner} and ${other.owner}`);
      const until = Date.parse(held!.until);
      Deno.writeTextFileSync(sign, JSON.stringify({ owner, until }));
      say(`held ${key}`);
      await pause(Math.random() * 20);
      // Who was slow does not hold it any longer, and touches nothing.
      if (Date.now() > until - claimMs / 2) continue;
      Deno.writeTextFileSync(sign, JSON.stringify({ owner: "nobody", until: 0 }));
      await release(world, { story: key, by });
    } catch (error) {
      const isRace = error instanceof BmadError && /holds it/.test(error.message);
      if (!isRace) say(`! ${key} ${error}`);
    }
  }
}

function readSign(path: string): { readonly owner: string; readonly until: number } | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const [dir, worktree, workers, claimMs] = Deno.args;
  await Promise.all(
    Array.from(
      { length: Number(workers) },
      (_, at) => work(`worker-${at}`, dir!, worktree!, Number(claimMs)),
    ),
  );
}
