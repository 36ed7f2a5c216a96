/**
 * How the memory of a project is: where it is, what it holds, what finds it, and what is out of order.
 *
 * Looks and tries, makes nothing and throws nothing that a user could mend. What to say of it is left to others.
 */
import type { MemoryPlan } from "../../settings/plan/mod.ts";
import { BmadError } from "../../base/errors.ts";
import { DENO_TASK } from "../../base/model.ts";
import type { OpenSenses } from "./senses.ts";
import { NOWHERE, type PlaceName, type Places } from "./store/places.ts";
import type { StoreStatus } from "./store/store.ts";

/** How closely memory is looked at. */
export interface HealthRequest {
  /** Whether memory is in use, even if nothing is in it yet: then the embedder is tried. */
  readonly isUsed: boolean;
}

/** Something that is out of order. */
export interface MemoryFault {
  /** What does not work: the place of memories, or what finds them by meaning. */
  readonly of: "store" | "embedder";
  /** What is wrong. */
  readonly reason: string;
  /** What mends it, where more is known than that. */
  readonly fix?: string;
}

/** How memory is. */
export interface MemoryHealth {
  /** What keeps memories. */
  readonly backend: PlaceName;
  /** Where they are; missing while nothing has been kept, or where that cannot be told. */
  readonly place?: string;
  /** What is there; missing where that cannot be told. */
  readonly status?: StoreStatus;
  /** What memories are found by, in words. */
  readonly meaning: string;
  /** The model that finds them by meaning; missing where words alone do. */
  readonly model?: string;
  /** What is out of order. */
  readonly faults: readonly MemoryFault[];
}

/** So long a server may take to answer, in milliseconds: somebody waits who wants to know just that. */
const PATIENCE = 10_000;

/** Looks at the memory of a project. */
export async function examineMemory(
  places: Places,
  senses: OpenSenses,
  { qdrant, embedder: wanted }: MemoryPlan,
  { isUsed }: HealthRequest,
): Promise<MemoryHealth> {
  const faults: MemoryFault[] = [];
  const attempt = async <T>(of: MemoryFault["of"], work: (signal: AbortSignal) => Promise<T>) => {
    const patience = AbortSignal.timeout(PATIENCE);
    try {
      return await work(patience);
    } catch (error) {
      if (!(error instanceof BmadError) && !patience.aborted) throw error;
      faults.push(faultOf(of, error));
      return undefined;
    }
  };
  const found = await attempt("store", async (signal) => {
    const store = await places.forReading();
    return { place: store.place, status: await store.status({ signal }) };
  });
  const isNowhere = found?.place === NOWHERE;
  const isFilled = Object.values(found?.status.counts ?? {}).some((count) => count > 0);
  const { embedder, meaning } = senses;
  if (embedder === undefined && wanted !== "none") {
    faults.push({
      of: "embedder",
      reason: "the files of the embedder are missing from this build",
      fix: `Install the program again; from a checkout: ${DENO_TASK} embed`,
    });
  } else if (isUsed || isFilled) {
    await attempt("embedder", async (signal) => await embedder?.embed(["memory"], signal));
  }
  return {
    backend: qdrant === undefined ? "sqlite" : "qdrant",
    ...(found === undefined || isNowhere ? {} : { place: found.place }),
    ...(found === undefined ? {} : { status: found.status }),
    meaning,
    ...(embedder === undefined ? {} : { model: embedder.id }),
    faults,
  };
}

function faultOf(of: MemoryFault["of"], error: unknown): MemoryFault {
  if (!(error instanceof BmadError)) {
    return { of, reason: `the server did not answer within ${PATIENCE / 1_000} seconds` };
  }
  if (error.failure.code !== "memory-unavailable") return { of, reason: error.message };
  const { reason, fix } = error.failure;
  return { of, reason: sentence(reason), ...(fix === undefined ? {} : { fix }) };
}

/** Without what is only good to know in the midst of other work. */
function sentence(reason: string): string {
  return reason.replace(/\.? Everything (else|that does not need it) goes on working$/, "");
}
