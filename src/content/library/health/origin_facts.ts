/**
 * The facts about the origins: the state of each, how much content it has, and how old that is.
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
import { hasSteppedBack, type Library, type LibrarySource } from "../library.ts";

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
  /** Whether it serves only what is asked of it by name, because BMAD is installed elsewhere. */
  readonly isStandby: boolean;
  /** The local copy that is read, where the origin itself is remote. */
  readonly copy?: CopyFacts;
  /** When any of its items was last modified, in milliseconds since the epoch; missing where files have no dates. */
  readonly changed?: number;
}

/**
 * The state of an origin. `standby` serves only what is asked of it by name, `empty` has no content, `missing` does not
 * exist or cannot be read, of `fetching` the first copy is on its way, and `failed` could not be fetched, though an older
 * copy may be served.
 */
export type OriginState = "ready" | "standby" | "empty" | "missing" | "fetching" | "failed";

/** The state of an origin, by its facts. */
export function originState({ exists, roots, copy, isStandby }: OriginFacts): OriginState {
  if (copy?.problem !== undefined) return "failed";
  if (copy !== undefined && (copy.commit ?? copy.version) === undefined) return "fetching";
  return !exists ? "missing" : roots.length === 0 ? "empty" : isStandby ? "standby" : "ready";
}

/** The facts about every origin, highest priority first. */
export function originsOf(library: Library): readonly OriginFacts[] {
  return library.whole.sources.map((source, rank) => factsOf(source, hasSteppedBack(library, rank)));
}

function factsOf({ origin, inventory, tree, copy }: LibrarySource, isStandby: boolean): OriginFacts {
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
    isStandby,
    ...(copy && { copy }),
    ...(changed > 0 && { changed }),
  };
}
