/**
 * Does a published checker of regular expressions find one of ours that is slow?
 *
 * It is asked about the patterns that it has not passed before; `BMAD_MCP_PINS=write` remembers those of today.
 */
import assert from "node:assert/strict";
import { MISJUDGED } from "../support/bounded_patterns.ts";
import { sourcePatterns } from "../support/source_patterns.ts";
import { checkPatterns, hashOf, patternsToCheck } from "./published.ts";

const PINS = new URL("../pins/checked_patterns.json", import.meta.url);
const LIMIT_MS = 180;
/** The checker works, and its answer is understood, however busy the machine is. */
const SLOW = { pattern: /^(?:a|a)*$/, place: "here" };
const PATIENCE_MS = 20_000;

Deno.test("a published checker finds no slow pattern [content:bounded]", async () => {
  const all = await patternsToCheck();
  const hashes = new Map(
    await Promise.all([...all].map(async ([text]) => [text, await hashOf(text)] as const)),
  );
  const passed = new Set<string>(JSON.parse(await Deno.readTextFile(PINS)));
  const unknown = [...all].filter(([text]) => !passed.has(hashes.get(text)!)).map(([, one]) => one);
  const [slow] = await checkPatterns([SLOW], PATIENCE_MS);
  assert.match(slow ?? "", /^here: .* is exponential/);
  assert.deepEqual(await checkPatterns(unknown, LIMIT_MS), []);
  assert.ok(all.size > 500, `${all.size} patterns`);
  if (Deno.env.get("BMAD_MCP_PINS") === "write") {
    await Deno.writeTextFile(PINS, `${JSON.stringify([...hashes.values()].sort(), null, 2)}\n`);
  }
});

Deno.test("what the checker misjudges still exists", async () => {
  const all = new Set((await sourcePatterns()).map(({ pattern }) => String(pattern)));
  assert.deepEqual(Object.keys(MISJUDGED).filter((text) => !all.has(text)), []);
});
