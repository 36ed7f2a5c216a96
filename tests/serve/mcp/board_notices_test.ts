/** Is a client that subscribed to the board notified of each change of it? */
import assert from "node:assert/strict";
import { say } from "../../support/answers.ts";
import { BOTH_ERAS, clientHere } from "../../support/client.ts";
import { withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const URI = "bmad://board";
const LEDGER = "out/sprint-status.yaml";
const ledger = (status: string) => `development_status:\n  epic-1: in-progress\n  1-1-a: ${status}\n`;
const PROJECT = { "_bmad/config.toml": '[core]\noutput_folder = "out"\n', [LEDGER]: ledger("backlog") };

for (const era of BOTH_ERAS) {
  Deno.test(`a ${era} client that subscribed to the board hears of each change [work:board-notices]`, () =>
    withTree(PROJECT, async (cwd) => {
      await using client = await clientHere({ era, cwd });
      const heard = () =>
        client.notices.filter(({ method, params }) =>
          method === "notifications/resources/updated" && params.uri === URI
        ).length;
      const board = async () => (await client.readResource(URI)).contents[0].text as string;
      assert.match(await board(), /1-1 backlog/);
      await client.listen([URI]);
      const changes: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
        [() => Deno.writeTextFile(`${cwd}/${LEDGER}`, ledger("in-progress")), /1-1 in-progress/],
        [() => say(client, { operation: "claim", story: "1-1", by: "Ann" }, "bmad_work"), /held by Ann/],
      ];
      for (const [change, shown] of changes) {
        const before = heard();
        await change();
        await until("the client is notified", () => heard() > before, client.stderr);
        assert.match(await board(), shown);
      }
    }));
}
