/**
 * Gives the files inside a binary a fixed place, whatever TMPDIR says.
 *
 * They are only in memory, but the runtime needs a name for their folder, `deno-compile-PROGRAM` in the temporary
 * folder, before our first line runs. If TMPDIR is empty or relative, that is not an absolute path, and the binary
 * does not start. An absolute path replaces the folder that it is joined to: with `/denocompile-` in its place, which is as
 * long, TMPDIR no longer matters, and neither does who can write there.
 */

const encoder = new TextEncoder();

/** As the Rust compiler stores `"deno-compile-{}"`: the length of the text, the text, one argument, the end. */
const PATTERN = [13, ...encoder.encode("deno-compile-"), 0xc0, 0];

const REPLACEMENT = encoder.encode("/denocompile-");

/** Changes a runtime for Linux or macOS in place; fails unless it has the name of that folder exactly once. */
export function fixFileRoot(runtime: Uint8Array): void {
  const found: number[] = [];
  for (let at = runtime.indexOf(PATTERN[0]!); at >= 0; at = runtime.indexOf(PATTERN[0]!, at + 1)) {
    if (PATTERN.every((byte, i) => runtime[at + i] === byte)) found.push(at);
  }
  if (found.length !== 1) {
    throw new Error(
      `Cannot fix the folder of the files in a binary: the runtime has its name ${found.length} times, not once. ` +
        "Look in Deno's cli/rt/binary.rs where it is now, and change file_root.ts",
    );
  }
  runtime.set(REPLACEMENT, found[0]! + 1);
}
