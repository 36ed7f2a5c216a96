/**
 * What a memory is, and what every place that keeps memories can do.
 *
 * Two places exist: a file of SQLite (sqlite.ts) and a server of Qdrant (qdrant.ts). Both keep this contract, and one
 * suite of tests holds them to it. Whoever hands a memory in has checked it (checks.ts) and made its id (ids.ts).
 */
import type { MemoryType } from "../../../base/memory_types.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { Analyzer } from "../words/analyzer.ts";

/** One memory, as the project-memory kit knows it. */
export interface Memory {
  /** A UUID, the same for the same beginning of a text of the same agent; memories of two types can share one. */
  readonly id: string;
  readonly type: MemoryType;
  /** Who remembers it: `dev`. */
  readonly agent: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** The project's name as a part of names: `bmad-demo-app`. */
  readonly project: string;
  /** When it was first remembered, in the form that the kit writes: local time without a zone. */
  readonly createdAt: string;
}

/** Which memories are meant; all of them where nothing is said. */
export interface MemoryFilter {
  readonly type?: MemoryType;
  readonly agent?: string;
}

/** What is to be found. */
export interface Question extends MemoryFilter {
  readonly query: string;
  /** So many at most. */
  readonly limit: number;
}

/** A memory that fits a question, and why. */
export interface Hit {
  readonly memory: Memory;
  /** Higher fits better, 1 is very well; only comparable within one answer. */
  readonly score: number;
  /** How much of the question's words it has; 0 without any. */
  readonly lexical: number;
  /** How near its meaning is, up to 1; undefined if that was not looked at or is not near. */
  readonly semantic: number | undefined;
  /** The words of the question that it has, or has in the other language. */
  readonly words: readonly string[];
}

/** What was found. */
export interface Recalled {
  /** The best first. */
  readonly hits: readonly Hit[];
  /** Whether meanings were compared. */
  readonly isSemantic: boolean;
  /** What was not as it should be, in a sentence or less. */
  readonly problem?: string;
}

/** What became of a memory that was handed in. */
export type Outcome = "new" | "changed" | "same";

/** What became of memories that were handed in. */
export interface Remembered {
  /** One for each, in their order. */
  readonly outcomes: readonly Outcome[];
  /** Whether they can be found by meaning, too. */
  readonly isSemantic: boolean;
  /** Why not, if they should have been. */
  readonly problem?: string;
}

/** How a place that keeps memories is. */
export interface StoreStatus {
  /** How many there are of each type. */
  readonly counts: Readonly<Record<MemoryType, number>>;
  /** How many of them cannot be found by meaning. */
  readonly withoutVector: number;
  /** Further facts for people and programs. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/** Who waits, and wants to know how far it is. */
export interface Waiting {
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
  /** Told how many are done, out of how many. */
  progress?(done: number, total: number): void;
}

/** A place that keeps memories. Everything that it says is done stays so, whatever happens to the program. */
export interface MemoryStore {
  /** Where it is, for people. */
  readonly place: string;
  /** Keeps memories; one that is there with the same id and type is replaced, but keeps the day it was made. */
  remember(memories: readonly Memory[], waiting?: Waiting): Promise<Remembered>;
  /** Finds those that fit a question. */
  recall(question: Question, waiting?: Waiting): Promise<Recalled>;
  /** The newest first. */
  list(filter: MemoryFilter, waiting?: Waiting): Promise<readonly Memory[]>;
  /** Takes memories away by their ids; returns how many there were. */
  forget(ids: readonly string[], filter: MemoryFilter, waiting?: Waiting): Promise<number>;
  status(waiting?: Waiting): Promise<StoreStatus>;
  close(): void;
}

/** What recall goes by. */
export interface Senses {
  readonly analyze: Analyzer;
  /** Missing where memories are found by words alone. */
  readonly embedder: Embedder | undefined;
  /** What compares vectors fast. */
  readonly kernel?: WebAssembly.Module;
}
