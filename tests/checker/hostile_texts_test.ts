/** Do the texts that patterns are tried on show which patterns are slow? */
import assert from "node:assert/strict";
import { findSlowText } from "../support/hostile_texts.ts";

Deno.test("the texts show what is slow, and nothing else", () => {
  for (
    const bad of [
      /\s+$/,
      /"(?:[^"\\]|\\.)*"/,
      /^(?:a|a)*$/,
      /<agent\b[^>]*>/,
      /:\/\/\S*@/g,
      /<a>[^]*?<\/a>/,
    ]
  ) {
    assert.notEqual(findSlowText(bad), undefined, `${bad}`);
  }
  for (
    const good of [
      /(?<!\s)\s+$/,
      /<agent\b[^<>]*>/,
      /(?<!\d)(\d+)\.(\d+)/,
      /^a+/,
      /\w+/g,
      /a{1,9}b/,
      /^#\s+(.*)$/s,
      /"(?:[^"\\]|\\[^])*"?/,
      /^[ \t]+a:/m,
    ]
  ) {
    assert.equal(findSlowText(good), undefined, `${good}`);
  }
});
