/**
 * The client behind a request: whether it still waits, and what it wants to hear meanwhile.
 */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Watch } from "../app.ts";

/** The client behind one request. */
export interface Caller {
  /** What the work for it has to know. */
  readonly watch: Watch;
}

/** The most notices about one phase of some work. */
const MOST_NOTICES = 20;

/** The client that sent a request. */
export function callerOf({ mcpReq }: ServerContext): Caller {
  return { watch: { signal: mcpReq.signal, progress: progressTo(mcpReq) } };
}

/** Tells a client that asked for it how far the work is; its numbers only grow, also from phase to phase. */
function progressTo({ _meta, notify }: ServerContext["mcpReq"]): Watch["progress"] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let current = { phase: "", before: 0, total: 0, told: -1 };
  return (done, total, phase) => {
    if (phase !== current.phase) current = { phase, before: current.before + current.total, total, told: -1 };
    const share = Math.floor(done / total * MOST_NOTICES);
    if (share <= current.told) return;
    current.told = share;
    const progress = current.before + done;
    const params = { progressToken, progress, total: current.before + total, message: phase };
    // Whoever does not hear it has gone.
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
