/**
 * Can many processes change one ledger at once?
 */
import { raceForLedger } from "../../support/ledger_race.ts";
import { verifies } from "../../support/requirements.ts";

Deno.test(
  verifies(
    "work:one-writer",
    "52 writers in four processes, one of them killed midway: nothing acknowledged is lost",
  ),
  async () => {
    await raceForLedger({ processes: 4, writers: 13, kills: 1, changes: 120 });
  },
);
