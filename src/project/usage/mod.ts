/**
 * Which items were used, as a hint to what is wanted next.
 *
 * Running or reading an item uses it; listing or finding it does not. Uses are counted by qualified name in this
 * process and, if the user wants that, also in a file (uses_file.ts), which is opened when they are first needed. A
 * problem with that file never costs an answer.
 */
import { qualifiedName } from "../../base/model.ts";
import { type Clock, once } from "../../base/work.ts";
import { addUse, mergeUses, rankByUse, type Use, type Uses } from "./uses.ts";

export type { Use } from "./uses.ts";

/** What identifies an item, whichever origin it comes from. */
export interface Usable {
  readonly module: string;
  readonly id: string;
}

/** Sorts items by the use of what they stand for, if anything. */
export type Rank = <T>(
  items: readonly T[],
  usableOf: (item: T) => Usable | undefined,
  boostOf?: (item: T) => number,
) => readonly T[];

/** The uses of one process. */
export interface Usage {
  note(used: Usable): Promise<void>;
  /** How often and when an item was used. */
  lookup(): Promise<(usable: Usable) => Use | undefined>;
  /** The present order or, for the next page of a list, the order of the page before: it changes as uses fade. */
  ranking(options?: { readonly isContinued?: boolean }): Promise<Rank>;
}

/** How uses are counted. */
export interface UsageOptions extends Pick<Clock, "now"> {
  /** The folder of the file; without it uses end with the process. */
  readonly folder?: string;
  readonly isAdding?: boolean;
  /** Receives the first problem with the file. */
  warn?(text: string): void;
}

/** Begins to count. Nothing is read yet. */
export function openUsage({ now, folder, isAdding = false, warn }: UsageOptions): Usage {
  let uses = new Map<string, Use>();
  /** Those of them that are not in the file. */
  let unsaved = new Map<string, Use>();
  /** One after the other, so that a process never waits for its own draft. */
  let saving: Promise<void> = Promise.resolve();
  let rankedAt: number | undefined;

  const withFile = async (work: (folder: string) => Promise<void>): Promise<void> => {
    if (folder === undefined) return;
    try {
      await work(folder);
    } catch (error) {
      warn?.(`Cannot remember usage: ${error instanceof Error ? error.message : error}`);
      warn = undefined;
    }
  };
  const open = once(() =>
    withFile(async (folder) => {
      const { readUses } = await import("./uses_file.ts");
      uses = mergeUses(await readUses(folder, now()), unsaved);
    })
  );
  const save = () =>
    withFile(async (folder) => {
      const { addUses } = await import("./uses_file.ts");
      const adding = unsaved;
      unsaved = new Map();
      let saved: Uses | undefined;
      try {
        saved = await addUses(folder, adding, now());
      } finally {
        // What could not be added goes along with the next use.
        if (saved === undefined) unsaved = mergeUses(adding, unsaved);
        else uses = mergeUses(saved, unsaved);
      }
    });

  return {
    async note(used) {
      await open();
      for (const counted of [uses, unsaved]) addUse(counted, keyOf(used), { count: 1, last: now() });
      if (isAdding) await (saving = saving.then(save));
    },
    async lookup() {
      await open();
      return (usable) => uses.get(keyOf(usable));
    },
    async ranking({ isContinued = false } = {}) {
      await open();
      if (!isContinued || rankedAt === undefined) rankedAt = now();
      const at = rankedAt;
      return (items, usableOf, boostOf) => {
        if (uses.size === 0 && boostOf === undefined) return items;
        const useOf = (usable: Usable | undefined) =>
          usable && uses.size > 0 ? uses.get(keyOf(usable)) : undefined;
        return rankByUse(items, (item) => useOf(usableOf(item)), at, boostOf);
      };
    },
  };
}

function keyOf(used: Usable): string {
  return qualifiedName(used).toLowerCase();
}
