/**
 * A program that echoes its lines and is stuck for as many milliseconds as a line says, under the product's watchdog.
 */
import { shareInput, startWatchdog } from "../../src/base/watchdog.ts";

const input = shareInput(Deno.stdin.readable);
await startWatchdog(["SIGTERM"], input);
// A program that is not stuck ends at once.
Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
let rest = "";
for await (const text of input.stream.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
    // Blocked rather than busy: a test of several at once must not slow the others down.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(line));
  }
}
Deno.exit(0);
