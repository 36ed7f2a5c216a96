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
    for (const end = performance.now() + Number(line); performance.now() < end;);
  }
}
Deno.exit(0);
