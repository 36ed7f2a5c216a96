/**
 * Does the server hold out? A short run of what `deno task test:soak` does for minutes.
 */
import { jumpingClock, oddTimes } from "./soak/clock.ts";
import { largeMessage, manyAtOnce } from "./soak/endurance.ts";
import { FAULTS, neverReads, sleepWell, survive } from "./soak/faults.ts";
import { fullDisk } from "./soak/full_disk.ts";
import { fuzzHttp, fuzzMessages, fuzzPaths } from "./soak/fuzz.ts";
import { whyNoMounts } from "./soak/machine.ts";

const SEED = Number(Deno.env.get("BMAD_MCP_SEED") ?? 20_261_115);

Deno.test(`nothing that a client sends ends or hangs the server, or makes it tell what it must not (seed ${SEED})`, async (t) => {
  await t.step("bent messages", async () => void await fuzzMessages(2_000, SEED));
  await t.step("paths that lead out", async () => void await fuzzPaths(800, SEED + 1));
  await t.step("over HTTP", async () => void await fuzzHttp(300, SEED + 2));
});

for (const fault of FAULTS) {
  const unable = await fault.unable?.();
  Deno.test({
    name: `the server finds back to what it served: ${fault.name}${
      unable === undefined ? "" : ` (${unable})`
    }`,
    ignore: unable !== undefined,
    fn: () => survive(fault),
  });
}

const noMounts = await whyNoMounts();
Deno.test({
  name: `a disk without room costs nothing that was kept${noMounts === undefined ? "" : ` (${noMounts})`}`,
  ignore: noMounts !== undefined,
  fn: () => fullDisk(),
});

Deno.test("what changes is seen although the clock was set back or ahead", () => jumpingClock());

Deno.test("files whose times lie in the future or long ago are seen when they come", () => oddTimes());

Deno.test("a process that was stopped answers what came meanwhile", () => sleepWell());

Deno.test("a client that reads nothing for a while misses nothing", () => neverReads(300));

Deno.test("a thousand reads at once are all answered", async () => void await manyAtOnce(1_000));

for (const size of [1, 5, 9.9, 12]) {
  Deno.test(`a message of ${size} megabytes is answered`, () => largeMessage(size * 1_000_000));
}
