/**
 * Project memory: what a project's agents remember, and which of it answers a question.
 *
 * Texts become terms (words/) and vectors (embed/), `fuse` joins both rankings (recall/), and memories are kept in a
 * file or on a server (store/). Loaded with `import()` by the first request that needs it: a start pays nothing for it.
 */
export type { HealthRequest, MemoryFault, MemoryHealth } from "./health.ts";
export {
  type FilterRequest,
  type MemoryTools,
  openProjectMemory,
  type ProjectMemory,
  type RememberRequest,
} from "./project_memory.ts";
export { memoryId } from "./store/ids.ts";
export type { FileNote, Memory, StoreStatus } from "./store/store.ts";
export type { Backend } from "./store/stores.ts";
export { type Analysis, stemsOf } from "./words/analysis.ts";
export { type Analyzer, openAnalyzer } from "./words/analyzer.ts";
