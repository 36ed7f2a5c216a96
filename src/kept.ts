/**
 * What is worked out once and kept as long as what it is about.
 *
 * For values that never change, such as a library or a configuration. Nothing is kept longer than its value, so nothing
 * has to be forgotten; what grows with every request does not belong here.
 */

/** Works something out when somebody first asks about a value, and keeps it with the value. */
export function keptWith<K extends object, T>(make: (about: K) => T): (about: K) => T {
  const known = new WeakMap<K, { readonly value: T }>();
  return (about) => {
    let made = known.get(about);
    if (made === undefined) known.set(about, made = { value: make(about) });
    return made.value;
  };
}
