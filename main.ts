/**
 * The entry. To say which version this is takes hardly more than to start the runtime; all else is a start.
 *
 * Nothing third-party is imported here, not even indirectly: static imports run before the rights are dropped.
 */
import { denoHost } from "./src/process/host.ts";
import { asksForVersion, printVersion } from "./src/process/version.ts";

const host = denoHost(import.meta.dirname!);

async function main(): Promise<number> {
  const print = (json: boolean) => printVersion(host, json);
  if (!asksForVersion(host.args)) {
    return await (await import("./src/start.ts")).start(host, { printVersion: print });
  }
  print(host.args.includes("--json"));
  return 0;
}

// Not awaited here: with this module's own frame on the stack, the first error that is caught below (a settings
// file that does not exist) makes V8 read the whole bundle once more to find its place, a fifth of our start.
queueMicrotask(async () => Deno.exit(await main()));
