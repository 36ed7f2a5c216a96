/**
 * A program with some workers that claim, mark and give back stories in one folder of a team: for tests that kill it.
 *
 *     team_worker.ts DIR FOLDER COMMON WORKERS CLAIM_MS
 *
 * Now and then it commits, merges what others have pushed, and pushes. Prints `held STORY` once a worker holds a story,
 * and `marked STORY STATUS` once its mark was acknowledged. A file in `held/` says until when: one that is found there
 * and has not ended would be a second owner.
 */
import { BmadError } from "../../src/base/errors.ts";
import { claim, mark, release } from "../../src/project/work/writer/mod.ts";
import { pause } from "../../src/base/work.ts";
import { openClone } from "./clones.ts";
import { runGit } from "./git.ts";

/** How a story goes on. */
export const PATH = ["backlog", "ready-for-dev", "in-progress", "review", "done"];

const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** Where a worker is at work. */
interface Place {
  readonly dir: string;
  readonly folder: string;
  readonly common: string;
  readonly claimMs: number;
}

/** Opens a folder of the team as it is now. */
export function openPlace({ dir, folder, common, claimMs }: Place, maxAge: number) {
  const linked = { common: `${dir}/${common}/.git`, worktree: folder === common ? "." : folder };
  return openClone(`${dir}/${folder}`, { clock: Date.now, claimMs, maxAge, linked });
}

let working = 0;
let isMerging = false;

async function work(by: string, place: Place): Promise<void> {
  const { dir, folder, claimMs } = place;
  while (true) {
    while (isMerging) await pause(5);
    working++;
    try {
      const world = await openPlace(place, 1_000);
      const open = world.board.epics.flatMap((epic) => epic.stories).filter(({ state }) => state !== "done");
      const story = open[Math.floor(Math.random() * open.length)];
      if (story === undefined) break;
      const { key, status = "backlog" } = story;
      const { claim: held, notes = [] } = await claim(world, { story: key, by });
      if (notes.length > 0) say(`! ${key}: ${notes.join("; ")}`);
      const sign = `${dir}/held/${key}`;
      const [owner, other] = [`${by} in ${folder}`, readSign(sign)];
      if (other !== undefined && other.until > Date.now() && other.owner !== owner) {
        say(`! ${key}: ${owner} and ${other.owner}`);
      }
      const until = Date.parse(held!.until);
      Deno.writeTextFileSync(sign, JSON.stringify({ owner, until }));
      say(`held ${key}`);
      const next = PATH[PATH.indexOf(status) + 1]!;
      const giveBack = () => Deno.writeTextFileSync(sign, JSON.stringify({ owner: "nobody", until: 0 }));
      // That gives the story back.
      const isEnd = next === "review" || next === "done";
      if (isEnd) giveBack();
      await mark(world, { story: key, status: next, by });
      say(`marked ${key} ${next}`);
      if (isEnd) continue;
      // Who was slow does not hold it any longer, and touches nothing.
      if (Date.now() > until - claimMs / 2) continue;
      giveBack();
      await release(world, { story: key, by });
    } catch (error) {
      const isRace = error instanceof BmadError &&
        /holds it|is not "|cannot go back|has just been changed/.test(error.message);
      if (!isRace) say(`! ${by} in ${folder}: ${error}`);
    } finally {
      working--;
    }
    await pause(Math.random() * 50);
  }
}

function readSign(path: string): { readonly owner: string; readonly until: number } | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return undefined;
  }
}

/** Merges with the others, as people do now and then. */
async function merge({ dir, folder }: Place): Promise<void> {
  while (true) {
    await pause(2_000 + Math.random() * 6_000);
    isMerging = true;
    while (working > 0) await pause(5);
    try {
      exchange(`${dir}/${folder}`);
      say("merged");
    } catch (error) {
      // Others have pushed meanwhile, or hold a lock of git: the next time will do.
      const isRace = /rejected|fetch first|cannot lock|failed to push|File exists|unable to/.test(
        String(error),
      );
      if (!isRace) say(`! ${folder}: ${error}`);
    }
    isMerging = false;
  }
}

/** Commits what was marked in a folder, merges what others have pushed, and pushes. */
export function exchange(folder: string): void {
  runGit(folder, "add", "--all");
  runGit(folder, "commit", "--quiet", "--allow-empty", "--message=Mark");
  const hub = runGit(folder, "remote", "get-url", "origin");
  runGit(folder, "pull", "--quiet", "--no-rebase", "--no-edit", hub, "main");
  runGit(folder, "push", "--quiet", hub, "HEAD:main");
}

if (import.meta.main) {
  const [dir = "", folder = "", common = "", workers, claimMs] = Deno.args;
  const place = { dir, folder, common, claimMs: Number(claimMs) };
  say("at work");
  merge(place);
  await Promise.all(Array.from({ length: Number(workers) }, (_, at) => work(`worker-${at}`, place)));
}
