/**
 * What is worked out once for all who ask.
 *
 * Either kept as long as what it is about, which never changes, such as a library or a configuration; or for the moment
 * only. Nothing is kept longer, so nothing has to be forgotten; what grows with every request has a bound.
 */

/** Works something out when somebody first asks about a value, and keeps it with the value. */
export function cachedWith<K extends object, T>(make: (about: K) => T): (about: K) => T {
  const known = new WeakMap<K, { readonly value: T }>();
  return (about) => {
    let made = known.get(about);
    if (made === undefined) known.set(about, made = { value: make(about) });
    return made.value;
  };
}

/** Keeps the answers to questions that were asked lately: when there are too many, it begins anew. */
export function cacheRecent<T>(most: number): (question: string, make: () => T) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (question, make) => {
    let kept = known.get(question);
    if (kept === undefined) {
      kept = { answer: make() };
      if (known.size >= most) known.clear();
      known.set(question, kept);
    }
    return kept.answer;
  };
}

/** Does the same work once for all who ask for it at the same moment. `later` calls back when that has passed. */
export function shareConcurrent<T>(
  work: (key: string) => Promise<T>,
  later: (call: () => void) => unknown,
): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return (key) => {
    let shared = running.get(key);
    if (shared === undefined) {
      if (running.size === 0) later(() => running.clear());
      running.set(key, shared = work(key));
    }
    return shared;
  };
}
