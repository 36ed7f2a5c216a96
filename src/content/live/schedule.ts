/**
 * When to check the disk: a request checks if the last check is a second old; while a client listens, a timer does
 * too, and soon after a hint. The more a check costs, the rarer it becomes.
 */
import type { Clock } from "../../base/work.ts";

/** Folders show what was added and removed. Files cost more, and also show what was edited. */
export type Scope = "folders" | "files";

/** A file counts as finished when nothing was written to it for this long. */
export const QUIET_MS = 100;

/** The delay of the first check after a client begins to listen, because the start comes first. */
const FIRST_MS = 500;
const CHECK_MS = 1_000;
/** The shortest time between two checks, as a multiple of the cost of the last one, by reason. */
const SPACING = { idle: 100, request: 10, hint: 3 } as const;
/** A check that seems to have cost more was interrupted: the machine slept. */
const MAX_COST_MS = 10_000;

export type CheckTimes = ReturnType<typeof openCheckTimes>;

export function openCheckTimes({ now }: Clock) {
  const last = { folders: 0, files: 0 };
  const cost = { folders: 0, files: 0 };
  return {
    reset: (): void => {
      last.folders = last.files = now();
    },
    record: (scope: Scope, begun: number): void => {
      last.folders = now();
      if (scope === "files") last.files = last.folders;
      cost[scope] = Math.min(last.folders - begun, MAX_COST_MS);
    },
    isDue: (scope: Scope, reason: "request" | "idle"): boolean => {
      const age = now() - last[scope];
      // After the clock was set back, the age of the last check is unknown.
      return age < 0 || age >= Math.max(CHECK_MS, SPACING[reason] * cost[scope]);
    },
    delay: (reason: "hint" | "idle"): number =>
      reason === "hint"
        ? Math.max(QUIET_MS, SPACING.hint * cost.files)
        : Math.max(CHECK_MS, SPACING.idle * cost.folders),
  };
}

interface TickerOptions {
  readonly clock: Clock;
  readonly times: CheckTimes;
  isHeard(): boolean;
  checked(): Promise<void>;
  check(scope: Scope): Promise<void>;
}

export function openTicker({ clock, times, isHeard, checked, check }: TickerOptions) {
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
    start: (): void => {
      if (!isTicking) schedule(FIRST_MS);
    },
    stop: (): void => cancelTimer(),
    hint,
    /** The same, and counted from now even if a check is already planned. */
    hintAgain: (): void => {
      isHinted = false;
      hint();
    },
  };
}
