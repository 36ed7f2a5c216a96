/**
 * A program with many workers that claim and mark stories without end and say so each time: for tests that kill it.
 *
 *     claim_writer.ts ROOT NAME WORKERS
 *
 * Prints `held STORY` once a worker holds a story, and `set STORY STATUS` once it has that status. While it holds one, a
 * file in `held/` says so: two of them would be two owners.
 */
import { BmadError } from "../../src/base/errors.ts";
import { SPRINT_STATUSES } from "../../src/project/work/formats/mod.ts";
import { claim, mark, release } from "../../src/project/work/writer/mod.ts";
import { writerIn } from "./writer.ts";

const [root, name, workers] = Deno.args;
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function work(worker: number): Promise<void> {
  const by = `${name}-${worker}`;
  while (true) {
    const world = await writerIn(root!, { now: Date.now() });
    const open = world.board.epics.flatMap(({ stories }) => stories).filter(({ state }) => state !== "done");
    const story = open[Math.floor(Math.random() * open.length)];
    if (story === undefined) return;
    const { key } = story;
    const status = SPRINT_STATUSES.story[SPRINT_STATUSES.story.indexOf(story.status!) + 1]!;
    const sign = `held/${key}`;
    // What is in review or done is nobody's any longer.
    const isLast = status === "review" || status === "done";
    let isShown = false;
    try {
      await claim(world, { story: key, by });
      Deno.openSync(sign, { write: true, createNew: true }).close();
      isShown = true;
      say(`held ${key}`);
      if (isLast) isShown = (Deno.removeSync(sign), false);
      await mark(world, { story: key, status, by });
      say(`set ${key} ${status}`);
    } catch (error) {
      // Somebody else holds it, or was faster; anything else is a fault.
      const isRace = error instanceof BmadError && /holds it|back to|the epic is done/.test(error.message);
      if (!isRace) say(`! ${key} ${error}`);
    }
    if (isShown) Deno.removeSync(sign);
    await release(world, { story: key, by }).catch(() => {});
  }
}

Deno.chdir(root!);
await Promise.all(Array.from({ length: Number(workers) }, (_, worker) => work(worker)));
