/**
 * Project memory: what a project's agents remember, and which of it answers a question. Loaded with `import()` by
 * the first request that needs it.
 */
export type { MemoryFault } from "./store/stores.ts";
export { openProjectMemory, type ProjectMemory } from "./project_memory.ts";
export { memoryId } from "./store/checks.ts";
export { openAnalyzer, stemsOf } from "./words/analysis.ts";
