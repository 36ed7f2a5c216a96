/** Does hostile input crash, hold up or mislead the program? A small part of the soak, with a fixed seed. */
import assert from "node:assert/strict";
import { fuzzContent } from "./content_fuzz.ts";
import { fuzzApi, fuzzHttp, fuzzMessages, fuzzPaths } from "./fuzz.ts";
import { fuzzLinks } from "./link_fuzz.ts";
import { fuzzPatterns } from "./pattern_fuzz.ts";
import { fuzzTemplates } from "./template_fuzz.ts";

const SEED = Number(Deno.env.get("BMAD_MCP_SEED") ?? 20_261_115);

Deno.test(`no input from a client crashes or hangs the server, or makes it disclose a secret (seed ${SEED})`, async (t) => {
  await t.step("mutated messages", async () => void await fuzzMessages(400, SEED));
  await t.step("paths that point outside", async () => void await fuzzPaths(150, SEED + 1));
  await t.step("over HTTP", async () => void await fuzzHttp(60, SEED + 2));
  await t.step("to the API", async () => void await fuzzApi(300, SEED + 7));
});

Deno.test({
  name: `no content crashes the server or discloses a secret (seed ${SEED}) [content:hostile]`,
  // Pipes and most of the odd names exist only elsewhere.
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const { slowest: { ms, what } } = await fuzzContent(12, SEED + 3);
    // The long run allows two seconds; this one shares the machine with other tests.
    assert.ok(ms < 30_000, `${what} took ${ms.toFixed(0)} ms`);
  },
});

Deno.test({
  name:
    `no arrangement of links widens the rights, stops a start or leads a write astray (seed ${SEED}) [rights:as-planned]`,
  // Links need a right of their own there.
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const { arrangements, refused, programs } = await fuzzLinks(100, SEED + 4);
    assert.deepEqual([arrangements, programs], [100, 1]);
    assert.ok(refused > 20, `${refused} paths were refused`);
  },
});

Deno.test({
  name: `no template holds the server up or fills its memory (seed ${SEED}) [tool:launchers-bounded]`,
  // Its memory is read from /proc.
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { answer, ping, growth } = await fuzzTemplates(10, SEED + 4);
    // The long run allows 2 s and 200 ms; this one shares the machine with other tests.
    assert.ok(answer.ms < 30_000, `seed ${answer.what} took ${answer.ms.toFixed(0)} ms`);
    assert.ok(ping.ms < 10_000, `a ping waited ${ping.ms.toFixed(0)} ms for seed ${ping.what}`);
    assert.ok(growth < 64_000_000, `${growth} bytes more`);
  },
});

Deno.test(`no hostile text takes a pattern long (seed ${SEED}) [content:bounded]`, async () => {
  const { worst, slow } = await fuzzPatterns(12, SEED + 6);
  assert.deepEqual(slow, []);
  // The long run allows two seconds; this one shares the machine with other tests.
  assert.ok(worst.ms < 30_000, `${worst.what} took ${worst.ms.toFixed(0)} ms`);
});
