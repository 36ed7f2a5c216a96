/**
 * The chain of one thing: every origin that has a record of it, which of them is served, and why the others are not.
 *
 * Built for those who look at one thing: files of the records are compared.
 */
import { recordsOf } from "../../catalog/mod.ts";
import { type Entry, isHidden, type Origin } from "../../../base/model.ts";
import { countDiffering } from "./conflicts.ts";
import type { Library } from "../library.ts";

/** One record of a thing. */
export interface ChainLink {
  /** Whose record it is. */
  readonly origin: Origin;
  /** Where its text is, in its origin. */
  readonly file: string;
  /** Whether a plain name leads to it, a better one hides it, or its file is not there. */
  readonly standing: "wins" | "shadowed" | "missing";
  /** What settles that, in a few words: `priority 9 comes after 1`. */
  readonly why: string;
  /** How many files differ from those of the record that wins; missing for that one and where there are none. */
  readonly differing?: number;
  /** Whether it is the record that was asked about. */
  readonly isAsked: boolean;
}

/** The records of a thing, the one that is served first, those without a file last. */
export function chainOf(library: Library, entry: Entry): readonly ChainLink[] {
  const { served, missing } = recordsOf(library.manifest, entry);
  const [winner] = served;
  return [...served, ...missing].map((record): ChainLink => ({
    origin: record.origin,
    file: record.file,
    isAsked: record.key === entry.key,
    ...(winner === undefined || record.status === "no-file-found"
      ? { standing: "missing", why: "a manifest tells of it, but its file is not there" }
      : record === winner
      ? { standing: "wins", why: whyFirst(served) }
      : {
        standing: "shadowed",
        why: whyLater(record, winner),
        differing: countDiffering(library, [winner, record]),
      }),
  }));
}

function whyFirst([winner, ...others]: readonly Entry[]): string {
  if (others.length === 0) return "no other origin has it";
  const best = Math.min(...others.map(({ origin }) => origin.priority));
  const { priority } = winner!.origin;
  if (priority < best) return `priority ${priority} comes before ${best}`;
  return priority === best ? "it comes first among equals" : "those before it only forward to another";
}

function whyLater(record: Entry, winner: Entry): string {
  if (record.rank === winner.rank) return "its origin has it twice, and the first counts";
  if (isHidden(record) && !isHidden(winner)) return "it only forwards to another";
  const [own, best] = [record.origin.priority, winner.origin.priority];
  return own === best ? `${winner.origin.id} was named first` : `priority ${own} comes after ${best}`;
}
