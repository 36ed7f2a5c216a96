/**
 * Deadlines that are nearly always met, all of the same length. One timer watches them all: a request has two, and a timer
 * for each would take a fortieth of its time.
 */

interface Deadline extends Disposable {
  restart(): void;
}

export interface Deadlines extends Disposable {
  begin(late: () => void): Deadline;
}

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
