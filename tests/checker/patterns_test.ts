/** Does any regular expression in the sources take more than linear time, whatever the text? */
import assert from "node:assert/strict";
import { BOUNDED } from "../support/bounded_patterns.ts";
import { findSlowText, hostileTexts } from "../support/hostile_texts.ts";
import { sourcePatterns } from "../support/source_patterns.ts";

Deno.test("no regular expression takes more than linear time [content:bounded]", async () => {
  const all = new Map((await sourcePatterns()).map((one) => [String(one.pattern), one]));
  const slow: string[] = [];
  let tried = 0;
  for (const [text, { pattern, place }] of all) {
    if (BOUNDED[text] !== undefined) continue;
    const found = findSlowText(pattern);
    if (found !== undefined) slow.push(`${place}: ${text} on ${JSON.stringify(found)}`);
    if (hostileTexts(pattern).length > 0) tried++;
  }
  assert.deepEqual(slow, []);
  assert.ok(tried > 500, `${tried} patterns that repeat something`);
  assert.deepEqual(
    Object.keys(BOUNDED).filter((text) => !all.has(text)),
    [],
    "patterns that no longer exist",
  );
});
