/**
 * The chain of one item: every record of it, which one is served, and why the others are not.
 *
 * It compares the files of the records, so it is built only on request, for one item.
 */
import { recordsOf } from "../../catalog/mod.ts";
import { type Entry, isHidden, type Origin } from "../../../base/model.ts";
import { countDiffering } from "../health/conflicts.ts";
import type { Library } from "../library.ts";

/** One record of an item. */
export interface ChainLink {
  readonly origin: Origin;
  readonly file: string;
  readonly standing: "wins" | "overridden" | "missing";
  /** The reason, in a few words: `priority 9 comes after 1`. */
  readonly why: string;
  /** How many files differ from those of the served record; missing for that one and for missing files. */
  readonly differing?: number;
  /** Whether it is the record of the entry itself. */
  readonly isAsked: boolean;
}

/** The records of an entry's item, the served one first, those without a file last. */
export function chainOf(library: Library, entry: Entry): readonly ChainLink[] {
  const { served, missing } = recordsOf(library.manifest, entry);
  const [winner] = served;
  return [...served, ...missing].map((record): ChainLink => ({
    origin: record.origin,
    file: record.file,
    isAsked: record.key === entry.key,
    ...(winner === undefined || record.status === "no-file-found"
      ? { standing: "missing", why: "listed in a manifest, but its file is missing" }
      : record === winner
      ? { standing: "wins", why: whyFirst(served) }
      : {
        standing: "overridden",
        why: whyLater(record, winner),
        differing: countDiffering(library, [winner, record]),
      }),
  }));
}

function whyFirst([winner, ...others]: readonly Entry[]): string {
  if (others.length === 0) return "no other source has it";
  const best = Math.min(...others.map(({ origin }) => origin.priority));
  const { priority } = winner!.origin;
  if (priority < best) return `priority ${priority} comes before ${best}`;
  return priority === best ? "it was named first" : "those before it only forward to another item";
}

function whyLater(record: Entry, winner: Entry): string {
  if (record.rank === winner.rank) return "its source has it twice, and the first one counts";
  if (isHidden(record) && !isHidden(winner)) return "it only forwards to another item";
  const [own, best] = [record.origin.priority, winner.origin.priority];
  return own === best ? `${winner.origin.id} was named first` : `priority ${own} comes after ${best}`;
}
