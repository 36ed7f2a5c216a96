/** Callers validate memories and compute their ids (checks.ts). */
import { type FileNote, type Memory, MEMORY_TYPES, type MemoryType } from "../../../../base/model.ts";
import type { Work } from "../../../../base/work.ts";
import type { Embedder } from "../embed/built_in.ts";
import type { Ranked } from "../recall/ranking.ts";
import type { Analyzer } from "../words/analysis.ts";

export interface MemoryFilter {
  readonly type?: MemoryType;
  readonly agent?: string;
  /** Other names under which memories of that agent may be. */
  readonly aliases?: readonly string[];
}

export function namesIn({ agent, aliases = [] }: MemoryFilter): readonly string[] {
  return agent === undefined ? [] : [...new Set([agent, ...aliases])];
}

export interface Question extends MemoryFilter {
  readonly query: string;
  readonly limit: number;
}

export interface Hit extends Omit<Ranked<unknown>, "id"> {
  readonly memory: Memory;
  readonly words: readonly string[];
}

export interface NoteHit extends Omit<Hit, "memory"> {
  readonly note: FileNote;
}

/** Whether vectors were used, and why not if they should have been. */
interface Semantics {
  readonly isSemantic: boolean;
  readonly problem?: string;
}

export interface Recalled extends Semantics {
  readonly hits: readonly Hit[];
}

export type Outcome = "new" | "changed" | "same";

export interface Remembered extends Semantics {
  readonly outcomes: readonly Outcome[];
}

export interface StoreStatus {
  readonly counts: Readonly<Record<MemoryType, number>>;
  readonly withoutVector: number;
  readonly facts: Readonly<Record<string, string | number>>;
}

export function countsOf(count: (type: MemoryType) => number): StoreStatus["counts"] {
  return Object.fromEntries(MEMORY_TYPES.map((type) => [type, count(type)])) as StoreStatus["counts"];
}

/** Whatever a store reports as done survives a crash of the program. */
export interface MemoryStore {
  readonly location: string | undefined;
  /** One with the same id and type is replaced but keeps its creation time. */
  remember(memories: readonly Memory[], work?: Work): Promise<Remembered>;
  recall(question: Question, work?: Work): Promise<Recalled>;
  list(filter: MemoryFilter, work?: Work): Promise<readonly Memory[]>;
  forget(ids: readonly string[], filter: MemoryFilter, work?: Work): Promise<number>;
  status(work?: Work): Promise<StoreStatus>;
  close(): void;
}

export interface Rankers {
  readonly analyze: Analyzer;
  readonly embedder: Embedder | undefined;
  readonly kernel?: WebAssembly.Module;
}
