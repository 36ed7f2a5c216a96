/**
 * Which part of a loop over eras or versions is this run's?
 *
 * tests/suite.ts says what is run: a sample, the rest of it, or all, as when somebody runs a file directly.
 */

const PART = Deno.env.get("BMAD_TESTS");

export function isOfThisRun(isInSample: boolean): boolean {
  return PART === "sample" ? isInSample : PART === "rest" ? !isInSample : true;
}
