/** Which names are similar to one that is unknown: `agnts` → `agents`. */

interface Nameable {
  readonly label: string;
  readonly spellings: readonly string[];
}

const MAX_LENGTH = 200;

/** Up to five labels similar to a word in lower case, the nearest first. A typo of one of them means no other. */
export function suggest(word: string, candidates: Iterable<Nameable | string>): readonly string[] {
  if (word === "" || word.length > MAX_LENGTH) return [];
  const best = new Map<string, number>();
  for (const candidate of candidates) {
    const { label, spellings } = typeof candidate === "string"
      ? { label: candidate, spellings: [candidate.toLowerCase()] }
      : candidate;
    const rank = Math.min(...spellings.filter((text) => text !== "").map((text) => rankOf(word, text)));
    if (rank < Infinity) best.set(label, Math.min(rank, best.get(label) ?? Infinity));
  }
  const isTypo = [...best.values()].some((rank) => rank <= TYPO);
  const near = [...best].filter(([, rank]) => !isTypo || rank <= TYPO);
  return near.sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 5).map(([label]) => label);
}

export function suggestionOf(names: readonly string[] = []): string | undefined {
  if (names.length === 0) return undefined;
  const last = names.at(-1)!;
  return `Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`}?`;
}

const SHORTEST_PART = 3;

const TYPO = 1;

function rankOf(word: string, spelling: string): number {
  const mistakes = editDistance(word, spelling);
  const limit = word.length < 6 ? 1 : word.length < 9 ? 2 : 3;
  if (mistakes <= limit) return mistakes;
  const [short, long] = word.length < spelling.length ? [word, spelling] : [spelling, word];
  const sharesPart = (short.length >= SHORTEST_PART && long.startsWith(short)) ||
    (word.length > SHORTEST_PART && spelling.includes(word));
  return sharesPart ? limit + 1 : Infinity;
}

/** Optimal string alignment: letters inserted, deleted, changed or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, change, isSwap ? previous[j - 2]! + 1 : Infinity);
    }
    [previous, row] = [row, next];
  }
  return row[b.length]!;
}
