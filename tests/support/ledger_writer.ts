/**
 * A program with many writers that change one ledger without end and say so each time: for tests that kill it.
 *
 *     ledger_writer.ts ROOT NAME WRITERS
 *
 * Prints `add ID` once an action item is in the ledger, and `set STORY STATUS` once the writer's story has that status.
 */
import { sprintPlan } from "../../src/project/scripts/sprint_plan.ts";
import { sprintStatus } from "../../src/project/scripts/sprint_status.ts";
import { runNative } from "./scripts.ts";

const STATUSES = ["backlog", "ready-for-dev", "in-progress", "review", "done"];
const PLAN =
  "generate --epic-file epics.md --status-file out/sprint-status.yaml --stories-dir out --project P --date D --set";
const RETRO = "update --file out/sprint-status.yaml --epic 1 --add-action";
const [root, name, writers] = Deno.args;
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function write(writer: number): Promise<void> {
  const story = `1-${writer}-${name}`;
  for (let round = 0;; round++) {
    const [id, status] = [`${story}-${round}`, STATUSES[round % STATUSES.length]!];
    const item = JSON.stringify([{ id, action: "x" }]);
    const isPlan = round % 3 === 2;
    const { stdout } = isPlan
      ? await runNative(sprintPlan, root!, [...PLAN.split(" "), `${story}=${status}`])
      : await runNative(sprintStatus, root!, [...RETRO.split(" "), item]);
    say(!JSON.parse(stdout).ok ? `! ${stdout}` : isPlan ? `set ${story} ${status}` : `add ${id}`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
