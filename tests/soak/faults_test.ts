/** Does the program survive faults and load? A small part of the soak. */
import assert from "node:assert/strict";
import { jumpingClock, oddTimes } from "./clock.ts";
import { largeMessage, manyAtOnce } from "./endurance.ts";
import { FAULTS, neverReads, sleepWell, survive } from "./faults.ts";
import { fullDisk } from "./full_disk.ts";
import { whyNoMounts } from "./machine.ts";
import { besideStrangers } from "./strangers.ts";

for (const fault of FAULTS) {
  const unable = await fault.unable?.();
  Deno.test({
    name: `the server recovers: ${fault.name}${unable === undefined ? "" : ` (${unable})`}`,
    ignore: unable !== undefined,
    fn: () => survive(fault),
  });
}

const noMounts = await whyNoMounts();
Deno.test({
  name: `a full disk loses nothing that was stored${noMounts === undefined ? "" : ` (${noMounts})`}`,
  ignore: noMounts !== undefined,
  fn: () => fullDisk(),
});

Deno.test("changes are noticed although the clock was set back or ahead", () => jumpingClock());

Deno.test("new files with times in the future or long ago are noticed", () => oddTimes());

Deno.test("a process that was suspended answers the requests of the meantime", () => sleepWell());

Deno.test("a client that reads nothing for a while misses no answer", () => neverReads(300));

Deno.test("a thousand reads at once are all answered", async () => void await manyAtOnce(1_000));

Deno.test("200 strangers that trickle large bodies get nowhere [transport:http-pressure]", async () => {
  const { growth, opened, errors } = await besideStrangers(200, 3_000);
  assert.deepEqual(errors, [], "requests with the token");
  assert.ok(opened > 200, `${opened} connections: none was closed`);
  assert.ok(growth < 64_000_000, `${growth} bytes more`);
});

for (const size of [1, 5, 9.9, 12]) {
  Deno.test(`a message of ${size} megabytes is answered`, () => largeMessage(size * 1_000_000));
}
