/**
 * Has every story one owner, and every acknowledged mark its effect, whoever is killed?
 */
import assert from "node:assert/strict";
import { diskTree } from "../../src/content/tree/mod.ts";
import { readBoard } from "../../src/project/work/board/mod.ts";
import type { FormName } from "../../src/project/work/formats/mod.ts";
import { Changers } from "./ledger_race.ts";
import { foldersOf } from "./board.ts";
import { ORDER } from "./claim_writer.ts";
import { documentsIn, withTree } from "./trees.ts";
import { until } from "./waiting.ts";

const WRITER = new URL("claim_writer.ts", import.meta.url).pathname;
const HEAD = "# kept by nobody in particular\nlast_updated: 01-02-2026 09:00\ndevelopment_status:\n";

/** A story by its epic and its number in it. */
type Numbered = readonly [epic: number, story: number];

const inEpics = (
  stories: readonly Numbered[],
  write: (epic: number, own: readonly Numbered[]) => Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.assign({}, ...[...Map.groupBy(stories, ([epic]) => epic)].map(([epic, own]) => write(epic, own)));

function sprintOf(stories: readonly Numbered[]): string {
  return HEAD +
    stories.map(([epic, story]) =>
      `${story === 1 ? `  epic-${epic}: backlog\n` : ""}  ${epic}-${story}-a: backlog # ${epic}-${story}\n`
    ).join("");
}

/** Projects with many stories in the backlog. */
const PROJECTS: Readonly<
  Record<FormName, (stories: readonly Numbered[]) => Readonly<Record<string, string>>>
> = {
  "story-file": (stories) => ({ "out/impl/sprint-status.yaml": sprintOf(stories) }),
  "build-spec": (stories) => ({
    "out/impl/sprint-status.yaml": sprintOf(stories),
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

/** How many work, and when it ends. */
export interface ClaimRace {
  readonly processes: number;
  /** In each process. */
  readonly workers: number;
  /** Processes that are killed on the way, each followed by a new one. All are killed at the end. */
  readonly kills: number;
  /** Marks to be acknowledged in all. */
  readonly marks: number;
  /** How long it takes at least, if there is no end to the stories by then. */
  readonly ms?: number;
  readonly form?: FormName;
}

/** Has many processes claim and mark the same stories, kills some, and compares the ledger with what they said. */
export async function raceForStories(
  { processes, workers, kills, marks, ms = 0, form = "story-file" }: ClaimRace,
): Promise<string> {
  const stories = Array.from(
    { length: marks },
    (_, at): Numbered => [Math.floor(at / 20) + 1, at % 20 + 1],
  );
  const project = PROJECTS[form](stories);
  return await withTree({ "held/x": "", ...project }, async (root) => {
    const start = (name: string) => new Changers(WRITER, [root, name, String(workers), form]);
    const all = Array.from({ length: processes }, (_, at) => start(`p${at}`));
    const said = (word: string) => all.flatMap((one) => one.said).filter((line) => line.startsWith(word));
    let begun = performance.now();
    try {
      // Fifty processes take a while to start on a small machine.
      for (const [at, one] of all.entries()) {
        await until(`process ${at} is at work`, () => one.said.length > 0);
      }
      begun = performance.now();
      for (let round = 0; round <= kills; round++) {
        const share = (round + 1) / (kills + 1);
        const wanted = marks * share;
        const isTime = () => performance.now() - begun >= ms * share;
        await until(
          `${wanted} marks are acknowledged`,
          () => isTime() && said("set ").length >= wanted || said("!").length > 0,
          () => said("").length,
        );
        if (round === kills || said("!").length > 0) break;
        await all[round]!.stop();
        all.push(start(`q${round}`));
      }
    } finally {
      await Promise.all(all.map((one) => one.stop()));
    }
    assert.deepEqual(said("!"), []);
    await checkMarks(root, project, form, said("set "));
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    return `${said("set ").length} marks and ${
      said("held ").length
    } claims by ${all.length} processes in ${seconds} s`;
  });
}

async function checkMarks(
  root: string,
  project: Readonly<Record<string, string>>,
  form: FormName,
  said: readonly string[],
): Promise<void> {
  const { epics } = await readBoard(diskTree(root), foldersOf(form));
  const states = new Map(epics.flatMap(({ stories }) => stories.map(({ ref, state }) => [ref, state])));
  const lost = said.map((line) => line.split(" ")).filter(([, ref, state]) =>
    ORDER.indexOf(states.get(ref!)!) < ORDER.findIndex((one) => one === state)
  );
  assert.deepEqual(lost, [], "acknowledged, but lost");
  // Every byte but those of statuses and times is as it was.
  const plain = (text: string) =>
    text.replaceAll(
      /\b(?:backlog|draft|ready-for-dev|in-progress|in-review|review|done|approved|inprogress)\b|[\d-]+ \d\d:\d\d$/gim,
      "",
    );
  const left = documentsIn(root, "out", "docs");
  for (const [path, text] of Object.entries(project)) assert.equal(plain(left[path]!), plain(text), path);
}
