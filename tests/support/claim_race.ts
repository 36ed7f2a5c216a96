/**
 * Has every story one owner, and every acknowledged mark its effect, whoever is killed?
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { SPRINT_STATUSES } from "../../src/project/work/formats/mod.ts";
import { Changers } from "./ledger_race.ts";
import { withTree } from "./trees.ts";
import { until } from "./waiting.ts";

const WRITER = new URL("claim_writer.ts", import.meta.url).pathname;
const HEAD = "# kept by nobody in particular\nlast_updated: 01-02-2026 09:00\ndevelopment_status:\n";

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
}

/** Has many processes claim and mark the same stories, kills some, and compares the ledger with what they said. */
export async function raceForStories(
  { processes, workers, kills, marks, ms = 0 }: ClaimRace,
): Promise<string> {
  const stories = Array.from({ length: marks }, (_, at) => `${Math.floor(at / 20) + 1}-${at % 20 + 1}-a`);
  const rows = stories.map((key) =>
    `${key.includes("-1-") ? `  epic-${key.split("-")[0]}: backlog\n` : ""}  ${key}: backlog # ${key}\n`
  );
  const tree = { "held/x": "", "out/impl/sprint-status.yaml": `${HEAD}${rows.join("")}` };
  return await withTree(tree, async (root) => {
    const start = (name: string) => new Changers(WRITER, [root, name, String(workers)]);
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
    const text = await Deno.readTextFile(`${root}/out/impl/sprint-status.yaml`);
    checkMarks(text, stories, said("set "));
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    return `${said("set ").length} marks and ${
      said("held ").length
    } claims by ${all.length} processes in ${seconds} s`;
  });
}

function checkMarks(text: string, stories: readonly string[], said: readonly string[]): void {
  const rankOf = (status: string | undefined) => SPRINT_STATUSES.story.indexOf(status ?? "");
  const ledger = load(text) as { readonly development_status: Readonly<Record<string, string>> };
  const lost = said.map((line) => line.split(" ")).filter(([, key, status]) =>
    rankOf(ledger.development_status[key!]) < rankOf(status)
  );
  assert.deepEqual(lost, [], "acknowledged, but lost");
  assert.ok(text.startsWith(HEAD.slice(0, 30)));
  // Every line but those of statuses is as it was.
  const kept = text.split("\n").filter((line) => stories.some((key) => line.endsWith(` # ${key}`)));
  assert.equal(kept.length, stories.length);
}
