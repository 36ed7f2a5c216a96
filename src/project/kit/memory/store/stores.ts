/**
 * The first writable file wins, the project's before the user's; where none is writable, the newest is read. What was
 * written later to another file is taken over: nothing is lost when a project gets a memory folder.
 */
import { attempt, recover } from "../../../../base/absence.ts";
import {
  BmadError,
  fail,
  failInput,
  forbid,
  type MemoryProblem,
  systemCode,
} from "../../../../base/errors.ts";
import type { MemoryPlan } from "../../../../settings/plan/mod.ts";
import { LIMITS } from "../../../limits.ts";
import { openQdrant } from "./qdrant.ts";
import { openSqlite } from "./sqlite.ts";
import { checkPlain, isHeld, sizeOf, statOf, writtenAt } from "./sqlite_disk.ts";
import { canWrite, IN_MEMORY } from "./sqlite_file.ts";
import type { MemoryStore, Rankers } from "./store.ts";
import { NO_EMBEDDER, type OpenRankers } from "./rankers.ts";

export type Backend = "sqlite" | "qdrant";

export type Stores = ReturnType<typeof openStores>;

interface OpenStore {
  readonly store: MemoryStore;
  readonly canWrite: boolean;
  /** For a file that is only read: when the files it was chosen from change, another may be right. */
  readonly chosenFrom?: string;
}

function backendOf({ qdrant }: MemoryPlan): Backend {
  return qdrant === undefined ? "sqlite" : "qdrant";
}

export function openStores(
  plan: MemoryPlan,
  project: string,
  rankers: Rankers,
  isWritable: (file: string) => boolean = makeWritable,
) {
  const current = new Map<Backend, OpenStore>();
  /** Running requests may still use them, so they are closed at the end. */
  const replaced: MemoryStore[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  const server = () => plan.qdrant ?? failInput("No Qdrant server is configured");

  async function open(backend: Backend, forWriting: boolean): Promise<MemoryStore> {
    if (forWriting && !plan.mayWrite) {
      forbid("change memories", "read-only mode is on");
    }
    const known = current.get(backend);
    const isCurrent = known !== undefined && (known.canWrite || !forWriting) &&
      (known.chosenFrom === undefined || known.chosenFrom === existingFiles(plan).join());
    if (isCurrent) return known.store;
    const opened = backend === "sqlite"
      ? await openFile(plan, rankers, forWriting, isWritable)
      : { store: openQdrant({ ...server(), project }, rankers), canWrite: plan.mayWrite };
    if (opened === undefined) {
      return { ...openSqlite({ file: IN_MEMORY, readOnly: false }, rankers), location: undefined };
    }
    if (known !== undefined) replaced.push(known.store);
    current.set(backend, opened);
    return opened.store;
  }

  /** One at a time: the next request gets what this one has opened, or taken over from another file. */
  function openInTurn(backend: Backend, forWriting: boolean): Promise<MemoryStore> {
    const next = turn.then(() => open(backend, forWriting));
    turn = next.catch(() => {});
    return next;
  }

  return {
    forReading: () => openInTurn(backendOf(plan), false),
    forWriting: () => openInTurn(backendOf(plan), true),
    open: openInTurn,
    close: () => [...replaced, ...current.values().map(({ store }) => store)].forEach((each) => each.close()),
  };
}

async function openFile(
  plan: MemoryPlan,
  rankers: Rankers,
  forWriting: boolean,
  isWritable: (file: string) => boolean,
): Promise<OpenStore | undefined> {
  // Opening a pipe for writing would wait for a reader.
  plan.files.forEach(checkPlain);
  const existing = existingFiles(plan);
  // Before anything is created.
  const times = new Map(existing.map((file) => [file, writtenAt(file)]));
  const writable = plan.mayWrite ? (forWriting ? plan.files : existing).find(isWritable) : undefined;
  if (forWriting && writable === undefined) refuseWriting(plan);
  const file = writable ?? existing.toSorted((a, b) => times.get(b)! - times.get(a)!)[0];
  if (file === undefined) return undefined;
  const openWritable = () => openSqlite({ file, readOnly: false }, rankers);
  // A later write must be free to create a file in a better place.
  const better = plan.files.slice(0, plan.files.indexOf(file));
  const mayStay = writable !== undefined && better.every((each) => existing.includes(each));
  // On a full disk, a file may be readable but not writable.
  const store = forWriting ? openWritable() : mayStay ? recover(BmadError, openWritable) : undefined;
  if (store === undefined) {
    const reader = openSqlite({ file, readOnly: true }, rankers);
    return { store: reader, canWrite: false, chosenFrom: existing.join() };
  }
  const time = times.get(file) ?? -Infinity;
  for (const other of existing) {
    const isNewer = times.get(other)! > time;
    const isEarlier = other === plan.earlier && other !== file;
    if (isNewer || isEarlier) await takeOver(other, store, rankers, isNewer);
    // Taken over once: what is forgotten later must not come back.
    if (isEarlier) attempt(() => Deno.renameSync(other, `${other}.taken-over`));
  }
  return { store, canWrite: true };
}

function existingFiles({ files }: MemoryPlan): readonly string[] {
  return files.filter((file) => sizeOf(file) > 0);
}

async function takeOver(file: string, store: MemoryStore, rankers: Rankers, isNewer: boolean): Promise<void> {
  const earlier = openSqlite({ file, readOnly: true }, rankers);
  try {
    const known = new Set(isNewer ? [] : (await store.list({})).map(({ id }) => id));
    await store.remember((await earlier.list({})).filter(({ id }) => !known.has(id)).toReversed());
  } finally {
    earlier.close();
  }
}

function refuseWriting({ files }: MemoryPlan): never {
  const places = files.join(" and ") || "the project's memory folder and the state folder";
  const reason = `${places} cannot be written. Check their permissions and free space`;
  return fail({ code: "memory-unavailable", problem: "no-access", reason, subject: files.at(-1) });
}

function makeWritable(path: string): boolean {
  try {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (isHeld(path)) return canWrite(path);
    if (statOf(folder) === undefined) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    Deno.openSync(path, { write: true, create: true }).close();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

export interface MemoryFault {
  readonly of: "store" | "embedder";
  readonly problem?: MemoryProblem;
  readonly subject?: string;
  readonly reason: string;
}

/** `isUsed`: whether memory is in use, even if it is still empty: then the embedder is tried. */
export async function examineMemory(
  stores: Stores,
  { embedder, description }: Pick<OpenRankers, "embedder" | "description">,
  plan: MemoryPlan,
  { isUsed }: { readonly isUsed: boolean },
) {
  const faults: MemoryFault[] = [];
  const attempt = async <T>(of: MemoryFault["of"], work: (signal: AbortSignal) => Promise<T>) => {
    const timeout = AbortSignal.timeout(LIMITS.memory.healthMs);
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
    faults.push({ of: "embedder", problem: "embedder-missing", reason: NO_EMBEDDER });
  } else if (isUsed || isFilled) {
    await attempt("embedder", async (signal) => await embedder?.embed(["memory"], signal));
  }
  return { backend: backendOf(plan), ...found, ranking: description, model: embedder?.id, faults };
}

function describeFault(error: unknown): Omit<MemoryFault, "of"> {
  if (!(error instanceof BmadError)) {
    const seconds = LIMITS.memory.healthMs / 1_000;
    return { problem: "unreachable", reason: `the server did not answer within ${seconds} seconds` };
  }
  const { failure, message } = error;
  if (failure.code !== "memory-unavailable") return { reason: message };
  const { code: _, ...fault } = failure;
  return fault;
}
