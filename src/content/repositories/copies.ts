/**
 * The cached copies of the repositories that a configuration names, as the rest of the program sees them.
 *
 * Without any repository, or offline, all of this does nothing and loads nothing.
 */
import type { Config } from "../../settings/plan/mod.ts";
import { BmadError } from "../../base/errors.ts";
import type { Refresher, RefresherOptions, UpdatedCopy, UpdateRequest } from "./refresher.ts";

/** The cached copies of some repositories. */
export interface Copies {
  /** Fetches the repositories that are due, or those the request selects, and returns each result. */
  update(request?: UpdateRequest): Promise<readonly UpdatedCopy[]>;
  /**
   * Fetches in the background from now on, whenever a repository is due; returns a function that stops this. Failures
   * are noted beside the copies, and reported only where that is impossible.
   */
  keepFresh(report: (problem: string) => void): () => void;
  /** Settles when nothing is being fetched, or after a moment. */
  whenIdle(signal?: AbortSignal): Promise<void>;
  /** Throws an error again; says so where what was not found may still arrive. */
  rethrow(error: unknown): never;
}

/** How long a request waits at most for what is being fetched: less than any client waits for an answer. */
const MAX_WAIT_MS = 10_000;

/** The cached copies of a configuration's repositories. */
export function openCopies(
  { origins, git: rules }: Pick<Config, "origins" | "git">,
  hooks: Pick<RefresherOptions, "clock" | "progress" | "changed">,
): Copies {
  const repositories = origins.flatMap(({ access }) => access.via === "git" ? [access.repository] : []);
  let refresher: Refresher | undefined;
  const open = async (): Promise<Refresher | undefined> => {
    if (rules === undefined || rules.offline || repositories.length === 0) return undefined;
    const { openRefresher } = await import("./refresher.ts");
    return refresher ??= openRefresher({ repositories, rules, ...hooks });
  };
  return {
    update: async (request) => await (await open())?.update(request) ?? [],
    keepFresh: (report) => {
      let stop = () => {};
      let isOver = false;
      open().then((refresher) => {
        if (refresher !== undefined && !isOver) stop = refresher.start(report);
      });
      return () => {
        isOver = true;
        stop();
      };
    },
    whenIdle: async (signal) => await refresher?.whenIdle(MAX_WAIT_MS, signal),
    rethrow: (error) => {
      const coming = refresher?.fetching() ?? [];
      if (!(error instanceof BmadError) || error.failure.code !== "not-found" || coming.length === 0) {
        throw error;
      }
      const hint = `Still fetching ${coming.join(", ")}: try again in a moment`;
      throw new BmadError({ ...error.failure, hint: [error.failure.hint, hint].filter(Boolean).join(". ") });
    },
  };
}
