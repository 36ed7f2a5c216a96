/**
 * Does a published checker of regular expressions, `recheck`, find one of ours that is slow?
 *
 * It analyses a pattern as an automaton, or evolves texts for it, within a third of a second for each. What it calls vulnerable is
 * fixed, or stands in support/bounded_patterns.ts with the reason.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BOUNDED, MISJUDGED } from "./support/bounded_patterns.ts";
import { verifies } from "./support/requirements.ts";
import { sourcePatterns } from "./support/source_patterns.ts";

Deno.test(verifies("content:bounded", "a published checker finds no slow pattern"), async () => {
  const all = new Map((await sourcePatterns()).map((one) => [String(one.pattern), one]));
  const known = { ...BOUNDED, ...MISJUDGED };
  const asked = [...all].filter(([text]) => /[*+]|,\}/.test(text) && known[text] === undefined);
  const checker = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--config",
      fileURLToPath(new URL("checker/deno.json", import.meta.url)),
      fileURLToPath(new URL("checker/check.ts", import.meta.url)),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = checker.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode(JSON.stringify(asked.map(([, { pattern }]) => [pattern.source, pattern.flags]))),
  );
  await writer.close();
  const { stdout, success } = await checker.output();
  assert.ok(success);
  const said: readonly [number, string, string][] = JSON.parse(new TextDecoder().decode(stdout));
  const found = said.map(([number, complexity, attack]) => {
    const [text, { place }] = asked[number]!;
    return `${place}: ${text} is ${complexity} on ${attack}`;
  });
  assert.deepEqual(found, []);
  assert.ok(asked.length > 500, `${asked.length} patterns`);
  assert.deepEqual(
    Object.keys(MISJUDGED).filter((text) => !all.has(text)),
    [],
    "patterns that no longer exist",
  );
});
