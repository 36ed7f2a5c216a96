/**
 * The documents of a project: which exist, how far each has come, and what to do next.
 */
export { describeArtefacts } from "./documents.ts";
export { listNext } from "./next.ts";
export { type Ahead, nextStory } from "./advice.ts";
export { type PacketTools, reportNext, stepFor, type WorkStep, type WriteCalls } from "./packet.ts";
export type { StepCall } from "./stories.ts";
export { filesIn, type FilesOf, overlapNote } from "./wave.ts";
