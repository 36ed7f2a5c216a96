/**
 * A program that echoes its lines and is stuck for as many milliseconds as a line says, under the product's watchdog.
 */
import { sourceOf } from "../../src/process/pipes.ts";
import { shareInput, startWatchdog } from "../../src/process/watchdog.ts";

const input = shareInput(sourceOf(Deno.stdin));
await startWatchdog(["SIGTERM"], input);
// A program that is not stuck ends at once.
Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
const decoder = new TextDecoder();
let rest = "";
for (let bytes; (bytes = await input.source.read()) !== null;) {
  const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
    // Blocked rather than busy: a test of several at once must not slow the others down.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(line));
  }
}
Deno.exit(0);
