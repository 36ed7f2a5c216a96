/**
 * Deadlines that are nearly always met, all of the same length. One timer watches them all: a request has two, and a timer
 * for each would take a fortieth of its time.
 */

/** One deadline; it no longer counts once it is disposed of. */
export interface Deadline extends Disposable {
  /** Starts the time over. */
  restart(): void;
}

/** Those of a listener; disposed of, none of them counts. */
export interface Deadlines extends Disposable {
  /** Begins one; `late` is called if it is missed. */
  begin(late: () => void): Deadline;
}

/** Opens deadlines of so many milliseconds. */
export function openDeadlines(ms: number): Deadlines {
  /** By their ends, the earliest first: one that restarts becomes the last. */
  const ends = new Map<{ readonly late: () => void }, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    timer = undefined;
    for (const [deadline, end] of ends) {
      const left = end - performance.now();
      if (left > 0) {
        timer ??= setTimeout(watch, left);
        return;
      }
      ends.delete(deadline);
      deadline.late();
    }
  };
  return {
    begin: (late) => {
      const deadline = { late };
      const stop = () => void ends.delete(deadline);
      const restart = () => {
        stop();
        ends.set(deadline, performance.now() + ms);
        if (timer === undefined) watch();
      };
      restart();
      return { restart, [Symbol.dispose]: stop };
    },
    [Symbol.dispose]: () => {
      ends.clear();
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
