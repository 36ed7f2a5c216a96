/**
 * Project memory: what a text is about, and which texts answer a question.
 *
 * `analyze` makes words of a text, an embedder makes a vector of it, and `fuse` ranks what both find. Loaded with
 * `import()` by the first request that needs it: a start pays nothing for it.
 */
export type { Embedder } from "./embed/embedder.ts";
export { type EmbedderOptions, openEmbedder } from "./embed/built_in.ts";
export { type EndpointOptions, openEndpoint } from "./embed/endpoint.ts";
export {
  fuse,
  LOOKED_AT,
  type MeaningHit,
  type Ranked,
  type Rankings,
  type WordHit,
} from "./recall/fusion.ts";
export { stemsOf } from "./words/stems.ts";
export { openKernel } from "./recall/kernel.ts";
export { GLOSS_WEIGHT, matchOf, type Wanted, wantedOf, weightOf } from "./recall/lexical.ts";
export { type ByteVector, createVectors, toBytes, type Vectors } from "./recall/vectors.ts";
export { type Analysis, type Part, sharedWords } from "./words/analysis.ts";
export { type Analyzer, openAnalyzer } from "./words/analyzer.ts";
export type { StoreStatus, Waiting } from "./store/store.ts";
export type { PlaceName } from "./store/places.ts";
export type { HealthRequest, MemoryFault, MemoryHealth } from "./health.ts";
export {
  type FilterRequest,
  type MemoryTools,
  openProjectMemory,
  type ProjectMemory,
  type RememberRequest,
} from "./project_memory.ts";
