/**
 * `bmad-mcp review` and `finding`: what a reviewer needs, and what a review has found.
 */
import type { App } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../settings/mod.ts";
import { reviewCommands } from "./commands_shown.ts";
import { printReport } from "./output.ts";

/** Prints the packet for a reviewer; with lenses, a pass begins. */
export async function review(
  host: Host,
  app: App,
  { operands: [story], options: { lens, json } }: Invocation,
): Promise<void> {
  const work = await app.work();
  printReport(host, await work.review(story!, reviewCommands(app.config), lens?.split(",")), json);
}

/** Records what a review has found, or settles it. */
export async function finding(
  host: Host,
  app: App,
  { operands: [story, text], options: { severity, file, verdict, reason, force, json } }: Invocation,
): Promise<void> {
  const request = {
    story: story!,
    text: text!,
    severity,
    file,
    verdict,
    reason,
    isForced: force !== undefined,
  };
  printReport(host, await (await app.work()).finding(request, reviewCommands(app.config)), json);
}
