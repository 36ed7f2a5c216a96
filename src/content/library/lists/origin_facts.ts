/**
 * One origin in numbers and dates: what it is, what was found in it, how much, and how old it is.
 */
import {
  type CopyFacts,
  type Generation,
  isHidden,
  isOf,
  type Origin,
  type Root,
} from "../../../base/model.ts";
import type { LibrarySource } from "../library.ts";

/** What can be said of an origin without reading its files. */
export interface OriginFacts {
  /** Where it is and how much it counts. */
  readonly origin: Origin;
  /** Whether it can be looked into at all. */
  readonly exists: boolean;
  /** The BMAD roots that were found in it. */
  readonly roots: readonly Root[];
  /** The families of formats among these, each once. */
  readonly generations: readonly Generation[];
  /** How many things it has whose files are there, shadowed and hidden ones among them. */
  readonly things: number;
  /** Those of them that are agents and not hidden. */
  readonly agents: number;
  /** Those of them that are workflows and not hidden. */
  readonly workflows: number;
  /** What is known of the copy that is read in its place; missing for what is read where it is. */
  readonly copy?: CopyFacts;
  /** When any of its things was last written, in milliseconds since the epoch; missing where files have no dates. */
  readonly changed?: number;
}

/** How an origin is, in one word. */
export type OriginState =
  /** Something was found in it. */
  | "ready"
  /** It is there, and nothing was found in it. */
  | "empty"
  /** It is not there, or cannot be looked into. */
  | "missing"
  /** A first copy of it is being fetched. */
  | "fetching"
  /** It could not be fetched; an older copy may be served. */
  | "failed";

/** How an origin is. */
export function originState({ exists, things, copy }: OriginFacts): OriginState {
  if (copy?.problem !== undefined) return "failed";
  if (copy !== undefined && copy.commit === undefined) return "fetching";
  return !exists ? "missing" : things === 0 ? "empty" : "ready";
}

/** The facts about one origin. */
export function originFacts({ origin, inventory, tree, copy }: LibrarySource): OriginFacts {
  const { roots, items } = inventory;
  const there = items.filter((item) => item.status !== "no-file-found");
  const shown = there.filter((item) => !isHidden(item));
  const dates = there.map(({ file }) => tree.stat(file)?.modified ?? 0);
  const changed = dates.reduce((newest, date) => Math.max(newest, date), 0);
  return {
    origin,
    exists: origin.kind === "package" || tree.stamp("") !== undefined,
    roots,
    generations: [...new Set(roots.map(({ generation }) => generation))],
    things: there.length,
    agents: shown.filter((item) => isOf(item, "agent")).length,
    workflows: shown.filter((item) => isOf(item, "workflow")).length,
    ...(copy && { copy }),
    ...(changed > 0 && { changed }),
  };
}
