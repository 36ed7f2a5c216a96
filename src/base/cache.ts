/**
 * Results that are computed once for all callers.
 *
 * A result lives as long as the immutable value it is about (a library, a configuration), or only for a moment, so
 * nothing has to be invalidated. A cache that would grow with every request has a limit.
 */

/** Computes something at the first request for a value, and keeps it as long as the value. */
export function cachedWith<K extends object, T>(compute: (about: K) => T): (about: K) => T {
  const results = new WeakMap<K, { readonly value: T }>();
  return (about) => {
    let result = results.get(about);
    if (result === undefined) results.set(about, result = { value: compute(about) });
    return result.value;
  };
}

/** Keeps the results of recent keys; when there are `max`, it starts over. */
export function cacheRecent<T>(max: number): (key: string, compute: () => T) => T {
  const results = new Map<string, { readonly value: T }>();
  return (key, compute) => {
    let result = results.get(key);
    if (result === undefined) {
      result = { value: compute() };
      if (results.size >= max) results.clear();
      results.set(key, result);
    }
    return result.value;
  };
}
