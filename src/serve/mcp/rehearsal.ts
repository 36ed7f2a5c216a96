/**
 * What the first calls need, prepared while the client is idle: code is loaded, files are read, indexes are built.
 *
 * The first call of a process would otherwise take twenty times as long as the second. Each step is a call that a client
 * may make; its answer is thrown away, and nothing counts as a use.
 */
import type { App } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import { hasKind } from "../../base/model.ts";
import { yieldToEventLoop } from "../../base/work.ts";
import { bmadTool } from "./bmad_tool.ts";
import { NOBODY, runTool } from "./call.ts";
import type { Args } from "./tool.ts";

/** Makes the first calls. Before each of them, `isFree` waits until the client has no request under way; false ends it. */
export async function rehearse(app: App, isFree: () => Promise<boolean>): Promise<void> {
  const unheard = app.forRequest({ isRehearsal: true });
  const call = (args: Args) => () => runTool(unheard, bmadTool, args, NOBODY);
  if (!await isFree()) return;
  const agent = (await unheard.entries()).find((entry) => hasKind(entry, "agent"));
  const steps = [
    call({ operation: "list", query: "agents" }),
    ...agent === undefined ? [] : [
      call({ operation: "execute", agent: agent.id, message: "Hello" }),
      call({ operation: "read", agent: agent.id }),
    ],
    call({ operation: "search", query: "agent" }),
    async () => {
      const [first] = (await unheard.resources()).filter(({ uri }) => uri.endsWith(".md"));
      if (first !== undefined) await unheard.open(first.uri);
    },
  ];
  for (const step of steps) {
    // A message that has arrived in the meantime is read first.
    await yieldToEventLoop();
    if (!await isFree()) return;
    // Problems of the content are reported to the requests that meet them.
    await step().catch((error) => error instanceof BmadError || Promise.reject(error));
  }
}
