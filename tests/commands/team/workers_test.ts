/** Does a team of terminals, shells and clients build each story once, while some of them are killed? */
import { workTogether } from "../../support/team_work.ts";

const SIZE = { workers: 6, kills: 2, ms: 10_000, worktrees: 2, stories: 20 };

Deno.test("in one clone [place:branches, place:seats, place:seats-end, work:claim]", async () => {
  await workTogether({ ...SIZE, seed: 1, clones: 1, isRemote: false });
});

Deno.test("in two clones that share claims [place:branches, place:claims-survive, team:machines]", async () => {
  await workTogether({ ...SIZE, seed: 2, clones: 2, isRemote: true });
});
