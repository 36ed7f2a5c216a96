/**
 * What does a published checker say about patterns? Reads a list of sources and flags as JSON on stdin, and prints for
 * each that it takes for vulnerable its number and the attack. The argument is how many milliseconds each may take. It
 * runs in this process, without Java or a binary.
 */

const timeout = Number(Deno.args[0]);

/** Named by a value: only the configuration beside this file knows the package. */
const CHECKER: string = "recheck/lib/browser.js";

const { default: { checkSync } } = await import(CHECKER);
const patterns: readonly [source: string, flags: string][] = await new Response(Deno.stdin.readable).json();
const found = patterns.flatMap(([source, flags], number) => {
  const { status, complexity, attack } = checkSync(source, flags, { timeout, randomSeed: 1 });
  return status === "vulnerable" ? [[number, complexity.summary, attack.pattern]] : [];
});
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(found)));
