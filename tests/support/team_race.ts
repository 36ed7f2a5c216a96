/**
 * Has no story two owners, in however many clones and worktrees a team works, is no mark lost when all is merged, and
 * does every claim end?
 */
import assert from "node:assert/strict";
import { pause } from "../../src/base/work.ts";
import { makeHub } from "./clones.ts";
import { runGit } from "./git.ts";
import { Changers } from "./ledger_race.ts";
import { PROGRAM } from "./program.ts";
import { exchange, openPlace, PATH } from "./team_worker.ts";
import { withTree } from "./trees.ts";
import { until } from "./waiting.ts";

const WORKER = new URL("team_worker.ts", import.meta.url).pathname;
const LEDGER = "out/impl/sprint-status.yaml";

/** How many work, and for how long. */
export interface TeamRace {
  readonly clones: number;
  /** Of the first clone, beside its own. */
  readonly worktrees: number;
  /** In each clone and worktree, one process. */
  readonly workers: number;
  /** Processes that are killed on the way, each followed by a new one in its folder. */
  readonly kills: number;
  readonly stories: number;
  readonly ms: number;
  /** How long a claim is good. */
  readonly claimMs: number;
}

/** The program under test, as git starts it. */
const DRIVER = [PROGRAM.command, ...PROGRAM.args].map((word) => `'${word.replaceAll("%", "%%")}'`)
  .concat("merge-driver %O %A %B %L %P").join(" ");

/** Has workers in clones and worktrees of one repository work on the same stories, and kills some of them. */
export async function raceInTeam(race: TeamRace): Promise<string> {
  const { clones, worktrees, workers, kills, stories, ms, claimMs } = race;
  const rows = Array.from({ length: stories }, (_, at) => `  1-${at + 1}-a: backlog\n`).join("");
  return await withTree({
    "held/x": "",
    [`first/${LEDGER}`]: `development_status:\n${rows}`,
    // Where the program under test keeps what it has compiled.
    "first/.gitignore": ".cache\n",
    "first/.gitattributes": "sprint-status.yaml merge=bmad-ledger\n",
  }, async (dir) => {
    const hub = makeHub(dir);
    const places = Array.from({ length: clones }, (_, at) => ({ folder: `c${at}`, common: `c${at}` }));
    for (const { folder } of places) {
      runGit(dir, "clone", "--quiet", hub, folder);
      runGit(`${dir}/${folder}`, "config", "merge.bmad-ledger.driver", DRIVER);
    }
    for (let at = 1; at <= worktrees; at++) {
      runGit(`${dir}/c0`, "worktree", "add", "--quiet", "-b", `w${at}`, `../w${at}`);
      places.push({ folder: `w${at}`, common: "c0" });
    }
    const start = ({ folder, common }: typeof places[number]) =>
      new Changers(WORKER, [dir, folder, common, String(workers), String(claimMs)]);
    const all = places.map(start);
    const said = (word: string) => all.flatMap((one) => one.said).filter((line) => line.startsWith(word));
    try {
      for (const [at, one] of all.entries()) {
        await until(`${places[at]!.folder} is at work`, () => one.said.length > 0);
      }
      const killed = places.map((_, at) => at).sort(() => Math.random() - 0.5).slice(0, kills);
      for (const at of [...killed, undefined]) {
        await pause(ms / (kills + 1));
        if (at === undefined || said("!").length > 0) break;
        await all[at]!.stop();
        all.push(start(places[at]!));
      }
    } finally {
      await Promise.all(all.map((one) => one.stop()));
      await until("git of those who were killed has ended", () => !isUsed(dir));
    }
    assert.deepEqual(said("!"), []);
    mergeAll(dir, places.map(({ folder }) => folder));
    checkMarks(Deno.readTextFileSync(`${dir}/c0/${LEDGER}`), said("marked "));
    // Who sees a claim for the first time waits as long as it was made for.
    const held = () =>
      Promise.all(places.map(async (place) => {
        const { board } = await openPlace({ dir, claimMs, ...place }, -1);
        return board.epics.flatMap((epic) => epic.stories).filter((one) => one.claim !== undefined);
      }));
    await held();
    await pause(claimMs);
    assert.deepEqual((await held()).flat(), [], "claims that have not ended");
    const counts = ["held ", "marked ", "merged"].map((word) => said(word).length);
    return `${counts[0]} claims, ${counts[1]} marks and ${counts[2]} merges in ${clones} clones and ` +
      `${worktrees} worktrees by ${places.length * workers} workers, ${kills * workers} of them killed`;
  });
}

/** Commits what is left in every folder, and merges until all have the same. */
function mergeAll(dir: string, folders: readonly string[]): void {
  for (const folder of folders) {
    // Who was killed may have left git in the middle of something.
    const gitDir = runGit(`${dir}/${folder}`, "rev-parse", "--absolute-git-dir");
    for (const lock of ["index.lock", "HEAD.lock"]) removeIfThere(`${gitDir}/${lock}`);
    exchange(`${dir}/${folder}`);
  }
  runGit(`${dir}/c0`, "pull", "--quiet", "--no-edit", `${dir}/hub.git`, "main");
}

/** Whether a process is at work in a folder, as far as the system tells. */
function isUsed(dir: string): boolean {
  const folderOf = (pid: string) => {
    try {
      return Deno.readLinkSync(`/proc/${pid}/cwd`);
    } catch {
      return "";
    }
  };
  if (Deno.build.os !== "linux") return false;
  return [...Deno.readDirSync("/proc")].some(({ name }) =>
    /^\d+$/.test(name) && folderOf(name).startsWith(dir)
  );
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Every story is at least as far as its last acknowledged mark. */
function checkMarks(ledger: string, marks: readonly string[]): void {
  assert.doesNotMatch(ledger, /<<<<<<</);
  const lost = marks.filter((line) => {
    const [, key, status = ""] = line.split(" ");
    const [, now = ""] = new RegExp(`^  ${RegExp.escape(key!)}: (\\S+)$`, "m").exec(ledger) ?? [];
    return PATH.indexOf(now) < PATH.indexOf(status);
  });
  assert.deepEqual(lost, [], "marks that were lost");
}
