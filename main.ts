/**
 * The entry: settles what the user wants, gives up the right to read anything else, then runs the program.
 *
 * Nothing third-party is imported here, not even indirectly: static imports run before the rights are dropped.
 * The command line, and behind it the protocol and the parsers, is loaded afterwards.
 */
import { resolveConfig } from "./src/config/mod.ts";
import { denoHost } from "./src/host.ts";
import { dropRights } from "./src/rights.ts";

const host = denoHost(import.meta.dirname!);

async function main(): Promise<number> {
  try {
    const config = resolveConfig(host);
    const rights = dropRights(config.readable, { sandbox: config.settings.sandbox });
    const { run } = await import("./src/cli/mod.ts");
    return await run(host, config, rights);
  } catch (error) {
    const { printFailure } = await import("./src/cli/mod.ts");
    return printFailure(host, error);
  }
}

// Not awaited here: with this module's own frame on the stack, the first error that is caught below (a settings
// file that does not exist) makes V8 read the whole bundle once more to find its place, a fifth of our start.
queueMicrotask(async () => Deno.exit(await main()));
