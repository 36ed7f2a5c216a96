export function cachedWith<K extends object, T>(compute: (about: K) => T): (about: K) => T {
  const results = new WeakMap<K, T>();
  return (about) => results.getOrInsertComputed(about, compute);
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

/** A table that a start may not need delays none. */
export function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}

export function cacheRecent<T>(max: number): (key: string, compute: () => T) => T {
  const results = new Map<string, T>();
  return (key, compute) => {
    if (results.size >= max && !results.has(key)) results.clear();
    return results.getOrInsertComputed(key, compute);
  };
}

export function keepLatest<K, V>(entries: Map<K, V>, key: K, value: V, max: number): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > max) entries.delete(entries.keys().next().value!);
}
