/**
 * Which tests, and which part of a loop over eras or versions, are this run's?
 *
 * tests/suite.ts says what is run: a sample, the rest of it, or all, as when somebody runs a file directly.
 */

const PART = Deno.env.get("BMAD_TESTS");

export function isOfThisRun(isInSample: boolean): boolean {
  return PART === "sample" ? isInSample : PART === "rest" ? !isInSample : true;
}

/** The options of a test of what Windows does not have. */
export const POSIX = { ignore: Deno.build.os === "windows" };
