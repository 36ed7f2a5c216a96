/**
 * A program whose workers change one project without end, and say so on a line each time: for tests that kill it.
 *
 *     race_workers.ts KIND SEAT
 *
 * The seat is JSON. A worker prints what was acknowledged (`held STORY`, `set STORY STATUS`, `add ITEM`), and what must
 * not happen after `! `. A file in `held/` says who holds a story: a second owner finds it there.
 */
import { BmadError } from "../../src/base/errors.ts";
import { pause } from "../../src/base/work.ts";
import { sprintPlan } from "../../src/project/scripts/sprint_plan.ts";
import { sprintStatus } from "../../src/project/scripts/sprint_status.ts";
import type { FormName, State } from "../../src/project/work/formats/mod.ts";
import { claim, mark, release, type WriteContext } from "../../src/project/work/writer/mod.ts";
import { foldersOf } from "./board.ts";
import { openClone } from "./clones.ts";
import { runGit } from "./git.ts";
import { runNative } from "./scripts.ts";
import { writerIn } from "./writer.ts";

export interface Seat {
  readonly dir: string;
  readonly workers: number;
  /** Its name, or its folder below `dir`. */
  readonly name: string;
  readonly form?: FormName;
  readonly clone?: string;
  readonly claimMs?: number;
}

export type Kind = keyof typeof KINDS;

export const STATES: readonly State[] = ["backlog", "ready", "in-progress", "review", "done"];
export const STATUSES: readonly string[] = ["backlog", "ready-for-dev", "in-progress", "review", "done"];

const KINDS = { scripts: changeByScripts, stories: moveStories, worktree: holdStories, team: workInTeam };

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Says what is no part of a race: others may hold a story or be faster. */
function sayUnless(error: unknown, isRace: RegExp, what: string): void {
  if (!(error instanceof BmadError && isRace.test(error.message))) say(`! ${what}: ${error}`);
}

function storyOf({ board }: WriteContext, isOpen = true) {
  const stories = board.epics.flatMap((epic) => epic.stories).filter(({ state }) =>
    !isOpen || state !== "done"
  );
  return stories[Math.floor(Math.random() * stories.length)];
}

const PLAN =
  "generate --epic-file epics.md --status-file out/sprint-status.yaml --stories-dir out --project P --date D --set";
const RETRO = "update --file out/sprint-status.yaml --epic 1 --add-action";

async function changeByScripts({ dir, name }: Seat, worker: number): Promise<void> {
  const story = `1-${worker}-${name}`;
  for (let round = 0;; round++) {
    const [id, status] = [`${story}-${round}`, STATUSES[round % STATUSES.length]!];
    const item = JSON.stringify([{ id, action: "x" }]);
    const isPlan = round % 3 === 2;
    const { stdout } = isPlan
      ? await runNative(sprintPlan, dir, [...PLAN.split(" "), `${story}=${status}`])
      : await runNative(sprintStatus, dir, [...RETRO.split(" "), item]);
    say(!JSON.parse(stdout).ok ? `! ${stdout}` : isPlan ? `set ${story} ${status}` : `add ${id}`);
  }
}

async function moveStories({ dir, name, form }: Seat, worker: number): Promise<void> {
  const by = `${name}-${worker}`;
  Deno.chdir(dir);
  while (true) {
    const world = await writerIn(dir, { now: Date.now(), folders: foldersOf(form!) });
    const story = storyOf(world);
    if (story === undefined) return;
    const { ref } = story;
    const status = STATES[STATES.indexOf(story.state) + 1]!;
    const sign = `held/${ref.replace("/", "+")}`;
    let isShown = false;
    try {
      await claim(world, { story: ref, by });
      Deno.openSync(sign, { write: true, createNew: true }).close();
      isShown = true;
      say(`held ${ref}`);
      // A mark as in review or done releases the story.
      if (status === "review" || status === "done") isShown = (Deno.removeSync(sign), false);
      await mark(world, { story: ref, status, by });
      say(`set ${ref} ${status}`);
    } catch (error) {
      sayUnless(error, /holds? it|back to/, ref);
    }
    if (isShown) Deno.removeSync(sign);
    await release(world, { story: ref, by }).catch(() => {});
  }
}

/** Claims a story for one of the workers of a folder, whose names are the same in all folders. */
async function hold(world: WriteContext, { dir, name }: Seat, key: string, by: string) {
  const { claim: held, notes = [] } = await claim(world, { story: key, by });
  if (notes.length > 0) say(`! ${key}: ${notes.join("; ")}`);
  const sign = `${dir}/held/${key}`;
  const [owner, other] = [`${by} in ${name}`, readHolder(sign)];
  if (other !== undefined && other.until > Date.now() && other.owner !== owner) {
    say(`! ${key}: ${owner} and ${other.owner}`);
  }
  const until = Date.parse(held!.until);
  const write = (holder: Holder) => Deno.writeTextFileSync(sign, JSON.stringify(holder));
  write({ owner, until });
  say(`held ${key}`);
  return { until, giveUp: () => write({ owner: "nobody", until: 0 }) };
}

interface Holder {
  readonly owner: string;
  readonly until: number;
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return undefined;
  }
}

export function inWorktree({ dir, name, claimMs }: Seat): Parameters<typeof writerIn>[1] {
  const shared = { common: `${dir}/common`, folder: "bmad", project: "", worktree: name, head: "HEAD" };
  return { now: Date.now(), claimMs, shared };
}

async function holdStories(seat: Seat, worker: number): Promise<void> {
  const by = `worker-${worker}`;
  while (true) {
    const world = await writerIn(`${seat.dir}/${seat.name}`, inWorktree(seat));
    const { key } = storyOf(world, false)!;
    try {
      const { until, giveUp } = await hold(world, seat, key, by);
      await pause(Math.random() * 20);
      // A slow worker may no longer hold it, and touches nothing.
      if (Date.now() > until - seat.claimMs! / 2) continue;
      giveUp();
      await release(world, { story: key, by });
    } catch (error) {
      sayUnless(error, /holds? it/, key);
    }
  }
}

export function openSeat({ dir, name, clone, claimMs }: Seat, maxAge: number): Promise<WriteContext> {
  const linked = { common: `${dir}/${clone}/.git`, worktree: name === clone ? "." : name, head: "HEAD" };
  return openClone(`${dir}/${name}`, { clock: Date.now, claimMs, maxAge, linked });
}

let working = 0;
let isMerging = false;

async function workInTeam(seat: Seat, worker: number): Promise<void> {
  const by = `worker-${worker}`;
  if (worker === 0) mergeNowAndThen(seat);
  while (true) {
    while (isMerging) await pause(5);
    working++;
    try {
      const world = await openSeat(seat, 1_000);
      const story = storyOf(world);
      if (story === undefined) break;
      const { key, status = "backlog" } = story;
      const { until, giveUp } = await hold(world, seat, key, by);
      const next = STATUSES[STATUSES.indexOf(status) + 1]!;
      const isEnd = next === "review" || next === "done";
      if (isEnd) giveUp();
      await mark(world, { story: key, status: next, by });
      say(`set ${key} ${next}`);
      if (isEnd || Date.now() > until - seat.claimMs! / 2) continue;
      giveUp();
      await release(world, { story: key, by });
    } catch (error) {
      sayUnless(
        error,
        /holds? it|is not "|cannot go back|has just been changed/,
        `${by} in ${seat.name}`,
      );
    } finally {
      working--;
    }
    await pause(Math.random() * 50);
  }
}

async function mergeNowAndThen({ dir, name }: Seat): Promise<void> {
  say("at work");
  while (true) {
    await pause(2_000 + Math.random() * 6_000);
    isMerging = true;
    while (working > 0) await pause(5);
    try {
      exchange(`${dir}/${name}`);
      say("merged");
    } catch (error) {
      // Others have pushed meanwhile, or hold a lock of git: the next time will do.
      const isRace = /rejected|fetch first|cannot lock|failed to push|File exists|unable to/.test(
        String(error),
      );
      if (!isRace) say(`! ${name}: ${error}`);
    }
    isMerging = false;
  }
}

export function exchange(folder: string): void {
  runGit(folder, "add", "--all");
  runGit(folder, "commit", "--quiet", "--allow-empty", "--message=Mark");
  const hub = runGit(folder, "remote", "get-url", "origin");
  runGit(folder, "pull", "--quiet", "--no-rebase", "--no-edit", hub, "main");
  runGit(folder, "push", "--quiet", hub, "HEAD:main");
}

if (import.meta.main) {
  const [kind, json] = Deno.args;
  const seat: Seat = JSON.parse(json!);
  await Promise.all(Array.from({ length: seat.workers }, (_, at) => KINDS[kind as Kind](seat, at)));
}
