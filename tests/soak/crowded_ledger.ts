/** Does a ledger stay whole when processes and servers change it at once and are killed? */
import { startClient } from "../support/client.ts";
import type { Changing } from "../support/property.ts";
import { raceForLedger } from "../support/races.ts";

/** Ten processes with four writers each and two servers with five clients' calls at a time; eight are killed midway. */
export async function crowdedLedger(): Promise<string> {
  return await raceForLedger({
    processes: 10,
    workers: 4,
    kills: 8,
    changes: 1_200,
    others: (root) => ["s0", "s1"].map((name) => changeByCalls(root, name)),
  });
}

function changeByCalls(root: string, name: string): Changing {
  const said: string[] = [];
  let isOver = false;
  const work = async () => {
    await using client = await startClient({ era: "2025", cwd: root, args: ["--toolsets", "work"] });
    const ask = async (writer: number) => {
      for (let round = 0; !isOver; round++) {
        const id = `${name}-${writer}-${round}`;
        const item = JSON.stringify([{ id, action: "x" }]);
        const script =
          `sprint_status.py update --file out/sprint-status.yaml --epic 1 --add-action '${item}'`;
        const { isError } = await client.callTool("bmad_work", { script });
        said.push(isError ? `! ${id}` : `add ${id}`);
      }
    };
    await Promise.all([0, 1, 2, 3, 4].map(ask));
  };
  const working = work();
  return {
    said,
    stop: async () => {
      isOver = true;
      await working;
    },
  };
}
