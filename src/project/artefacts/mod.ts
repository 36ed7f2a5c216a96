/**
 * The documents of a project: which exist, how far each has come, and what to do next.
 */
export { describeArtefacts } from "./documents.ts";
export { listNext } from "./next.ts";
export { reportNext, type WriteCall } from "./packet.ts";
