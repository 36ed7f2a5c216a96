/**
 * `bmad-mcp add` and `remove`: changes the lists of sources, and prints what was done.
 */
import { type Config, openApp } from "../../app.ts";
import type { Host } from "../../base/host.ts";
import type { Work } from "../../base/work.ts";
import {
  changeSources as change,
  type SourceAccess,
  type SourceContent,
  type SourcesPlan,
} from "../clients/mod.ts";
import { printJson, printText } from "./output.ts";

/** Does what the command line asks for. */
export async function changeSources(
  host: Host,
  config: Config,
  plan: SourcesPlan,
  { json, progress }: { readonly json: boolean; readonly progress: Work["progress"] },
): Promise<void> {
  const { invocation } = config;
  const inspect = (location: string, access: SourceAccess) => inspectSource(host, config, location, access);
  const { text, data } = await change({ host, invocation, plan, inspect, ...(progress && { progress }) });
  if (json) printJson(host, data);
  else printText(host, text);
}

/** Opens a source by itself. */
async function inspectSource(
  host: Host,
  config: Config,
  location: string,
  access: SourceAccess,
): Promise<SourceContent> {
  const origin = { id: "new", kind: "cli", priority: 1, location } as const;
  const app = openApp({ ...config, origins: [{ origin, access }] }, host);
  try {
    const [facts] = await app.origins();
    const { things = 0, agents = 0, workflows = 0, copy } = facts ?? {};
    return { things, agents, workflows, ...(copy?.problem && { problem: copy.problem }) };
  } finally {
    await app.close();
  }
}
