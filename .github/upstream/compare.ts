/**
 * What differs between two releases.
 */
import { type Fact, type FactKind, KINDS, type Release } from "./facts.ts";

/** One difference. */
export interface Change {
  readonly kind: FactKind;
  readonly is: "new" | "gone" | "changed" | "renamed";
  readonly name: string;
  /** What it was and what it is; of a renamed skill, its new name. */
  readonly from?: string;
  readonly to?: string;
  readonly at: string;
}

/** Every difference, in the order of the kinds. What comes or goes with a whole skill is not told again. */
export function compareReleases(before: Release, after: Release): readonly Change[] {
  const had = before.facts.get("skill") ?? new Map<string, Fact>();
  const has = after.facts.get("skill") ?? new Map<string, Fact>();
  const renames = findRenames(before, after, [...had.keys()].filter((id) => !has.has(id)), [
    ...has.keys().filter((id) => !had.has(id)),
  ]);
  const isWhole = ({ skill }: Fact) => skill === undefined || had.has(skill) && has.has(skill);
  return (Object.keys(KINDS) as readonly FactKind[]).flatMap((kind): readonly Change[] => {
    const [old, now] = [before, after].map(({ facts }) => facts.get(kind) ?? new Map<string, Fact>());
    const renamed = kind === "skill" ? renames : new Map<string, string>();
    const taken = new Set(renamed.values());
    return [
      ...now!.values().filter((fact) => !old!.has(fact.name) && !taken.has(fact.name) && isWhole(fact))
        .map(({ name, at, value }): Change => ({ kind, is: "new", name, at, to: value })),
      ...now!.values().flatMap(({ name, at, value }): readonly Change[] => {
        const was = old!.get(name);
        return was === undefined || was.value === value
          ? []
          : [{ kind, is: "changed", name, at, from: was.value, to: value }];
      }),
      ...old!.values().filter((fact) => !now!.has(fact.name) && isWhole(fact))
        .map(({ name, at }): Change => {
          const to = renamed.get(name);
          return to === undefined ? { kind, is: "gone", name, at } : { kind, is: "renamed", name, at, to };
        }),
    ];
  });
}

/** A renamed skill keeps most of its lines; less is a new one that borrowed some. */
const SHARED = 0.5;

/** The new name of each skill that went away and came back under another one. */
function findRenames(
  before: Release,
  after: Release,
  gone: readonly string[],
  fresh: readonly string[],
): ReadonlyMap<string, string> {
  const pairs = gone.flatMap((from) =>
    fresh.map((to) => {
      const [old, now] = [before.lines.get(from) ?? new Set(), after.lines.get(to) ?? new Set()];
      return { from, to, share: old.intersection(now).size / Math.max(1, Math.min(old.size, now.size)) };
    })
  ).filter(({ share }) => share >= SHARED).toSorted((a, b) => b.share - a.share);
  const found = new Map<string, string>();
  for (const { from, to } of pairs) {
    if (!found.has(from) && ![...found.values()].includes(to)) found.set(from, to);
  }
  return found;
}
