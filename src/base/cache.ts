/**
 * Results computed once for all callers. A result lives as long as the immutable value it is about (a library, a
 * configuration), or briefly, so nothing has to be invalidated. A cache that grows with requests has a limit.
 */

export function cachedWith<K extends object, T>(compute: (about: K) => T): (about: K) => T {
  const results = new WeakMap<K, { readonly value: T }>();
  return (about) => {
    let result = results.get(about);
    if (result === undefined) results.set(about, result = { value: compute(about) });
    return result.value;
  };
}

/** Once all texts together exceed `maxLength` characters, those not asked for lately are dropped. */
export function cacheTexts<T>(maxLength: number) {
  type Kept = { readonly text: string; readonly value: T };
  let recent = new Map<string, Kept>();
  let older = new Map<string, Kept>();
  let length = 0;
  const add = (name: string, kept: Kept) => {
    if (length + kept.text.length > maxLength) [older, recent, length] = [recent, new Map(), 0];
    recent.set(name, kept);
    length += kept.text.length;
    return kept.value;
  };
  return {
    find: (name: string, text: string): T | undefined => {
      const kept = recent.get(name);
      if (kept?.text === text) return kept.value;
      const old = older.get(name);
      return old?.text === text ? add(name, old) : undefined;
    },
    keep: (name: string, text: string, value: T) => add(name, { text, value }),
  };
}

/** Starts over when there are `max` results. */
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
