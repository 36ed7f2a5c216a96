/**
 * A program with many workers that claim and mark stories without end and say so each time: for tests that kill it.
 *
 *     claim_writer.ts ROOT NAME WORKERS FORM
 *
 * Prints `held STORY` once a worker holds a story, and `set STORY STATE` once it has that state. While it holds one, a
 * file in `held/` says so: two of them would be two owners.
 */
import { BmadError } from "../../src/base/errors.ts";
import type { FormName, State } from "../../src/project/work/formats/mod.ts";
import { claim, mark, release } from "../../src/project/work/writer/mod.ts";
import { foldersOf } from "./board.ts";
import { writerIn } from "./writer.ts";

/** The states, in the order of the work. */
export const ORDER: readonly State[] = ["backlog", "ready", "in-progress", "review", "done"];

const [root, name, workers, form] = Deno.args;
const folders = foldersOf(form as FormName);
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function work(worker: number): Promise<void> {
  const by = `${name}-${worker}`;
  while (true) {
    const world = await writerIn(root!, { now: Date.now(), folders });
    const open = world.board.epics.flatMap(({ stories }) => stories).filter(({ state }) => state !== "done");
    const story = open[Math.floor(Math.random() * open.length)];
    if (story === undefined) return;
    const { ref } = story;
    const status = ORDER[ORDER.indexOf(story.state) + 1]!;
    const sign = `held/${ref.replace("/", "+")}`;
    // What is in review or done is nobody's any longer.
    const isLast = status === "review" || status === "done";
    let isShown = false;
    try {
      await claim(world, { story: ref, by });
      Deno.openSync(sign, { write: true, createNew: true }).close();
      isShown = true;
      say(`held ${ref}`);
      if (isLast) isShown = (Deno.removeSync(sign), false);
      await mark(world, { story: ref, status, by });
      say(`set ${ref} ${status}`);
    } catch (error) {
      // Somebody else holds it, or was faster; anything else is a fault.
      const isRace = error instanceof BmadError && /holds it|back to/.test(error.message);
      if (!isRace) say(`! ${ref} ${error}`);
    }
    if (isShown) Deno.removeSync(sign);
    await release(world, { story: ref, by }).catch(() => {});
  }
}

if (import.meta.main) {
  Deno.chdir(root!);
  await Promise.all(Array.from({ length: Number(workers) }, (_, worker) => work(worker)));
}
