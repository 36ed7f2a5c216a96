/**
 * The facts about one origin: its state, how much content it has, and how old that is.
 *
 * They come from the inventory and the dates on disk; no file is read.
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

/** What is known about an origin without reading its files. */
export interface OriginFacts {
  readonly origin: Origin;
  readonly exists: boolean;
  readonly roots: readonly Root[];
  readonly generations: readonly Generation[];
  /** How many items with files it has, including overridden and hidden ones. */
  readonly things: number;
  /** Visible ones only, as of the workflows. */
  readonly agents: number;
  readonly workflows: number;
  /** The local copy that is read, where the origin itself is remote. */
  readonly copy?: CopyFacts;
  /** When any of its items was last modified, in milliseconds since the epoch; missing where files have no dates. */
  readonly changed?: number;
}

/**
 * The state of an origin. `empty` has no content, `missing` does not exist or cannot be read, of `fetching` the first copy
 * is on its way, and `failed` could not be fetched, though an older copy may be served.
 */
export type OriginState = "ready" | "empty" | "missing" | "fetching" | "failed";

/** The state of an origin, by its facts. */
export function originState({ exists, things, copy }: OriginFacts): OriginState {
  if (copy?.problem !== undefined) return "failed";
  if (copy !== undefined && copy.commit === undefined) return "fetching";
  return !exists ? "missing" : things === 0 ? "empty" : "ready";
}

/** The facts about one origin. */
export function originFacts({ origin, inventory, tree, copy }: LibrarySource): OriginFacts {
  const { roots, items } = inventory;
  const present = items.filter((item) => item.status !== "no-file-found");
  const visible = present.filter((item) => !isHidden(item));
  const changed = present.map(({ file }) => tree.stat(file)?.modified ?? 0)
    .reduce((newest, date) => Math.max(newest, date), 0);
  return {
    origin,
    exists: origin.kind === "package" || tree.stamp("") !== undefined,
    roots,
    generations: [...new Set(roots.map(({ generation }) => generation))],
    things: present.length,
    agents: visible.filter((item) => isOf(item, "agent")).length,
    workflows: visible.filter((item) => isOf(item, "workflow")).length,
    ...(copy && { copy }),
    ...(changed > 0 && { changed }),
  };
}
