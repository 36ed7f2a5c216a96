/**
 * Which place memories are in: the file of the project, the one in the user's state folder, or a server.
 *
 * The file is the project's where its memory folder can be written, else the user's. What only reads makes no file.
 * When a project gets a file of its own, what was in the user's comes with it.
 */
import type { MemoryPlan } from "../../config/mod.ts";
import { fail } from "../../errors.ts";
import { openQdrant } from "./qdrant.ts";
import { openSqlite } from "./sqlite.ts";
import type { MemoryStore, Senses } from "./store.ts";

/** A kind of place. */
export type PlaceName = "sqlite" | "qdrant";

/** The places of one project. */
export interface Places {
  /** The place in use, where nothing is made if there is nothing yet. */
  forReading(): Promise<MemoryStore>;
  /** The place in use. Fails when nothing may be written. */
  forWriting(): Promise<MemoryStore>;
  /** One of them by name. */
  open(name: PlaceName, forWriting: boolean): Promise<MemoryStore>;
  close(): void;
}

/** A place without a name, in which nothing is and nothing stays. */
const NOWHERE = ":memory:";

/** The places of a project. Nothing is opened yet. */
export function openPlaces(plan: MemoryPlan, project: string, senses: Senses): Places {
  const opened = new Map<PlaceName, { readonly store: MemoryStore; readonly canWrite: boolean }>();

  function keep(name: PlaceName, store: MemoryStore, canWrite: boolean): MemoryStore {
    opened.get(name)?.store.close();
    opened.set(name, { store, canWrite });
    return store;
  }

  async function openFile(forWriting: boolean): Promise<MemoryStore> {
    const existing = plan.files.find(isFile);
    if (!forWriting) {
      if (existing === undefined) return openSqlite({ file: NOWHERE, readOnly: false }, senses);
      // A later write must be free to choose another file.
      const canWrite = plan.mayWrite && existing === plan.files[0] && makeWritable(existing);
      return keep("sqlite", openSqlite({ file: existing, readOnly: !canWrite }, senses), canWrite);
    }
    const file = plan.files.find(makeWritable);
    if (file === undefined) {
      return fail({
        code: "memory-unavailable",
        reason:
          `neither the project's memory folder nor ${
            plan.files.at(-1) ?? "a state folder"
          } can be written. ` +
          "Everything that only reads goes on working",
      });
    }
    const store = openSqlite({ file, readOnly: false }, senses);
    if (existing !== undefined && existing !== file) await takeOver(existing, store);
    return keep("sqlite", store, true);
  }

  async function takeOver(file: string, store: MemoryStore): Promise<void> {
    const earlier = openSqlite({ file, readOnly: true }, senses);
    try {
      await store.remember((await earlier.list({})).toReversed());
    } finally {
      earlier.close();
    }
  }

  async function open(name: PlaceName, forWriting: boolean): Promise<MemoryStore> {
    if (forWriting && !plan.mayWrite) {
      fail({
        code: "not-allowed",
        what: "change memories",
        hint: "this start may only read them (--read-only)",
      });
    }
    const known = opened.get(name);
    if (known !== undefined && (known.canWrite || !forWriting)) return known.store;
    if (name === "sqlite") return await openFile(forWriting);
    if (plan.qdrant === undefined) {
      return fail({
        code: "invalid-input",
        field: "qdrant",
        problem: "no server is configured",
        hint: "Name it with --qdrant-url or BMAD_QDRANT_URL",
      });
    }
    return keep(name, openQdrant({ ...plan.qdrant, project }, senses), plan.mayWrite);
  }

  const used: PlaceName = plan.qdrant === undefined ? "sqlite" : "qdrant";
  return {
    forReading: () => open(used, false),
    forWriting: () => open(used, true),
    open,
    close: () => opened.forEach(({ store }) => store.close()),
  };
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether a file can be written; makes it, and its folder, if it is not there. */
function makeWritable(path: string): boolean {
  try {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folder.endsWith("/_memory")) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    Deno.openSync(path, { write: true, create: true }).close();
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const refusals = [
    Deno.errors.PermissionDenied,
    Deno.errors.NotCapable,
    Deno.errors.NotFound,
    Deno.errors.IsADirectory,
  ];
  return refusals.some((kind) => error instanceof kind) ||
    (error instanceof Error && "code" in error && error.code === "EROFS");
}
