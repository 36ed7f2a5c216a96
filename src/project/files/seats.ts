/** The seats that hold something: a file for each, which the processes of a seat hold, and whose time is its last sign. */
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
  return {
    begin: async ({ id, isHeld }: Seat): Promise<void> => {
      for (const { name } of tree.list(FOLDER)) {
        const age = now() - (tree.stat(`${FOLDER}/${name}`)?.modified ?? now());
        if (age > LIMITS.claims.longestMs) attempt(() => Deno.removeSync(`${folder}/${FOLDER}/${name}`));
      }
      write(nameOf(id));
      if (isHeld) await holdLock(fileOf(id), id);
    },
    /** Nothing happens for a seat that holds nothing, or for a start that may not write. */
    sign: ({ id }: Seat): void => {
      attempt(() => Deno.utimeSync(fileOf(id), now() / 1_000, now() / 1_000));
    },
    /** The time of its last sign; undefined if it has ended. */
    find: ({ id, isHeld: isSession }: Pick<Seat, "id" | "isHeld">): number | undefined => {
      const sign = unlessMissing(() => Deno.statSync(fileOf(id)))?.mtime?.getTime();
      if (sign === undefined) return undefined;
      const isAlive = isHeld(fileOf(id)) || !isSession && now() - sign < LIMITS.claims.silenceMs;
      return isAlive ? sign : undefined;
    },
  };
}
