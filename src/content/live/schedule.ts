/**
 * When to check the disk for changes.
 *
 * A request checks if the last check is a second old; while a client listens, a timer does too, and soon after a hint
 * from the system. The more a check costs, the rarer it becomes. What a check does is left to reload.ts.
 */
import type { Clock } from "../../base/work.ts";

/** Folders show what was added and removed. Files cost more, and also show what was edited. */
export type Scope = "folders" | "files";

/** A file counts as finished when nothing was written to it for this long. */
export const QUIET_MS = 100;

/** The delay of the first check after a client begins to listen, because the start comes first. */
const FIRST_MS = 500;
/** The shortest time between two checks without a hint. */
const CHECK_MS = 1_000;
/** The shortest time between two checks, as a multiple of the cost of the last one, by reason. */
const SPACING = { idle: 100, request: 10, hint: 3 } as const;
/** A check that seems to have cost more was interrupted: the machine slept. */
const MAX_COST_MS = 10_000;

/** When each scope was last checked, and how long that took. */
export interface CheckTimes {
  /** Everything was read just now. */
  reset(): void;
  /** A check that began at this time has ended. */
  record(scope: Scope, begun: number): void;
  /** Whether a scope should be checked again, when a request comes or when nothing happens. */
  isDue(scope: Scope, reason: "request" | "idle"): boolean;
  /** How long to wait before the next check. */
  delay(reason: "hint" | "idle"): number;
}

/** Nothing was checked yet. */
export function openCheckTimes({ now }: Clock): CheckTimes {
  const last = { folders: 0, files: 0 };
  const cost = { folders: 0, files: 0 };
  return {
    reset: () => {
      last.folders = last.files = now();
    },
    record: (scope, begun) => {
      last.folders = now();
      if (scope === "files") last.files = last.folders;
      cost[scope] = Math.min(last.folders - begun, MAX_COST_MS);
    },
    isDue: (scope, reason) => {
      const age = now() - last[scope];
      // After the clock was set back, the age of the last check is unknown.
      return age < 0 || age >= Math.max(CHECK_MS, SPACING[reason] * cost[scope]);
    },
    delay: (reason) =>
      reason === "hint"
        ? Math.max(QUIET_MS, SPACING.hint * cost.files)
        : Math.max(CHECK_MS, SPACING.idle * cost.folders),
  };
}

/** What a ticker works with. */
export interface TickerOptions {
  readonly clock: Clock;
  readonly times: CheckTimes;
  /** Whether anybody listens. */
  isHeard(): boolean;
  /** Settles when the check under way, if any, is over. */
  checked(): Promise<void>;
  check(scope: Scope): Promise<void>;
}

/** Checks by a timer. */
export interface Ticker {
  start(): void;
  /** Cancels the next check. */
  stop(): void;
  /** Something may have changed: check soon. */
  hint(): void;
  /** The same, and counted from now even if a check is already planned. */
  hintAgain(): void;
}

/** Checks by a timer, once started, while a client listens. */
export function openTicker({ clock, times, isHeard, checked, check }: TickerOptions): Ticker {
  let cancelTimer = () => {};
  let isTicking = false;
  let isHinted = false;
  const schedule = (ms: number) => {
    cancelTimer();
    cancelTimer = clock.after(ms, tick);
  };
  const scheduleNext = () => schedule(times.delay(isHinted ? "hint" : "idle"));
  const tick = async () => {
    isTicking = true;
    // A check that a request started may already be past what the hint is about.
    await checked();
    const scope = isHinted || times.isDue("files", "idle") ? "files" : "folders";
    isHinted = false;
    await check(scope);
    isTicking = false;
    if (isHeard()) scheduleNext();
  };
  const hint = () => {
    if (isHinted || !isHeard()) return;
    isHinted = true;
    if (!isTicking) scheduleNext();
  };
  return {
    start: () => {
      if (!isTicking) schedule(FIRST_MS);
    },
    stop: () => cancelTimer(),
    hint,
    hintAgain: () => {
      isHinted = false;
      hint();
    },
  };
}
