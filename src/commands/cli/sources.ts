/**
 * `bmad-mcp add`, `remove`, `update` and `preview`: changes the lists of sources, and prints what was or would be done.
 */
import type { Config } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { asValues } from "../../base/values.ts";
import type { Work } from "../../base/work.ts";
import { changeSources as change, type SourcesPlan } from "../sources/mod.ts";
import { printDiff } from "./diff.ts";
import { printJson, printText } from "./output.ts";

export async function changeSources(
  host: Host,
  config: Config,
  plan: SourcesPlan,
  { json, progress }: { readonly json: boolean; readonly progress: Work["progress"] },
): Promise<void> {
  const { invocation } = config;
  const show = (text: string) => printDiff(host, text);
  const session = { host, config, invocation, plan, ...(progress && { progress }), ...(!json && { show }) };
  const { text, data } = await change(session);
  if (json) printJson(host, data);
  else if (text !== "") printText(host, text);
  const items = Array.isArray(data["items"]) ? data["items"].map(asValues) : [];
  const failed = items.find(({ outcome }) => outcome === "failed");
  if (failed === undefined) return;
  fail({ code: "origin-unavailable", origin: String(failed["source"]), reason: String(failed["problem"]) });
}
