/** Can many processes change one ledger at once? */
import { raceForLedger } from "../../support/races.ts";

Deno.test("52 writers, one process killed: nothing is lost [work:one-writer]", async () => {
  await raceForLedger({ processes: 4, workers: 13, kills: 1, changes: 120 });
});
