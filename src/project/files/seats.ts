/** A file for each seat, which its processes hold, and whose time is its last sign. */
import { attempt, unlessMissing } from "../../base/absence.ts";
import type { Seat } from "../../base/work.ts";
import { holdLock, isHeld } from "../../process/lock.ts";
import { diskTree } from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";

const FOLDER = "seats";

/** `folder` is absolute and real; `write` creates a file in it. */
export function openSeats(folder: string, now: () => number, write: (path: string) => void) {
  const tree = diskTree(folder);
  const nameOf = (id: string) => `${FOLDER}/${id}.txt`;
  const fileOf = (id: string) => `${folder}/${nameOf(id)}`;
  /** Nothing happens for a seat that holds nothing, or for a start that may not write. */
  const sign = ({ id }: Pick<Seat, "id">): void => {
    attempt(() => Deno.utimeSync(fileOf(id), now() / 1_000, now() / 1_000));
  };
  /** What is no plain file is none of ours: opening a pipe would block. */
  const timeOf = (id: string): number | undefined => {
    const facts = unlessMissing(() => Deno.statSync(fileOf(id)));
    return facts?.isFile ? facts.mtime?.getTime() : undefined;
  };
  return {
    sign,
    begin: async ({ id, isHeld: isSession }: Seat): Promise<void> => {
      for (const { name } of tree.list(FOLDER)) {
        const age = now() - (tree.stat(`${FOLDER}/${name}`)?.modified ?? now());
        const path = `${folder}/${FOLDER}/${name}`;
        // A process that lives may begin again, and holds this file.
        if (age > LIMITS.claims.longestMs && !isHeld(path)) attempt(() => Deno.removeSync(path));
      }
      write(nameOf(id));
      sign({ id });
      if (isSession && timeOf(id) !== undefined) await holdLock(fileOf(id), id);
    },
    /** The time of its last sign; undefined if it has ended. */
    find: ({ id, isHeld: isSession }: Pick<Seat, "id" | "isHeld">): number | undefined => {
      const last = timeOf(id);
      if (last === undefined) return undefined;
      const isAlive = isHeld(fileOf(id)) || !isSession && now() - last < LIMITS.claims.silenceMs;
      return isAlive ? last : undefined;
    },
  };
}
