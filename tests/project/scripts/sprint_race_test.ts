/**
 * Can many processes change one ledger at once?
 */
import { raceForLedger } from "../../support/races.ts";
import { verifies } from "../../support/requirements.ts";

Deno.test(verifies("work:one-writer", "52 writers, one process killed: nothing is lost"), async () => {
  await raceForLedger({ processes: 4, workers: 13, kills: 1, changes: 120 });
});
