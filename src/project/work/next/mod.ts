/**
 * The documents of a project: which exist, how far each has come, and what to do next.
 */
export { describeArtefacts } from "./documents.ts";
export { listNext } from "./next.ts";
export { nextStory, type RoadmapOptions } from "./advice.ts";
export { reportNext, stepFor, type WorkStep, type WriteCalls } from "./packet.ts";
export { filesIn, overlapNote } from "./wave.ts";
