/**
 * What a published checker of regular expressions, `recheck`, says about our patterns.
 *
 * It analyses a pattern as an automaton, or evolves texts for it. What it calls vulnerable is fixed, or stands in
 * support/bounded_patterns.ts with the reason. Its answer depends only on the pattern, so that a pattern that it has
 * passed is remembered in pins/checked_patterns.json, and asked about again by the soak alone, with more time.
 */
import { fileURLToPath } from "node:url";
import { BOUNDED, MISJUDGED } from "../support/bounded_patterns.ts";
import { type SourcePattern, sourcePatterns } from "../support/source_patterns.ts";

export async function patternsToCheck(): Promise<ReadonlyMap<string, SourcePattern>> {
  const known = { ...BOUNDED, ...MISJUDGED };
  const all = (await sourcePatterns()).map((one) => [String(one.pattern), one] as const);
  return new Map(all.filter(([text]) => /[*+]|,\}/.test(text) && known[text] === undefined));
}

export async function checkPatterns(
  patterns: readonly SourcePattern[],
  limitMs: number,
): Promise<readonly string[]> {
  const inThisFolder = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const checker = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--config",
      inThisFolder("deno.json"),
      inThisFolder("check.ts"),
      String(limitMs),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = checker.stdin.getWriter();
  const given = patterns.map(({ pattern: { source, flags } }) => [source, flags]);
  await writer.write(new TextEncoder().encode(JSON.stringify(given)));
  await writer.close();
  const { stdout, success } = await checker.output();
  if (!success) throw new Error("the checker failed");
  const said: readonly [number, string, string][] = JSON.parse(new TextDecoder().decode(stdout));
  return said.map(([number, complexity, attack]) => {
    const { pattern, place } = patterns[number]!;
    return `${place}: ${pattern} is ${complexity} on ${attack}`;
  });
}

export async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash).toHex().slice(0, 12);
}
