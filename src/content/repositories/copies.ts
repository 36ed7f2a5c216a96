/**
 * The copies of the repositories that a configuration names, as the rest of the program sees them.
 *
 * Where there are none, or git may not be called, all of this does nothing and loads nothing.
 */
import type { Config } from "../../settings/plan/mod.ts";
import { BmadError } from "../../base/errors.ts";
import type { Chosen, Keeper, KeeperOptions, UpdatedCopy } from "./keeper.ts";

/** The copies of some repositories. */
export interface Copies {
  /** Fetches those that are due, or all that are chosen, and says what came of each. */
  update(chosen?: Chosen): Promise<readonly UpdatedCopy[]>;
  /**
   * Does so in the background from now on, whenever one is due; returns how to end that. What goes wrong is written
   * down beside the copies, and reported only where that cannot be done.
   */
  keep(report: (problem: string) => void): () => void;
  /** Settles when nothing is being fetched, or after a moment. */
  settled(signal?: AbortSignal): Promise<void>;
  /** Fails again, and says so where what was not found may still come. */
  excuse(error: unknown): never;
}

/** How long it is waited at most until nothing is being fetched: less than any client waits for an answer. */
const PATIENCE_MS = 10_000;

/** The copies of a configuration's repositories. */
export function openCopies(
  { origins, git: rules }: Pick<Config, "origins" | "git">,
  hooks: Pick<KeeperOptions, "clock" | "progress" | "changed">,
): Copies {
  const repositories = origins.flatMap(({ access }) => access.via === "git" ? [access.repository] : []);
  let keeper: Keeper | undefined;
  const open = async (): Promise<Keeper | undefined> => {
    if (rules === undefined || rules.offline || repositories.length === 0) return undefined;
    const { openKeeper } = await import("./keeper.ts");
    return keeper ??= openKeeper({ repositories, rules, ...hooks });
  };
  return {
    update: async (chosen) => await (await open())?.update(chosen) ?? [],
    keep: (report) => {
      let end = () => {};
      let isOver = false;
      open().then((keeper) => {
        if (keeper !== undefined && !isOver) end = keeper.keep(report);
      });
      return () => {
        isOver = true;
        end();
      };
    },
    settled: async (signal) => await keeper?.settled(PATIENCE_MS, signal),
    excuse: (error) => {
      const coming = keeper?.underWay() ?? [];
      if (!(error instanceof BmadError) || error.failure.code !== "not-found" || coming.length === 0) {
        throw error;
      }
      const hint = `More is still being fetched (${coming.join(", ")}): try again in a moment`;
      throw new BmadError({ ...error.failure, hint: [error.failure.hint, hint].filter(Boolean).join(". ") });
    },
  };
}
