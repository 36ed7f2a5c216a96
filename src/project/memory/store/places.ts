/**
 * Which place memories are in: the file of the project, the one in the user's state folder, or a server.
 *
 * The file is the first that can be written, the project's before the user's; where none may be written, the one that
 * was written last. What only reads makes no file. What another file has that was written later comes along: so
 * nothing is lost when a project gets a folder for its memory, or can no longer, or again, be written.
 */
import type { MemoryPlan } from "../../../settings/plan/mod.ts";
import { BmadError, fail } from "../../../base/errors.ts";
import { openQdrant } from "./qdrant.ts";
import { sizeOf } from "./database.ts";
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

/** A place that was opened. */
interface OpenPlace {
  readonly store: MemoryStore;
  readonly canWrite: boolean;
  /** Of a file that is only read: which files there were. With others, or without it, another may be the right one. */
  readonly chosenOf?: string;
}

/** A place without a name, in which nothing is and nothing stays. */
export const NOWHERE = ":memory:";

/** The places of a project. Nothing is opened yet. `canWrite` tells of a file, and makes it if it is not there. */
export function openPlaces(
  plan: MemoryPlan,
  project: string,
  senses: Senses,
  canWrite: (file: string) => boolean = makeWritable,
): Places {
  const opened = new Map<PlaceName, OpenPlace>();
  /** Requests that are under way may still use them. */
  const replaced: MemoryStore[] = [];
  let turn: Promise<unknown> = Promise.resolve();

  function keep(name: PlaceName, place: OpenPlace): MemoryStore {
    const before = opened.get(name)?.store;
    if (before !== undefined) replaced.push(before);
    opened.set(name, place);
    return place.store;
  }

  const filesThere = () => plan.files.filter((file) => sizeOf(file) > 0);

  async function openFile(forWriting: boolean): Promise<MemoryStore> {
    const there = filesThere();
    const times = new Map(there.map((file) => [file, writtenAt(file)]));
    const writable = plan.mayWrite ? (forWriting ? plan.files : there).find(canWrite) : undefined;
    if (forWriting && writable === undefined) refuseWriting(plan.files);
    const latest = there.toSorted((a, b) => times.get(b)! - times.get(a)!)[0];
    const file = writable ?? latest;
    if (file === undefined) return openSqlite({ file: NOWHERE, readOnly: false }, senses);
    // A later write must be free to make a file in a better place.
    const better = plan.files.slice(0, plan.files.indexOf(file));
    const isFinal = writable !== undefined && (forWriting || better.every((each) => there.includes(each)));
    const openFully = () => openSqlite({ file, readOnly: false }, senses);
    const store = forWriting ? openFully() : isFinal ? ifPossible(openFully) : undefined;
    if (store === undefined) {
      const reader = openSqlite({ file, readOnly: true }, senses);
      return keep("sqlite", { store: reader, canWrite: false, chosenOf: there.join() });
    }
    const own = times.get(file) ?? -Infinity;
    for (const other of there) if (other !== file && times.get(other)! > own) await takeOver(other, store);
    return keep("sqlite", { store, canWrite: true });
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
    const isUsable = known !== undefined && (known.canWrite || !forWriting) &&
      (known.chosenOf === undefined || known.chosenOf === filesThere().join());
    if (isUsable) return known.store;
    if (name === "sqlite") return await openFile(forWriting);
    if (plan.qdrant === undefined) {
      return fail({
        code: "invalid-input",
        field: "qdrant",
        problem: "no server is configured",
        hint: "Name it with --qdrant-url or BMAD_QDRANT_URL",
      });
    }
    return keep(name, { store: openQdrant({ ...plan.qdrant, project }, senses), canWrite: plan.mayWrite });
  }

  /** One after the other: what the first has opened, or taken over from another file, serves the next. */
  function openInTurn(name: PlaceName, forWriting: boolean): Promise<MemoryStore> {
    const next = turn.then(() => open(name, forWriting));
    turn = next.catch(() => {});
    return next;
  }

  const used: PlaceName = plan.qdrant === undefined ? "sqlite" : "qdrant";
  return {
    forReading: () => openInTurn(used, false),
    forWriting: () => openInTurn(used, true),
    open: openInTurn,
    close: () =>
      [...replaced, ...[...opened.values()].map(({ store }) => store)].forEach((each) => each.close()),
  };
}

/** On a full disk a file can be read that cannot be written. */
function ifPossible<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof BmadError) return undefined;
    throw error;
  }
}

function refuseWriting(files: readonly string[]): never {
  const state = files.at(-1) ?? "a state folder";
  return fail({
    code: "memory-unavailable",
    reason: `neither the project's memory folder nor ${state} can be written. ` +
      "Everything that only reads goes on working",
  });
}

/** When something was last written to a file or to the log beside it. */
function writtenAt(file: string): number {
  return Math.max(...[file, `${file}-wal`].map((path) => {
    try {
      return Deno.statSync(path).mtime?.getTime() ?? 0;
    } catch {
      return 0;
    }
  }));
}

/** Whether a file can be written; makes it, and its folder, if it is not there. A link is left alone. */
function makeWritable(path: string): boolean {
  try {
    if (isLink(path)) return false;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folder.endsWith("/_memory")) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    Deno.openSync(path, { write: true, create: true }).close();
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
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
