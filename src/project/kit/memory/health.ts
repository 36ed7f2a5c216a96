/**
 * The health of a project's memory: where it is, what it holds, what finds it, and what is wrong.
 *
 * Creates nothing, and throws nothing that a user could fix. How to fix it is left to the surface.
 */
import { BmadError, type MemoryProblem } from "../../../base/errors.ts";
import type { MemoryPlan } from "../../../settings/plan/mod.ts";
import type { OpenRankers } from "./rankers.ts";
import type { StoreStatus } from "./store/store.ts";
import { type Backend, backendOf, type Stores } from "./store/stores.ts";

/** How closely to look. */
export interface HealthRequest {
  /** Whether memory is in use, even if it is still empty: then the embedder is tried. */
  readonly isUsed: boolean;
}

/** Something that does not work. */
export interface MemoryFault {
  readonly of: "store" | "embedder";
  readonly problem?: MemoryProblem;
  /** The file or server that has it. */
  readonly subject?: string;
  readonly reason: string;
}

/** The state of a project's memory. */
export interface MemoryHealth {
  readonly backend: Backend;
  /** A path or URL; missing while nothing is stored, or where the store does not work. */
  readonly location?: string;
  /** What is stored; missing where the store does not work. */
  readonly status?: StoreStatus;
  /** What memories are found by, for people. */
  readonly ranking: string;
  readonly model?: string;
  readonly faults: readonly MemoryFault[];
}

/** In milliseconds: short, because a person is waiting. */
const TIMEOUT = 10_000;

export async function examineMemory(
  stores: Stores,
  { embedder, description }: OpenRankers,
  plan: MemoryPlan,
  { isUsed }: HealthRequest,
): Promise<MemoryHealth> {
  const faults: MemoryFault[] = [];
  const attempt = async <T>(of: MemoryFault["of"], work: (signal: AbortSignal) => Promise<T>) => {
    const timeout = AbortSignal.timeout(TIMEOUT);
    try {
      return await work(timeout);
    } catch (error) {
      if (!(error instanceof BmadError) && !timeout.aborted) throw error;
      faults.push({ of, ...describeFault(error) });
      return undefined;
    }
  };
  const found = await attempt("store", async (signal) => {
    const store = await stores.forReading();
    return { location: store.location, status: await store.status({ signal }) };
  });
  const isFilled = Object.values(found?.status.counts ?? {}).some((count) => count > 0);
  if (embedder === undefined && plan.embedder !== "none") {
    const reason = "the embedder is missing from this build";
    faults.push({ of: "embedder", problem: "embedder-missing", reason });
  } else if (isUsed || isFilled) {
    await attempt("embedder", async (signal) => await embedder?.embed(["memory"], signal));
  }
  return {
    backend: backendOf(plan),
    location: found?.location,
    status: found?.status,
    ranking: description,
    model: embedder?.id,
    faults,
  };
}

function describeFault(error: unknown): Omit<MemoryFault, "of"> {
  if (!(error instanceof BmadError)) {
    return { problem: "unreachable", reason: `the server did not answer within ${TIMEOUT / 1_000} seconds` };
  }
  const { failure, message } = error;
  if (failure.code !== "memory-unavailable") return { reason: message };
  const { code: _, ...fault } = failure;
  return fault;
}
