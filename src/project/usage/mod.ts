/**
 * Which items were used, as a hint to what is wanted next. Running or reading an item uses it; listing or finding it
 * does not. A problem with the file of uses never costs an answer.
 */
import { qualifiedName } from "../../base/model.ts";
import { type Clock, once } from "../../base/work.ts";
import { addUse, mergeUses, rankByUse, type Use, type Uses } from "./uses.ts";

interface Usable {
  readonly module: string;
  readonly id: string;
}

export type Usage = ReturnType<typeof openUsage>;

interface UsageOptions extends Pick<Clock, "now"> {
  readonly folder?: string;
  readonly isAdding?: boolean;
  warn?(text: string): void;
}

export function openUsage({ now, folder, isAdding = false, warn }: UsageOptions) {
  let uses = new Map<string, Use>();
  let unsaved = new Map<string, Use>();
  /** One at a time, so that a process never waits for its own draft. */
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
    async note(used: Usable): Promise<void> {
      await open();
      for (const counted of [uses, unsaved]) addUse(counted, useKey(used), { count: 1, last: now() });
      if (isAdding) await (saving = saving.then(save));
    },
    async lookup() {
      await open();
      return (usable: Usable) => uses.get(useKey(usable));
    },
    /** A continued list keeps the order of its first page, although uses fade. */
    async ranking({ isContinued = false }: { readonly isContinued?: boolean } = {}) {
      await open();
      if (!isContinued || rankedAt === undefined) rankedAt = now();
      const at = rankedAt;
      return <T>(
        items: readonly T[],
        usableOf: (item: T) => Usable | undefined,
        boostOf?: (item: T) => number,
      ): readonly T[] => {
        if (uses.size === 0 && boostOf === undefined) return items;
        const useOf = (usable: Usable | undefined) =>
          usable && uses.size > 0 ? uses.get(useKey(usable)) : undefined;
        return rankByUse(items, (item) => useOf(usableOf(item)), at, boostOf);
      };
    },
  };
}

function useKey(used: Usable): string {
  return qualifiedName(used).toLowerCase();
}
