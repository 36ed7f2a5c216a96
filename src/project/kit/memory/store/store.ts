/**
 * What a memory is, and what every store of memories can do.
 *
 * Two stores exist: a SQLite file (sqlite.ts) and a Qdrant server (qdrant.ts). One test suite holds both to this
 * contract. Callers validate memories (checks.ts) and compute their ids (ids.ts).
 */
import { MEMORY_TYPES, type MemoryType } from "../../../../base/model.ts";
import type { Work } from "../../../../base/work.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { Ranked } from "../recall/fusion.ts";
import type { Analyzer } from "../words/analyzer.ts";

/** One memory, as the project-memory kit knows it. */
export interface Memory {
  /** A UUID made from project, agent and the start of the text: memories of two types can share one. */
  readonly id: string;
  readonly type: MemoryType;
  readonly agent: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** Such as `bmad-demo-app`. */
  readonly project: string;
  /** Local time without a zone, as the kit writes it. */
  readonly createdAt: string;
}

/** An empty filter matches every memory. */
export interface MemoryFilter {
  readonly type?: MemoryType;
  readonly agent?: string;
  /** Other names under which memories of that agent may be. */
  readonly aliases?: readonly string[];
}

/** Every name that a filter's agent may have; none for any agent. */
export function namesIn({ agent, aliases = [] }: MemoryFilter): readonly string[] {
  return agent === undefined ? [] : [...new Set([agent, ...aliases])];
}

export interface Question extends MemoryFilter {
  readonly query: string;
  readonly limit: number;
}

/** A memory that matches a question, and why. */
export interface Hit extends Omit<Ranked<unknown>, "id"> {
  readonly memory: Memory;
  /** The words of the question that it has, in either language. */
  readonly words: readonly string[];
}

/** Something that a file of the project says. */
export interface FileNote extends Pick<Memory, "type" | "text" | "tags"> {
  readonly agent?: string;
  readonly date?: string;
  /** The file, inside the project. */
  readonly source: string;
}

/** A note that matches a question, and why. */
export interface NoteHit extends Omit<Hit, "memory"> {
  readonly note: FileNote;
}

/** Whether vectors were used, and why not if they should have been. */
export interface Semantics {
  readonly isSemantic: boolean;
  readonly problem?: string;
}

export interface Recalled extends Semantics {
  /** The best first. */
  readonly hits: readonly Hit[];
}

export type Outcome = "new" | "changed" | "same";

export interface Remembered extends Semantics {
  /** In the order of the memories. */
  readonly outcomes: readonly Outcome[];
}

/** The contents of a store. */
export interface StoreStatus {
  /** How many memories there are of each type. */
  readonly counts: Readonly<Record<MemoryType, number>>;
  /** How many of them have no vector of the present embedder. */
  readonly withoutVector: number;
  /** Further facts for people and programs. */
  readonly facts: Readonly<Record<string, string | number>>;
}

export function countsOf(count: (type: MemoryType) => number): StoreStatus["counts"] {
  return Object.fromEntries(MEMORY_TYPES.map((type) => [type, count(type)])) as StoreStatus["counts"];
}

/** Whatever a store reports as done survives a crash of the program. */
export interface MemoryStore {
  /** A path or URL; undefined while nothing is stored anywhere. */
  readonly location: string | undefined;
  /** Stores memories; one with the same id and type is replaced but keeps its creation time. */
  remember(memories: readonly Memory[], work?: Work): Promise<Remembered>;
  recall(question: Question, work?: Work): Promise<Recalled>;
  /** The newest first. */
  list(filter: MemoryFilter, work?: Work): Promise<readonly Memory[]>;
  /** Returns how many memories were deleted. */
  forget(ids: readonly string[], filter: MemoryFilter, work?: Work): Promise<number>;
  status(work?: Work): Promise<StoreStatus>;
  close(): void;
}

export interface Rankers {
  readonly analyze: Analyzer;
  /** Undefined where memories are ranked by terms only. */
  readonly embedder: Embedder | undefined;
  readonly kernel?: WebAssembly.Module;
}
