/** Reading inside one folder and never outside it, on disk or in the embedded content. */
export { askDisk, diskTree, realPath, stampBefore } from "./disk.ts";
export { embeddedTree, type PackFiles } from "./embedded.ts";
export * from "./paths.ts";
export { expireAll, expireChecks, mentioning, noteReads, type Recorded, recordReads } from "./reads.ts";
export * from "./tree.ts";
