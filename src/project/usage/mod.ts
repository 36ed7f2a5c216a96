/**
 * What was used, as a hint to what is wanted next.
 *
 * To execute or to read a thing is to use it; to list or to find it is not. Uses are counted by the qualified name of
 * the thing, in this process alone; where the user asks for it they are also kept in a file (kept_uses.ts), which is
 * opened when they are first needed. Trouble with that file never costs an answer.
 */
import { qualifiedName } from "../../base/model.ts";
import { rankByUse } from "./score.ts";
import { mergeUses, type Uses } from "./uses.ts";

/** What is used: the parts of an entry that tell it from others, in whatever origin. */
export interface Usable {
  /** The module's code. */
  readonly module: string;
  /** The id inside the module. */
  readonly id: string;
}

/** Puts things in order by the use of what they stand for, which may be nothing. */
export type Rank = <T>(
  things: readonly T[],
  usableOf: (thing: T) => Usable | undefined,
  boostOf?: (thing: T) => number,
) => readonly T[];

/** The uses of one process. */
export interface Usage {
  /** Counts a use. */
  note(used: Usable): Promise<void>;
  /** The order of now or, for the next page of a list, that of the list before: an order fades with time. */
  ranking(options?: { readonly isContinued?: boolean }): Promise<Rank>;
}

/** How uses are counted. */
export interface UsageOptions {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The folder in which uses are kept; without it they end with the process. */
  readonly folder?: string;
  /** Whether those of this process are added to it. */
  readonly isAdding?: boolean;
  /** Told once why uses cannot be kept. */
  warn?(text: string): void;
}

/** Begins to count. Nothing is read before somebody asks. */
export function openUsage({ now, folder, isAdding = false, warn }: UsageOptions): Usage {
  let uses: Uses = new Map();
  /** Those of them that are not in the file. */
  let fresh: Uses = new Map();
  let moment: number | undefined;
  let isWarned = false;
  /** Uses wait for each other, so that no file is written twice at a time. */
  let turn: Promise<void> = Promise.resolve();

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isWarned) {
        warn?.(`What you use is not remembered: ${error instanceof Error ? error.message : error}`);
      }
      isWarned = true;
    }
  };
  let opened: Promise<void> | undefined;
  const open = (): Promise<void> =>
    opened ??= folder === undefined ? Promise.resolve() : guarded(async () => {
      const { readUses } = await import("./kept_uses.ts");
      uses = mergeUses(await readUses(folder, now()), fresh);
    });

  return {
    note: async (used) => {
      await open();
      const key = keyOf(used);
      const use = new Map([[key, { count: 1, last: now() }]]);
      uses = mergeUses(uses, use);
      fresh = mergeUses(fresh, use);
      if (folder === undefined || !isAdding) return;
      turn = turn.then(() =>
        guarded(async () => {
          const { addUses } = await import("./kept_uses.ts");
          const adding = fresh;
          fresh = new Map();
          let kept: Uses | undefined;
          try {
            kept = await addUses(folder, adding, now());
          } finally {
            // What could not be added now goes along with the next use.
            if (kept === undefined) fresh = mergeUses(adding, fresh);
            else uses = mergeUses(kept, fresh);
          }
        })
      );
      await turn;
    },
    ranking: async ({ isContinued = false } = {}) => {
      await open();
      if (!isContinued || moment === undefined) moment = now();
      const at = moment;
      return (things, usableOf, boostOf) => {
        const useOf = (thing: Parameters<typeof usableOf>[0]) => {
          const usable = uses.size === 0 ? undefined : usableOf(thing);
          return usable === undefined ? undefined : uses.get(keyOf(usable));
        };
        return uses.size === 0 && boostOf === undefined
          ? things
          : rankByUse(things, { useOf, now: at, boostOf });
      };
    },
  };
}

function keyOf(used: Usable): string {
  return qualifiedName(used).toLowerCase();
}
