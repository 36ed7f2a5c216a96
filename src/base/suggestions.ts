/**
 * What somebody may have meant who wrote a name that nothing has.
 */

/** Something that could be meant: what it is called in the answer, and the spellings it goes by. */
export interface Nameable {
  /** What is suggested: `bmm/bmad-prd`. */
  readonly label: string;
  /** In small letters, as the word is; empty ones do not count. */
  readonly spellings: readonly string[];
}

const MAX_WORD = 200;

/** Up to five labels of things whose name looks like a word in small letters, the nearest first. */
export function nearest(word: string, things: Iterable<Nameable>): readonly string[] {
  // Nothing that exists is called anything so long.
  if (word === "" || word.length > MAX_WORD) return [];
  const best = new Map<string, number>();
  for (const { label, spellings } of things) {
    const distance = Math.min(
      ...spellings.filter((text) => text !== "").map((text) => distanceOf(word, text)),
    );
    if (distance <= Math.max(2, word.length / 2)) {
      best.set(label, Math.min(distance, best.get(label) ?? Infinity));
    }
  }
  return [...best].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 5).map(([label]) => label);
}

/** Edit distance, in which a name that only goes on further is near. */
function distanceOf(a: string, b: string): number {
  if (b.startsWith(a) || a.startsWith(b)) return 1;
  if (a.length > 3 && b.includes(a)) return 2;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1]));
    }
    row = next;
  }
  return row[b.length]!;
}
