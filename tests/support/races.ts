/**
 * Races: many processes change one project, some are killed, and what they acknowledged is compared with what is left.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { pause } from "../../src/base/work.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { readBoard } from "../../src/project/work/board/mod.ts";
import type { FormName } from "../../src/project/work/formats/mod.ts";
import type { WriteContext } from "../../src/project/work/writer/mod.ts";
import { foldersOf } from "./board.ts";
import { makeHub } from "./clones.ts";
import { runGit } from "./git.ts";
import { PROGRAM } from "./program.ts";
import { type Changing, checkKept, race, startChanging } from "./property.ts";
import { exchange, inWorktree, type Kind, openSeat, type Seat, STATES, STATUSES } from "./race_workers.ts";
import { documentsIn, withTree } from "./trees.ts";
import { until } from "./waiting.ts";
import { writerIn } from "./writer.ts";

const WORKERS = new URL("race_workers.ts", import.meta.url).pathname;
const SPRINT = "out/impl/sprint-status.yaml";

/** Workers of one kind, each with a seat of its own; a killed one is followed by the next number. */
function seated(kind: Kind, seat: (at: number) => Seat) {
  return (at: number) =>
    startChanging([
      "run",
      "--quiet",
      "--no-check",
      "--cached-only",
      "-A",
      WORKERS,
      kind,
      JSON.stringify(seat(at)),
    ]);
}

type Size = Readonly<Record<"processes" | "workers" | "kills", number>>;

const HEAD = "# kept by nobody in particular\nteam: all\n";

export async function raceForLedger(
  { processes, workers, kills, changes, others }: Size & {
    readonly changes: number;
    readonly others?: (root: string) => readonly Changing[];
  },
): Promise<string> {
  const names = Array.from({ length: processes + kills }, (_, at) => `p${at}`);
  const headings = names.flatMap((name) =>
    Array.from({ length: workers }, (_, at) => `### Story 1.${at}: ${name}\n`)
  );
  return await withTree({
    "_bmad/config.toml": '[core]\noutput_folder = "out"\n',
    "epics.md": `## Epic 1\n${headings.join("")}`,
    "out/sprint-status.yaml": HEAD,
  }, async (dir) => {
    const readWhole = () => {
      const text = Deno.readTextFileSync(`${dir}/out/sprint-status.yaml`);
      assert.ok(text.startsWith(HEAD) && text.endsWith("\n"), text);
      return load(text) as Ledger;
    };
    const { said, total, told } = await race({
      processes,
      kills,
      wanted: () => changes / (kills + 1),
      others: others?.(dir),
      start: seated("scripts", (at) => ({ dir, workers, name: names[at]! })),
      look: readWhole,
    });
    checkAcknowledged(readWhole(), said, total);
    return `${said("").length} changes ${told}`;
  });
}

interface Ledger {
  readonly action_items: readonly { readonly id: string }[];
  readonly development_status: Readonly<Record<string, string>>;
}

function checkAcknowledged(
  { action_items, development_status }: Ledger,
  said: (word: string) => readonly string[],
  killed: number,
): void {
  const ids = action_items.map(({ id }) => id);
  const added = said("add ").map((line) => line.slice(4));
  checkKept(added, ids);
  // A process may be killed after its change and before it says so: one has the lock at a time.
  const silent = new Set(ids).difference(new Set(added)).size;
  const last = new Map(said("set ").map((line) => line.slice(4).split(" ") as [string, string]));
  const others = [...last].filter(([story, status]) => development_status[story] !== status).length;
  assert.ok(
    silent + others <= killed,
    `${silent} items and ${others} statuses differ, ${killed} were killed`,
  );
  assert.ok(added.length > 0 && last.size > 0, "both kinds of changes were made");
}

function checkMarks(
  marks: readonly string[],
  order: readonly string[],
  now: (story: string) => string | undefined,
): void {
  const lost = marks.filter((line) => {
    const [, story, status = ""] = line.split(" ");
    return order.indexOf(now(story!) ?? "") < order.indexOf(status);
  });
  assert.deepEqual(lost, [], "acknowledged, but lost");
}

type Numbered = readonly [epic: number, story: number];
type Files = Readonly<Record<string, string>>;

const inEpics = (
  stories: readonly Numbered[],
  write: (epic: number, own: readonly Numbered[]) => Files,
): Files =>
  Object.assign({}, ...[...Map.groupBy(stories, ([epic]) => epic)].map(([epic, own]) => write(epic, own)));

const sprintOf = (stories: readonly Numbered[]): Files => ({
  [SPRINT]: "# kept by nobody in particular\nlast_updated: 01-02-2026 09:00\ndevelopment_status:\n" +
    stories.map(([epic, story]) =>
      `${story === 1 ? `  epic-${epic}: backlog\n` : ""}  ${epic}-${story}-a: backlog # ${epic}-${story}\n`
    ).join(""),
});

const PROJECTS: Readonly<Record<FormName, (stories: readonly Numbered[]) => Files>> = {
  "story-file": sprintOf,
  "build-spec": (stories) => ({
    ...sprintOf(stories),
    ...Object.fromEntries(stories.map(([epic, story]) => [
      `out/impl/spec-${epic}-${story}-a.md`,
      `---\nstatus: 'ready-for-dev' # ${epic}-${story}\n---\n\n## Intent\n\nIt.\n`,
    ])),
  }),
  "spec-story": (stories) =>
    inEpics(stories, (epic, own) => ({
      [`out/specs/spec-s${epic}/SPEC.md`]: `# Spec ${epic}\n`,
      [`out/specs/spec-s${epic}/stories.yaml`]: own.map(([, story]) =>
        `- id: "${story}"\n  title: Part ${story}\n  description: x\n`
      ).join(""),
    })),
  "v4-story": (stories) =>
    Object.fromEntries(stories.map(([epic, story]) => [
      `docs/stories/${epic}.${story}.a.md`,
      `# Story ${epic}.${story}: A\n\n## Status\n\nDraft\n\n## Story\n\nIt.\n`,
    ])),
  "ticket": (stories) => ({
    "out/initiative-shop/initiative-shop.md": "---\ntype: initiative\ntitle: Shop\n---\n",
    "out/initiative-shop/tickets.toml": [...new Set(stories.map(([epic]) => epic))].map((epic) =>
      `[[epic]]\nid = ${epic}\nslug = "epic-e${epic}"\ntitle = "E${epic}"\n`
    ).join("\n"),
    ...inEpics(stories, (epic, own) => ({
      [`out/initiative-shop/epic-e${epic}/epic-e${epic}.md`]: `---\ntype: epic\ntitle: E${epic}\n---\n`,
      [`out/initiative-shop/epic-e${epic}/tickets.toml`]: own.map(([, story]) =>
        `[[entry]]\nid = ${story}\ntype = "story"\ntitle = "Part ${story}"\n`
      ).join("\n"),
    })),
  }),
};

export async function raceForStories(
  { processes, workers, kills, marks, ms, form = "story-file" }: Size & {
    readonly marks: number;
    readonly ms?: number;
    readonly form?: FormName;
  },
): Promise<string> {
  const stories = Array.from({ length: marks }, (_, at): Numbered => [Math.floor(at / 20) + 1, at % 20 + 1]);
  const project = PROJECTS[form](stories);
  return await withTree({ "held/x": "", ...project }, async (dir) => {
    const { said, told } = await race({
      processes,
      kills,
      wanted: () => marks / (kills + 1),
      word: "set ",
      ms,
      start: seated("stories", (at) => ({ dir, workers, form, name: `p${at}` })),
    });
    const { epics } = await readBoard(diskTree(dir), foldersOf(form));
    const states = new Map(epics.flatMap(({ stories }) => stories.map(({ ref, state }) => [ref, state])));
    checkMarks(said("set "), STATES, (ref) => states.get(ref));
    const plain = (text: string) =>
      text.replaceAll(
        /\b(?:backlog|draft|ready-for-dev|in-progress|in-review|review|done|approved|inprogress)\b|[\d-]+ \d\d:\d\d$/gim,
        "",
      );
    const left = documentsIn(dir, "out", "docs");
    for (const [path, text] of Object.entries(project)) assert.equal(plain(left[path]!), plain(text), path);
    return `${said("set ").length} marks and ${said("held ").length} claims ${told}`;
  });
}

function heldIn({ board }: WriteContext) {
  return board.epics.flatMap(({ stories }) => stories).filter(({ claim }) => claim !== undefined);
}

const CLAIM_MS = 1_500;

export async function raceInWorktrees(
  { processes, workers, kills, ms }: Size & { readonly ms: number },
): Promise<string> {
  const rows = Array.from({ length: 12 }, (_, at) => `  1-${at + 1}-a: ready-for-dev\n`).join("");
  const names = Array.from({ length: processes }, (_, at) => `p${at}`);
  const ledgers = names.map((name) => [`${name}/${SPRINT}`, `development_status:\n${rows}`] as const);
  return await withTree({ "held/x": "", "common/HEAD": "", ...Object.fromEntries(ledgers) }, async (dir) => {
    const seat = (at: number): Seat => ({ dir, workers, claimMs: CLAIM_MS, name: names[at % processes]! });
    const { said, told } = await race({ processes, kills, ms, start: seated("worktree", seat) });
    await pause(CLAIM_MS);
    const world = await writerIn(`${dir}/${names[0]}`, inWorktree(seat(0)));
    assert.deepEqual(heldIn(world), [], "claims that have not ended");
    return `${said("held ").length} claims ${told}`;
  });
}

/** The program under test, as git starts it. */
export const DRIVER: string = [PROGRAM.command, ...PROGRAM.args].map((word) =>
  `'${word.replaceAll("%", "%%")}'`
)
  .concat("merge-driver %O %A %B %L %P").join(" ");

/** The same in clones and worktrees of a team, where no mark is lost when all is merged. */
export async function raceInTeam(
  { clones, worktrees, workers, kills, stories, ms, claimMs }: Omit<Size, "processes"> & {
    readonly clones: number;
    readonly worktrees: number;
    readonly stories: number;
    readonly ms: number;
    readonly claimMs: number;
  },
): Promise<string> {
  const rows = Array.from({ length: stories }, (_, at) => `  1-${at + 1}-a: backlog\n`).join("");
  return await withTree({
    "held/x": "",
    [`first/${SPRINT}`]: `development_status:\n${rows}`,
    // Where the program under test keeps what it has compiled.
    "first/.gitignore": ".cache\n",
    "first/.gitattributes": "sprint-status.yaml merge=bmad-ledger\n",
  }, async (dir) => {
    const hub = makeHub(dir);
    const seats: Seat[] = [];
    for (let at = 0; at < clones; at++) {
      const name = `c${at}`;
      runGit(dir, "clone", "--quiet", hub, name);
      runGit(`${dir}/${name}`, "config", "merge.bmad-ledger.driver", DRIVER);
      seats.push({ dir, workers, claimMs, name, clone: name });
    }
    for (let at = 1; at <= worktrees; at++) {
      runGit(`${dir}/c0`, "worktree", "add", "--quiet", "-b", `w${at}`, `../w${at}`);
      seats.push({ dir, workers, claimMs, name: `w${at}`, clone: "c0" });
    }
    seats.sort(() => Math.random() - 0.5);
    const start = seated("team", (at) => seats[at % seats.length]!);
    const { said, told } = await race({ processes: seats.length, kills, ms, start })
      .finally(() => until("git of those who were killed has ended", () => !isUsed(dir)));
    mergeAll(dir, seats.map(({ name }) => name));
    const ledger = Deno.readTextFileSync(`${dir}/c0/${SPRINT}`);
    assert.doesNotMatch(ledger, /<<<<<<</);
    checkMarks(
      said("set "),
      STATUSES,
      (key) => new RegExp(`^  ${RegExp.escape(key)}: (\\S+)$`, "m").exec(ledger)?.[1],
    );
    // A clone that sees a claim for the first time waits as long as it was made for.
    const held = () => Promise.all(seats.map(async (seat) => heldIn(await openSeat(seat, -1))));
    await held();
    await pause(claimMs);
    assert.deepEqual((await held()).flat(), [], "claims that have not ended");
    const [claims, marks, merges] = ["held ", "set ", "merged"].map((word) => said(word).length);
    return `${claims} claims, ${marks} marks and ${merges} merges ${told}`;
  });
}

function mergeAll(dir: string, folders: readonly string[]): void {
  for (const folder of folders) {
    // A killed process may have left git in the middle of something.
    const gitDir = runGit(`${dir}/${folder}`, "rev-parse", "--absolute-git-dir");
    for (const lock of ["index.lock", "HEAD.lock"]) {
      try {
        Deno.removeSync(`${gitDir}/${lock}`);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    exchange(`${dir}/${folder}`);
  }
  runGit(`${dir}/c0`, "pull", "--quiet", "--no-edit", `${dir}/hub.git`, "main");
}

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
