/**
 * The entry. The version is printed, and a ledger merged, without loading anything else; all the rest goes through
 * `start`. Nothing third-party is imported here, not even indirectly: static imports run before the rights are dropped.
 */
import { denoHost } from "./src/process/host.ts";
import { asksForVersion, printVersion } from "./src/process/version.ts";

const host = denoHost(import.meta.dirname!);

async function main(): Promise<number> {
  const print = (json: boolean) => printVersion(host, json);
  if (asksForVersion(host.args)) {
    print(host.args.includes("--json"));
    return 0;
  }
  // Git calls it for each file that it merges.
  if (host.args[0] === "merge-driver" && host.args.length > 3) {
    return (await import("./src/commands/merge_driver.ts")).mergeDriver(host);
  }
  // Read from the disk together: a server needs the second before its client's first message is read.
  const start = import("./src/start.ts");
  if (/^(?:serve|-.*|)$/.test(host.args[0] ?? "")) void import("./src/serve/handshake/mod.ts");
  return await (await start).start(host, { printVersion: print });
}

// Not awaited here: with this module's own frame on the stack, the first error that is caught below (a settings
// file that does not exist) makes V8 read the whole bundle once more to find its place, a fifth of our start.
queueMicrotask(async () => Deno.exit(await main()));
